"""One number for the two-by-two table of a class against all others: F, MCC, kappa, balanced accuracy, Youden's J, LR+.

With the four counts of a class, TP·TN − FP·FN is the numerator of three of them: over the root of the product of all
four sums it is the correlation [matthews1975comparison], over the mean product of sums Cohen's kappa
[cohen1960coefficient], over the sums of the truth Youden's J [youden1950index].
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry._base.exact import fraction
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.class_rates import CLASS_NOTES, MASKS, NOTHING, TWO_LABELS
from segmetry.metrics.semantic.one_against_rest import CLASS_MEAN, FourCounts, scaled
from segmetry.metrics.statistics import Quotient, Sums

_PRODUCTS = replace(CLASS_MEAN, degree=2)
_ONE_SIDED = "no class has both elements and others in the truth"


def _difference(counts: FourCounts) -> Any:
    return counts.shared * counts.rest - counts.spurious * counts.missed


def _checked_beta(beta: Any) -> Fraction:
    number = fraction(beta, "beta")
    if number <= 0:
        raise OptionError(f"beta is {beta}; expected a positive number")
    return number


@metric(
    symbol=r"F_\beta",
    order=70,
    aliases={"class_f1": {}, "class_f2": {"beta": 2}},
    kinds=("labels",),
    formula=r"F_\beta = \frac{(1+\beta^2)TP}{(1+\beta^2)TP+\beta^2FN+FP}",
    summary="F of a class of elements: the weighted harmonic mean of precision and recall; with beta 1 it is Dice.",
    citation=("vanrijsbergen1979information", "maierhein2024metrics"),
    notes=CLASS_NOTES + "Recall counts beta times as much as precision. `f1` is that of segments.",
    examples=(
        Example(*MASKS, 2 / 3),
        Example(*TWO_LABELS, (10 / 11 + 10 / 14) / 2, {"beta": 2}),
        Example(*NOTHING, None),
    ),
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def class_f_beta(sums: Sums, *, beta: Any = 1) -> Quotient:
    square, counts = _checked_beta(beta) ** 2, FourCounts.of(sums)
    weight, unit = square.numerator, square.denominator
    hits = scaled(weight + unit, counts.shared)
    errors = scaled(weight, counts.missed) + scaled(unit, counts.spurious)
    return counts.quotient(hits, hits + errors, "no label on either side")


@metric(
    symbol=r"\mathrm{MCC}",
    aliases=("mcc", "matthews_corrcoef", "phi_coefficient"),
    kinds=("labels",),
    formula=r"\mathrm{MCC} = \frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FN)(TN+FP)(TP+FP)(TN+FN)}}",
    summary="Matthews' correlation of truth and prediction of a class of elements against all others.",
    citation=("matthews1975comparison", "maierhein2024metrics"),
    bounds=(-1, 1),
    symmetric=True,
    notes=CLASS_NOTES
    + "A class that is everything or nothing on one side has no correlation; other programs return 0.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 6 / math.sqrt(72)), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=replace(CLASS_MEAN, degree=4),
)
def matthews_correlation(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, pred, rest = counts.margins
    product = np.asarray(true * others * pred * rest, dtype=np.float64)
    correlation = np.asarray(_difference(counts), dtype=np.float64) / np.sqrt(product)
    reason = "no class has elements and others on both sides"
    return counts.quotient(np.where(product > 0, correlation, math.nan), None, reason)


@metric(
    symbol=r"\kappa",
    aliases=("class_kappa",),
    kinds=("labels",),
    formula=r"\kappa = \frac{2(TP\cdot TN-FP\cdot FN)}{(TP+FP)(TN+FP)+(TP+FN)(TN+FN)}",
    summary="Cohen's kappa of a class of elements against all others: agreement beyond that of chance.",
    citation=("cohen1960coefficient", "maierhein2024metrics"),
    bounds=(-1, 1),
    symmetric=True,
    notes=CLASS_NOTES + "Chance is the product of the shares of the class on both sides.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 2 / 3), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=_PRODUCTS,
)
def cohen_kappa(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, pred, rest = counts.margins
    return counts.quotient(2 * _difference(counts), pred * others + true * rest, "every class is all of both sides")


@metric(
    symbol=r"J",
    aliases=("informedness", "youden"),
    kinds=("labels",),
    formula=r"J = \frac{TP}{TP+FN}+\frac{TN}{TN+FP}-1",
    summary="Youden's index (informedness) of a class of elements: sensitivity plus specificity, minus 1.",
    citation=("youden1950index", "maierhein2024metrics"),
    bounds=(-1, 1),
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, (3 / 4 + 2 / 3) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=_PRODUCTS,
)
def youden_index(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    return counts.quotient(_difference(counts), true * others, _ONE_SIDED)


@metric(
    symbol=r"\mathrm{BA}",
    kinds=("labels",),
    formula=r"\mathrm{BA} = \frac12\left(\frac{TP}{TP+FN}+\frac{TN}{TN+FP}\right)",
    summary="Balanced accuracy of a class of elements: the mean of sensitivity and specificity.",
    citation=("brodersen2010balanced", "maierhein2024metrics"),
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value. The mean of sensitivities "
    "over all classes, which is also called balanced accuracy, is `mean_accuracy`.",
    examples=(Example(*MASKS, 7 / 12), Example(*TWO_LABELS, (7 / 8 + 5 / 6) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=_PRODUCTS,
)
def balanced_accuracy(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    return counts.quotient(counts.shared * others + counts.rest * true, 2 * true * others, _ONE_SIDED)


@metric(
    symbol=r"\mathrm{LR}_+",
    aliases=("lr_plus",),
    kinds=("labels",),
    formula=r"\mathrm{LR}_+ = \frac{TP/(TP+FN)}{FP/(TN+FP)}",
    summary="Positive likelihood ratio of a class of elements: sensitivity over the rate of false positives.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    value_if_equal=None,
    notes=CLASS_NOTES + "A class without false positives has no value, a perfect one neither; it is not infinite.",
    examples=(Example(*MASKS, 4 / 3), Example(*TWO_LABELS, 4), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    statistics=_PRODUCTS,
)
def positive_likelihood_ratio(sums: Sums) -> Quotient:
    counts = FourCounts.of(sums)
    true, others, _, _ = counts.margins
    reason = "no class of the truth has false positives"
    return counts.quotient(counts.shared * others, true * counts.spurious, reason)
