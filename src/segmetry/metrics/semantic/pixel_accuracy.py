"""Accuracy over elements and over classes, and IoU weighted by frequency [long2015fully].

With n_cc elements of class c on both sides, t_c in the truth and p_c in the prediction, of N elements that are void on
neither side and N_o of no class on both: aAcc = (Σ n_cc + N_o)/N, mAcc is the mean of n_cc/t_c over the classes of the
truth, FWIoU = Σ t_c · n_cc/(t_c + p_c − n_cc) / Σ t_c.
"""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import Column
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.class_counts import class_counts
from segmetry.metrics.semantic.element_counts import elements_not_void
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.metrics.statistics import Quotient, Sums
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
    examples=(Example(*_EXAMPLE, 5 / 8),),
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
    examples=(Example(*_EXAMPLE, (3 / 4 + 1 / 2) / 2),),
    statistics=Aggregation(class_counts, no_class=NO_CLASSES),
)
def mean_accuracy(sums: Sums) -> Quotient:
    return Quotient(sums["shared"], sums["true"], NO_TRUE_CLASS, occurs=sums["true"] > 0)


@metric(
    symbol=r"\mathrm{FWIoU}",
    aliases=("fwiou", "fw_iou"),
    formula=r"\mathrm{FWIoU} = \frac{1}{\sum_{c\in C}t_c}\sum_{c\in C}\frac{t_cn_{cc}}{t_c + p_c - n_{cc}}",
    summary="Frequency weighted IoU: the mean of the IoUs of classes, weighted by their elements in the truth.",
    citation="long2015fully",
    notes="A class that is only predicted has weight 0; its elements lower the IoUs of the others. Over a data set, "
    "elements are counted before the quotients are taken. Undefined where segments carry no classes.",
    examples=(Example(*_EXAMPLE, (4 * 3 / 4 + 2 * 1 / 3) / 6),),
    statistics=Aggregation(class_counts, across_classes=True),
)
def frequency_weighted_iou(sums: Sums) -> Quotient:
    true, union = sums["true"], sums["true"] + sums["pred"] - sums["shared"]
    weighted = np.where(union > 0, true * Quotient(sums["shared"], union).values, 0.0)
    reason = NO_TRUE_CLASS if sums.names else NO_CLASSES
    return Quotient(weighted.sum(axis=0, keepdims=True), true.sum(axis=0, keepdims=True), reason)
