"""The protocol of Metrics Reloaded against a transcription of the measures of ``BinaryPairwiseMeasures``."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Volume = NDArray[np.int64]
Case = tuple[Volume, Volume]
SPACING = (2.0, 0.5)
COUNTS = ("numb_ref", "numb_pred", "numb_tp", "numb_fp", "numb_fn")


def measures(ref: NDArray[np.bool_], pred: NDArray[np.bool_]) -> dict[str, float]:
    """All measures of two masks, at least one of them not empty; ppv and npv of nothing are NaN, a named exception."""
    n = ref.size
    tp, fp = int((ref & pred).sum()), int((~ref & pred).sum())
    fn, tn = int((ref & ~pred).sum()), int((~ref & ~pred).sum())
    with np.errstate(all="ignore"):
        sensitivity, specificity = np.float64(tp) / (tp + fn), np.float64(tn) / (tn + fp)
        chance = ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)) / n**2
        rates = np.float64(fp) / (fp + tn), np.float64(fn) / (tp + fn)
        values = {
            "numb_ref": tp + fn,
            "numb_pred": tp + fp,
            "numb_tp": tp,
            "numb_fp": fp,
            "numb_fn": fn,
            "accuracy": (tp + tn) / n,
            "nb": tp / n - fp / n,
            "ec": rates[0] + rates[1],
            "ba": (sensitivity + specificity) / 2,
            "cohens_kappa": np.float64((tp + tn) / n - chance) / (1 - chance),
            "lr+": sensitivity / (1 - specificity) if fp else math.nan,
            "iou": tp / (tp + fp + fn),
            "fbeta": 2 * tp / (2 * tp + fp + fn),
            "dsc": 2 * tp / (2 * tp + fp + fn),
            "youden_ind": sensitivity + specificity - 1,
            "ppv": np.float64(tp) / (tp + fp),
            "npv": np.float64(tn) / (tn + fn),
            "sensitivity, ior": sensitivity,
            "specificity": specificity,
            "mcc": (tp * tn - fp * fn) / np.sqrt(np.float64((tp + fp) * (tp + fn)) * (tn + fp) * (tn + fn)),
            "avdr": abs(fp - fn) / (tp + fn) if tp + fn else math.nan,
        }
    return {name: float(value) for name, value in values.items()} | distances(ref, pred)


def distances(ref: NDArray[np.bool_], pred: NDArray[np.bool_]) -> dict[str, float]:
    """Distances between borders; without one of the masks only what a named exception says."""
    if not (ref.any() and pred.any()):
        return {**dict.fromkeys(("assd", "masd", "hd", "hd_perc"), math.nan), "nsd": 0, "boundary_iou": 0}
    borders = [mask & ~ndimage.binary_erosion(mask) for mask in (ref, pred)]
    to_ref, to_pred = (ndimage.distance_transform_edt(~border, sampling=SPACING) for border in borders)
    from_pred, from_ref = to_ref[borders[1]], to_pred[borders[0]]
    both = np.concatenate([from_pred, from_ref])
    return {
        "assd": float(both.mean()),
        "masd": float((from_pred.mean() + from_ref.mean()) / 2),
        "hd": float(both.max()),
        "hd_perc": float(max(np.percentile(from_pred, 95), np.percentile(from_ref, 95))),
        "nsd": float((both <= 1).mean()),
        "boundary_iou": float((borders[0] & borders[1]).sum() / (borders[0] | borders[1]).sum()),
    }


def reference(cases: list[Case], labels: list[int]) -> dict[int, dict[str, float]]:
    """The mean over cases of every measure of each label; only counts are defined where a case does not have it."""
    means = {}
    for label in labels:
        rows = [
            measures(true == label, pred == label) for true, pred in cases if (np.isin([label], [true, pred]).any())
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            means[label] = {
                name: sum(row[name] for row in rows) / len(cases)
                if name in COUNTS
                else float(np.nanmean([row[name] for row in rows]))
                for name in rows[0]
            }
    return means


def random_cases(rng: np.random.Generator) -> list[Case]:
    cases = []
    for _ in range(rng.integers(1, 3)):
        shape = tuple(rng.integers(1, 7, 2).tolist())
        coarse = rng.integers(0, 3, [-(-size // 2) for size in shape])
        true = np.kron(coarse, np.ones((2, 2), np.int64))[: shape[0], : shape[1]]
        pred = np.where(rng.random(shape) < rng.choice([0, 0.6, 0.9, 1]), true, rng.integers(0, 3, shape))
        cases.append((true, np.where(pred == rng.integers(0, 5), 0, pred)))
    return cases


def degenerate_cases() -> list[list[Case]]:
    blank, one, two = np.zeros((3, 3), int), np.ones((3, 3), int), np.full((3, 3), 2)
    point = np.array([[0, 1], [0, 0]])
    return [
        [(one, blank)],
        [(blank, one)],
        [(one, two)],
        [(one, one)],
        [(point, point)],
        [(point, point), (blank, blank)],
        [(np.ones((1, 1), int), np.ones((1, 1), int))],
    ]


def same(value: float | None, expected: float) -> bool:
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-12)


def check(cases: list[Case]) -> None:
    sides = ({f"{at}": case[side] for at, case in enumerate(cases)} for side in (0, 1))
    run = sm.evaluate(*sides, protocol="metrics-reloaded", read={"spacing": SPACING}, engine="serial")
    assert run.modified == ()
    labels = sorted({int(label) for case in cases for side in case for label in np.unique(side)} - {0})
    if not labels:
        return
    means = reference(cases, labels)
    rows = shown(run)
    for measure, values in shown(run, classes=True).items():
        assert [*values] == list(map(str, labels))
        for label, value in zip(labels, values.values(), strict=True):
            assert same(value, means[label][measure]), (measure, label, value, cases)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mean = float(np.nanmean([means[label][measure] for label in labels]))
        assert same(rows.get(measure, {}).get("mean over labels"), mean), (measure, rows, mean)


def test_metrics_reloaded_equals_its_definitions() -> None:
    rng = np.random.default_rng(71)
    for _ in range(DATA_SETS):
        check(random_cases(rng))


@pytest.mark.parametrize("at", range(len(degenerate_cases())))
def test_metrics_reloaded_equals_its_definitions_on_degenerate_cases(at: int) -> None:
    check(degenerate_cases()[at])


def test_named_exception_the_reference_counts_in_float32() -> None:
    """``fp``, ``fn``, ``tp`` and ``tn`` of pairwise_measures.py are sums of float32 maps: ⅔ has about seven digits."""
    true, pred = np.array([[1, 1, 1, 0]]), np.array([[1, 1, 0, 0]])
    maps = [np.asarray(found, dtype=np.float32) for found in (true * pred, true > pred)]
    theirs = maps[0].sum() / (maps[0].sum() + maps[1].sum())
    ours = shown(sm.evaluate({"a": true}, {"a": pred}, protocol="metrics-reloaded", engine="serial"), classes=True)
    assert ours["sensitivity, ior"]["1"] == 2 / 3 != float(theirs)
    assert float(theirs) == pytest.approx(2 / 3, rel=1e-7)
