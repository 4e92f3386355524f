"""Rates of a class against all others: sensitivity, specificity, predictive values, accuracy [maierhein2024metrics].

Each is a share of elements. "True" and "pred" in the formulas are the elements of a class on a side, TN those of
neither side; every value is one of the four corners of a two-by-two table over one of its sums.
"""

from __future__ import annotations

from typing import Any

from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.one_against_rest import ClassMean
from segmetry.overlaps.class_table import ClassCounts
from segmetry.overlaps.table import OverlapTable

CLASS_NOTES = (
    "Each class against all others, then the mean over the classes that occur on either side and have a value; over a "
    "data set, elements are counted before the quotient of each class is taken. Where segments carry no classes, equal "
    "labels are compared: a mask of 0 and 1 is one class. All elements count that are void on neither side; those of "
    "no class (label 0) belong to the rest. foreground=True takes all labels of a side together. "
)
MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
TWO_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
NOTHING = [[0, 0]], [[0, 0]]


def _rate(top: str, other: str) -> Any:
    """Return a share: one count over the sum of itself and another."""

    def quotient(counts: ClassCounts) -> tuple[Any, Any]:
        return getattr(counts, top), getattr(counts, top) + getattr(counts, other)

    return quotient


def _accuracy(counts: ClassCounts) -> tuple[Any, Any]:
    right = counts.shared + counts.rest
    return right, right + counts.missed + counts.spurious


_TRUE_POSITIVE = ClassMean("true_positive_rate", _rate("shared", "missed"), "no class occurs in the truth").accumulator
_TRUE_NEGATIVE = ClassMean("specificity", _rate("rest", "spurious"), "every class is all of the truth").accumulator
_POSITIVE = ClassMean("positive_predictive_value", _rate("shared", "spurious"), "no class is predicted").accumulator
_NEGATIVE = ClassMean("negative_predictive_value", _rate("rest", "missed"), "every class is predicted everywhere")
_NEGATIVE_ACCUMULATOR = _NEGATIVE.accumulator
_ACCURACY = ClassMean("class_accuracy", _accuracy, "no elements").accumulator


@metric(
    symbol=r"\mathrm{TPR}",
    family="semantic",
    order=60,
    aliases=("tpr", "class_recall"),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{TPR} = \frac{TP}{TP+FN}",
    summary="Sensitivity (recall) of a class of elements: the share of its true elements that are predicted as it.",
    citation="maierhein2024metrics",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="positive_predictive_value",
    value_if_equal=1,
    notes=CLASS_NOTES + "A class that the truth does not have has no value. `recall` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (1 + 2 / 3) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_TRUE_POSITIVE,
)
def true_positive_rate(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _TRUE_POSITIVE.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{TNR}",
    family="semantic",
    order=62,
    aliases=("tnr", "true_negative_rate"),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{TNR} = \frac{TN}{TN+FP}",
    summary="Specificity of a class of elements: the share of the other elements that are not predicted as it.",
    citation="maierhein2024metrics",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="negative_predictive_value",
    value_if_equal=1,
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (3 / 4 + 1) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_TRUE_NEGATIVE,
)
def specificity(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _TRUE_NEGATIVE.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{PPV}",
    family="semantic",
    order=64,
    aliases=("ppv", "class_precision"),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{PPV} = \frac{TP}{TP+FP}",
    summary="Positive predictive value (precision) of a class of elements: the share of its predicted elements that "
    "are right.",
    citation="maierhein2024metrics",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="true_positive_rate",
    value_if_equal=1,
    notes=CLASS_NOTES + "A class that is not predicted has no value. `precision` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (2 / 3 + 1) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_POSITIVE,
)
def positive_predictive_value(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _POSITIVE.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{NPV}",
    family="semantic",
    order=66,
    aliases=("npv",),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{NPV} = \frac{TN}{TN+FN}",
    summary="Negative predictive value of a class of elements: the share of elements predicted as something else that "
    "are something else.",
    citation="maierhein2024metrics",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="specificity",
    value_if_equal=1,
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (1 + 3 / 4) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_NEGATIVE_ACCUMULATOR,
)
def negative_predictive_value(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _NEGATIVE_ACCUMULATOR.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{Acc}",
    family="semantic",
    order=68,
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{Acc} = \frac{TP+TN}{TP+FN+FP+TN}",
    summary="Accuracy of a class against all others: the share of elements that both sides, or neither, assign to it.",
    citation="maierhein2024metrics",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=CLASS_NOTES + "True negatives count as right; `pixel_accuracy` asks for the right class of all classes, and "
    "`mean_accuracy` leaves true negatives out.",
    examples=(Example(*MASKS, 3 / 5), Example(*TWO_LABELS, 5 / 6), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_ACCURACY,
)
def class_accuracy(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _ACCURACY.score(table, foreground=foreground)
