"""Mean IoU, accuracy over elements and over classes, and IoU weighted by frequency [long2015fully].

Four numbers are called mean IoU, by what is averaged: the IoUs of the classes over the data set; the means of the
items; all pairs of an item and a class; and the classes of a list, of which those that occur nowhere count 0 or 1.

A class table has every element once, so it cannot hold regions that overlap, such as whole tumour and tumour core.
Where every such class is one segment on each side, its elements on both are the overlap of its two segments.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np

from segmetry._base import IntArray, check_choice, sum_by
from segmetry.errors import InputError, OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS, BY_ITEM_AND_CLASS, BY_ITEM_OF_CLASSES, POOLED, Average
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Statistics, Sums
from segmetry.overlaps import HOW_DISJOINT, ItemTables, LabelCells, Side, check_class_table
from segmetry.segmentation import LabelArray


def class_counts(tables: ItemTables) -> Statistics:
    """Collect the elements of each class of every item; no classes where its segments carry none.

    Segments of different classes may overlap.
    """
    return Statistics.of_cells(len(tables), *class_elements(tables), {})


def class_elements(tables: ItemTables) -> tuple[LabelCells, dict[str, IntArray]]:
    """Return the classes of every item and the elements of each: on both sides, in the truth, in the prediction."""
    table = tables.table
    if table.class_names is None:
        nothing = np.zeros(0, dtype=np.int64)
        return LabelCells(nothing, nothing, (), nothing, nothing), dict.fromkeys(("shared", "true", "pred"), nothing)
    for word, side in (("true", table.true), ("pred", table.pred)):
        _check_single(side, word, table.class_names)
    return tables.by_class, tables.by_class.elements(table)


def _check_single(side: Side, word: str, names: tuple[Hashable, ...]) -> None:
    """Raise if a class has several segments on a side whose segments overlap: elements could count twice."""
    if side.disjoint:
        return
    several = np.flatnonzero(np.bincount(side.class_codes, minlength=len(names)) > 1)
    if several.size:
        raise InputError(
            f"the {word} segments overlap and class {names[several[0]]!r} has several of them, so its elements would "
            f"count twice; make them disjoint first ({HOW_DISJOINT[word]})"
        )


NO_CLASSES = (
    "the segments carry no classes: read labels as classes (--labels classes, read={'labels': 'classes'}), or give "
    "classes= on both sides"
)
IouAveraging = Literal["dataset", "items", "samples-and-classes"]
_AVERAGES = {"dataset": BY_CLASS, "items": BY_ITEM_OF_CLASSES, "samples-and-classes": BY_ITEM_AND_CLASS}


def _average_of(*, average: IouAveraging = "dataset") -> Average:
    if average not in _AVERAGES:
        check_choice("average", average, _AVERAGES)
    return _AVERAGES[average]


def _all_classes(
    found: IntArray, *, absent: float | None = None, n_classes: int | None = None
) -> tuple[float, IntArray] | None:
    """Return the value of classes that occur nowhere, and the number of all classes."""
    if (absent is None) != (n_classes is None):
        raise OptionError(
            f"absent is {absent!r} and n_classes is {n_classes!r}; expected both, such as absent=0 and n_classes=19, "
            "or neither: only a list of classes can have absent ones"
        )
    if absent is None or n_classes is None:
        return None
    if absent not in (0, 1) or isinstance(absent, bool):
        raise OptionError(f"absent is {absent!r}; expected 0, 1 or none")
    if type(n_classes) is not int or n_classes < 1:
        raise OptionError(f"n_classes is {n_classes!r}; expected a positive integer")
    most = int(np.max(found, initial=0))
    if most > n_classes:
        raise OptionError(f"n_classes is {n_classes}, but {most} classes occur; expected the number of all classes")
    return float(absent), np.full_like(found, n_classes)


_STREET = {1: "road", 2: "car", 3: "sky"}
_EXAMPLE = (LabelArray([[1, 1, 1, 2, 2, 3]], classes=_STREET), LabelArray([[1, 1, 2, 2, 2, 3]], classes=_STREET))


@metric(
    order=10,
    aliases=("miou", "mean_intersection_over_union", "class_iou"),
    formula=r"\mathrm{mIoU} = \frac{1}{|C|}\sum_{c\in C}\frac{n_{cc}}{t_c + p_c - n_{cc}}",
    summary="Mean intersection over union of classes: elements of a class on both sides, over elements of the class on "
    "either side.",
    citation="long2015fully",
    symmetric=True,
    notes="Segments of one class count together. By class, elements are counted over the whole data set before the "
    "quotient is taken; a class that occurs on neither side is left out. By item, it is the mean over items of the "
    "value of each item. average='samples-and-classes' is the mean over all pairs of an item and a class that occurs "
    "in it (torchmetrics). With n_classes, classes that occur nowhere count absent=1 (PyTorch Geometric) or absent=0 "
    "(SemanticKITTI). Elements that are void on a side do not count; elements outside count for the class of the "
    "other side. In a plain array a label is a class, and 0 is outside, as for dice; undefined "
    "where segments carry no classes.",
    needs_classes=True,
    examples=(
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 3),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 4, {"absent": 0, "n_classes": 4}),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1 + 1) / 4, {"absent": 1, "n_classes": 4}),
        Example(*_EXAMPLE, (2 / 3 + 2 / 3 + 1) / 3, {"average": "samples-and-classes"}),
    ),
    statistics=Aggregation(class_counts, average=_average_of, n_classes=_all_classes, no_class=NO_CLASSES),
)
def mean_iou(sums: Sums) -> Quotient:
    union = sums["true"] + sums["pred"] - sums["shared"]
    # Of a class with an empty union mmsegmentation makes NaN and skips it, SemanticKITTI 0, PyTorch Geometric 1.
    return Quotient(sums["shared"], union, "no elements of this class", occurs=union > 0)


NO_TRUE_CLASS = "no class occurs in the truth"
_SCENE = {1: "road", 2: "car", 3: "sky"}
_SCENES = (
    LabelArray([[1, 1, 1, 1, 2, 2, 0, 0]], classes=_SCENE),
    LabelArray([[1, 1, 1, 2, 2, 3, 3, 0]], classes=_SCENE),
)


def right_elements(tables: ItemTables) -> Statistics:
    """Collect how many elements of every item are of the same class, or of none, on both sides, and how many count."""
    n, table = len(tables), tables.table
    if table.class_names is None:
        nothing = np.zeros(n, dtype=np.int64)
        return Statistics.of_items(n, {"right": nothing, "elements": nothing})
    check_class_table(table)
    same = table.true.class_codes[table.row_true] == table.pred.class_codes[table.row_pred]
    right = sum_by(tables.true_item[table.row_true[same]], table.shared[same], n)
    return Statistics.of_items(n, {"right": right + tables.outside_outside, "elements": tables.not_void})


@metric(
    order=20,
    aliases=("aacc", "overall_accuracy"),
    formula=r"\mathrm{aAcc} = \frac{1}{N}\sum_{c\in C}n_{cc}",
    summary="The share of elements whose class is right.",
    citation="long2015fully",
    symmetric=True,
    notes="Elements that are void on a side do not count. Those of no class on both sides are right, those of a class "
    "on one side only are wrong: elements of no class are one more class. Over a data set, elements are counted before "
    "the quotient is taken. In a plain array a label is a class, and 0 is outside, as for dice; undefined "
    "where segments carry no classes.",
    needs_classes=True,
    examples=(Example(*_SCENES, 5 / 8),),
    statistics=Aggregation(right_elements, average=POOLED),
)
def pixel_accuracy(sums: Sums) -> Quotient:
    return Quotient(sums["right"], sums["elements"], NO_CLASSES)


@metric(
    aliases=("macc", "mean_class_accuracy"),
    formula=r"\mathrm{mAcc} = \frac{1}{|C_T|}\sum_{c\in C_T}\frac{n_{cc}}{t_c}",
    summary="Mean accuracy of classes: the share of the elements of each true class whose class is right.",
    citation="long2015fully",
    notes="The mean over the classes of the truth; a class that is only predicted has no accuracy. Over a data set, "
    "elements are counted before the quotient is taken. It is the mean recall of classes, which other fields call "
    "balanced accuracy. In a plain array a label is a class, and 0 is outside, as for dice; undefined "
    "where segments carry no classes.",
    needs_classes=True,
    examples=(Example(*_SCENES, (3 / 4 + 1 / 2) / 2),),
    statistics=Aggregation(class_counts, no_class=NO_CLASSES),
)
def mean_accuracy(sums: Sums) -> Quotient:
    # A class that only the prediction has is 0/0: mmsegmentation prints nan.
    return Quotient(sums["shared"], sums["true"], NO_TRUE_CLASS, occurs=sums["true"] > 0)


@metric(
    aliases=("fwiou", "fw_iou"),
    formula=r"\mathrm{FWIoU} = \frac{1}{\sum_{c\in C}t_c}\sum_{c\in C}\frac{t_cn_{cc}}{t_c + p_c - n_{cc}}",
    summary="Frequency weighted IoU: the mean of the IoUs of classes, weighted by their elements in the truth.",
    citation="long2015fully",
    notes="A class that is only predicted has weight 0; its elements lower the IoUs of the others. Over a data set, "
    "elements are counted before the quotients are taken. In a plain array a label is a class, and 0 is outside, as "
    "for dice; undefined where segments carry no classes.",
    needs_classes=True,
    examples=(Example(*_SCENES, (4 * 3 / 4 + 2 * 1 / 3) / 6),),
    statistics=Aggregation(class_counts, across_classes=True),
)
def frequency_weighted_iou(sums: Sums) -> Quotient:
    true, union = sums["true"], sums["true"] + sums["pred"] - sums["shared"]
    weighted = np.where(union > 0, true * Quotient(sums["shared"], union).values, 0.0)
    # numpy adds the classes of many samples in another order than those of one, unless they are neighbours in memory.
    total = np.ascontiguousarray(weighted.T).sum(axis=1)[None]
    reason = NO_TRUE_CLASS if sums.names else NO_CLASSES
    return Quotient(total, true.sum(axis=0, keepdims=True), reason)
