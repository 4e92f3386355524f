"""One number for the two-by-two table of a class against all others: F, MCC, kappa, balanced accuracy, Youden's J, LR+.

With the four counts of a class, TP·TN − FP·FN is the numerator of three of them: over the root of the product of all
four sums it is the correlation [matthews1975comparison], over the mean product of sums Cohen's kappa
[cohen1960coefficient], over the sums of the truth Youden's J [youden1950index].
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from segmetry._base.exact import FloatArray, IntArray, fraction
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_rates import CLASS_NOTES, MASKS, NOTHING, TWO_LABELS
from segmetry.metrics.semantic.one_against_rest import ClassMean, one_against_rest
from segmetry.overlaps.class_table import ClassCounts
from segmetry.overlaps.table import OverlapTable

_ONE_SIDED = "no class has both elements and others in the truth"


def _f_beta(counts: ClassCounts, *, beta: Fraction) -> tuple[Any, Any]:
    """(1 + β²) TP over (1 + β²) TP + β² FN + FP, with β² as a quotient of integers."""
    square = beta**2
    top, bottom = square.numerator, square.denominator
    hits = (top + bottom) * counts.shared
    return hits, hits + top * counts.missed + bottom * counts.spurious


def _difference(counts: ClassCounts) -> Any:
    return counts.shared * counts.rest - counts.spurious * counts.missed


def _sums(counts: ClassCounts) -> tuple[Any, Any, Any, Any]:
    """Return the elements of the class and the others, in the truth and in the prediction."""
    true, pred = counts.shared + counts.missed, counts.shared + counts.spurious
    return true, counts.rest + counts.spurious, pred, counts.rest + counts.missed


def _correlation(counts: ClassCounts) -> tuple[Any, Any]:
    true, others, pred, rest = _sums(counts)
    return _difference(counts), true * others * pred * rest


def _kappa(counts: ClassCounts) -> tuple[Any, Any]:
    true, others, pred, rest = _sums(counts)
    return 2 * _difference(counts), pred * others + true * rest


def _youden(counts: ClassCounts) -> tuple[Any, Any]:
    true, others, _, _ = _sums(counts)
    return _difference(counts), true * others


def _balanced(counts: ClassCounts) -> tuple[Any, Any]:
    true, others, _, _ = _sums(counts)
    return counts.shared * others + counts.rest * true, 2 * true * others


def _likelihood_ratio(counts: ClassCounts) -> tuple[Any, Any]:
    true, others, _, _ = _sums(counts)
    return counts.shared * others, true * counts.spurious


_F_BETA = ClassMean("class_f_beta", _f_beta, "no label on either side")
_MCC = ClassMean("matthews_correlation", _correlation, "no class has elements and others on both sides", root=True)
_MCC_ACCUMULATOR = _MCC.accumulator
_KAPPA = ClassMean("cohen_kappa", _kappa, "every class is all of both sides").accumulator
_YOUDEN = ClassMean("youden_index", _youden, _ONE_SIDED).accumulator
_BALANCED = ClassMean("balanced_accuracy", _balanced, _ONE_SIDED).accumulator
_RATIO = ClassMean("positive_likelihood_ratio", _likelihood_ratio, "no class of the truth has false positives")
_RATIO_ACCUMULATOR = _RATIO.accumulator


def _checked_beta(beta: Any) -> Fraction:
    number = fraction(beta, "beta")
    if number <= 0:
        raise OptionError(f"beta is {beta}; expected a positive number")
    return number


def _combined_f(collected: Collected, *, beta: Any = 1) -> Combined:
    return _F_BETA.combine(collected, beta=_checked_beta(beta))


def _resampled_f(collected: Collected, times: IntArray, *, beta: Any = 1) -> FloatArray:
    return _F_BETA.resampled(collected, times, beta=_checked_beta(beta))


_F_ACCUMULATOR = Accumulator(one_against_rest, _combined_f, mean_over_classes=True, resampled=_resampled_f)


@metric(
    symbol=r"F_\beta",
    family="semantic",
    order=70,
    aliases={"class_f1": {}, "class_f2": {"beta": 2}},
    needs="table",
    kinds=("labels",),
    formula=r"F_\beta = \frac{(1+\beta^2)TP}{(1+\beta^2)TP+\beta^2FN+FP}",
    summary="F of a class of elements: the weighted harmonic mean of precision and recall; with beta 1 it is Dice.",
    citation=("vanrijsbergen1979information", "maierhein2024metrics"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=CLASS_NOTES + "Recall counts beta times as much as precision. `f1` is that of segments.",
    examples=(
        Example(*MASKS, 2 / 3),
        Example(*TWO_LABELS, (10 / 11 + 10 / 14) / 2, {"beta": 2}),
        Example(*NOTHING, None),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=_F_ACCUMULATOR,
)
def class_f_beta(table: OverlapTable, *, beta: Any = 1, foreground: bool = False) -> Score:
    return _F_ACCUMULATOR.score(table, beta=beta, foreground=foreground)


@metric(
    symbol=r"\mathrm{MCC}",
    family="semantic",
    order=72,
    aliases=("mcc", "matthews_corrcoef", "phi_coefficient"),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{MCC} = \frac{TP\cdot TN-FP\cdot FN}{\sqrt{(TP+FN)(TN+FP)(TP+FP)(TN+FN)}}",
    summary="Matthews' correlation of truth and prediction of a class of elements against all others.",
    citation=("matthews1975comparison", "maierhein2024metrics"),
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=CLASS_NOTES
    + "A class that is everything or nothing on one side has no correlation; other programs return 0.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 6 / math.sqrt(72)), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_MCC_ACCUMULATOR,
)
def matthews_correlation(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _MCC_ACCUMULATOR.score(table, foreground=foreground)


@metric(
    symbol=r"\kappa",
    family="semantic",
    order=74,
    aliases=("class_kappa",),
    needs="table",
    kinds=("labels",),
    formula=r"\kappa = \frac{2(TP\cdot TN-FP\cdot FN)}{(TP+FP)(TN+FP)+(TP+FN)(TN+FN)}",
    summary="Cohen's kappa of a class of elements against all others: agreement beyond that of chance.",
    citation=("cohen1960coefficient", "maierhein2024metrics"),
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=CLASS_NOTES + "Chance is the product of the shares of the class on both sides.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, 2 / 3), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_KAPPA,
)
def cohen_kappa(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _KAPPA.score(table, foreground=foreground)


@metric(
    symbol=r"J",
    family="semantic",
    order=76,
    aliases=("informedness", "youden"),
    needs="table",
    kinds=("labels",),
    formula=r"J = \frac{TP}{TP+FN}+\frac{TN}{TN+FP}-1",
    summary="Youden's index (informedness) of a class of elements: sensitivity plus specificity, minus 1.",
    citation=("youden1950index", "maierhein2024metrics"),
    bounds=(-1, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value.",
    examples=(Example(*MASKS, 1 / 6), Example(*TWO_LABELS, (3 / 4 + 2 / 3) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_YOUDEN,
)
def youden_index(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _YOUDEN.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{BA}",
    family="semantic",
    order=78,
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{BA} = \frac12\left(\frac{TP}{TP+FN}+\frac{TN}{TN+FP}\right)",
    summary="Balanced accuracy of a class of elements: the mean of sensitivity and specificity.",
    citation=("brodersen2010balanced", "maierhein2024metrics"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=CLASS_NOTES + "A class without true elements, or of all elements, has no value. The mean of sensitivities "
    "over all classes, which is also called balanced accuracy, is `mean_accuracy`.",
    examples=(Example(*MASKS, 7 / 12), Example(*TWO_LABELS, (7 / 8 + 5 / 6) / 2), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_BALANCED,
)
def balanced_accuracy(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _BALANCED.score(table, foreground=foreground)


@metric(
    symbol=r"\mathrm{LR}_+",
    family="semantic",
    order=80,
    aliases=("lr_plus",),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{LR}_+ = \frac{TP/(TP+FN)}{FP/(TN+FP)}",
    summary="Positive likelihood ratio of a class of elements: sensitivity over the rate of false positives.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    better="higher",
    symmetric=False,
    value_if_equal=None,
    notes=CLASS_NOTES + "A class without false positives has no value, a perfect one neither; it is not infinite.",
    examples=(Example(*MASKS, 4 / 3), Example(*TWO_LABELS, 4), Example(*NOTHING, None)),
    default_in_family=False,
    compares_labels=True,
    accumulator=_RATIO_ACCUMULATOR,
)
def positive_likelihood_ratio(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _RATIO_ACCUMULATOR.score(table, foreground=foreground)
