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

from segmetry._base import Column, IntArray, check_choice
from segmetry.errors import InputError, OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS, BY_ITEM_AND_CLASS, BY_ITEM_OF_CLASSES, POOLED, Average
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.overlaps import HOW_DISJOINT, OverlapTable, Side
from segmetry.segmentation import LabelArray


def class_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the elements of each class of one item; no classes where its segments carry none."""
    if table.class_names is None:
        nothing = np.zeros(0, dtype=np.int64)
        return {"class": [], "shared": nothing, "true": nothing, "pred": nothing}
    if not (table.true.disjoint and table.pred.disjoint):
        return region_counts(table)
    classes = table.by_class()
    return {
        "class": list(classes.names),
        "shared": classes.shared,
        "true": classes.true_sizes,
        "pred": classes.pred_sizes,
    }


def region_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the same of a table whose segments overlap; the segments of a class must not.

    >>> import segmetry as sm
    >>> both = ([[[1, 1]], [[1, 0]]], [[[1, 0]], [[1, 0]]])
    >>> true, pred = (sm.Masks.from_dense(np.array(masks, bool), classes=["WT", "TC"]) for masks in both)
    >>> counts = region_counts(sm.overlap(true, pred))
    >>> counts["class"], counts["shared"].tolist(), counts["true"].tolist(), counts["pred"].tolist()
    (['TC', 'WT'], [1, 1], [1, 2], [1, 1])
    """
    names = table.class_names or ()
    for word, side in (("true", table.true), ("pred", table.pred)):
        _check_single(side, word, names)
    shared = np.zeros(len(names), dtype=table.shared.dtype)
    true, pred = table.true.class_codes[table.row_true], table.pred.class_codes[table.row_pred]
    np.add.at(shared, true[true == pred], table.shared[true == pred])
    sizes = {word: _class_sizes(side, len(names)) for word, side in (("true", table.true), ("pred", table.pred))}
    return {"class": list(names), "shared": shared, **sizes}


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


def _class_sizes(side: Side, n_classes: int) -> IntArray:
    sizes = np.zeros(n_classes, dtype=side.sizes.dtype)
    np.add.at(sizes, side.class_codes, side.sizes - side.void)
    return sizes


NO_CLASSES = (
    "the segments carry no classes: read labels as classes (LabelArray.from_classes), or give classes= on both sides"
)
IouAveraging = Literal["dataset", "items", "samples-and-classes"]
_AVERAGES = {"dataset": BY_CLASS, "items": BY_ITEM_OF_CLASSES, "samples-and-classes": BY_ITEM_AND_CLASS}


def _average_of(*, average: IouAveraging = "dataset") -> Average:
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
    symbol=r"\mathrm{mIoU}",
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
    "other side. Undefined where segments carry no classes.",
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


def elements_not_void(table: OverlapTable) -> int:
    """Return the number of elements of the domain that are void on neither side."""
    corner = table.background
    void: int = corner.outside_void + corner.void_outside + corner.void_void
    in_segments: int = sum(table.true.void.tolist()) + sum(table.pred.void.tolist())
    return table.n_elements - void - in_segments


def right_elements(table: OverlapTable) -> dict[str, Column]:
    """Collect how many elements of one item are of the same class, or of none, on both sides, and how many count."""
    if table.class_names is None:
        return {"right": np.zeros(1, dtype=np.int64), "elements": np.zeros(1, dtype=np.int64)}
    right = sum(table.by_class().shared.tolist()) + table.background.outside_outside
    return {"right": np.array([right]), "elements": np.array([elements_not_void(table)])}


@metric(
    symbol=r"\mathrm{aAcc}",
    order=20,
    aliases=("aacc", "overall_accuracy"),
    formula=r"\mathrm{aAcc} = \frac{1}{N}\sum_{c\in C}n_{cc}",
    summary="The share of elements whose class is right.",
    citation="long2015fully",
    symmetric=True,
    notes="Elements that are void on a side do not count. Those of no class on both sides are right, those of a class "
    "on one side only are wrong: elements of no class are one more class. Over a data set, elements are counted before "
    "the quotient is taken. Undefined where segments carry no classes.",
    examples=(Example(*_SCENES, 5 / 8),),
    statistics=Aggregation(right_elements, average=POOLED),
)
def pixel_accuracy(sums: Sums) -> Quotient:
    return Quotient(sums["right"], sums["elements"], NO_CLASSES)


@metric(
    symbol=r"\mathrm{mAcc}",
    aliases=("macc", "mean_class_accuracy"),
    formula=r"\mathrm{mAcc} = \frac{1}{|C_T|}\sum_{c\in C_T}\frac{n_{cc}}{t_c}",
    summary="Mean accuracy of classes: the share of the elements of each true class whose class is right.",
    citation="long2015fully",
    notes="The mean over the classes of the truth; a class that is only predicted has no accuracy. Over a data set, "
    "elements are counted before the quotient is taken. It is the mean recall of classes, which other fields call "
    "balanced accuracy. Undefined where segments carry no classes.",
    examples=(Example(*_SCENES, (3 / 4 + 1 / 2) / 2),),
    statistics=Aggregation(class_counts, no_class=NO_CLASSES),
)
def mean_accuracy(sums: Sums) -> Quotient:
    # A class that only the prediction has is 0/0: mmsegmentation prints nan.
    return Quotient(sums["shared"], sums["true"], NO_TRUE_CLASS, occurs=sums["true"] > 0)


@metric(
    symbol=r"\mathrm{FWIoU}",
    aliases=("fwiou", "fw_iou"),
    formula=r"\mathrm{FWIoU} = \frac{1}{\sum_{c\in C}t_c}\sum_{c\in C}\frac{t_cn_{cc}}{t_c + p_c - n_{cc}}",
    summary="Frequency weighted IoU: the mean of the IoUs of classes, weighted by their elements in the truth.",
    citation="long2015fully",
    notes="A class that is only predicted has weight 0; its elements lower the IoUs of the others. Over a data set, "
    "elements are counted before the quotients are taken. Undefined where segments carry no classes.",
    examples=(Example(*_SCENES, (4 * 3 / 4 + 2 * 1 / 3) / 6),),
    statistics=Aggregation(class_counts, across_classes=True),
)
def frequency_weighted_iou(sums: Sums) -> Quotient:
    true, union = sums["true"], sums["true"] + sums["pred"] - sums["shared"]
    weighted = np.where(union > 0, true * Quotient(sums["shared"], union).values, 0.0)
    reason = NO_TRUE_CLASS if sums.names else NO_CLASSES
    return Quotient(weighted.sum(axis=0, keepdims=True), true.sum(axis=0, keepdims=True), reason)
