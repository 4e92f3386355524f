"""What a failure of power may lose: nothing that was reported as done. The calls that wait for the disk are counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry._base.atomic_write import write_atomically

PROGRAM = """
import sys
import numpy as np
import segmetry as sm
# An image, a volume, an image …: neighbours of one kind would be scored, and reported, together.
labels = {str(at): np.array([1, 1, at]).reshape([1] * (1 + at % 2) + [3]) for at in range(9)}
def told(done, total):
    sys.stderr.write(f"reported {done}\\n")
    sys.stderr.flush()
sm.evaluate(labels, labels, metrics="pq", engine="serial", out=sys.argv[1], progress=told).close()
sys.stderr.write("ended\\n")
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_the_disk_has_every_item_before_it_is_reported(tmp_path: Path) -> None:
    log, words = tmp_path / "calls", ("trace=write,fsync,fdatasync,pwrite64", "--decode-fds=path")
    command = ["strace", "-f", "-o", log, "-e", *words, sys.executable, "-c", PROGRAM, tmp_path / "run.segm"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if "ptrace" in ended.stderr:
        pytest.skip("may not trace here")
    assert ended.returncode == 0, ended.stderr
    is_waiting, n_reported, n_synced = False, 0, 0
    for line in log.read_text().splitlines():
        if "pwrite64" in line and "run.segm-wal" in line:
            is_waiting = True
        elif "sync(" in line and "run.segm-wal" in line:
            is_waiting, n_synced = False, n_synced + 1
        elif "reported" in line and "write(2" in line:
            assert not is_waiting, "an item was reported that the disk did not have"
            n_reported += 1
        elif "ended" in line:
            assert not is_waiting
    assert (n_reported, n_synced >= 9) == (9, True)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Syncs and renames in their order: what is synced by its path."""
    made: list[str] = []
    sync, replace = os.fsync, Path.replace

    def told(place: int) -> None:
        made.append(f"sync {'folder' if Path(f'/proc/self/fd/{place}').resolve().is_dir() else 'file'}")
        sync(place)

    monkeypatch.setattr(os, "fsync", told)
    monkeypatch.setattr(os, "fdatasync", told)
    monkeypatch.setattr(Path, "replace", lambda path, target: (made.append("rename"), replace(path, target))[1])
    return made


@pytest.mark.skipif(sys.platform != "linux", reason="finds open files in /proc")
def test_outputs_and_saved_runs_are_on_the_disk_before_and_after_they_have_their_name(
    tmp_path: Path, calls: list[str]
) -> None:
    write_atomically(tmp_path / "table.csv", "a,b\n")
    assert calls == ["sync file", "rename", "sync folder"]
    calls.clear()
    labels = {"a": np.array([[1, 2]])}
    run = sm.evaluate(labels, labels, metrics="pq")
    run.save(tmp_path / "run.segm")
    assert calls == ["sync file", "sync folder"]
    calls.clear()
    run.save(tmp_path / "run.segm", replace=True)
    assert calls == ["sync file", "rename", "sync folder"]


@pytest.mark.skipif(sys.platform != "linux", reason="finds open files in /proc")
def test_merged_runs_are_on_the_disk(tmp_path: Path, calls: list[str]) -> None:
    labels = {name: np.array([[1, 2]]) for name in ("a", "b")}
    parts = [tmp_path / f"{at}.segm" for at in (1, 2)]
    for at, part in enumerate(parts, 1):
        sm.evaluate(labels, labels, metrics="pq", out=part, shard=f"{at}/2").close()
    calls.clear()
    sm.merge_runs(parts, tmp_path / "all.segm").close()
    assert calls[-3:] == ["sync file", "rename", "sync folder"]
