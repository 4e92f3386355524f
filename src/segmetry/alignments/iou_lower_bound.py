"""α: the greatest number known to lie below the weight of every pair a rule admits.

Curves over a weight are constant below it, so NPQ takes the area above it only. Rules that look at pairs one by one
have it computed exactly (:func:`~segmetry.alignments.rules.local.least_weight`); an assignment among pairs above a
threshold inherits the threshold's.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from segmetry._base.exact import fraction
from segmetry.alignments.rules.assignment import Greedy, MaximumWeight
from segmetry.alignments.rules.local import Inequality, LocalRule, dice, iou, least_weight

ZERO = Fraction(0)


def iou_lower_bound(rule: Any, weight: str) -> Fraction:
    """The greatest known lower bound of a weight under a rule; 0 where none is known.

    >>> from segmetry.alignments.candidates import as_rule
    >>> rules = ("theta_plus", "theta_and", "dice(above=2/3)", "largest_overlap")
    >>> [str(iou_lower_bound(as_rule(rule), "iou")) for rule in rules]
    ['1/2', '1/3', '1/2', '0']
    >>> str(iou_lower_bound(as_rule("greedy(weight=dice, above=2/3)"), "dice"))
    '2/3'
    """
    return _known_floor(rule, weight) if isinstance(rule, LocalRule | Greedy | MaximumWeight) else ZERO


@lru_cache(maxsize=256)
def _known_floor(rule: LocalRule | Greedy | MaximumWeight, weight: str) -> Fraction:
    """Computed once per rule and weight: a data set asks for every class of every item."""
    if isinstance(rule, LocalRule):
        return least_weight(rule, weight)
    above = fraction(rule.above)
    if rule.weight == weight:
        return above
    threshold = _threshold(rule.weight, above)
    return ZERO if threshold is None else least_weight(threshold, weight)


def _threshold(weight: str, above: Fraction) -> LocalRule | None:
    """The rule "weight > above" as inequalities; None for weights that are no such rule."""
    rest, zero = 1 - above, Fraction(0)
    of_true, of_pred = Inequality.of(rest, above, zero), Inequality.of(rest, zero, above)
    if weight == "iou":
        return iou(above)
    if weight == "dice":
        return dice(above)
    clauses = {
        "coverage_true": ((of_true,),),
        "coverage_pred": ((of_pred,),),
        "min_coverage": ((of_true,), (of_pred,)),
        "max_coverage": ((of_true, of_pred),),
    }
    return LocalRule(f"{weight} > {above}", clauses[weight]) if weight in clauses else None
