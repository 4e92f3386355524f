"""Align the segments of an overlap table by a rule or by given pairs, under a policy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.alignments.alignment import Alignment, clash_error, marks
from segmetry.alignments.candidates import Candidates, MatchRule, Selection, as_rule
from segmetry.alignments.policy import Policy, allowed_rows, candidates_of, counted_sizes, ignored, policy_for
from segmetry.errors import InputError, OptionError
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
    pairs: Iterable[tuple[int, int]] | None = None,
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
    pairs : iterable of (int, int), optional
        The pairs (true id, pred id) of an alignment of your own, in place of a rule. Each must be of two segments that
        overlap and may be matched; whether they are a good alignment is what :func:`segmetry.fairness` decides.

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
    >>> own = align(table, pairs=[(1, 1), (2, 2)])
    >>> own, own.pq.value, bool(sm.fairness(own))  # doctest: +NORMALIZE_WHITESPACE
    (Alignment(given pairs, policy=none: 2 pairs, 0 missed, 0 spurious), 0.3333333333333333, False)
    """
    if resolve is not None and resolve not in RESOLVES:
        raise OptionError(f"resolve is {resolve!r}; expected one of {', '.join(RESOLVES)}")
    chosen_policy = policy_for(table, policy)
    if pairs is not None and rule is not None:
        raise OptionError("rule= and pairs= exclude each other; pairs= are an alignment of your own")
    chosen_rule = (
        as_rule(chosen_policy.rule if rule is None else rule)
        if pairs is None
        else _given_pairs(table, list(pairs), chosen_policy, classes)
    )
    selected, ties = _select(table, chosen_rule, chosen_policy, classes)
    clash = not selected.n_true == selected.n_pred == selected.rows.size
    if clash and resolve == "assign":
        selected = _best_of(table, selected)
    ignored_true, ignored_pred = _ignored(table, chosen_policy, selected, classes)
    alignment = Alignment(
        table=table,
        rule=chosen_rule,
        policy=chosen_policy,
        resolve=resolve,
        rows=selected.rows,
        shared=selected.shared,
        missed=selected.missed,
        spurious=selected.spurious,
        ignored_true=ignored_true,
        ignored_pred=ignored_pred,
        classes=classes,
        ties=ties,
    )
    alignment.know_partners(selected.n_true, selected.n_pred)
    overlapping = not table.is_disjoint and resolve in (None, "error", "by_score")
    if clash and (overlapping or resolve == "error"):
        raise clash_error(alignment)
    return alignment


@frozen_dataclass(eq=False)
class GivenPairs:
    """The pairs of the segments at these positions on both sides."""

    at: frozenset[tuple[int, int]]
    name: str = "given pairs"
    guarantees_one_to_one: bool = False

    def select(self, candidates: Candidates) -> Selection:
        pairs = zip(candidates.at_true.tolist(), candidates.at_pred.tolist(), strict=True)
        return Selection(np.flatnonzero([pair in self.at for pair in pairs]))


def _given_pairs(table: OverlapTable, pairs: list[Any], policy: Policy, classes: str) -> GivenPairs:
    """Return the pairs (true id, pred id) as a rule; raise for one that is listed twice or may not be matched."""
    candidates, rows = candidates_of(table, policy, classes)
    ids = zip(table.true_id[rows].tolist(), table.pred_id[rows].tolist(), strict=True)
    positions = zip(candidates.at_true.tolist(), candidates.at_pred.tolist(), strict=True)
    at = dict(zip(ids, positions, strict=True))
    given: dict[tuple[int, int], int] = {}
    for number, pair in enumerate(pairs):
        if not (isinstance(pair, Sequence) and len(pair) == 2):
            raise InputError(f"pairs[{number}] is {pair!r}; expected (true id, pred id)")
        own = int(pair[0]), int(pair[1])
        if own in given:
            raise InputError(f"pairs[{number}] is {own}, as is pairs[{given[own]}]; expected each pair once")
        if own not in at:
            raise InputError(f"pairs[{number}] is {own}: {_no_candidate(table, *own)}")
        given[own] = number
    return GivenPairs(frozenset(at[own] for own in given))


def _no_candidate(table: OverlapTable, true_id: int, pred_id: int) -> str:
    """Return why two segments may not be paired, and what to do."""
    for name, side, own in (("true", table.true, true_id), ("pred", table.pred, pred_id)):
        if own not in side.ids:
            return f"there is no {name} segment {own}; expected an id of table.{name}.ids"
    if (true_id, pred_id) in zip(table.true_id.tolist(), table.pred_id.tolist(), strict=True):
        return "the segments are of different classes (classes='ignore' pairs them), or one is a crowd"
    return "the segments share no element; expected segments that overlap"


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
