"""An item that cannot be written costs no other item, and leaves a file that can be resumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.runfile import writer


def test_items_before_it_are_kept_and_the_file_is_not_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    sides = [{f"{at:02}": rng.integers(0, 3, (5, 6)) for at in range(20)} for _ in range(2)]
    call: dict[str, Any] = {"metrics": "hausdorff", "engine": "serial", "out": tmp_path / "run.segm"}
    statefact_row, n_written = writer.fact_row, 0

    def thirteenth_fails(*item: Any) -> Any:
        nonlocal n_written
        n_written += 1
        if n_written == 13:
            raise TypeError("no such facts")
        return statefact_row(*item)

    with monkeypatch.context() as patch:
        patch.setattr(writer, "fact_row", thirteenth_fails)
        with pytest.raises(TypeError, match="no such facts"):
            sm.evaluate(*sides, **call)
    with sm.Run.open(tmp_path / "run.segm") as run:
        assert run.n_done == 12
    resumed = sm.evaluate(*sides, **call, resume=True)
    whole = sm.evaluate(*sides, **{**call, "out": None})
    assert resumed.summary().to_dict() == whole.summary().to_dict()
