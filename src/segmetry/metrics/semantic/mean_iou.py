"""Mean IoU: intersection over union of each class, over all elements of a data set [long2015fully].

Four numbers have this name, by what is averaged: the IoUs of the classes over the data set; the means of the items; all
pairs of an item and a class; and the classes of a list, of which those that occur nowhere count 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import class_counts, counts_by_item, sum_class_counts, sum_samples
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

NO_CLASSES = (
    "the segments carry no classes: read labels as classes (LabelArray.from_classes), or give classes= on both sides"
)
IouAveraging = Literal["dataset", "items", "samples-and-classes"]


def _mean_iou(
    collected: Collected,
    *,
    average: IouAveraging = "dataset",
    absent: float | None = None,
    n_classes: int | None = None,
) -> Combined:
    """IoU_c = n_cc / (t_c + p_c − n_cc), then the mean over the classes that occur on either side."""
    n_absent = _check(average, absent, n_classes)
    if average != "dataset":
        return _over_items(collected, average, absent, n_classes)
    counts = sum_class_counts(collected)
    columns = (counts.shared.tolist(), counts.union.tolist())
    classes = {
        name: Score.of("mean_iou", shared, union, "no elements of this class")
        for name, shared, union in zip(counts.names, *columns, strict=True)
        if union
    }
    values = [score.value for score in classes.values()]
    missing = n_absent(len(values))
    total = math.fsum([*values, missing * (absent or 0)])
    return Combined(Score.of("mean_iou", total, len(values) + missing, NO_CLASSES), classes)


def _over_items(collected: Collected, average: IouAveraging, absent: float | None, n_classes: int | None) -> Combined:
    """Means of the IoUs of each class in each item; a class has the mean over the items in which it occurs."""
    occurs, ious = _item_ious(collected)
    sums, numbers = _filled(ious.sum(axis=0), occurs.sum(axis=0), absent, n_classes)
    times = collected.times
    names = collected.labels.get("class", ())
    tops, bottoms = (ious @ times).tolist(), (occurs.astype(np.int64) @ times).tolist()
    classes: dict[Hashable, Score] = {
        name: Score.of("mean_iou", top, bottom)
        for name, top, bottom in zip(names, tops, bottoms, strict=True)
        if bottom
    }
    if average == "samples-and-classes":
        total, number = math.fsum((sums * times).tolist()), int(numbers @ times)
    else:
        means = np.where(numbers > 0, sums / np.maximum(numbers, 1), 0.0)
        total, number = math.fsum((means * times).tolist()), int((numbers > 0) @ times)
    return Combined(Score.of("mean_iou", total, number, NO_CLASSES), classes)


def _item_ious(collected: Collected) -> tuple[Any, FloatArray]:
    """Return, by class and item, whether the class occurs there, and its IoU or 0."""
    shared, true, pred = counts_by_item(collected)
    union = true + pred - shared
    return union > 0, np.where(union > 0, shared / np.maximum(union, 1), 0.0).astype(np.float64)


def _filled(
    sums: FloatArray, numbers: IntArray, absent: float | None, n_classes: int | None
) -> tuple[FloatArray, IntArray]:
    """Return sums and numbers of values with those of absent classes."""
    if absent is None or n_classes is None:
        return sums, numbers
    _check_number(int(numbers.max(initial=0)), n_classes)
    return sums + (n_classes - numbers) * absent, np.full_like(numbers, n_classes)


def _mean_ious(
    collected: Collected,
    times: IntArray,
    *,
    average: IouAveraging = "dataset",
    absent: float | None = None,
    n_classes: int | None = None,
) -> FloatArray:
    """The same for many samples at once."""
    _check(average, absent, n_classes)
    if average == "dataset":
        counts = sum_samples(collected, times)
        occurs = counts.union > 0
        ious = np.where(occurs, counts.shared / np.where(occurs, counts.union, 1), 0.0)
        sums, numbers = _filled(ious.sum(axis=0), occurs.sum(axis=0), absent, n_classes)
    else:
        occurs, ious = _item_ious(collected)
        sums, numbers = _filled(ious.sum(axis=0), occurs.sum(axis=0), absent, n_classes)
        if average == "items":
            sums, numbers = np.where(numbers > 0, sums / np.maximum(numbers, 1), 0.0), (numbers > 0).astype(np.int64)
        sums, numbers = sums @ times, numbers @ times
    return np.where(numbers > 0, sums / np.maximum(numbers, 1), math.nan)


def _check(average: Any, absent: Any, n_classes: Any) -> Any:
    """Check the options; return the function from a number of classes that occur to the number of absent ones."""
    if average not in ("dataset", "items", "samples-and-classes"):
        raise OptionError(f"average is {average!r}; expected 'dataset', 'items' or 'samples-and-classes'")
    if (absent is None) != (n_classes is None):
        raise OptionError(
            f"absent is {absent!r} and n_classes is {n_classes!r}; expected both, such as absent=0 and n_classes=19, "
            "or neither: only a list of classes can have absent ones"
        )
    if absent is not None and (isinstance(absent, bool) or absent not in (0, 1)):
        raise OptionError(f"absent is {absent!r}; expected 0, 1 or none")
    if n_classes is not None and (isinstance(n_classes, bool) or not isinstance(n_classes, int) or n_classes < 1):
        raise OptionError(f"n_classes is {n_classes!r}; expected a positive integer")

    def n_absent(occurring: int) -> int:
        if n_classes is None:
            return 0
        _check_number(occurring, n_classes)
        return int(n_classes) - occurring

    return n_absent


def _check_number(occurring: int, n_classes: int) -> None:
    if occurring > n_classes:
        raise OptionError(
            f"n_classes is {n_classes}, but {occurring} classes occur; expected the number of all classes"
        )


_BY_CLASS = Accumulator(class_counts, _mean_iou, mean_over_classes=True, resampled=_mean_ious)
_STREET = {1: "road", 2: "car", 3: "sky"}
_EXAMPLE = (
    LabelArray([[1, 1, 1, 2, 2, 3]], classes=_STREET),
    LabelArray([[1, 1, 2, 2, 2, 3]], classes=_STREET),
)


@metric(
    symbol=r"\mathrm{mIoU}",
    family="semantic",
    order=10,
    aliases=("miou", "mean_intersection_over_union", "class_iou"),
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
    "value of each item. average='samples-and-classes' is the mean over all pairs of an item and a class that occurs "
    "in it (torchmetrics). With n_classes, classes that occur nowhere count absent=1 (PyTorch Geometric) or absent=0 "
    "(SemanticKITTI). Elements that are void on a side do not count; elements outside count for the class of the "
    "other side. Undefined where segments carry no classes.",
    examples=(
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 3),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 4, {"absent": 0, "n_classes": 4}),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1 + 1) / 4, {"absent": 1, "n_classes": 4}),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 3, {"average": "samples-and-classes"}),
    ),
    accumulator=_BY_CLASS,
)
def mean_iou(
    table: OverlapTable,
    *,
    average: IouAveraging = "dataset",
    absent: float | None = None,
    n_classes: int | None = None,
) -> Score:
    return _BY_CLASS.score(table, average=average, absent=absent, n_classes=n_classes)
