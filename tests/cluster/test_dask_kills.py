"""Schedulers, workers and evaluations that are killed: nothing that was done is lost.

``SEGMETRY_KILLS=50`` in the environment kills fifty times instead of five.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

import segmetry as sm
from segmetry.errors import SegmetryError
from tests.cluster.conftest import _address, _dask, _end
from tests.cluster.killed_cluster import KilledCluster
from tests.hardening.kills import kill_often

pytestmark = [pytest.mark.cluster, pytest.mark.faults]

KILLS = int(os.environ.get("SEGMETRY_KILLS", "5"))


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


def test_what_was_reported_is_kept(folders: Path, tmp_path: Path) -> None:
    """The evaluation, a worker or the scheduler, whichever the seed says."""
    sides = [{path.name: path for path in sorted((folders / side).iterdir())} for side in ("true", "pred")]
    whole = sm.evaluate(*sides, engine="serial", out=tmp_path / "whole.segm").content_digest()
    out, cluster = tmp_path / "killed.segm", KilledCluster(tmp_path)
    try:
        contents, killed = kill_often(folders, out, cluster.address, KILLS, 3, cluster)
    finally:
        cluster.end()
    assert contents <= {whole}
    assert killed.total() == KILLS and killed["nothing"] < KILLS
    assert sm.evaluate(*sides, engine="serial", out=out, resume=True).content_digest() == whole
