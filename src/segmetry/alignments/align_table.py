"""Align the segments of an overlap table by a rule, under a policy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments.alignment import Alignment, clash_error, marks
from segmetry.alignments.candidates import Candidates, MatchRule, as_rule
from segmetry.alignments.policy import Policy, allowed_rows, candidates_of, counted_sizes, ignored, policy_for
from segmetry.errors import OptionError
from segmetry.kernels import RulePairs, TableRows
from segmetry.overlaps import OverlapTable

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
    pairs, ties = _select(table, chosen_rule, chosen_policy, classes)
    clash = not pairs.n_true == pairs.n_pred == pairs.rows.size
    if clash and resolve == "assign":
        pairs = _best_of(table, pairs)
    ignored_true, ignored_pred = _ignored(table, chosen_policy, pairs, classes)
    alignment = Alignment(
        table=table,
        rule=chosen_rule,
        policy=chosen_policy,
        resolve=resolve,
        rows=pairs.rows,
        shared=pairs.shared,
        missed=pairs.missed,
        spurious=pairs.spurious,
        ignored_true=ignored_true,
        ignored_pred=ignored_pred,
        classes=classes,
        ties=ties,
    )
    alignment.know_partners(pairs.n_true, pairs.n_pred)
    overlapping = not table.is_disjoint and resolve in (None, "error", "by_score")
    if clash and (overlapping or resolve == "error"):
        raise clash_error(alignment)
    return alignment


def _select(table: OverlapTable, rule: MatchRule, policy: Policy, classes: str) -> tuple[RulePairs, int]:
    """Return the pairs that a rule selects, and the number of ties it broke; a local rule needs one pass."""
    select_rows = getattr(rule, "select_rows", None)
    if select_rows is not None:
        allowed, sizes = allowed_rows(table, policy, classes), counted_sizes(table, policy)
        return select_rows(TableRows(table.row_true, table.row_pred, table.shared, *sizes, allowed)), 0
    candidates, rows = candidates_of(table, policy, classes)
    selection = rule.select(candidates)
    return _picked(candidates.take(selection.chosen), rows[selection.chosen]), selection.ties


def _best_of(table: OverlapTable, pairs: RulePairs) -> RulePairs:
    from segmetry.alignments.heaviest_pairs import best_assignment  # seldom needed

    at_true, at_pred = table.row_true[pairs.rows], table.row_pred[pairs.rows]
    candidates = Candidates(at_true, at_pred, pairs.shared, pairs.missed, pairs.spurious)
    chosen = best_assignment(candidates, "iou")
    return _picked(candidates.take(chosen), pairs.rows[chosen])


def _picked(picked: Candidates, rows: NDArray[np.intp]) -> RulePairs:
    n_true, n_pred = (np.count_nonzero(np.bincount(side)) for side in (picked.at_true, picked.at_pred))
    return RulePairs(rows, picked.shared, picked.missed, picked.spurious, int(n_true), int(n_pred))


def _ignored(
    table: OverlapTable, policy: Policy, pairs: RulePairs, classes: str
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    if not policy.ignores_segments:
        return np.zeros(len(table.true), dtype=bool), np.zeros(len(table.pred), dtype=bool)
    matched_true = marks(table.row_true[pairs.rows], len(table.true))
    matched_pred = marks(table.row_pred[pairs.rows], len(table.pred))
    return ignored(table, policy, matched_true, matched_pred, classes)
