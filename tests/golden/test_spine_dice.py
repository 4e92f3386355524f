"""The semantic spine volume of panoptica's examples: Dice of two of its labels, counted by hand from the voxels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm


def test_dice_of_labels_60_and_61(shared_data: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    paths = [shared_data / "spine_nifti" / f"semantic_{side}.nii.gz" for side in ("ref", "pred")]
    run = sm.evaluate(*paths, metrics="dice", read={"labels": "classes"}, engine="serial")
    true, pred = (np.asarray(nibabel.load(path).dataobj) for path in paths)
    values = run.summary().classes
    for label, published in ((60, 0.020), (61, 0.027)):
        both, sizes = int(((true == label) & (pred == label)).sum()), int((true == label).sum() + (pred == label).sum())
        assert values[label]["dice"]["by_item"].value == pytest.approx(2 * both / sizes, abs=1e-15)
        assert values[label]["dice"]["by_item"].value == pytest.approx(published, abs=5e-4)
