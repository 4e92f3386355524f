"""The protocol of nnU-Net against a transcription of the arithmetic of ``compute_metrics_on_folder``."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Volume = NDArray[np.uint8]
Case = tuple[Volume, Volume]
Region = tuple[int, ...]
IGNORE = 9
COLUMNS = {"Dice": "Dice", "IoU": "IoU", "TP": "TP", "FP": "FP", "FN": "FN", "TN": "TN"} | {
    "n ref": "n_ref",
    "n pred": "n_pred",
}


def volume(rng: np.random.Generator, shape: tuple[int, ...], labels: int) -> Volume:
    return rng.integers(0, labels + 1, shape).astype(np.uint8) * (rng.random(shape) < rng.choice([0.1, 0.5, 1]))


def random_cases(rng: np.random.Generator) -> list[Case]:
    labels = int(rng.integers(1, 5))
    cases = []
    for _ in range(rng.integers(1, 5)):
        shape = tuple(rng.integers(1, 5, 3).tolist())
        true, pred = volume(rng, shape, labels), volume(rng, shape, labels)
        pred = np.where(rng.random(shape) < rng.choice([0, 0.5, 1]), true, pred)
        cases.append((true * (rng.random() < 0.9), pred * (rng.random() < 0.9)))
    return [(true.astype(np.uint8), pred.astype(np.uint8)) for true, pred in cases]


def degenerate_cases() -> list[list[Case]]:
    blank, one, two = np.zeros((1, 2, 2), np.uint8), np.ones((1, 2, 2), np.uint8), np.full((1, 2, 2), 2, np.uint8)
    point = np.ones((1, 1, 1), np.uint8)
    return [
        [(one, blank)],
        [(blank, one)],
        [(one, two)],
        [(point, point)],
        [(one, one), (blank, blank)],
        [(one, one), (two, blank), (blank, two)],
        [(np.full((1, 2, 2), IGNORE, np.uint8), one), (one, one)],
    ]


def reference(
    cases: list[Case], regions: list[Region], ignore: int | None
) -> tuple[dict[str, float], dict[Region, dict[str, float]]]:
    """Foreground mean and the mean of each region, as the reference defines them."""
    per_case: list[dict[Region, dict[str, float]]] = []
    for true, pred in cases:
        used = np.ones(true.shape, bool) if ignore is None else true != ignore
        values = {}
        for region in regions:
            in_true, in_pred = np.isin(true, region), np.isin(pred, region)
            tp, fp = int((in_true & in_pred & used).sum()), int((~in_true & in_pred & used).sum())
            fn, tn = int((in_true & ~in_pred & used).sum()), int((~in_true & ~in_pred & used).sum())
            either = tp + fp + fn
            values[region] = {
                "Dice": 2 * tp / (2 * tp + fp + fn) if either else math.nan,
                "IoU": tp / either if either else math.nan,
                "TP": tp,
                "FP": fp,
                "FN": fn,
                "TN": tn,
                "n_pred": tp + fp,
                "n_ref": tp + fn,
            }
        per_case.append(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        means = {
            region: {name: float(np.nanmean([case[region][name] for case in per_case])) for name in COLUMNS.values()}
            for region in regions
        }
    return {name: float(np.mean([means[r][name] for r in regions])) for name in COLUMNS.values()}, means


def evaluated(cases: list[Case], **read: Any) -> sm.Run:
    sides = ({f"{at}": case[side] for at, case in enumerate(cases)} for side in (0, 1))
    run = sm.evaluate(*sides, protocol="nnunet", engine="serial", read=read or None)
    assert run.modified == ()
    return run


def occurring(cases: list[Case], ignore: int | None = None) -> list[Region]:
    labels = {int(label) for case in cases for side in case for label in np.unique(side)} - {0, ignore}
    return [(label,) for label in sorted(labels)]


def check(
    run: sm.Run,
    cases: list[Case],
    regions: dict[str, Region],
    ignore: int | None = None,
    absent: dict[str, Region] | None = None,
) -> None:
    named = {**regions, **(absent or {})}
    foreground, means = reference(cases, [*named.values()], ignore)
    for name in ("Dice", "IoU"):  # the named exception: what no case has is left out
        foreground[name] = float(np.mean([means[region][name] for region in regions.values()]))
    row = shown(run)["foreground mean"]
    classes = shown(run, classes=True)
    assert sorted(classes) == sorted(named)
    for heading, name in COLUMNS.items():
        assert same(row[heading], foreground[name]), (heading, row, foreground, cases)
        for label, values in classes.items():
            assert same(values[heading], means[named[label]][name]), (label, heading)


def test_nnunet_equals_the_reference() -> None:
    rng = np.random.default_rng(51)
    for _ in range(DATA_SETS):
        cases = random_cases(rng)
        if labels := occurring(cases):
            check(evaluated(cases), cases, {str(label[0]): label for label in labels})


@pytest.mark.parametrize("at", range(len(degenerate_cases())))
def test_nnunet_equals_the_reference_on_degenerate_cases(at: int) -> None:
    cases = degenerate_cases()[at]
    labels = occurring(cases, IGNORE)
    check(evaluated(cases, true_void=IGNORE), cases, {str(label[0]): label for label in labels}, IGNORE)


def test_nnunet_regions_equal_the_reference() -> None:
    rng = np.random.default_rng(52)
    regions = {"ET": (3,), "TC": (1, 3), "WT": (1, 2, 3)}
    for _ in range(DATA_SETS // 5):
        cases = random_cases(rng)
        used = {name: region for name, region in regions.items() if any(np.isin(c, region).any() for c in cases)}
        absent = {name: region for name, region in regions.items() if name not in used}
        if used:
            check(evaluated(cases, union=regions), cases, used, absent=absent)


def test_a_label_that_no_case_has_is_left_out() -> None:
    """The reference's foreground mean is NaN then."""
    cases = [(np.array([[[1, 0]]], np.uint8), np.array([[[1, 1]]], np.uint8))]
    assert math.isnan(reference(cases, [(1,), (2,)], None)[0]["Dice"])
    assert shown(evaluated(cases))["foreground mean"]["Dice"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("extra", [{}, {"cyst": 7}])
def test_a_folder_and_its_description(extra: dict[str, int], tmp_path: Path) -> None:
    """Names, regions and the ignore label come from dataset.json beside the labels; no case has a cyst."""
    nibabel = pytest.importorskip("nibabel")
    rng = np.random.default_rng(53)
    cases = [tuple(rng.integers(0, 5, (2, 6, 5, 4)).astype(np.uint8)) for _ in range(3)]
    for side, name in enumerate(("labelsTr", "predicted")):
        (tmp_path / name).mkdir()
        for at, case in enumerate(cases):
            labels = case[side] if side == 0 else np.where(case[side] == 4, 0, case[side])
            image = nibabel.Nifti1Image(labels, np.diag([2, 1, 1, 1]))
            nibabel.save(image, tmp_path / name / f"case_{at}.nii.gz")
    labels = {"background": 0, "liver": 1, "tumour": 2, "vessel": 3, "ignore": 4, **extra}
    (tmp_path / "dataset.json").write_text(json.dumps({"labels": labels, "file_ending": ".nii.gz"}))
    (tmp_path / "predicted" / "summary.json").write_text("{}")
    run = sm.evaluate(tmp_path / "labelsTr", tmp_path / "predicted", protocol="nnunet", engine="serial")
    assert run.modified == ()
    pairs = [(case[0], np.where(case[1] == 4, 0, case[1])) for case in cases]
    absent = {name: (label,) for name, label in extra.items()}
    check(run, pairs, {"liver": (1,), "tumour": (2,), "vessel": (3,)}, 4, absent)


def test_counts_of_a_label_that_no_case_has(tmp_path: Path) -> None:
    """The means of nnU-Net's ``compute_metrics_on_folder`` (0e495086) over labels 1 and 2, of which no case has 2."""
    true, pred = np.zeros((8, 8, 8), np.uint8), np.zeros((8, 8, 8), np.uint8)
    true[0, :3, :9], pred[0, :3, :6] = 1, 1
    for name, labels in (("labelsTr", true), ("predicted", pred)):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "case.npy", labels)
    (tmp_path / "dataset.json").write_text(json.dumps({"labels": {"background": 0, "liver": 1, "cyst": 2}}))
    run = sm.evaluate(tmp_path / "labelsTr", tmp_path / "predicted", protocol="nnunet", engine="serial")
    row = shown(run)["foreground mean"]
    assert (row["TP"], row["FP"], row["FN"], row["TN"]) == (9, 0, 3, 500)
    assert (row["n ref"], row["n pred"], row["Dice"]) == (12, 9, pytest.approx(36 / 42))
