"""What type checkers and editors tell somebody who uses segmetry."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm

FINE = """
import numpy as np
import segmetry as sm

image = np.zeros((3, 3), int)
reveal_type(sm.pq(image, image))
reveal_type(sm.pair_counts([[1, 1]], [[1, 2]]))
reveal_type(sm.pq.metric)
reveal_type(sm.score(image, image)["pq"])
reveal_type(sm.overlap(image, image))
reveal_type(sm.align(sm.overlap(image, image)))
sm.pq(sm.overlap(image, image), rule="iou(above=3/4)", policy="coco")
sm.pq(image, image, rule=sm.rules.iou(above=0.5))
sm.hausdorff95(sm.LabelArray(image), sm.LabelArray(image), percentile="pooled")
sm.entity_f1(sm.SpanLines.from_tags([["B-PER"]]), sm.SpanLines.from_tags([["O"]]))
sm.agreement_pi({"Ann": sm.Spans.from_masses([1]), "Bob": sm.Spans.from_masses([1])})
"""
MISTAKES = {
    "sm.pqq": "pqq",
    "sm.pq(1, 2, rlue='theta_plus')": "rlue",
    "sm.pq([1], [2], policy='cocoo')": "cocoo",
    "sm.nmi([1], [2], average='median')": "median",
    "sm.surface_dice([[1]], [[2]])": "tolerance",
    "sm.boundary_f1([[1]])": "pred",
    "sm.pq.metric.symbl": "symbl",
    "sm.score([1], [2], background='forground')": "forground",
    "sm.evaluate('a', 'b', policy='cocoo')": "cocoo",
    "sm.ap51([1], [2])": "ap51",
}


def pyright(path: Path) -> list[dict[str, Any]]:
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["generalDiagnostics"]  # type: ignore[no-any-return]


def mypy(path: Path) -> str:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(path.parent / "cache"), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent).stdout


def write(folder: Path, text: str) -> Path:
    path = folder / "user.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_pyright_knows_the_results(tmp_path: Path) -> None:
    diagnostics = pyright(write(tmp_path, FINE))
    assert {entry["severity"] for entry in diagnostics} == {"information"}
    revealed = " ".join(re.search('is "(.*)"', entry["message"])[1] for entry in diagnostics)  # type: ignore[index]
    assert revealed == "Score Counts Metric Score | Counts OverlapTable Alignment"


def test_pyright_reports_every_mistake(tmp_path: Path) -> None:
    diagnostics = pyright(write(tmp_path, "import segmetry as sm\n" + "\n".join(MISTAKES)))
    errors = {entry["range"]["start"]["line"] - 1: entry["message"] for entry in diagnostics}
    for at, (line, word) in enumerate(MISTAKES.items()):
        assert word in errors.get(at, ""), line


def test_pyright_knows_the_type_of_every_public_name(tmp_path: Path) -> None:
    lines = [f"reveal_type(sm.{name})" for name in sm.__all__]
    messages = [entry["message"] for entry in pyright(write(tmp_path, "import segmetry as sm\n" + "\n".join(lines)))]
    assert len(messages) == len(lines)
    assert not [message for message in messages if re.search(r'is "(Any|Unknown)"|Unknown', message)]


def test_mypy_knows_the_results(tmp_path: Path) -> None:
    output = mypy(write(tmp_path, FINE))
    assert "error" not in output and "Success" in output
    revealed = re.findall('Revealed type is "(.*)"', output)
    assert [re.sub(r"segmetry[\w.]*\.", "", kind) for kind in revealed][:3] == ["Score", "Counts", "Metric"]


def test_mypy_reports_every_mistake(tmp_path: Path) -> None:
    output = mypy(write(tmp_path, "import segmetry as sm\n" + "\n".join(MISTAKES)))
    errors = {int(at): words for at, words in re.findall(r"user\.py:(\d+): error: (.*)", output)}
    for at, (line, word) in enumerate(MISTAKES.items(), start=2):
        # mypy names no value where a function has several signatures, as only score has here.
        expected = "No overload variant" if line.startswith("sm.score(") else word
        assert expected in errors.get(at, ""), line


def test_jedi_completes_names_and_results(monkeypatch: pytest.MonkeyPatch) -> None:
    jedi = pytest.importorskip("jedi")
    # jedi does not follow the hook of an editable installation; it is asked in the place of an ordinary one.
    hooks = [finder for finder in sys.meta_path if "_editable" not in type(finder).__module__]
    monkeypatch.setattr(sys, "meta_path", hooks)
    installed = Path(sm.__file__).parents[1]
    project = jedi.Project(installed, added_sys_path=[str(installed)])

    def script(code: str) -> Any:
        here = jedi.InterpreterEnvironment()
        return jedi.Script(f"import segmetry as sm\n{code}", project=project, environment=here)

    def names(code: str) -> list[str]:
        return [completion.name for completion in script(code).complete()]

    assert names("sm.haus")[:2] == ["hausdorff", "hausdorff95"]
    assert names("sm.hd") == ["hd", "hd95"]
    assert "numerator" in names("sm.pq([1], [1]).num")
    (called,) = script("sm.hausdorff95(").get_signatures()
    assert [parameter.name for parameter in called.params][:3] == ["true", "pred", "percentile"]
    (described,) = script("sm.pq").help(2, 4)
    assert "Panoptic quality" in described.docstring() and "Kirillov" in described.docstring()
