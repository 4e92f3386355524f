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
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, fraction_in, frozen_dataclass
from segmetry.alignments.candidates import RULES, Candidates, RuleDeclaration, Selection, declare_rule
from segmetry.alignments.weights import PairThreshold, formula_of
from segmetry.kernels import (
    LARGEST_FACTOR,
    Inequalities,
    InequalityRow,
    RulePairs,
    TableRows,
    accept,
    holds,
    select_pairs,
)


@frozen_dataclass()
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

    def row(self, clause: int = 0) -> InequalityRow:
        """The inequality as the kernel takes it."""
        return clause, self.shared, self.missed, self.spurious, int(self.strict)

    def holds(self, s: IntArray, m: IntArray, p: IntArray) -> NDArray[np.bool_]:
        """Return whether each pair satisfies the inequality, exactly."""
        return holds(s, m, p, self.row())


Clause = tuple[Inequality, ...]


@frozen_dataclass()
class LocalRule:
    """A rule that decides on each pair alone."""

    name: str
    clauses: tuple[Clause, ...]

    @cached_property
    def inequalities(self) -> Inequalities:
        """The inequalities of all clauses as rows (clause, a, b, c, strict)."""
        never = (Inequality(0, 0, 0),)  # 0 > 0: of no inequality none can hold
        return tuple(one.row(at) for at, clause in enumerate(self.clauses) for one in clause or never)

    @cached_property
    def factors(self) -> IntArray | None:
        """The rows as an array for the kernel; None where a factor is too large for it."""
        if max((factor for row in self.inequalities for factor in row[1:4]), default=0) > LARGEST_FACTOR:
            return None
        return np.array(self.inequalities, dtype=np.int64).reshape(-1, 5)

    def accepts(self, s: IntArray, m: IntArray, p: IntArray) -> NDArray[np.bool_]:
        """Return which pairs satisfy every clause; a pair without shared elements never does."""
        return accept(s, m, p, self.inequalities)

    def select_rows(self, table: TableRows) -> RulePairs:
        """Return the rows of a table that this rule accepts, in one pass."""
        return select_pairs(table, self.inequalities, self.factors)

    @property
    def guarantees_one_to_one(self) -> bool:
        """Whether no segment can get two partners when neither side overlaps itself (see the module's proof)."""
        return self._is_one_to_one

    @cached_property
    def _is_one_to_one(self) -> bool:
        ones, zeros_ones = np.array([1, 1]), np.array([1, 0])
        return not bool(self.accepts(ones, zeros_ones, zeros_ones[::-1].copy()).any())

    def select(self, candidates: Candidates) -> Selection:
        """Return the candidates this rule accepts."""
        return Selection(np.flatnonzero(self.accepts(candidates.shared, candidates.missed, candidates.spurious)))

    def __str__(self) -> str:
        return self.name


ONE, ZERO = Fraction(1), Fraction(0)

theta_plus: LocalRule = LocalRule("theta_plus", ((Inequality(1, 1, 1),),))
"""θ⁺: s > m + p, that is IoU > 1/2 [kirillov2019panoptic]."""

theta_and: LocalRule = LocalRule("theta_and", ((Inequality(1, 1, 0),), (Inequality(1, 0, 1),)))
"""θ&: s > m and s > p, the weakest rule that is always one-to-one [vanheusden2024sharper]."""

RULES.declare(
    "theta_plus",
    RuleDeclaration(
        "theta_plus",
        lambda: theta_plus,
        "IoU > 1/2 (θ⁺): a pair shares more than it misses and adds together.",
        ("kirillov2019panoptic",),
    ),
)
RULES.declare(
    "theta_and",
    RuleDeclaration(
        "theta_and",
        lambda: theta_and,
        "Majority overlap (θ&): a pair shares more than half of both segments; the weakest local rule that is "
        "always one-to-one.",
        ("vanheusden2024sharper",),
    ),
)


