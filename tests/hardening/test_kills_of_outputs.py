"""Kill a merge of runs and a report at random moments: the output is complete under its name, or as it was before."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm

KILLS = int(os.environ.get("SEGMETRY_KILLS", "5"))
PROGRAM = """
import sys
from pathlib import Path
import segmetry as sm
folder, what = sys.argv[1:]
run = sm.Run.open(f"{folder}/1.segm")
sys.stdout.write("ready\\n")
sys.stdout.flush()
while True:
    if what == "merge":
        Path(f"{folder}/merged.segm").unlink(missing_ok=True)
        sm.merge_runs([f"{folder}/1.segm", f"{folder}/2.segm"], f"{folder}/merged.segm").close()
    else:
        sm.Run.open(f"{folder}/all.segm").report(f"{folder}/all.html", maps="none")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, rng = tmp_path_factory.mktemp("runs"), np.random.default_rng(1)
    true, pred = ({f"{at}": rng.integers(0, 9, (9, 9)) for at in range(40)} for _ in range(2))
    for at in (1, 2):
        sm.evaluate(true, pred, metrics="pq", out=folder / f"{at}.segm", shard=f"{at}/2").close()
    sm.merge_runs([folder / "1.segm", folder / "2.segm"], folder / "all.segm").close()
    return folder


def state(folder: Path) -> list[tuple[str, int, int]]:
    found = []
    for entry in os.scandir(folder):
        with suppress(FileNotFoundError):
            facts = entry.stat()
            found.append((entry.name, facts.st_size, facts.st_mtime_ns))
    return sorted(found)


def kill(folder: Path, what: str, seconds: float) -> None:
    command = [sys.executable, "-c", PROGRAM, folder, what]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        assert program.stdout is not None and program.stdout.readline() == b"ready\n"
        before = state(folder)  # a report is written in an instant: killed at any other, nothing would be tried
        while state(folder) == before:
            pass
        time.sleep(seconds)
        assert program.poll() is None
        program.kill()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["merge", "report"])
def test_an_output_is_complete_or_as_it_was(what: str, folder: Path) -> None:
    with sm.Run.open(folder / "all.segm") as run:
        whole, parts = run.content_digest(), {at: (folder / f"{at}.segm").read_bytes() for at in (1, 2)}
    chance = random.Random(1)  # noqa: S311 - moments, not secrets
    for _ in range(KILLS):
        kill(folder, what, chance.random() ** 4 / 10)
        if (folder / "merged.segm").exists():
            with sm.Run.open(folder / "merged.segm") as run:
                assert run.content_digest() == whole
        if (folder / "all.html").exists():
            assert (folder / "all.html").read_text("utf-8").rstrip().endswith("</html>")
        assert {at: (folder / f"{at}.segm").read_bytes() for at in (1, 2)} == parts
