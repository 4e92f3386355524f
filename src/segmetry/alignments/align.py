"""Align the segments of an overlap table by a rule, under a policy."""

from __future__ import annotations

import numpy as np

from segmetry.alignments.alignment import Alignment, clash_error, marks
from segmetry.alignments.candidates import Candidates, MatchRule, Selection, as_rule
from segmetry.alignments.heaviest_pairs import best_assignment
from segmetry.alignments.policy import Policy, candidates_of, ignored, policy_for
from segmetry.errors import OptionError
from segmetry.overlaps.table import OverlapTable

RESOLVES = ("error", "by_score", "assign", "keep")


def align(
    table: OverlapTable,
    rule: MatchRule | str | None = None,
    *,
    policy: Policy | str | None = None,
    resolve: str | None = None,
    classes: str = "match",
) -> Alignment:
    """Align the segments of a table.

    Parameters
    ----------
    table : OverlapTable
        The counts of :func:`segmetry.overlap`.
    rule : MatchRule or str, optional
        A rule or its text, such as ``'theta_plus'`` (IoU > 1/2), ``'theta_and'`` (majority overlap) or
        ``'iou(above=3/4)'``. By default θ⁺, as in published scores.
    policy : Policy or str, optional
        How void elements and crowd segments are treated: a policy or its name. By default void elements are removed
        (``'strict-void'``) if there are any.
    resolve : {'error', 'assign', 'keep', 'by_score'}, optional
        What happens when a segment gets two partners: ``'error'`` (the default when segments overlap), ``'assign'``
        (the maximum-weight assignment of the pairs that satisfy the rule) or ``'keep'`` (all pairs). ``'by_score'``
        acts before counting, so pass it to :func:`segmetry.overlap` or :func:`segmetry.score`.
    classes : {'match', 'ignore'}, default 'match'
        ``'match'`` pairs only segments of the same class, ``'ignore'`` any two.

    Returns
    -------
    Alignment
        The matched pairs, and the missed, spurious and ignored segments.

    Examples
    --------
    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}]))
    >>> align(table), align(table, "theta_and")  # doctest: +NORMALIZE_WHITESPACE
    (Alignment(theta_plus, policy=none: 0 pairs, 2 missed, 2 spurious),
     Alignment(theta_and, policy=none: 1 pairs, 1 missed, 1 spurious))
    """
    if resolve is not None and resolve not in RESOLVES:
        raise OptionError(f"resolve is {resolve!r}; expected one of {', '.join(RESOLVES)}")
    chosen_policy = policy_for(table, policy)
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
        classes,
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


def _has_clash(candidates: Candidates, selection: Selection) -> bool:
    true, pred = candidates.at_true[selection.chosen], candidates.at_pred[selection.chosen]
    return any(side.size and np.bincount(side).max() > 1 for side in (true, pred))
