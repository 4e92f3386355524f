r"""What errors of a class of elements cost: net benefit [vickers2016net] and expected cost [ferrer2022analysis].

With TP, FP, FN and TN elements of a class against all others, n of them in all, P = TP + FN true and N = FP + TN not:

* net benefit NB = TP/n − r · FP/n, where r, the exchange rate, is how many hits a false alarm is worth;
* expected cost, relative to the better of the two systems that always or never say the class:
  EC = (a · FP + b · FN)/min(b · P, a · N) with the costs a of a false and b of a missed element. Costs inverse to the
  frequency of both kinds, the default, give EC = FP/N + FN/P.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from segmetry._base.exact import fraction
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.class_rates import CLASS_NOTES
from segmetry.metrics.semantic.one_against_rest import CLASS_MEAN, FourCounts, scaled
from segmetry.metrics.statistics import Quotient, Sums

MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
TWO_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
NOTHING = [[0, 0]], [[0, 0]]
Cost = int | float | str | Fraction


def _positive(cost: Cost, name: str) -> Fraction:
    number = fraction(cost, name)
    if number <= 0:
        raise OptionError(f"{name} is {cost}; expected a positive number")
    return number


def _costs(cost_fp: Cost | None, cost_fn: Cost | None) -> tuple[Fraction, Fraction] | None:
    if cost_fp is None and cost_fn is None:
        return None
    if cost_fp is None or cost_fn is None:
        raise OptionError(f"cost_fp is {cost_fp} and cost_fn is {cost_fn}; expected both of them, or neither")
    return _positive(cost_fp, "cost_fp"), _positive(cost_fn, "cost_fn")


@metric(
    symbol=r"\mathrm{NB}",
    order=82,
    kinds=("labels",),
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
    default_in_family=False,
    compares_labels=True,
    statistics=CLASS_MEAN,
)
def net_benefit(sums: Sums, *, exchange_rate: Cost = 1) -> Quotient:
    rate, counts = _positive(exchange_rate, "exchange_rate"), FourCounts.of(sums)
    benefit = scaled(rate.denominator, counts.shared) - scaled(rate.numerator, counts.spurious)
    return counts.quotient(benefit, scaled(rate.denominator, sums["elements"]), "no label on either side")


@metric(
    symbol=r"\mathrm{EC}",
    aliases=("normalised_expected_cost",),
    kinds=("labels",),
    formula=r"\mathrm{EC} = \frac{a\,FP + b\,FN}{\min(b\,(TP+FN),\, a\,(TN+FP))}",
    summary="Normalised expected cost of a class of elements: what its errors cost, relative to the better of always "
    "and never predicting it.",
    citation=("ferrer2022analysis", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    notes=CLASS_NOTES + "Without costs, errors cost inversely to how frequent the class and the others are, so that "
    "EC = FP/(FP+TN) + FN/(TP+FN), which is 1 minus Youden's index. A class without true elements, or of all "
    "elements, has no value.",
    examples=(
        Example(*MASKS, 1 / 2 + 1 / 3),
        Example(*MASKS, (1 + 3) / 2, {"cost_fp": 1, "cost_fn": 3}),
        Example(*TWO_LABELS, (1 / 4 + 1 / 3) / 2),
        Example(*NOTHING, None),
    ),
    default_in_family=False,
    compares_labels=True,
    statistics=replace(CLASS_MEAN, degree=2),
)
def expected_cost(sums: Sums, *, cost_fp: Cost | None = None, cost_fn: Cost | None = None) -> Quotient:
    costs, counts = _costs(cost_fp, cost_fn), FourCounts.of(sums)
    true, others, _, _ = counts.margins
    reason = "no class has both elements and others in the truth"
    if costs is None:
        return counts.quotient(counts.spurious * true + counts.missed * others, true * others, reason)
    scale = math.lcm(*(cost.denominator for cost in costs))
    of_false, of_missed = (int(cost * scale) for cost in costs)
    errors = scaled(of_false, counts.spurious) + scaled(of_missed, counts.missed)
    return counts.quotient(errors, np.minimum(scaled(of_missed, true), scaled(of_false, others)), reason)
