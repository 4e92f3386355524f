"""Alignment: which true and predicted segments belong together.

:func:`align` picks rows of an overlap table by a rule. On disjoint segments a rule may guarantee that the
result is one-to-one; when segments overlap no rule does, so every alignment is checked and ``resolve=`` says
what to do about a clash.
"""

from __future__ import annotations

import numpy as np

from segmetry.alignments.alignment import Alignment, Pair, marks
from segmetry.alignments.candidates import RULES, Candidates, MatchRule, Selection, as_rule
from segmetry.alignments.partners import best_assignment
from segmetry.alignments.policy import POLICIES, Policy, as_policy, candidates_of, ignored
from segmetry.errors import ClashError, OptionError
from segmetry.overlaps.table import OverlapTable

__all__ = ["POLICIES", "RULES", "Alignment", "MatchRule", "Pair", "Policy", "align", "as_policy", "as_rule"]

RESOLVES = ("error", "by_score", "assign", "keep")


def align(
    table: OverlapTable,
    rule: MatchRule | str | None = None,
    *,
    policy: Policy | str = "none",
    resolve: str | None = None,
    classes: str = "match",
) -> Alignment:
    """Align the segments of a table.

    Parameters
    ----------
    rule A rule or its name; the policy's own rule by default (θ& unless the policy reproduces a reference that
    uses θ⁺). policy What void elements and crowd segments do. resolve What to do when a segment gets two
    partners: ``"error"`` (the default when segments overlap), ``"assign"`` (the maximum-weight assignment among
    the pairs that satisfy the rule) or ``"keep"`` (as it is, flagged). ``"by_score"`` acts before counting, so
    it belongs to :func:`segmetry.overlap` or :func:`segmetry.score`. classes ``"match"`` aligns only segments
    of one class, ``"ignore"`` any two.

    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}]))
    >>> align(table, "theta_plus"), align(table, "theta_and")  # doctest: +NORMALIZE_WHITESPACE
    (Alignment(theta_plus, policy=none: 0 pairs, 2 missed, 2 spurious),
     Alignment(theta_and, policy=none: 1 pairs, 1 missed, 1 spurious))
    """
    if resolve is not None and resolve not in RESOLVES:
        raise OptionError(f"resolve is {resolve!r}; expected one of {', '.join(RESOLVES)}")
    chosen_policy = as_policy(policy)
    chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
    candidates, rows = candidates_of(table, chosen_policy, classes)
    selection = chosen_rule.select(candidates)
    clash = _has_clash(candidates, selection)
    if clash and resolve == "assign":
        chosen = selection.chosen[best_assignment(candidates.take(selection.chosen), "iou")]
        selection = Selection(chosen, selection.ties)
    picked = candidates.take(selection.chosen)
    ignored_true, ignored_pred = ignored(
        table,
        chosen_policy,
        marks(picked.at_true, len(table.true)),
        marks(picked.at_pred, len(table.pred)),
    )
    alignment = Alignment(
        table=table,
        rule=chosen_rule,
        policy=chosen_policy,
        resolve=resolve,
        rows=rows[selection.chosen],
        shared=picked.shared,
        missed=picked.missed,
        spurious=picked.spurious,
        ignored_true=ignored_true,
        ignored_pred=ignored_pred,
        classes=classes,
        ties=selection.ties,
    )
    overlapping = not table.is_disjoint and resolve in (None, "error", "by_score")
    if clash and (overlapping or resolve == "error"):
        raise clash_error(alignment)
    return alignment


def clash_error(alignment: Alignment) -> ClashError:
    """The error that names the segments with several partners and the ways out."""
    true_ids, pred_ids = alignment.clashes()
    side, ids = ("true", true_ids) if true_ids else ("pred", pred_ids)
    named = ", ".join(map(str, ids[:5])) + (" …" if len(ids) > 5 else "")
    because = (
        f"rule {alignment.rule.name} does not guarantee one partner"
        if alignment.table.is_disjoint
        else "the segments overlap, and then no rule guarantees one partner"
    )
    return ClashError(
        f"{side} segment {named} has several partners: {because}; choose resolve='assign' (best assignment), "
        "'by_score' (paint masks by falling score) or 'keep' (as it is, flagged)"
    )


def _has_clash(candidates: Candidates, selection: Selection) -> bool:
    true, pred = candidates.at_true[selection.chosen], candidates.at_pred[selection.chosen]
    return bool(np.unique(true).size < true.size or np.unique(pred).size < pred.size)
