r"""Precision, recall and F1 as exact step functions of the weight a pair must reach [chazalon2021revisiting].

Keep the aligned pairs of weight w ≥ t (or w > t): P(t), R(t) and F(t) count them over the predicted segments, the
true ones, and half of both. Each decreases only at the weights that occur, so the sorted weights
determine the functions, and areas are sums:

* ∫₀¹ P(t) dt = Σw/|H|, ∫₀¹ R(t) dt = Σw/|T|, ∫₀¹ F(t) dt = 2Σw/(|H|+|T|): weighted precision, weighted recall, and PQ;
* NPQ = (1−α)⁻¹ ∫_α^1 F(t) dt, where every pair the rule accepts has a weight above α.

α: the greatest known lower bound of the weights of the pairs a rule accepts.

Curves over a weight are constant below α, so NPQ uses only the area above it. For local rules it is computed exactly
(:func:`~segmetry.alignments.rules.local.least_weight`); for an assignment among pairs that satisfy a threshold it
follows from the threshold.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    FloatArray,
    IntArray,
    Threshold,
    as_python_ints,
    fraction_in,
    frozen_dataclass,
    products_fit,
    ratio,
    widest,
)
from segmetry.alignments.rules.assignment import Greedy, MaximumWeight
from segmetry.alignments.rules.local import Inequality, LocalRule, attains_least_weight, least_weight
from segmetry.alignments.tally import Tally
from segmetry.alignments.weights import argsort_descending, formula_of
from segmetry.errors import OptionError
from segmetry.kernels import rounded_sum
from segmetry.results import Exported, Table

ZERO = Fraction(0)


def iou_lower_bound(rule: Any, weight: str) -> Fraction:
    """Return the greatest known lower bound of a weight under a rule; 0 if none is known."""
    return _known_bound(rule, weight) if isinstance(rule, LocalRule | Greedy | MaximumWeight) else ZERO


def attains_bound(rule: Any, weight: str) -> bool:
    """Return whether a rule accepts pairs whose weight is the lower bound itself, as ``at_least=`` does."""
    if isinstance(rule, Greedy | MaximumWeight):
        if rule.weight == weight:
            return not rule.threshold.strict
        rule = _as_local(rule)
    return isinstance(rule, LocalRule) and attains_least_weight(rule, weight)


@lru_cache(maxsize=256)
def _known_bound(rule: LocalRule | Greedy | MaximumWeight, weight: str) -> Fraction:
    """Cached by rule and weight, because a data set needs the bound for every class of every item."""
    if isinstance(rule, LocalRule):
        return least_weight(rule, weight)
    if rule.weight == weight:
        return rule.threshold.value
    local = _as_local(rule)
    return ZERO if local is None else least_weight(local, weight)


def _as_local(rule: Greedy | MaximumWeight) -> LocalRule | None:
    """Return the threshold of an assignment as inequalities; None for weights that cannot be written so."""
    threshold, zero = rule.threshold, Fraction(0)
    least, rest, strict = threshold.value, 1 - threshold.value, threshold.strict
    of_true = Inequality.of(rest, least, zero, strict=strict)
    of_pred = Inequality.of(rest, zero, least, strict=strict)
    clauses: dict[str, tuple[tuple[Inequality, ...], ...]] = {
        "iou": ((Inequality.of(rest, least, least, strict=strict),),),
        "dice": ((Inequality.of(2 * rest, least, least, strict=strict),),),
        "coverage_true": ((of_true,),),
        "coverage_pred": ((of_pred,),),
        "min_coverage": ((of_true,), (of_pred,)),
        "max_coverage": ((of_true, of_pred),),
    }
    return LocalRule(rule.name, clauses[rule.weight]) if rule.weight in clauses else None


Measure = Literal["precision", "recall", "f1"]
MEASURES: tuple[Measure, ...] = ("precision", "recall", "f1")


@frozen_dataclass(eq=False)
class Curves(Exported):
    """The three curves of a tally over one weight.

    >>> import segmetry as sm
    >>> curves = sm.curves([[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 2, 2, 2]])
    >>> [str(curves.at(t)) for t in (0, "2/3", "0.7", "3/4", 1)]
    ['1', '1', '1/2', '1/2', '0']
    >>> str(curves.exact_area()), str(curves.exact_npq()), str(curves.alpha)
    ('17/24', '5/12', '1/2')
    """

    tally: Tally
    weight: str
    alpha: Fraction

    @classmethod
    def of(cls, tally: Tally, weight: str | None = None, alpha: Threshold | None = None) -> Curves:
        """Return the curves over a weight (default: the tally's); α defaults to the bound the rule implies."""
        tally.one_to_one()
        name = tally.weight if weight is None else weight
        if not _is_custom(tally, name):
            formula_of(name)  # an unknown weight is an error
        if alpha is not None:
            return cls(tally, name, _alpha(alpha))
        return cls(tally, name, Fraction(0) if _is_custom(tally, name) else iou_lower_bound(tally.rule, name))

    @cached_property
    def _quotient(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self.tally.quotient(self.weight)

    @cached_property
    def _steps(self) -> tuple[list[Fraction], IntArray]:
        """The distinct weights in ascending order, and how many pairs reach each."""
        top, bottom = self._quotient
        order = argsort_descending(top, bottom)
        common = np.gcd(top[order], bottom[order])
        common[common == 0] = 1
        reduced_top, reduced_bottom = top[order] // common, bottom[order] // common
        last = np.ones(order.size, dtype=bool)
        last[:-1] = (reduced_top[1:] != reduced_top[:-1]) | (reduced_bottom[1:] != reduced_bottom[:-1])
        at = np.flatnonzero(last)[::-1]
        steps = [
            Fraction(int(a), int(b)) for a, b in zip(reduced_top[at].tolist(), reduced_bottom[at].tolist(), strict=True)
        ]
        return steps, at.astype(np.int64) + 1

    @property
    def steps(self) -> list[Fraction]:
        """The weights at which the curves decrease, in ascending order."""
        return list(self._steps[0])

    def n_kept(self, t: Threshold, *, strict: bool = False) -> int:
        """Return how many pairs have weight ≥ t (> t if ``strict``)."""
        from bisect import bisect_left, bisect_right

        steps, reaching = self._steps
        at = (bisect_right if strict else bisect_left)(steps, fraction_in(t, "t", 0, 1))
        return int(reaching[at]) if at < len(steps) else 0

    def at(self, t: Threshold, measure: Measure = "f1", *, strict: bool = False) -> Fraction | None:
        """Return the exact value of a curve at t; None where it is undefined."""
        top, bottom = self.parts_at(t, measure, strict=strict)
        return Fraction(top, bottom) if bottom else None

    def parts_at(self, t: Threshold, measure: Measure, *, strict: bool = False) -> tuple[int, int]:
        """Return numerator and denominator of a curve at t."""
        kept = self.n_kept(t, strict=strict)
        return (2 * kept if measure == "f1" else kept), self._denominator(measure)

    def _denominator(self, measure: Measure) -> int:
        denominators = {
            "precision": self.tally.n_pred,
            "recall": self.tally.n_true,
            "f1": self.tally.n_pred + self.tally.n_true,
        }
        if measure not in denominators:
            raise OptionError(f"measure is {measure!r}; expected one of {', '.join(MEASURES)}")
        return denominators[measure]

    def exact_area(self, measure: Measure = "f1") -> Fraction | None:
        """Return ∫₀¹ of a curve as an exact fraction: the sum over its steps of height times width."""
        return self._area_above(Fraction(0), measure)

    def _area_above(self, bound: Fraction, measure: Measure) -> Fraction | None:
        denominator, factor = self._denominator(measure), 2 if measure == "f1" else 1
        if not denominator:
            return None
        steps, reaching = self._steps
        clipped = [max(step, bound) for step in steps]
        widths = [high - low for low, high in zip([bound, *clipped], clipped, strict=False)]
        area = sum((width * kept for width, kept in zip(widths, reaching.tolist(), strict=True)), Fraction(0))
        return area * factor / denominator

    def area(self, measure: Measure = "f1") -> float:
        """Return ∫₀¹ of a curve, from correctly rounded weights; NaN where it is undefined."""
        denominator = self._denominator(measure)
        return (2 if measure == "f1" else 1) * self.tally.total(self.weight) / denominator if denominator else math.nan

    def exact_npq(self, alpha: Threshold | None = None) -> Fraction | None:
        """Return (1−α)⁻¹ ∫_α^1 F(t) dt as an exact fraction."""
        bound = self.alpha if alpha is None else _alpha(alpha)
        area = self._area_above(bound, "f1")
        return None if area is None else area / (1 - bound)

    def npq_parts(self) -> tuple[float, Fraction]:
        """Return 2 Σ max(0, w − α), the exactly rounded sum of correctly rounded terms, and (1−α)(|H|+|T|)."""
        if not self.tally.n_pairs:
            return 0.0, (1 - self.alpha) * self._denominator("f1")
        above = weights_above(self._quotient, self.alpha)
        return 2 * rounded_sum(above[above > 0]), (1 - self.alpha) * self._denominator("f1")

    def npq(self) -> float:
        """Return (1−α)⁻¹ ∫_α^1 F(t) dt, from correctly rounded weights; NaN where it is undefined."""
        top, bottom = self.npq_parts()
        return float(top / float(bottom)) if bottom else math.nan

    def records(self) -> Table:
        """Return the values of the curves up to every step."""
        arrays = {key: values.tolist() for key, values in self.arrays().items()}
        rows = [
            {"up_to": up_to} | {key: None if math.isnan(column[at]) else column[at] for key, column in arrays.items()}
            for at, up_to in enumerate(arrays.pop("t")[1:])
        ]
        return Table("curves", rows)

    def arrays(self) -> dict[str, FloatArray]:
        """Return arrays for plotting: ``t`` has one more value than the curves, which are constant on (t[i], t[i+1]]
        (NaN if undefined).

        >>> import segmetry as sm
        >>> {name: values.tolist() for name, values in sm.curves([[1, 1, 2]], [[1, 1, 0]]).arrays().items()}
        {'t': [0.0, 1.0], 'precision': [1.0], 'recall': [0.5], 'f1': [0.6666666666666666]}
        """
        steps, reaching = self._steps
        edges, kept = [Fraction(0), *steps], [*reaching.tolist()]
        if steps and steps[0] == 0:
            edges, kept = edges[1:], kept[1:]
        if edges[-1] != 1:
            edges, kept = [*edges, Fraction(1)], [*kept, 0]
        counts = np.array(kept, dtype=np.int64)
        arrays: dict[str, FloatArray] = {"t": np.array([float(edge) for edge in edges])}
        for measure in MEASURES:
            denominator = np.full(counts.size, self._denominator(measure), dtype=np.int64)
            arrays[measure] = ratio(counts * (2 if measure == "f1" else 1), denominator)
        return arrays


def weights_above(quotient: tuple[NDArray[Any], NDArray[Any]], alpha: Fraction) -> FloatArray:
    """Return w − α of every pair, correctly rounded, for weights as numerators and denominators."""
    top, bottom = quotient
    up, down = alpha.numerator, alpha.denominator
    if top.dtype != object and not products_fit(max(up, down), widest(top, bottom), 2):
        top, bottom = as_python_ints(top), as_python_ints(bottom)
    return ratio(top * down - up * bottom, bottom * down)


def _is_custom(tally: Tally, weight: str) -> bool:
    return tally.own is not None and weight == tally.weight


def _alpha(alpha: Threshold) -> Fraction:
    bound = fraction_in(alpha, "alpha", 0, 1)
    if bound == 1:
        raise OptionError("alpha is 1; expected a number in [0, 1)")
    return bound
