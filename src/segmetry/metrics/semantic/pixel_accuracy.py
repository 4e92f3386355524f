"""Accuracy over elements and over classes, and IoU weighted by frequency [long2015fully].

With n_cc elements of class c on both sides, t_c in the truth and p_c in the prediction, of N elements that are void on
neither side and N_o of no class on both: aAcc = (Σ n_cc + N_o)/N, mAcc is the mean of n_cc/t_c over the classes of the
truth, FWIoU = Σ t_c · n_cc/(t_c + p_c − n_cc) / Σ t_c.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import class_counts, sum_class_counts, sum_samples
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.metrics.semantic.one_against_rest import elements_not_void
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

NO_TRUE_CLASS = "no class occurs in the truth"
_STREET = {1: "road", 2: "car", 3: "sky"}
_EXAMPLE = (
    LabelArray([[1, 1, 1, 1, 2, 2, 0, 0]], classes=_STREET),
    LabelArray([[1, 1, 1, 2, 2, 3, 3, 0]], classes=_STREET),
)


def right_elements(table: OverlapTable) -> dict[str, Column]:
    """Collect how many elements of one item are of the same class, or of none, on both sides, and how many count."""
    if table.class_names is None:
        return {"right": np.zeros(1, dtype=np.int64), "elements": np.zeros(1, dtype=np.int64)}
    right = sum(table.by_class().shared.tolist()) + table.background.outside_outside
    return {"right": np.array([right]), "elements": np.array([elements_not_void(table)])}


def _pixel_accuracy(collected: Collected) -> Combined:
    return Combined(Score.of("pixel_accuracy", collected.total("right"), collected.total("elements"), NO_CLASSES))


def _mean_accuracy(collected: Collected) -> Combined:
    counts = sum_class_counts(collected)
    classes = {
        name: Score.of("mean_accuracy", shared, true, NO_TRUE_CLASS)
        for name, shared, true in zip(counts.names, counts.shared.tolist(), counts.true.tolist(), strict=True)
        if true
    }
    values = [score.value for score in classes.values()]
    reason = NO_TRUE_CLASS if counts.names else NO_CLASSES
    return Combined(Score.of("mean_accuracy", math.fsum(values), len(values), reason), classes)


def _mean_accuracies(collected: Collected, times: IntArray) -> FloatArray:
    """The same for many samples at once."""
    counts = sum_samples(collected, times)
    occurs = counts.true > 0
    shares = np.where(occurs, counts.shared / np.where(occurs, counts.true, 1), 0.0)
    n_classes = occurs.sum(axis=0)
    return np.where(n_classes > 0, shares.sum(axis=0) / np.maximum(n_classes, 1), math.nan)


def _weighted_iou(collected: Collected) -> Combined:
    counts = sum_class_counts(collected)
    columns = (counts.shared.tolist(), counts.true.tolist(), counts.union.tolist())
    ious = [true * (shared / union) for shared, true, union in zip(*columns, strict=True) if union]
    reason = NO_TRUE_CLASS if counts.names else NO_CLASSES
    return Combined(Score.of("frequency_weighted_iou", math.fsum(ious), sum(columns[1]), reason))


def _weighted_ious(collected: Collected, times: IntArray) -> FloatArray:
    """The same for many samples at once."""
    counts = sum_samples(collected, times)
    ious = np.where(counts.union > 0, counts.shared / np.maximum(counts.union, 1), 0.0)
    total = counts.true.sum(axis=0)
    return np.where(total > 0, (counts.true * ious).sum(axis=0) / np.maximum(total, 1), math.nan)


_PIXELS = Accumulator(right_elements, _pixel_accuracy, classes_by_item=False)
_CLASSES = Accumulator(class_counts, _mean_accuracy, mean_over_classes=True, resampled=_mean_accuracies)
_WEIGHTED = Accumulator(class_counts, _weighted_iou, classes_by_item=False, resampled=_weighted_ious)


@metric(
    symbol=r"\mathrm{aAcc}",
    family="semantic",
    order=20,
    aliases=("aacc", "overall_accuracy"),
    needs="table",
    formula=r"\mathrm{aAcc} = \frac{1}{N}\sum_{c\in C}n_{cc}",
    summary="The share of elements whose class is right.",
    citation="long2015fully",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes="Elements that are void on a side do not count. Those of no class on both sides are right, those of a class "
    "on one side only are wrong: elements of no class are one more class. Over a data set, elements are counted before "
    "the quotient is taken. Undefined where segments carry no classes.",
    examples=(Example(*_EXAMPLE, 5 / 8),),
    accumulator=_PIXELS,
)
def pixel_accuracy(table: OverlapTable) -> Score:
    return _PIXELS.score(table)


@metric(
    symbol=r"\mathrm{mAcc}",
    family="semantic",
    order=30,
    aliases=("macc", "mean_class_accuracy"),
    needs="table",
    formula=r"\mathrm{mAcc} = \frac{1}{|C_T|}\sum_{c\in C_T}\frac{n_{cc}}{t_c}",
    summary="Mean accuracy of classes: the share of the elements of each true class whose class is right.",
    citation="long2015fully",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes="The mean over the classes of the truth; a class that is only predicted has no accuracy. Over a data set, "
    "elements are counted before the quotient is taken. It is the mean recall of classes, which other fields call "
    "balanced accuracy. Undefined where segments carry no classes.",
    examples=(Example(*_EXAMPLE, (3 / 4 + 1 / 2) / 2),),
    accumulator=_CLASSES,
)
def mean_accuracy(table: OverlapTable) -> Score:
    return _CLASSES.score(table)


@metric(
    symbol=r"\mathrm{FWIoU}",
    family="semantic",
    order=40,
    aliases=("fwiou", "fw_iou"),
    needs="table",
    formula=r"\mathrm{FWIoU} = \frac{1}{\sum_{c\in C}t_c}\sum_{c\in C}\frac{t_cn_{cc}}{t_c + p_c - n_{cc}}",
    summary="Frequency weighted IoU: the mean of the IoUs of classes, weighted by their elements in the truth.",
    citation="long2015fully",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes="A class that is only predicted has weight 0; its elements lower the IoUs of the others. Over a data set, "
    "elements are counted before the quotients are taken. Undefined where segments carry no classes.",
    examples=(Example(*_EXAMPLE, (4 * 3 / 4 + 2 * 1 / 3) / 6),),
    accumulator=_WEIGHTED,
)
def frequency_weighted_iou(table: OverlapTable) -> Score:
    return _WEIGHTED.score(table)
