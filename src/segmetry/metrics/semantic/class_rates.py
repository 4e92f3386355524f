"""Rates of a class against all others: sensitivity, specificity, predictive values, accuracy [maierhein2024metrics].

Each is a share of elements. "True" and "pred" in the formulas are the elements of a class on a side, TN those of
neither side; every value is one of the four corners of a two-by-two table over one of its sums.
"""

from __future__ import annotations

from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.one_against_rest import CLASS_MEAN, FourCounts
from segmetry.metrics.statistics import Quotient, Sums

CLASS_NOTES = (
    "Each class against all others, then the mean over the classes that occur on either side and have a value; over a "
    "data set, elements are counted before the quotient of each class is taken. Where segments carry no classes, equal "
    "labels are compared: a mask of 0 and 1 is one class. All elements count that are void on neither side; those of "
    "no class (label 0) belong to the rest. foreground=True takes all labels of a side together. "
)
MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
TWO_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
NOTHING = [[0, 0]], [[0, 0]]


@metric(
    symbol=r"\mathrm{TPR}",
    order=60,
    aliases=("tpr", "class_recall"),
    kinds=("labels",),
    formula=r"\mathrm{TPR} = \frac{TP}{TP+FN}",
    summary="Sensitivity (recall) of a class of elements: the share of its true elements that are predicted as it.",
    citation="maierhein2024metrics",
    swaps_with="positive_predictive_value",
    notes=CLASS_NOTES + "A class that the truth does not have has no value. `recall` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (1 + 2 / 3) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def true_positive_rate(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.shared, counts.shared + counts.missed, "no class occurs in the truth")


@metric(
    symbol=r"\mathrm{TNR}",
    aliases=("tnr", "true_negative_rate"),
    kinds=("labels",),
    formula=r"\mathrm{TNR} = \frac{TN}{TN+FP}",
    summary="Specificity of a class of elements: the share of the other elements that are not predicted as it.",
    citation="maierhein2024metrics",
    swaps_with="negative_predictive_value",
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (3 / 4 + 1) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def specificity(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.rest, counts.rest + counts.spurious, "every class is all of the truth")


@metric(
    symbol=r"\mathrm{PPV}",
    aliases=("ppv", "class_precision"),
    kinds=("labels",),
    formula=r"\mathrm{PPV} = \frac{TP}{TP+FP}",
    summary="Positive predictive value (precision) of a class of elements: the share of its predicted elements that "
    "are right.",
    citation="maierhein2024metrics",
    swaps_with="true_positive_rate",
    notes=CLASS_NOTES + "A class that is not predicted has no value. `precision` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (2 / 3 + 1) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def positive_predictive_value(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.shared, counts.shared + counts.spurious, "no class is predicted")


@metric(
    symbol=r"\mathrm{NPV}",
    aliases=("npv",),
    kinds=("labels",),
    formula=r"\mathrm{NPV} = \frac{TN}{TN+FN}",
    summary="Negative predictive value of a class of elements: the share of elements predicted as something else that "
    "are something else.",
    citation="maierhein2024metrics",
    swaps_with="specificity",
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (1 + 3 / 4) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def negative_predictive_value(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.rest, counts.rest + counts.missed, "every class is predicted everywhere")


@metric(
    symbol=r"\mathrm{Acc}",
    kinds=("labels",),
    formula=r"\mathrm{Acc} = \frac{TP+TN}{TP+FN+FP+TN}",
    summary="Accuracy of a class against all others: the share of elements that both sides, or neither, assign to it.",
    citation="maierhein2024metrics",
    symmetric=True,
    notes=CLASS_NOTES + "True negatives count as right; `pixel_accuracy` asks for the right class of all classes, and "
    "`mean_accuracy` leaves true negatives out.",
    examples=(Example(*MASKS, 3 / 5), Example(*TWO_LABELS, 5 / 6), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def class_accuracy(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    right = counts.shared + counts.rest
    return counts.quotient(right, right + counts.missed + counts.spurious, "no elements")
