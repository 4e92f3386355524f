"""The distances of BraTS with the package surface-distance, which the published script uses, and files of NIfTI."""

from __future__ import annotations

from pathlib import Path

import nibabel
import numpy as np
import pytest
import surface_distance

import segmetry as sm
from segmetry.errors import SegmetryError
from tests.protocols.references.table_values import DATA_SETS, same, shown
from tests.protocols.references.test_brats import (
    CHALLENGES,
    Mask,
    Volume,
    check,
    degenerate_cases,
    random_cases,
    reference,
    volume,
)

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]


def hd95(true: Mask, pred: Mask, spacing: tuple[float, ...]) -> float:
    return float(
        surface_distance.compute_robust_hausdorff(surface_distance.compute_surface_distances(true, pred, spacing), 95)
    )


def test_brats_equals_the_script() -> None:
    rng = np.random.default_rng(61)
    for at in range(DATA_SETS):
        spacing = ((1.0, 1.0, 1.0), (1.0, 0.5, 2.0))[at % 4 == 0]
        check(random_cases(rng), list(CHALLENGES)[at % 3], spacing, hd95)


@pytest.mark.parametrize("protocol", CHALLENGES)
@pytest.mark.parametrize("at", range(len(degenerate_cases())))
def test_brats_equals_the_script_on_degenerate_cases(at: int, protocol: str) -> None:
    check(degenerate_cases()[at], protocol, (1.0, 1.0, 1.0), hd95)


def write(path: Path, labels: Volume, step: float) -> None:
    nibabel.save(nibabel.Nifti1Image(labels, np.diag([1, 1, step, 1])), path)


def test_files_give_the_same_and_their_spacing_must_agree(tmp_path: Path) -> None:
    rng = np.random.default_rng(62)
    true, pred = volume(rng, (12, 11, 10)), volume(rng, (12, 11, 10))
    for name, labels in (("t", true), ("p", pred)):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "case.nii.gz", labels, 2)
    rows = shown(sm.evaluate(tmp_path / "t", tmp_path / "p", protocol="brats-met", engine="serial"))
    expected = reference(np.isin(true, (1, 3)), np.isin(pred, (1, 3)), (1.0, 1.0, 2.0), 1, 2, hd95)
    assert all(same(rows["TC"][heading], value) for heading, value in expected.items())
    write(tmp_path / "p" / "case.nii.gz", pred, 1)
    with pytest.raises(SegmetryError, match="different positions in space"):
        sm.evaluate(tmp_path / "t", tmp_path / "p", protocol="brats-met", engine="serial")
