"""Fifty kills of every engine at random moments: nothing that was reported as done is lost, one content at the end.

``tests/cluster/test_dask_kills.py`` has those of dask.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from tests.hardening.kills import kill_often

pytestmark = pytest.mark.faults

KILLS, N_ITEMS = 50, 24


@pytest.fixture
def data(tmp_path: Path) -> Path:
    numbers = np.random.default_rng(7)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        for at in range(N_ITEMS):
            np.save(tmp_path / side / f"{at:02}.npy", numbers.integers(0, 5 + at % 3, (8, 9)))
    return tmp_path


@pytest.mark.parametrize("engine", ["serial", "threads", "processes"])
def test_what_was_reported_is_kept(engine: str, data: Path) -> None:
    sides = [{path.name: path for path in sorted((data / side).iterdir())} for side in ("true", "pred")]
    whole = sm.evaluate(*sides, engine="serial", out=data / "whole.segm").content_digest()
    contents, killed = kill_often(data, data / "killed.segm", engine, KILLS, len(engine))
    assert contents <= {whole}
    assert killed.total() == KILLS and killed["nothing"] < KILLS
    done = sm.evaluate(*sides, engine="serial", out=data / "killed.segm", resume=True)
    assert done.content_digest() == whole
    assert not list(data.glob("*-wal"))
