"""A broken or colliding plug-in is one warning that names it, and everything else works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow

GOOD = """
from segmetry.plugins import Example, Score, metric

@metric(symbol="G", family="panoptic", needs="table", formula="1", summary="One.", citation="Somebody 2020, in print",
        bounds=(0, 1), better="higher", symmetric=True, value_if_equal=1.0, notes="None.",
        examples=(Example([[1]], [[1]], 1.0),))
def good(table):
    return Score.number("good", 1.0)
"""
READER = """
from segmetry.plugins import Choice, Integer, Option, Reader, declare_reader
declare_reader(Reader("{name}", "x", (".x",), lambda path, head: False, lambda path, options: [],
                      options=(Option("{option}", "Other.", Integer(), 1),)))
"""
METRIC = GOOD.replace("def good", "def {name}")
RULE = """
from segmetry.plugins import declare_rule
@declare_rule
def theta_plus():
    "Another."
"""
BROKEN = {
    "import_error": (
        "metrics",
        "import no_such_package_at_all\n",
        "ModuleNotFoundError: No module named 'no_such_pack",
    ),
    "raises": ("readers", "raise RuntimeError('a\\nb')\n", "RuntimeError: a b"),
    "syntax": ("rules", "def\n", "SyntaxError: invalid syntax"),
    "same_metric": ("metrics", METRIC.format(name="pq"), "ValueError: the metric 'pq' is declared twice"),
    "public_name": ("metrics", METRIC.format(name="score"), "the metric 'score' has the name of segmetry.score"),
    "same_rule": ("rules", RULE, "ValueError: the rule 'theta_plus' is declared twice"),
    "same_reader": ("readers", READER.format(name="npy", option="zz"), "the format 'npy' is declared twice"),
    "other_option": (
        "readers",
        READER.format(name="new", option="void"),
        "the format 'new' declares the option 'void' in another way than the format ",
    ),
    "reserved": ("readers", READER.format(name="new", option="side"), "an option 'side', which all formats have"),
}


def install(folder: Path, name: str, group: str, source: str) -> None:
    (folder / f"{name}.py").write_text(source)
    metadata = folder / f"{name}-1.5.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (metadata / "entry_points.txt").write_text(f"[segmetry.{group}]\nit = {name}\n")


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def test_broken_plugins_are_named_and_everything_else_works(tmp_path: Path) -> None:
    for name, (group, source, _) in BROKEN.items():
        install(tmp_path, f"x_{name}", group, source)
    install(tmp_path, "good_package", "metrics", GOOD)
    np.save(tmp_path / "a.npy", np.array([[1, 1, 2]]))
    program = (
        "import segmetry as sm; from segmetry.alignments.candidates import RULES; list(RULES); "
        "print(sm.pq('a.npy', 'a.npy'), sm.good([[1]], [[1]]), len(sm.list_metrics()) > 50)"
    )
    done = python(tmp_path, "-W", "always", "-c", f"{program}; print(sm.score('a.npy', 'a.npy', 'pq').rule)")
    assert (done.returncode, done.stdout) == (0, "1.0 1.0 True\ntheta_plus\n"), done.stderr
    for name, (group, _, words) in BROKEN.items():
        start = f"the plug-in it = x_{name} of x_{name} 1.5 (entry point group segmetry.{group}) is left out: "
        lines = [line for line in done.stderr.splitlines() if start in line]
        assert len(lines) == 1, (name, done.stderr)
        assert words in lines[0]
    done = python(tmp_path, "-m", "segmetry", "score", "a.npy", "a.npy", "--metrics", "pq,good", "--void", "9")
    assert done.returncode == 0, done.stderr
    assert "good" in done.stdout
    asked_for = [group for group, _, _ in BROKEN.values() if group in ("metrics", "readers")]
    assert done.stderr.count("segmetry: warning: the plug-in it = x_") == len(asked_for)
    assert "Traceback" not in done.stderr


def test_a_plugin_that_fails_halfway_leaves_nothing_behind(tmp_path: Path) -> None:
    install(
        tmp_path, "half", "metrics", GOOD + READER.format(name="halfway", option="zz") + "\nraise ValueError('no')\n"
    )
    program = (
        "import segmetry as sm; from segmetry.readers.reader import READERS; print('good' in dir(sm), list(READERS))"
    )
    done = python(tmp_path, "-W", "ignore", "-c", program)
    assert done.stdout.startswith("False ['"), done.stderr
    assert "halfway" not in done.stdout


def test_a_warning_turned_into_an_error_comes_once(tmp_path: Path) -> None:
    install(tmp_path, "broken", "metrics", "1 / 0\n")
    program = """
import segmetry as sm
try:
    sm.list_metrics()
except UserWarning as problem:
    print(problem)
print("pq" in sm.list_metrics())
"""
    start = "the plug-in it = broken of broken 1.5 (entry point group segmetry.metrics)"
    done = python(tmp_path, "-W", "error", "-c", program)
    assert done.stdout.splitlines() == [
        f"{start} is left out: ZeroDivisionError: division by zero; everything else works",
        "True",
    ], done.stderr


def test_built_in_metrics_read_no_plugins(tmp_path: Path) -> None:
    install(tmp_path, "broken", "metrics", "1 / 0\n")
    done = python(tmp_path, "-W", "error", "-c", "import segmetry as sm; print(sm.pq([[1]], [[1]]))")
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


FAILING = """
from segmetry.plugins import Reader, declare_reader

def read(path, options):
    raise ZeroDivisionError("no\\nluck")
    yield

declare_reader(Reader("asks", "fails when it is asked", (".asks",), lambda path, head: 1 / 0, read))
declare_reader(Reader("reads", "fails when it reads", (".reads",), lambda path, head: head == b"reads", read))
"""


def test_a_reader_that_fails_is_named_and_no_other_file_suffers(tmp_path: Path) -> None:
    install(tmp_path, "failing", "readers", FAILING)
    np.save(tmp_path / "a.npy", np.array([[1, 1, 2]]))
    (tmp_path / "a.reads").write_bytes(b"reads")
    done = python(tmp_path, "-m", "segmetry", "score", "a.npy", "a.npy", "--metrics", "pq")
    assert done.returncode == 0, done.stderr
    words = "the plug-in it = failing of failing 1.5 is left out for a.npy: its format asks failed to recognise a file"
    assert words in done.stderr
    done = python(tmp_path, "-m", "segmetry", "score", "a.reads", "a.reads", "--metrics", "pq")
    assert done.returncode == 2
    words = "a.reads: the plug-in it = failing of failing 1.5, which reads the format reads, failed: "
    assert f"{words}ZeroDivisionError: no luck" in done.stderr
    assert "Traceback" not in done.stderr
