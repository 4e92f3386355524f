"""``semantic``, ``ade20k`` and ``voc`` against transcriptions of mmsegmentation, Hugging Face and VOCevalseg.

mmsegmentation needs a build of mmcv, Hugging Face's metric is downloaded when it is used, and VOCevalseg is Matlab; so
their arithmetic is written here anew, from the published code: class sizes by histograms over [0, N-1], then quotients.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError
from tests.protocols.references.class_maps import ClassMap, Pair, as_items, class_maps, degenerate_maps
from tests.protocols.references.table_values import same, shown

pytestmark = pytest.mark.generated

N = 5
NONE = math.nan


def class_areas(pred: ClassMap, label: ClassMap, n: int, ignore: int = 255) -> ClassMap:
    """Intersection, prediction and label areas by numpy.histogram, as in Hugging Face's mean_iou.

    mmsegmentation 1.x uses torch.histc; tests/peers/protocols/test_semantic_areas.py shows that it counts the same.
    """
    kept = label != ignore
    both = [pred[kept], label[kept]]
    parts = [both[0][both[0] == both[1]], *both]
    return np.stack([np.histogram(part, bins=n, range=(0, n - 1))[0].astype(float) for part in parts])


def quotients(areas: ClassMap) -> tuple[dict[str, float], dict[str, ClassMap]]:
    """The values of the data set and of the classes; NaN is skipped in means."""
    shared, pred, label = areas
    with np.errstate(divide="ignore", invalid="ignore"):
        union = label + pred - shared
        classes = {"IoU": shared / union, "Acc": shared / label, "Dice": 2 * shared / (label + pred)}
        values = {
            "aAcc": float(shared.sum() / label.sum()),
            "mIoU": _nan_mean(classes["IoU"]),
            "mAcc": _nan_mean(classes["Acc"]),
            "mDice": _nan_mean(classes["Dice"]),
            "FWIoU": float(np.nansum(label / label.sum() * classes["IoU"])) if label.sum() else NONE,
        }
    return values, classes


def _nan_mean(values: ClassMap) -> float:
    return float(np.nanmean(values)) if not np.isnan(values).all() else NONE


def check(pairs: list[Pair], areas: ClassMap, protocol: str = "semantic") -> dict[str, float | None]:
    """Compare the table and the table of classes; return the row of the table."""
    run = sm.evaluate(as_items(pairs, 0), as_items(pairs, 1), protocol=protocol, engine="serial")
    assert run.modified == ()
    values, classes = quotients(areas)
    (row,) = shown(run).values()
    for heading, expected in values.items():
        if heading in row:
            assert same(row[heading], expected), (heading, row, values, pairs)
    occurring = {number: {name: column[number] for name, column in classes.items()} for number in range(areas.shape[1])}
    rows = shown(run, classes=True)
    names = {run.class_names.get(number, str(number)): number for number in occurring}
    for heading, cells in rows.items():
        for name, cell in cells.items():
            assert cell is None or same(cell, occurring[names[heading]][name]), (heading, name, pairs)
    return row


@pytest.mark.filterwarnings("ignore")
def test_semantic_equals_mmsegmentation_and_hugging_face() -> None:
    values = [*range(N), 255]
    data_sets: Iterator[list[Pair]] = class_maps(61, values, values)
    for pairs in [*data_sets, *degenerate_maps(255)]:
        check(pairs, np.sum([class_areas(pred, true, N) for true, pred in pairs], axis=0))


@pytest.mark.filterwarnings("ignore")
def test_ade20k_equals_mmsegmentation_with_reduce_zero_label() -> None:
    true_values, pred_values = [0, 1, 2, 3, 149, 150, 255], [0, 1, 2, 148, 149]
    for pairs in [*class_maps(62, true_values, pred_values), *degenerate_maps(0, 2, 1)]:
        areas = np.zeros((3, 150))
        for true, pred in pairs:
            label = true.copy()
            label[label == 0] = 255
            label = label - 1  # uint8: what was 255 is 254 now
            label[label == 254] = 255
            areas += class_areas(pred, label, 150)
        check(pairs, areas, "ade20k")


def voc_matrix(pairs: list[Pair]) -> ClassMap:
    """The confusion matrix of VOCevalseg: pixels whose true value is below 255, by one histogram of both values."""
    matrix = np.zeros((21, 21))
    for true, pred in pairs:
        assert pred.max() <= 20, "VOCevalseg: results image has out of range value"
        kept = true < 255
        codes = true[kept].astype(int) + 21 * pred[kept].astype(int)
        matrix += np.bincount(codes, minlength=441).reshape(21, 21).T
    return matrix


@pytest.mark.filterwarnings("ignore")
def test_voc_equals_vocevalseg() -> None:
    values = [0, 1, 7, 15, 20]
    for pairs in [*class_maps(63, [*values, 255], values), *degenerate_maps(255)]:
        matrix = voc_matrix(pairs)
        diagonal, label, pred = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
        row = check(pairs, np.stack([diagonal, pred, label]), "voc")
        with np.errstate(divide="ignore", invalid="ignore"):
            ious = diagonal / (label + pred - diagonal)  # the reference has NaN for an absent class and in the mean
            assert same(row["average accuracy (IoU)"], _nan_mean(ious))
            assert same(row["correctly labelled"], float(diagonal.sum() / matrix.sum()))


def test_a_value_outside_the_range_vanishes_in_the_reference_and_is_an_error_here() -> None:
    true, pred = np.array([[0, 7]], dtype=np.uint8), np.array([[0, 1]], dtype=np.uint8)
    values, _ = quotients(class_areas(pred, true, 3))
    assert values["aAcc"] == 1.0 and values["mIoU"] == 1 / 2  # the pixel is missing in the truth, and spurious for 1
    with pytest.raises(InputError, match=r"labels contain 7 .*expected classes 0 to 2"):
        sm.evaluate({"a": true}, {"a": pred}, protocol="semantic", read={"num_classes": 3})


def test_a_map_of_labels_cascades_in_the_reference_and_not_here() -> None:
    label = np.array([[0, 1]])
    cascaded = label.copy()
    for old, new in {0: 1, 1: 2}.items():
        cascaded[cascaded == old] = new
    assert cascaded.tolist() == [[2, 2]]
    run = sm.evaluate({"a": label}, {"a": np.array([[1, 2]])}, protocol="semantic", read={"true_map": {0: 1, 1: 2}})
    (row,) = shown(run).values()
    assert row["mIoU"] == 1
