"""α: the greatest known lower bound of the weights of the pairs a rule accepts.

Curves over a weight are constant below α, so NPQ uses only the area above it. For local rules it is computed exactly
(:func:`~segmetry.alignments.rules.local.least_weight`); for an assignment among pairs above a threshold it follows from
the threshold.
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
    """Return the greatest known lower bound of a weight under a rule; 0 if none is known.

    >>> from segmetry.alignments.candidates import as_rule
    >>> rules = ("theta_plus", "theta_and", "dice(above=2/3)", "largest_overlap")
    >>> [str(iou_lower_bound(as_rule(rule), "iou")) for rule in rules]
    ['1/2', '1/3', '1/2', '0']
    >>> str(iou_lower_bound(as_rule("greedy(weight=dice, above=2/3)"), "dice"))
    '2/3'
    """
    return _known_bound(rule, weight) if isinstance(rule, LocalRule | Greedy | MaximumWeight) else ZERO


@lru_cache(maxsize=256)
def _known_bound(rule: LocalRule | Greedy | MaximumWeight, weight: str) -> Fraction:
    """Cached by rule and weight, because a data set needs the bound for every class of every item."""
    if isinstance(rule, LocalRule):
        return least_weight(rule, weight)
    above = fraction(rule.above)
    if rule.weight == weight:
        return above
    threshold = _threshold(rule.weight, above)
    return ZERO if threshold is None else least_weight(threshold, weight)


def _threshold(weight: str, above: Fraction) -> LocalRule | None:
    """Return the rule "weight > above" as inequalities; None for weights that cannot be written so."""
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
