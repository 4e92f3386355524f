r"""Rates, correlations and costs of a class of elements against all others [maierhein2024metrics].

A rate is one of the four corners of the two-by-two table over one of its sums. TP·TN − FP·FN is the numerator of three
numbers: over the root of the product of all four sums it is the correlation [matthews1975comparison], over the mean
product of sums Cohen's kappa [cohen1960coefficient], over the sums of the truth Youden's J [youden1950index]. Net
benefit [vickers2016net] says how many hits a false alarm is worth; expected cost [ferrer2022analysis] is relative to
the better of the two systems that always or never say the class.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from segmetry._base import fraction
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.element_counts import CLASS_MEAN, FourCounts, scaled
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


_class_rate = partial(
    metric,
    citation="maierhein2024metrics",
    kinds=("labels",),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)


@_class_rate(
    order=60,
    aliases=("tpr", "class_recall"),
    formula=r"\mathrm{TPR} = \frac{TP}{TP+FN}",
    summary="Sensitivity (recall) of a class of elements: the share of its true elements that are predicted as it.",
    swaps_with="positive_predictive_value",
    notes=CLASS_NOTES + "A class that the truth does not have has no value. `recall` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (1 + 2 / 3) / 2), Example(*NOTHING, None)),
)
def true_positive_rate(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.shared, counts.shared + counts.missed, "no class occurs in the truth")


@_class_rate(
    aliases=("tnr", "true_negative_rate"),
    formula=r"\mathrm{TNR} = \frac{TN}{TN+FP}",
    summary="Specificity of a class of elements: the share of the other elements that are not predicted as it.",
    swaps_with="negative_predictive_value",
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (3 / 4 + 1) / 2), Example(*NOTHING, None)),
)
def specificity(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.rest, counts.rest + counts.spurious, "every class is all of the truth")


@_class_rate(
    aliases=("ppv", "class_precision"),
    formula=r"\mathrm{PPV} = \frac{TP}{TP+FP}",
    summary="Positive predictive value (precision) of a class of elements: the share of its predicted elements that "
    "are right.",
    notes=CLASS_NOTES + "A class that is not predicted has no value. `precision` is that of segments.",
    examples=(Example(*MASKS, 2 / 3), Example(*TWO_LABELS, (2 / 3 + 1) / 2), Example(*NOTHING, None)),
)
def positive_predictive_value(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.shared, counts.shared + counts.spurious, "no class is predicted")


@_class_rate(
    aliases=("npv",),
    formula=r"\mathrm{NPV} = \frac{TN}{TN+FN}",
    summary="Negative predictive value of a class of elements: the share of elements predicted as something else that "
    "are something else.",
    notes=CLASS_NOTES + "It is near 1 wherever the class is small, since nearly all elements are true negatives.",
    examples=(Example(*MASKS, 1 / 2), Example(*TWO_LABELS, (1 + 3 / 4) / 2), Example(*NOTHING, None)),
)
def negative_predictive_value(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    return counts.quotient(counts.rest, counts.rest + counts.missed, "every class is predicted everywhere")


@_class_rate(
    formula=r"\mathrm{Acc} = \frac{TP+TN}{TP+FN+FP+TN}",
    summary="Accuracy of a class against all others: the share of elements that both sides, or neither, assign to it.",
    symmetric=True,
    notes=CLASS_NOTES + "True negatives count as right; `pixel_accuracy` asks for the right class of all classes, and "
    "`mean_accuracy` leaves true negatives out.",
    examples=(Example(*MASKS, 3 / 5), Example(*TWO_LABELS, 5 / 6), Example(*NOTHING, None)),
)
def class_accuracy(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    right = counts.shared + counts.rest
    return counts.quotient(right, right + counts.missed + counts.spurious, "no elements")


_PRODUCTS = replace(CLASS_MEAN, degree=2)
_ONE_SIDED = "no class has both elements and others in the truth"


Cost = int | float | str | Fraction


def _positive_fraction(cost: Cost, name: str) -> Fraction:
    number = fraction(cost, name)
    if number <= 0:
        raise OptionError(f"{name} is {cost}; expected a positive number")
    return number


def _determinant(counts: FourCounts) -> Any:
    return counts.shared * counts.rest - counts.spurious * counts.missed


@_class_rate(
    order=70,
    aliases={"class_f1": {}, "class_f2": {"beta": 2}},
    formula=r"F_\beta = \frac{(1+\beta^2)TP}{(1+\beta^2)TP+\beta^2FN+FP}",
    summary="F of a class of elements: the weighted harmonic mean of precision and recall; with beta 1 it is Dice.",
    citation=("vanrijsbergen1979information", "maierhein2024metrics"),
    notes=CLASS_NOTES + "Recall counts beta times as much as precision. `f1` is that of segments.",
    examples=(
        Example(*MASKS, 2 / 3),
        Example(*TWO_LABELS, (10 / 11 + 10 / 14) / 2, {"beta": 2}),
        Example(*NOTHING, None),
    ),
)
def class_f_beta(sums: Sums, *, beta: Any = 1) -> Quotient:
    square, counts = _positive_fraction(beta, "beta") ** 2, FourCounts.of(sums)
    weight, unit = square.numerator, square.denominator
    hits = scaled(weight + unit, counts.shared)
    errors = scaled(weight, counts.missed) + scaled(unit, counts.spurious)
    return counts.quotient(hits, hits + errors, "no label on either side")


@_class_rate(
    aliases=("mcc", "matthews_corrcoef", "phi_coefficient"),
    formula=r"\mathrm{MCC} = \frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FN)(TN+FP)(TP+FP)(TN+FN)}}",
    summary="Matthews' correlation of truth and prediction of a class of elements against all others.",
    citation=("matthews1975comparison", "maierhein2024metrics"),
    bounds=(-1, 1),
    symmetric=True,
    notes=f"{CLASS_NOTES}A class that is everything or nothing on one side has no correlation; other programs return "
    "0.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 6 / math.sqrt(72)), Example(*NOTHING, None)),
    statistics=replace(CLASS_MEAN, degree=4),
)
def matthews_correlation(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, pred, rest = counts.margins
    product = np.asarray(true * others * pred * rest, dtype=np.float64)
    correlation = np.asarray(_determinant(counts), dtype=np.float64) / np.sqrt(product)
    reason = "no class has elements and others on both sides"
    return counts.quotient(np.where(product > 0, correlation, math.nan), None, reason)


@_class_rate(
    aliases=("class_kappa",),
    formula=r"\kappa = \frac{2(TP\cdot TN-FP\cdot FN)}{(TP+FP)(TN+FP)+(TP+FN)(TN+FN)}",
    summary="Cohen's kappa of a class of elements against all others: agreement beyond that of chance.",
    citation=("cohen1960coefficient", "maierhein2024metrics"),
    bounds=(-1, 1),
    symmetric=True,
    notes=CLASS_NOTES + "Chance is the product of the shares of the class on both sides.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 2 / 3), Example(*NOTHING, None)),
    statistics=_PRODUCTS,
)
def cohen_kappa(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, pred, rest = counts.margins
    return counts.quotient(2 * _determinant(counts), pred * others + true * rest, "every class is all of both sides")


@_class_rate(
    aliases=("informedness", "youden"),
    formula=r"J = \frac{TP}{TP+FN}+\frac{TN}{TN+FP}-1",
    summary="Youden's index (informedness) of a class of elements: sensitivity plus specificity, minus 1.",
    citation=("youden1950index", "maierhein2024metrics"),
    bounds=(-1, 1),
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, (3 / 4 + 2 / 3) / 2), Example(*NOTHING, None)),
    statistics=_PRODUCTS,
)
def youden_index(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    return counts.quotient(_determinant(counts), true * others, _ONE_SIDED)


@_class_rate(
    formula=r"\mathrm{BA} = \frac12\left(\frac{TP}{TP+FN}+\frac{TN}{TN+FP}\right)",
    summary="Balanced accuracy of a class of elements: the mean of sensitivity and specificity.",
    citation=("brodersen2010balanced", "maierhein2024metrics"),
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value. The mean of sensitivities "
    "over all classes, which is also called balanced accuracy, is `mean_accuracy`.",
    examples=(Example(*MASKS, 7 / 12), Example(*TWO_LABELS, (7 / 8 + 5 / 6) / 2), Example(*NOTHING, None)),
    statistics=_PRODUCTS,
)
def balanced_accuracy(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    return counts.quotient(counts.shared * others + counts.rest * true, 2 * true * others, _ONE_SIDED)


@_class_rate(
    aliases=("lr_plus",),
    formula=r"\mathrm{LR}_+ = \frac{TP/(TP+FN)}{FP/(TN+FP)}",
    summary="Positive likelihood ratio of a class of elements: sensitivity over the rate of false positives.",
    bounds=(0, math.inf),
    value_if_equal=None,
    notes=CLASS_NOTES + "A class without false positives has no value, a perfect one neither; it is not infinite.",
    examples=(Example(*MASKS, 4 / 3), Example(*TWO_LABELS, 4), Example(*NOTHING, None)),
    statistics=_PRODUCTS,
)
def positive_likelihood_ratio(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    reason = "no class of the truth has false positives"
    return counts.quotient(counts.shared * others, true * counts.spurious, reason)


def _checked_costs(cost_fp: Cost | None, cost_fn: Cost | None) -> tuple[Fraction, Fraction] | None:
    if cost_fp is None and cost_fn is None:
        return None
    if cost_fp is None or cost_fn is None:
        raise OptionError(f"cost_fp is {cost_fp} and cost_fn is {cost_fn}; expected both of them, or neither")
    return _positive_fraction(cost_fp, "cost_fp"), _positive_fraction(cost_fn, "cost_fn")


@_class_rate(
    order=82,
    formula=r"\mathrm{NB} = \frac{TP - r\,FP}{TP+FN+FP+TN}",
    summary="Net benefit of a class of elements: its hits less its false alarms, each worth r hits, per element.",
    citation=("vickers2016net", "maierhein2024metrics"),
    bounds=(-math.inf, 1),
    value_if_equal=None,
    notes=CLASS_NOTES + "A perfect prediction reaches the share of the class, not 1.",
    examples=(
        Example(*MASKS, 1 / 5),
        Example(*MASKS, (2 - 1 / 9) / 5, {"exchange_rate": "1/9"}),
        Example(*NOTHING, None),
    ),
)
def net_benefit(sums: Sums, *, exchange_rate: Cost = 1) -> Quotient:
    rate, counts = _positive_fraction(exchange_rate, "exchange_rate"), FourCounts.of(sums)
    benefit = scaled(rate.denominator, counts.shared) - scaled(rate.numerator, counts.spurious)
    return counts.quotient(benefit, scaled(rate.denominator, sums["elements"]), "no label on either side")


@_class_rate(
    aliases=("normalised_expected_cost",),
    formula=r"\mathrm{EC} = \frac{a\,FP + b\,FN}{\min(b\,(TP+FN),\, a\,(TN+FP))}",
    summary="Normalised expected cost of a class of elements: what its errors cost, relative to the better of always "
    "and never predicting it.",
    citation=("ferrer2022analysis", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    notes=CLASS_NOTES + "Without costs, errors cost inversely to how frequent the class and the others are, so that "
    "EC = FP/(FP+TN) + FN/(TP+FN), which is 1 minus Youden's index. A class without true elements, or of all "
    "elements, has no value.",
    examples=(
        Example(*MASKS, 1 / 2 + 1 / 3),
        Example(*MASKS, (1 + 3) / 2, {"cost_fp": 1, "cost_fn": 3}),
        Example(*TWO_LABELS, (1 / 4 + 1 / 3) / 2),
        Example(*NOTHING, None),
    ),
    statistics=_PRODUCTS,
)
def expected_cost(sums: Sums, *, cost_fp: Cost | None = None, cost_fn: Cost | None = None) -> Quotient:
    costs, counts = _checked_costs(cost_fp, cost_fn), FourCounts.of(sums)
    true, others, _, _ = counts.margins
    if costs is None:
        return counts.quotient(counts.spurious * true + counts.missed * others, true * others, _ONE_SIDED)
    scale = math.lcm(*(cost.denominator for cost in costs))
    of_false, of_missed = (int(cost * scale) for cost in costs)
    errors = scaled(of_false, counts.spurious) + scaled(of_missed, counts.missed)
    return counts.quotient(errors, np.minimum(scaled(of_missed, true), scaled(of_false, others)), _ONE_SIDED)
