"""No remedy is forgotten: every error in the source that gives advice has a case, or stands here with the reason."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import segmetry
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.statistics import Statistics
from tests.cli.test_advice_command_line import CASES as COMMANDS
from tests.face.test_advice_python import CASES as CALLS

SOURCE = Path(segmetry.__file__).parent
REMEDY = re.compile(
    r"(?<![\w-])--[a-z]|\b(pass|give|use|choose|declare|state|leave|omit|convert|reproject|save|continue|upgrade|restore|"
    r"number them|rename|remove|make|name it|name the|try|put|merge|segmetry\.\w+|pip install|[a-z_]+=)(?!\w)"
)
NOT_TRIED = {
    "annotators use ticks of different lengths; choose one with --tick": "all annotators of a file have one tick",
    "--dask-scheduler is {}; expected an address": "needs a cluster; tests/cluster",
    "needs the keys of the cluster": "needs a cluster with keys",
    "dask workers died repeatedly at one task": "needs workers without memory",
    "a dask worker ran out of memory": "needs workers without memory",
    "but a dask cluster that runs already has its own workers; leave jobs out": "needs a cluster; tests/cluster",
    "a worker process died, perhaps out of memory": "needs a process that dies; tests/evaluation",
    "convert them on the device first, labels.long()": "needs a GPU",
    "has the name of segmetry.{}; choose another": "for authors; tests/base/test_plugins.py",
    "is declared without a family; pass family=": "for authors; tests/metrics/test_declare.py",
    "has no left side `… = `; state symbol=…": "for authors; tests/metrics/test_declare.py",
    "is not the file of the demo; choose another folder": "tests/cli/test_demo.py, which runs the demo in another",
    "needs does not follow from {}; pass needs=": "for authors; tests/metrics/test_declare.py",
    "has no formula; declare it with @metric(statistics=…)": "for authors; below",
    "use the same declaration, or another name": "for authors; tests/base/test_plugins.py",
    "are too small to be counted; state a finer precision=": "thousands of slivers; tests/overlaps",
    "an outline is too long for its areas to be counted": "outlines of millions of steps; tests/segmentation",
    "the list of pairs has changed since the run was made; put the old one back": "tests/readers/test_item_names.py",
    "weights='area' needs {}": "what is inserted is tried, for both kinds of distances",
    "an address, and segmetry connects to nothing": "needs a server; tests/readers/test_remote_inputs.py",
    "second sensitivity of the same run": "tests/report/test_sensitivity_data.py",
    "the process that decodes it {}{}": "needs a decoder that crashes; tests/hardening/test_isolation.py",
    "allow more with --isolate-memory": "needs a decoder that allocates; tests/hardening/test_isolation.py",
    "allow more with --isolate-seconds": "needs a decoder that hangs; tests/hardening/test_isolation.py",
    "port {} cannot be used: {}; choose another one": "needs a port in use; tests/report/test_report_server.py",
    "this segmetry reads up to {}: upgrade segmetry": "needs another version",
}
"""Words of advice that no case follows, and why."""


def _text(node: ast.expr) -> str:
    """Return the text of a message; what is inserted is {}."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) if isinstance(value, ast.Constant) else "{}" for value in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return f"{_text(node.body)}|{_text(node.orelse)}" if isinstance(node, ast.IfExp) else "{}"


@cache
def advice() -> list[str]:
    """Return the messages of all errors that say what to do."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                message = " ".join(_text(argument) for argument in node.exc.args)
                name = getattr(node.exc.func, "id", "")
                if name.endswith("Error") and name != "MissingExtraError" and REMEDY.search(message):
                    found.append(f"{path.relative_to(SOURCE)}: {message}")
    return found


WORDS = [case.words for case in (*CALLS, *COMMANDS)]


def test_an_aggregation_takes_its_formula_from_the_declaration() -> None:
    with pytest.raises(TypeError, match="has no formula; declare it with @metric"):
        Aggregation(lambda: {"true": [1]}).reading("x", Statistics({}, {}, {}, 1), {}).item_score()


def test_every_remedy_is_tried() -> None:
    untried = [message for message in advice() if not any(words in message for words in (*WORDS, *NOT_TRIED))]
    assert not untried, (
        "nothing follows this advice; add cases to tests/face/test_advice_python.py or "
        "tests/cli/test_advice_command_line.py:\n" + "\n".join(untried)
    )


def test_every_exception_is_needed() -> None:
    for words in NOT_TRIED:
        assert any(words in message for message in advice()), words
        assert not any(words in tried for tried in WORDS), words


def test_every_case_tries_something() -> None:
    assert all(case.works for case in (*CALLS, *COMMANDS))
    assert len(advice()) > 100
