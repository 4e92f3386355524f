"""Values of a run as DVC and DVCLive read them, in processes of their own: they need a hundred packages."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import segmetry as sm


def run() -> sm.Run:
    return sm.evaluate({"a": [[1, 1, 2, 2]]}, {"a": [[1, 1, 2, 0]]}, metrics="pq,false_hits")


def values() -> dict[str, float]:
    return {name: value for name, value in run().scalars().items() if not math.isnan(value)}


def command(folder: Path, *words: str) -> str:
    environment = {**os.environ, "HOME": str(folder), "DVC_NO_ANALYTICS": "1", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(words, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def flat(tree: dict[str, object], prefix: str = "") -> dict[str, object]:
    """DVCLive keeps the name a/b as b in a."""
    found: dict[str, object] = {}
    for name, value in tree.items():
        found |= flat(value, f"{prefix}{name}/") if isinstance(value, dict) else {prefix + name: value}
    return found


def test_dvc_shows_the_file_of_scalars(tmp_path: Path) -> None:
    run().log_to(tmp_path / "metrics.json")
    (tmp_path / "dvc.yaml").write_text("metrics:\n  - metrics.json\n")
    dvc = (sys.executable, "-m", "dvc")
    command(tmp_path, *dvc, "init", "--no-scm", "--quiet")
    shown = json.loads(command(tmp_path, *dvc, "metrics", "show", "--json"))
    found = shown[""]["data"]["metrics.json"]["data"]
    assert {name: value for name, value in found.items() if value is not None} == values()


LIVE = """
from dvclive import Live
from test_dvc import run
with Live("live", save_dvc_exp=False, dvcyaml=None, report=None) as live:
    run().log_to(live, step=4)
"""


def test_dvclive_keeps_the_values(tmp_path: Path) -> None:
    command(tmp_path, sys.executable, "-c", LIVE)
    assert flat(json.loads((tmp_path / "live" / "metrics.json").read_text())) == {**values(), "step": 4}
