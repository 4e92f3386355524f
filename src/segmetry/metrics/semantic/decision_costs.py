r"""What errors of a class of elements cost: net benefit [vickers2016net] and expected cost [ferrer2022analysis].

With TP, FP, FN and TN elements of a class against all others, n of them in all, P = TP + FN true and N = FP + TN not:

* net benefit NB = TP/n − r · FP/n, where r, the exchange rate, is how many hits a false alarm is worth;
* expected cost, relative to the better of the two systems that always or never say the class:
  EC = (a · FP + b · FN)/min(b · P, a · N) with the costs a of a false and b of a missed element. Costs inverse to the
  frequency of both kinds, the default, give EC = FP/N + FN/P.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IntArray, fraction
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_rates import CLASS_NOTES
from segmetry.metrics.semantic.one_against_rest import ClassMean, one_against_rest
from segmetry.overlaps.class_table import ClassCounts
from segmetry.overlaps.table import OverlapTable

MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
TWO_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
NOTHING = [[0, 0]], [[0, 0]]
Cost = int | float | str | Fraction


def _net_benefit(counts: ClassCounts, *, rate: Fraction) -> tuple[Any, Any]:
    elements = counts.shared + counts.missed + counts.spurious + counts.rest
    return rate.denominator * counts.shared - rate.numerator * counts.spurious, rate.denominator * elements


def _expected_cost(counts: ClassCounts, *, costs: tuple[Fraction, Fraction] | None) -> tuple[Any, Any]:
    true: Any = counts.shared + counts.missed
    others: Any = counts.rest + counts.spurious
    if costs is None:
        return counts.spurious * true + counts.missed * others, true * others
    scale = math.lcm(*(cost.denominator for cost in costs))
    of_false, of_missed = (int(cost * scale) for cost in costs)
    naive = of_missed * true, of_false * others
    least = min(naive) if isinstance(true, int) else np.minimum(*naive)
    return of_false * counts.spurious + of_missed * counts.missed, least


_NB = ClassMean("net_benefit", _net_benefit, "no label on either side")
_EC = ClassMean("expected_cost", _expected_cost, "no class has both elements and others in the truth")


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


def _combined_benefit(collected: Collected, *, exchange_rate: Cost = 1) -> Combined:
    return _NB.combine(collected, rate=_positive(exchange_rate, "exchange_rate"))


def _resampled_benefit(collected: Collected, times: IntArray, *, exchange_rate: Cost = 1) -> FloatArray:
    return _NB.resampled(collected, times, rate=_positive(exchange_rate, "exchange_rate"))


def _combined_cost(collected: Collected, *, cost_fp: Cost | None = None, cost_fn: Cost | None = None) -> Combined:
    return _EC.combine(collected, costs=_costs(cost_fp, cost_fn))


def _resampled_cost(
    collected: Collected, times: IntArray, *, cost_fp: Cost | None = None, cost_fn: Cost | None = None
) -> FloatArray:
    return _EC.resampled(collected, times, costs=_costs(cost_fp, cost_fn))


_BENEFIT = Accumulator(one_against_rest, _combined_benefit, mean_over_classes=True, resampled=_resampled_benefit)
_COST = Accumulator(one_against_rest, _combined_cost, mean_over_classes=True, resampled=_resampled_cost)


@metric(
    symbol=r"\mathrm{NB}",
    family="semantic",
    order=82,
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{NB} = \frac{TP - r\,FP}{TP+FN+FP+TN}",
    summary="Net benefit of a class of elements: its hits less its false alarms, each worth r hits, per element.",
    citation=("vickers2016net", "maierhein2024metrics"),
    bounds=(-math.inf, 1),
    better="higher",
    symmetric=False,
    value_if_equal=None,
    notes=CLASS_NOTES + "A perfect prediction reaches the share of the class, not 1.",
    examples=(
        Example(*MASKS, 1 / 5),
        Example(*MASKS, (2 - 1 / 9) / 5, {"exchange_rate": "1/9"}),
        Example(*NOTHING, None),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=_BENEFIT,
)
def net_benefit(table: OverlapTable, *, exchange_rate: Cost = 1, foreground: bool = False) -> Score:
    return _BENEFIT.score(table, exchange_rate=exchange_rate, foreground=foreground)


@metric(
    symbol=r"\mathrm{EC}",
    family="semantic",
    order=84,
    aliases=("normalised_expected_cost",),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{EC} = \frac{a\,FP + b\,FN}{\min(b\,(TP+FN),\, a\,(TN+FP))}",
    summary="Normalised expected cost of a class of elements: what its errors cost, relative to the better of always "
    "and never predicting it.",
    citation=("ferrer2022analysis", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
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
    accumulator=_COST,
)
def expected_cost(
    table: OverlapTable, *, cost_fp: Cost | None = None, cost_fn: Cost | None = None, foreground: bool = False
) -> Score:
    return _COST.score(table, cost_fp=cost_fp, cost_fn=cost_fn, foreground=foreground)
