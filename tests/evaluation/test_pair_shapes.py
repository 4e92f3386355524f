"""One row per matched instance: distances are those of the metrics, volumes and centres those of the voxels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.evaluation.reopen import shape_table


def test_rows_of_instances() -> None:
    labels = np.zeros((6, 7, 8), np.uint8)
    labels[1:4, 1:5, 2:6], labels[4:6, 5:7, 6:8] = 1, 2
    sides = [{"a": sm.LabelArray(array, spacing=(2, 1, 0.5))} for array in (labels, np.roll(labels, 1, axis=2))]
    run = sm.evaluate(*sides, metrics="pq", engine="serial")
    rows = {row["true_id"]: row for row in shape_table(run, tolerance="1/2")}
    assert list(rows) == [1]
    row = rows[1]
    true, pred = (np.argwhere(side["a"].labels == 1) * (2, 1, 0.5) for side in sides)
    assert row["true_volume"] == row["pred_volume"] == len(true) * 2 * 1 * 0.5
    assert [row[f"true_centre_{axis}"] for axis in range(3)] == pytest.approx(true.mean(axis=0).tolist())
    assert [row[f"pred_centre_{axis}"] for axis in range(3)] == pytest.approx(pred.mean(axis=0).tolist())
    assert row["dice"] == pytest.approx(sm.dice(*((side["a"].labels == 1) for side in sides)).value)
    both = sides[0]["a"], sides[1]["a"]
    assert row["hausdorff95"] == sm.hausdorff95(*both).value and row["hausdorff"] == sm.hausdorff(*both).value
    assert row["surface_dice"] == sm.surface_dice(*both, tolerance="1/2").value
    assert list(row)[:6] == ["item", "true_id", "pred_id", "iou", "dice", "hausdorff"]


def test_a_run_of_files_is_read_again(tmp_path: Path) -> None:
    for side, labels in (("true", [[1, 1, 1, 0]]), ("pred", [[1, 1, 0, 0]])):
        np.save(tmp_path / f"{side}.npy", np.array(labels, np.uint8))
    run = sm.evaluate(tmp_path / "true.npy", tmp_path / "pred.npy", metrics="pq", out=tmp_path / "run.segm")
    (row,) = shape_table(run)
    assert row["hausdorff"] == 1 and "surface_dice" not in row and row["unit"] == "pixels"
