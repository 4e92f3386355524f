"""Mean IoU: intersection over union of each class, over all elements of a data set [long2015fully]."""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import class_counts, sum_class_counts, sum_samples
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

NO_CLASSES = "the segments carry no classes: read labels as classes, or give classes= on both sides"


def _mean_iou(collected: Collected) -> Combined:
    """IoU_c = n_cc / (t_c + p_c − n_cc), then the mean over the classes that occur on either side."""
    counts = sum_class_counts(collected)
    columns = (counts.shared.tolist(), counts.union.tolist())
    classes = {
        name: Score.of("mean_iou", shared, union, "no elements of this class")
        for name, shared, union in zip(counts.names, *columns, strict=True)
        if union
    }
    values = [score.value for score in classes.values()]
    value = Score.of("mean_iou", math.fsum(values), len(values), NO_CLASSES)
    return Combined(value, classes)


def _mean_ious(collected: Collected, times: IntArray) -> FloatArray:
    """The same for many samples at once."""
    counts = sum_samples(collected, times)
    occurs = counts.union > 0
    ious = np.where(occurs, counts.shared / np.where(occurs, counts.union, 1), 0.0)
    n_classes = occurs.sum(axis=0)
    return np.where(n_classes > 0, ious.sum(axis=0) / np.maximum(n_classes, 1), math.nan)


_BY_CLASS = Accumulator(class_counts, _mean_iou, mean_over_classes=True, resampled=_mean_ious)
_STREET = {1: "road", 2: "car", 3: "sky"}


@metric(
    symbol=r"\mathrm{mIoU}",
    family="semantic",
    order=10,
    aliases=("miou", "mean_intersection_over_union"),
    needs="table",
    formula=r"\mathrm{mIoU} = \frac{1}{|C|}\sum_{c\in C}\frac{n_{cc}}{t_c + p_c - n_{cc}}",
    summary="Mean intersection over union of classes: elements of a class on both sides, over elements of the class on "
    "either side.",
    citation="long2015fully",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item",),
    value_if_equal=1,
    notes="Segments of one class count together. By class, elements are counted over the whole data set before the "
    "quotient is taken; a class that occurs on neither side is left out. By item, it is the mean over items of the "
    "value of each item. Elements that are void on a side do not count; elements outside count for the class of the "
    "other side. Undefined where segments carry no classes.",
    examples=(
        Example(
            LabelArray([[1, 1, 1, 2, 2, 3]], classes=_STREET),
            LabelArray([[1, 1, 2, 2, 2, 3]], classes=_STREET),
            (2 / 3 + 2 / 3 + 1) / 3,
        ),
    ),
    accumulator=_BY_CLASS,
)
def mean_iou(table: OverlapTable) -> Score:
    return _BY_CLASS.score(table)