@declare_rule(citation=["jaccard1912distribution"], examples=["iou(above=3/4)", "iou(at_least=1/2)", "iou(at_least=1)"])
def iou(*, above: Threshold | None = None, at_least: Threshold | None = None) -> LocalRule:
    """IoU > γ, or IoU ≥ γ, where IoU = s/(s+m+p).

    Parameters
    ----------
    above, at_least : number or str
        The threshold γ as a decimal or a fraction in writing; exactly one of the two. ``above`` is in [0, 1],
        ``at_least`` in (0, 1]; ``at_least=1`` is the exact match.

    Returns
    -------
    LocalRule
        One-to-one on disjoint segments for ``above`` ≥ 1/2 and for ``at_least`` > 1/2. With ``at_least=1/2`` a segment
        that is cut in two halves has two partners; below 1/2 there may be more. Then :func:`segmetry.align` needs
        ``resolve=``, or use :func:`maximum_weight` or :func:`greedy`.

    Examples
    --------
    >>> iou(above=0.5).clauses == theta_plus.clauses
    True
    >>> iou(at_least="1/2").guarantees_one_to_one, iou(at_least="0.51").guarantees_one_to_one
    (False, True)
    """
    threshold = PairThreshold.of(above, at_least)
    gamma = threshold.value
    inequality = Inequality.of(ONE - gamma, gamma, gamma, strict=threshold.strict)
    return LocalRule(f"iou({threshold})", ((inequality,),))


@declare_rule(citation=["dice1945measures"], examples=["dice(above=2/3)", "dice(at_least=4/5)"])
def dice(*, above: Threshold | None = None, at_least: Threshold | None = None) -> LocalRule:
    """Dice > γ, or Dice ≥ γ, where Dice = 2s/(2s+m+p).

    Parameters
    ----------
    above, at_least : number or str
        The threshold γ; exactly one of the two (see :func:`iou`).

    Returns
    -------
    LocalRule
        One-to-one on disjoint segments for ``above`` ≥ 2/3 and for ``at_least`` > 2/3, where it is the rule IoU > 1/2.

    Examples
    --------
    >>> dice(above="2/3").guarantees_one_to_one, dice(at_least="2/3").guarantees_one_to_one
    (True, False)
    """
    threshold = PairThreshold.of(above, at_least)
    gamma = threshold.value
    inequality = Inequality.of(2 * (ONE - gamma), gamma, gamma, strict=threshold.strict)
    return LocalRule(f"dice({threshold})", ((inequality,),))


@declare_rule(
    citation=["tversky1977features"],
    examples=["tversky(alpha=1,beta=1/2,above=2/3)", "tversky(alpha=0,beta=1,at_least=1/2)"],
)
def tversky(
    alpha: Threshold, beta: Threshold, *, above: Threshold | None = None, at_least: Threshold | None = None
) -> LocalRule:
    """T > γ, or T ≥ γ, for the Tversky index T = s/(s+α·p+β·m).

    Parameters
    ----------
    alpha, beta : number or str
        The weights ≥ 0 of spurious and of missed elements.
    above, at_least : number or str
        The threshold γ; exactly one of the two (see :func:`iou`).

    Returns
    -------
    LocalRule
        One-to-one on disjoint segments if γ·α and γ·β are at least 1-γ (``above``), or larger (``at_least``).

    Examples
    --------
    >>> tversky(alpha=1, beta=1, above=0.5).clauses == theta_plus.clauses
    True
    """
    threshold = PairThreshold.of(above, at_least)
    gamma = threshold.value
    a, b = fraction_in(alpha, "alpha", 0, None), fraction_in(beta, "beta", 0, None)
    inequality = Inequality.of(ONE - gamma, gamma * b, gamma * a, strict=threshold.strict)
    return LocalRule(f"tversky(alpha={a},beta={b},{threshold})", ((inequality,),))


@declare_rule(
    citation=["hoover1996experimental"], examples=["mutual_coverage(at_least=4/5)", "mutual_coverage(above=1/2)"]
)
def mutual_coverage(*, above: Threshold | None = None, at_least: Threshold | None = None) -> LocalRule:
    """Both coverages, s/(s+p) and s/(s+m), are above T, or at least T.

    Parameters
    ----------
    above, at_least : number or str
        The threshold T; exactly one of the two (see :func:`iou`).

    Returns
    -------
    LocalRule
        One-to-one on disjoint segments for ``above`` ≥ 1/2 (θ& is ``above=1/2``) and for ``at_least`` > 1/2.

    Examples
    --------
    >>> mutual_coverage(at_least="0.8").guarantees_one_to_one, mutual_coverage(at_least="1/2").guarantees_one_to_one
    (True, False)
    >>> set(mutual_coverage(above="1/2").clauses) == set(theta_and.clauses)
    True
    """
    threshold = PairThreshold.of(above, at_least)
    of_pred, of_true = _coverages(threshold)
    return LocalRule(f"mutual_coverage({threshold})", ((of_pred,), (of_true,)))


