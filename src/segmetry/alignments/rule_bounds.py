"""α: the greatest known lower bound of the weights of the pairs a rule accepts.

Curves over a weight are constant below α, so NPQ uses only the area above it. For local rules it is computed exactly
(:func:`~segmetry.alignments.rules.local.least_weight`); for an assignment among pairs that satisfy a threshold it
follows from the threshold.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from segmetry.alignments.rules.assignment import Greedy, MaximumWeight
from segmetry.alignments.rules.local import Inequality, LocalRule, attains_least_weight, least_weight

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


def attains_bound(rule: Any, weight: str) -> bool:
    """Return whether a rule accepts pairs whose weight is the lower bound itself, as ``at_least=`` does.

    >>> from segmetry.alignments.candidates import as_rule
    >>> [attains_bound(as_rule(rule), "iou") for rule in ("theta_plus", "iou(at_least=1/2)", "greedy(at_least=1/4)")]
    [False, True, True]
    """
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
