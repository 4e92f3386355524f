"""The pytest plug-in, in sessions of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import segmetry as sm

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
BAD = 'PRED = {"a": [[1, 0, 0, 0]], "b": [[0, 0, 0, 1]]}\n'


def session(folder: Path, content: str, *arguments: str) -> tuple[int, str]:
    (folder / "test_gates.py").write_text(content + (TESTS if "PRED" in content else ""))
    plugin = ("-p", "no:segmetry", "-p", "segmetry.adapters.pytest_plugin", "-p", "no:npe2", "-p", "no:zarr")
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *plugin, *arguments]
    wide = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=wide)
    return done.returncode, done.stdout


def test_gates_pass_fail_and_accept(tmp_path: Path) -> None:
    code, text = session(tmp_path, GOOD)
    assert code == 0 and "1 passed, 1 skipped" in text, text
    assert "pass --segmetry-baseline=PATH" in text
    kept = f"--segmetry-baseline={tmp_path / 'accepted'}"
    code, text = session(tmp_path, GOOD, kept)
    assert code == 1 and "there is no accepted run; --segmetry-accept keeps this one" in text, text
    code, text = session(tmp_path, GOOD, kept, "--segmetry-accept")
    assert code == 0, text
    assert sorted(path.name for path in (tmp_path / "accepted").iterdir()) == ["test_model.segm", "test_other.segm"]
    assert sm.Run.open(tmp_path / "accepted" / "test_model.segm").names == ("a", "b")
    code, text = session(tmp_path, GOOD, kept)
    assert code == 0 and "test_model: every item has the same results" in text, text
    code, text = session(tmp_path, WORSE, kept)
    assert code == 1 and "new against accepted: pq by item is worse by" in text, text
    code, text = session(tmp_path, BAD, f"--segmetry-baseline={tmp_path / 'accepted' / 'test_model.segm'}")
    assert code == 1 and "pq by item is 0, below the bound 0.3" in text, text
    code, text = session(tmp_path, GOOD, "--segmetry-accept")
    assert code == 1 and "--segmetry-accept needs --segmetry-baseline=PATH" in text, text


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
    assert done.stdout.split() == ["segmetry", "segmetry.adapters", "segmetry.adapters.pytest_plugin"]