@declare_rule(examples=["coverage(min_above=1/10,max_above=1/2)", "coverage(min_at_least=1/4,max_at_least=3/4)"])
def coverage(
    *,
    min_above: Threshold | None = None,
    min_at_least: Threshold | None = None,
    max_above: Threshold | None = None,
    max_at_least: Threshold | None = None,
) -> LocalRule:
    """Bounds on the smaller and the larger of s/(s+p) and s/(s+m): splits and merges are kept.

    Parameters
    ----------
    min_above, min_at_least : number or str
        The threshold of the smaller coverage; exactly one of the two.
    max_above, max_at_least : number or str
        The threshold of the larger coverage; exactly one of the two.

    Returns
    -------
    LocalRule
        One-to-one on disjoint segments only if the smaller coverage must be above 1/2.

    Examples
    --------
    >>> coverage(min_above=0.1, max_above=0.5).guarantees_one_to_one
    False
    """
    low = PairThreshold.of(min_above, min_at_least, ("min_above", "min_at_least"))
    high = PairThreshold.of(max_above, max_at_least, ("max_above", "max_at_least"))
    of_pred, of_true = _coverages(low)
    return LocalRule(f"coverage({low},{high})", ((of_pred,), (of_true,), _coverages(high)))


def _coverages(threshold: PairThreshold) -> tuple[Inequality, Inequality]:
    """Return the inequalities that bound the coverage of the pred and of the true segment."""
    least, strict = threshold.value, threshold.strict
    return (
        Inequality.of(ONE - least, ZERO, least, strict=strict),
        Inequality.of(ONE - least, least, ZERO, strict=strict),
    )


@lru_cache(maxsize=256)
def least_weight(rule: LocalRule, weight: str) -> Fraction:
    """Return the greatest lower bound of a weight over all pairs the rule accepts; 0 if none is known.

    Inequalities are homogeneous, so pairs may be scaled to s + m + p = 1: the accepted ones form polygons in
    that triangle, one for each choice of an inequality per clause. The weights named here are quasi-concave
    there, so the infimum is attained at a corner.
    """
    if not weight.startswith(BOUNDED_WEIGHTS):
        return ZERO
    return min((_weight_at(weight, corner) for corner in _all_corners(rule)), default=ZERO)


@lru_cache(maxsize=256)
def attains_least_weight(rule: LocalRule, weight: str) -> bool:
    """Return whether some pair that the rule accepts has the least weight itself, as with ≥.

    The pairs of the least weight are corners of the polygons and the lines between them. A rule that accepts any
    point between two corners accepts their midpoint.
    """
    if not weight.startswith(BOUNDED_WEIGHTS):
        return False
    least = least_weight(rule, weight)
    corners = [corner for corner in _all_corners(rule) if _weight_at(weight, corner) == least]
    middles = [
        ((s + t) / 2, (m + n) / 2, (p + q) / 2) for (s, m, p), (t, n, q) in combinations_with_replacement(corners, 2)
    ]
    return any(_weight_at(weight, middle) == least and _accepts_point(rule, middle) for middle in middles)


BOUNDED_WEIGHTS = ("iou", "dice", "coverage_true", "coverage_pred", "min_coverage", "tversky(")
"""Weights that are quasi-concave, so that their least value is attained at a corner."""
SimplexPoint = tuple[Fraction, Fraction, Fraction]


def _accepts_point(rule: LocalRule, point: SimplexPoint) -> bool:
    scale = math.lcm(*(part.denominator for part in point))
    s, m, p = (np.array([int(part * scale)]) for part in point)
    return bool(rule.accepts(s, m, p)[0])


def _all_corners(rule: LocalRule) -> list[SimplexPoint]:
    """Return the corners of the polygons of a rule, one polygon for each choice of an inequality per clause."""
    return [
        corner
        for choice in product(*rule.clauses)
        for corner in _corners([(i.shared, -i.missed, -i.spurious) for i in choice])
    ]


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
    top: Any
    bottom: Any
    top, bottom = formula_of(weight)[0](*point)
    return top / bottom if bottom else ZERO
