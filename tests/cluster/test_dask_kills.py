"""A scheduler that is killed: nothing that was done is lost."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import SegmetryError
from tests.cluster.conftest import _address, _dask, _end

pytestmark = [pytest.mark.cluster, pytest.mark.faults]


def test_a_scheduler_that_is_killed_is_one_error(folders: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "scheduler.json", tmp_path / "run.segm"
    place = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    programs = [_dask("scheduler", *place)]
    try:
        address = _address(file)
        programs.append(_dask("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"))

        def kill(done: int, _total: int) -> None:
            if done == 5:
                os.kill(programs[0].pid, signal.SIGKILL)

        sides = folders / "true", folders / "pred"
        with pytest.raises(SegmetryError, match="resume"):
            sm.evaluate(*sides, metrics=["pq"], engine=address, out=out, progress=kill)
    finally:
        for program in programs:
            program.kill()
            _end(program)
    with sm.Run.open(out) as run:
        assert 5 <= run.n_done < 40
    whole = sm.evaluate(*sides, metrics=["pq"], engine="serial", out=tmp_path / "whole.segm").content_digest()
    assert sm.evaluate(*sides, metrics=["pq"], engine="serial", out=out, resume=True).content_digest() == whole
