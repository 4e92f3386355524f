"""Full disks, folders that cannot be written, files that vanish, clocks that jump, power that fails: nothing is lost.

What was reported as done is in the run file, an error is one that names the file, and a resumed run has the content of
one that was never disturbed.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import SegmetryError
from tests.profiles import count

N_ITEMS = 12
FRAME = 24 + 4096
"""Bytes of a page in SQLite's write-ahead log, with its header."""


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    for side, shift in (("true", 0), ("pred", 1)):
        (tmp_path / side).mkdir()
        for number in range(N_ITEMS):
            labels = np.roll(np.arange(64).reshape(8, 8) // 9 + number % 3, shift)
            np.save(tmp_path / side / f"{number:02}.npy", labels)
    return tmp_path / "true", tmp_path / "pred"


@pytest.fixture
def whole(sides: tuple[Path, Path], tmp_path: Path) -> str:
    """The content of a run that nothing disturbed."""
    return sm.evaluate(*sides, metrics=["pq"], engine="serial", out=tmp_path / "whole.segm").content_digest()


def resumed(sides: tuple[Path, Path], out: Path) -> str:
    return sm.evaluate(*sides, metrics=["pq"], engine="serial", out=out, resume=True).content_digest()


def at_item(number: int, act: Callable[[], None]) -> Callable[[int, int], None]:
    return lambda done, _total: act() if done == number else None


def cut_at(length: int) -> Iterator[int]:
    """Where the log is cut: beside the ends of its last frames, and at as many places between as the profile says."""
    step = max(1, 2 * FRAME // count(2))
    yield from sorted(
        {*range(length - 2 * FRAME, length + 1, step), length - FRAME, length - FRAME + 1, length - 1, length}
    )


def test_power_fails_while_the_log_is_written(sides: tuple[Path, Path], whole: str, tmp_path: Path) -> None:
    out, copy = tmp_path / "run.segm", tmp_path / "copy"
    copy.mkdir()

    def photograph() -> None:
        for name in ("run.segm", "run.segm-wal"):
            shutil.copy(tmp_path / name, copy / name)

    sm.evaluate(*sides, metrics=["pq"], engine="serial", out=out, progress=at_item(7, photograph))
    log = (copy / "run.segm-wal").read_bytes()
    seen = set()
    for length in cut_at(len(log)):
        folder = tmp_path / f"cut {length}"
        folder.mkdir()
        shutil.copy(copy / "run.segm", folder / "run.segm")
        (folder / "run.segm-wal").write_bytes(log[:length])
        with sm.Run.open(folder / "run.segm") as run:
            seen.add(run.n_done)
            assert (run.n_done == 7) if length == len(log) else (run.n_done in (6, 7))
    assert seen == {6, 7}
    assert resumed(sides, folder / "run.segm") == whole
    shutil.rmtree(copy)


@pytest.mark.faults
def test_power_fails_at_every_byte_of_the_last_page(sides: tuple[Path, Path], tmp_path: Path) -> None:
    """Whatever is left of the last page of the log, all items but the one it belongs to are there, and whole."""
    out, home = tmp_path / "run.segm", tmp_path / "cut"
    home.mkdir()
    remains: dict[str, bytes] = {}

    def photograph() -> None:
        remains.update({name: (tmp_path / name).read_bytes() for name in ("run.segm", "run.segm-wal")})

    sm.evaluate(*sides, metrics=["pq"], engine="serial", out=out, progress=at_item(7, photograph))
    for name, content in remains.items():
        (home / name).write_bytes(content)
    log, seen = remains["run.segm-wal"], set()
    for length in range(len(log), len(log) - FRAME - 1, -1):
        os.truncate(home / "run.segm-wal", length)
        (home / "run.segm-shm").unlink(missing_ok=True)
        with closing(sqlite3.connect(f"file:{home / 'run.segm'}?mode=ro", uri=True)) as database:
            (done,) = database.execute("SELECT count(*) FROM item WHERE status = 'done'").fetchone()
        seen.add((length == len(log), done))
    assert seen == {(False, 6), (True, 7)}


PROGRAM = """
import resource, signal, sys
from segmetry.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, pytest.param(60_000, marks=pytest.mark.faults), 130_000])
def test_the_disk_is_full(limit: int, sides: tuple[Path, Path], whole: str, tmp_path: Path) -> None:
    pytest.importorskip("resource", reason="needs the limits of POSIX")
    out = tmp_path / "run.segm"
    words = [
        "score",
        *map(str, sides),
        "--metrics",
        "pq",
        "--rule",
        "theta_plus",
        "--engine",
        "serial",
        "--out",
        str(out),
    ]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(limit), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    progress = [line for line in done.stderr.splitlines() if "items/s" in line]
    assert len(done.stderr.splitlines()) == len(progress) + 1 and str(out) in done.stderr
    assert resumed(sides, out) == whole


def test_a_folder_that_cannot_be_written_is_named(sides: tuple[Path, Path]) -> None:
    for out in ("/proc/run.segm", sides[0] / "00.npy" / "run.segm"):
        with pytest.raises(SegmetryError, match=r"run\.segm"):
            sm.evaluate(*sides, metrics=["pq"], out=out)


def test_a_file_vanishes(sides: tuple[Path, Path], whole: str, tmp_path: Path) -> None:
    out, victim = tmp_path / "run.segm", sides[1] / "09.npy"
    kept = victim.read_bytes()
    with pytest.raises(SegmetryError, match=r"item 09: .*09\.npy"):
        sm.evaluate(*sides, metrics=["pq"], engine="serial", out=out, progress=at_item(3, victim.unlink))
    victim.write_bytes(kept)
    with sm.Run.open(out) as run:
        assert run.n_done == 9
    assert resumed(sides, out) == whole


def test_the_clock_jumps(sides: tuple[Path, Path], whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = iter(range(10**6))
    monkeypatch.setattr(time, "time", lambda: 1e9 * (-1) ** next(jumps))
    run = sm.evaluate(*sides, metrics=["pq"], engine="threads", out=tmp_path / "run.segm")
    assert run.content_digest() == whole
