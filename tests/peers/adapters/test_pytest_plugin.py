"""The pytest plug-in, in sessions of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.adapters import pytest_plugin

TESTS = """
import numpy as np
import segmetry as sm

TRUE = {"a": [[1, 1, 2, 2]], "b": [[1, 1, 1, 0]]}

def test_model(segmetry_gate):
    segmetry_gate(sm.evaluate(TRUE, PRED, metrics="pq,sq"), "pq=0.3", "pq:0.05", "sq.by_item:0.5")

def test_other(segmetry_gate):
    segmetry_gate(sm.evaluate(TRUE, TRUE, metrics="pq"), "pq=1")
"""
GOOD = 'PRED = {"a": [[1, 1, 2, 2]], "b": [[1, 1, 1, 1]]}\n'
WORSE = 'PRED = {"a": [[1, 1, 2, 0]], "b": [[1, 1, 1, 1]]}\n'


def session(folder: Path, content: str, *arguments: str) -> tuple[int, str]:
    (folder / "test_gates.py").write_text(content + (TESTS if "PRED" in content else ""))
    plugin = ("-p", "no:segmetry", "-p", "segmetry.adapters.pytest_plugin", "-p", "no:npe2", "-p", "no:zarr")
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *plugin, *arguments]
    wide = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=wide)
    return done.returncode, done.stdout


def test_runs_are_accepted_and_compared(tmp_path: Path) -> None:
    kept = f"--segmetry-baseline={tmp_path / 'accepted'}"
    code, text = session(tmp_path, GOOD, kept, "--segmetry-accept")
    assert code == 0, text
    assert sorted(path.name for path in (tmp_path / "accepted").iterdir()) == ["test_model.segm", "test_other.segm"]
    assert sm.Run.open(tmp_path / "accepted" / "test_model.segm").names == ("a", "b")
    code, text = session(tmp_path, WORSE, kept)
    assert code == 1 and "new against accepted: pq (mean over items) is worse by" in text, text
    assert "test_model: accepted and new cannot be told apart with 2 items: new − accepted = -0.2500 pq" in text, text


def run(pred: Any) -> sm.Run:
    return sm.evaluate({"a": [[1, 1, 2, 2]]}, {"a": pred}, metrics="pq")


def test_bounds_fail_skip_and_name_what_is_missing(tmp_path: Path) -> None:
    lines: list[str] = []
    check = partial(pytest_plugin._check_run, lines=lines)
    with pytest.raises(pytest.fail.Exception, match=r"pq \(mean over items\) is 0\.0000, below the bound 0\.3"):
        check(run([[1, 0, 0, 0]]), ("pq=0.3",), None, accept=False)
    with pytest.raises(pytest.fail.Exception, match=r"segmetry_gate: .* is not a bound"):
        check(run([[1, 1, 2, 2]]), ("pq",), None, accept=False)
    with pytest.raises(pytest.skip.Exception, match="pass --segmetry-baseline=PATH"):
        check(run([[1, 1, 2, 2]]), ("pq=1", "pq:0.1"), None, accept=False)
    with pytest.raises(pytest.fail.Exception, match="--segmetry-accept needs --segmetry-baseline"):
        check(run([[1, 1, 2, 2]]), (), None, accept=True)
    with pytest.raises(pytest.fail.Exception, match="there is no accepted run; --segmetry-accept keeps this one"):
        check(run([[1, 1, 2, 2]]), ("pq:0.1",), tmp_path / "none.segm", accept=False)
    check(run([[1, 1, 2, 2]]), (), tmp_path / "new" / "a.segm", accept=True)
    check(run([[1, 1, 2, 2]]), ("pq:0",), tmp_path / "new" / "a.segm", accept=False)
    assert lines == ["a: every item has the same results as in the accepted run"]
    assert pytest_plugin._baseline_path(tmp_path, "test_x[a/b]").name == "test_x_a_b.segm"
    assert pytest_plugin._baseline_path(tmp_path / "one.segm", "test_x").name == "one.segm"


def test_the_example_of_the_page_works(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "howto" / "ci.md").read_text("utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    for side in ("truth", "prediction"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.array([[1, 1, 2]]))
    accept = (f"--segmetry-baseline={tmp_path / 'accepted'}", "--segmetry-accept")
    code, text = session(tmp_path, example, *accept)
    assert code == 0 and "1 passed" in text, text


def test_the_plugin_loads_nothing_before_a_gate_is_asked_for() -> None:
    listed = "print(*sorted(name for name in sys.modules if name.startswith(('numpy', 'segmetry'))))"
    script = f"import segmetry.adapters.pytest_plugin, sys; {listed}"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = ["", "._base", "._base.front_door", "._base.version", ".adapters", ".adapters.pytest_plugin"]
    assert done.stdout.split() == [f"segmetry{name}" for name in loaded]
