"""Mean IoU: intersection over union of each class, over all elements of a data set [long2015fully].

Four numbers have this name, by what is averaged: the IoUs of the classes over the data set; the means of the items; all
pairs of an item and a class; and the classes of a list, of which those that occur nowhere count 0 or 1.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from segmetry._base.checked_options import check_choice
from segmetry._base.exact import IntArray
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS, BY_ITEM_AND_CLASS, BY_ITEM_OF_CLASSES, Average
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.class_counts import class_counts
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation.labels import LabelArray

NO_CLASSES = (
    "the segments carry no classes: read labels as classes (LabelArray.from_classes), or give classes= on both sides"
)
IouAveraging = Literal["dataset", "items", "samples-and-classes"]
_AVERAGES = {"dataset": BY_CLASS, "items": BY_ITEM_OF_CLASSES, "samples-and-classes": BY_ITEM_AND_CLASS}


def _averaging(*, average: IouAveraging = "dataset") -> Average:
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
    statistics=Aggregation(class_counts, average=_averaging, n_classes=_all_classes, no_class=NO_CLASSES),
)
def mean_iou(sums: Sums) -> Quotient:
    union = sums["true"] + sums["pred"] - sums["shared"]
    return Quotient(sums["shared"], union, "no elements of this class", occurs=union > 0)
