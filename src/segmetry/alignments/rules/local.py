r"""Local alignment rules: inequalities that each pair satisfies or not.

A *local* rule decides on each pair by its shared, missed and spurious elements s, m, p. Every local rule
of the field is a conjunction of clauses, each clause a disjunction of homogeneous linear inequalities a·s > b·m
+ c·p with integers a, b, c ≥ 0 (or ≥ instead of >). Stating a rule so makes it exact, and its properties
computable:

* **One-to-one.** On disjoint segments a local rule aligns every segment at most once *if and only if* it
  rejects (s, m, p) = (1, 1, 0) and (1, 0, 1). If it accepts (1, 1, 0), a true segment of two elements predicted
  as two singletons is a clash. If two preds h, h' clash on one t, then m ≥ s' and m' ≥ s; with the smaller of
  s, s' called s we have m ≥ s, and since dropping spurious and missed elements never breaks a clause, and
  scaling keeps every inequality, (1, 1, 0) is accepted. For the Tversky index this is Theorem 4 of
  [vanheusden2024sharper]; for IoU > γ it says γ ≥ 1/2.
* **Least weight.** The infimum of a weight over all pairs a rule accepts is attained at a vertex of a polygon
  of rationals (:func:`least_weight`); θ& gives IoU > 1/3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, Threshold, as_python_ints, fraction_in, products_fit, widest
from segmetry.alignments.candidates import RULES, Candidates, Selection, declare_rule


@dataclass(frozen=True)
class Inequality:
    """a·s > b·m + c·p, or ≥ where not ``strict``; a, b, c are integers ≥ 0."""

    shared: int
    missed: int
    spurious: int
    strict: bool = True

    @classmethod
    def of(cls, shared: Fraction, missed: Fraction, spurious: Fraction, *, strict: bool = True) -> Inequality:
        """Return the inequality with its denominators cleared; a rule that rewards overlap has no negative factor."""
        scale = math.lcm(shared.denominator, missed.denominator, spurious.denominator)
        a, b, c = int(shared * scale), int(missed * scale), int(spurious * scale)
        if min(a, b, c) < 0:
            raise ValueError(f"inequality {a}·s > {b}·m + {c}·p has a negative factor")
        return cls(a, b, c, strict)

    def holds(self, s: IntArray, m: IntArray, p: IntArray) -> NDArray[np.bool_]:
        """Return whether each pair satisfies the inequality, exactly."""
        factor = max(self.shared, self.missed, self.spurious)
        if not products_fit(factor, 2 * widest(s, m, p) + 1):
            s, m, p = as_python_ints(s), as_python_ints(m), as_python_ints(p)  # type: ignore[assignment]
        left, right = self.shared * s, self.missed * m + self.spurious * p
        return (left > right if self.strict else left >= right).astype(bool)


Clause = tuple[Inequality, ...]


@dataclass(frozen=True)
class LocalRule:
    """A rule that decides on each pair alone."""

    name: str
    clauses: tuple[Clause, ...]

    def accepts(self, s: IntArray, m: IntArray, p: IntArray) -> NDArray[np.bool_]:
        """Return which pairs satisfy every clause; a pair without shared elements never does."""
        accepted: NDArray[np.bool_] = s > 0
        for clause in self.clauses:
            accepted &= np.logical_or.reduce([inequality.holds(s, m, p) for inequality in clause])
        return accepted

    @property
    def guarantees_one_to_one(self) -> bool:
        """Whether no segment can get two partners when neither side overlaps itself (see the module's proof).

        >>> theta_and.guarantees_one_to_one, iou(above="0.49").guarantees_one_to_one
        (True, False)
        """
        ones, zeros_ones = np.array([1, 1]), np.array([1, 0])
        return not bool(self.accepts(ones, zeros_ones, zeros_ones[::-1].copy()).any())

    def select(self, candidates: Candidates) -> Selection:
        """Return the candidates this rule accepts."""
        return Selection(np.flatnonzero(self.accepts(candidates.shared, candidates.missed, candidates.spurious)))

    def __str__(self) -> str:
        return self.name


ONE, ZERO = Fraction(1), Fraction(0)

theta_plus = LocalRule("theta_plus", ((Inequality(1, 1, 1),),))
"""θ⁺: s > m + p, that is IoU > 1/2 [kirillov2019panoptic]."""

theta_and = LocalRule("theta_and", ((Inequality(1, 1, 0),), (Inequality(1, 0, 1),)))
"""θ&: s > m and s > p, the weakest rule that is always one-to-one [vanheusden2024sharper]."""

RULES.declare(theta_plus.name, lambda: theta_plus)
RULES.declare(theta_and.name, lambda: theta_and)


@declare_rule
def iou(above: Threshold) -> LocalRule:
    """s > γ·(s+m+p).

    >>> iou(above=0.5).clauses == theta_plus.clauses
    True
    """
    gamma = fraction_in(above, "above", 0, 1)
    return LocalRule(f"iou(above={gamma})", ((Inequality.of(ONE - gamma, gamma, gamma),),))


@declare_rule
def dice(above: Threshold) -> LocalRule:
    """2s > γ·(2s+m+p).

    >>> dice(above="2/3").guarantees_one_to_one
    True
    """
    gamma = fraction_in(above, "above", 0, 1)
    return LocalRule(f"dice(above={gamma})", ((Inequality.of(2 * (ONE - gamma), gamma, gamma),),))


@declare_rule
def tversky(alpha: Threshold, beta: Threshold, above: Threshold) -> LocalRule:
    """s·(1-γ) > γ·(α·p + β·m) [tversky1977features].

    >>> tversky(alpha=1, beta=1, above=0.5).clauses == theta_plus.clauses
    True
    """
    gamma = fraction_in(above, "above", 0, 1)
    a, b = fraction_in(alpha, "alpha", 0, None), fraction_in(beta, "beta", 0, None)
    inequality = Inequality.of(ONE - gamma, gamma * b, gamma * a)
    return LocalRule(f"tversky(alpha={a},beta={b},above={gamma})", ((inequality,),))


@declare_rule
def mutual_coverage(at_least: Threshold) -> LocalRule:
    """s ≥ T·|h| and s ≥ T·|t| [hoover1996experimental].

    >>> mutual_coverage(at_least="0.8").guarantees_one_to_one, mutual_coverage(at_least="1/2").guarantees_one_to_one
    (True, False)
    """
    least = fraction_in(at_least, "at_least", 0, 1, open_low=True)
    return LocalRule(
        f"mutual_coverage(at_least={least})",
        (
            (Inequality.of(ONE - least, ZERO, least, strict=False),),
            (Inequality.of(ONE - least, least, ZERO, strict=False),),
        ),
    )


@declare_rule
def coverage(min_above: Threshold, max_above: Threshold) -> LocalRule:
    """min(s/|h|, s/|t|) > γ1 and max(s/|h|, s/|t|) > γ2: splits and merges are kept, by design.

    >>> coverage(min_above=0.1, max_above=0.5).guarantees_one_to_one
    False
    """
    low = fraction_in(min_above, "min_above", 0, 1)
    high = fraction_in(max_above, "max_above", 0, 1)
    return LocalRule(
        f"coverage(min_above={low},max_above={high})",
        (
            (Inequality.of(ONE - low, ZERO, low),),
            (Inequality.of(ONE - low, low, ZERO),),
            (Inequality.of(ONE - high, ZERO, high), Inequality.of(ONE - high, high, ZERO)),
        ),
    )


@lru_cache(maxsize=256)
def least_weight(rule: LocalRule, weight: str) -> Fraction:
    """Return the greatest lower bound of a weight over all pairs the rule accepts; 0 if none is known.

    Inequalities are homogeneous, so pairs may be scaled to s + m + p = 1: the accepted ones form polygons in
    that triangle, one for each choice of an inequality per clause. The weights named here are quasi-concave
    there, so the infimum is attained at a corner.

    >>> least_weight(theta_and, "iou"), least_weight(theta_plus, "iou"), least_weight(theta_and, "dice")
    (Fraction(1, 3), Fraction(1, 2), Fraction(1, 2))
    """
    if weight not in ("iou", "dice", "coverage_true", "coverage_pred", "min_coverage"):
        return ZERO
    bounds = [
        _weight_at(weight, corner)
        for choice in product(*rule.clauses)
        for corner in _corners([(i.shared, -i.missed, -i.spurious) for i in choice])
    ]
    return min(bounds, default=ZERO)


SimplexPoint = tuple[Fraction, Fraction, Fraction]


def _corners(half_planes: list[tuple[int, int, int]]) -> list[SimplexPoint]:
    """Return the corners of {a·s + b·m + c·p ≥ 0 for all} in the triangle s + m + p = 1, s, m, p ≥ 0."""
    sides = [*half_planes, (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    corners: list[SimplexPoint] = []
    for (a, b, c), (d, e, f) in combinations(sides, 2):
        cross = (b * f - c * e, c * d - a * f, a * e - b * d)
        total = sum(cross)
        if total == 0:
            continue
        s, m, p = (Fraction(part, total) for part in cross)
        if all(a * s + b * m + c * p >= 0 for a, b, c in sides):
            corners.append((s, m, p))
    return corners


def _weight_at(weight: str, point: SimplexPoint) -> Fraction:
    s, m, p = point
    top, bottom = {
        "iou": (s, s + m + p),
        "dice": (2 * s, 2 * s + m + p),
        "coverage_true": (s, s + m),
        "coverage_pred": (s, s + p),
        "min_coverage": (s, s + max(m, p)),
    }[weight]
    return top / bottom if bottom else ZERO
