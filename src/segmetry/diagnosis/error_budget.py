r"""Fixes: a prediction without the errors of one kind, as a table of the same elements.

* **class**: h takes the class of t.
* **split**: the fragments of t become one segment.
* **merge**: h is cut along the true segments it swallows. The segment it shares most with (its partner, if it has
  one; ties: the smaller true id) keeps the rest of h as well if θ still accepts the pair; otherwise the rest stays a
  segment of its own. Each other swallowed segment t becomes the new segment t ∩ h, of the class of h.
* **missed**: t becomes a new segment of its class, exactly; the segment that had its elements loses them.
* **spurious**: h becomes outside.
* **boundary**: the partner h of every matched t becomes t, exactly; elements it had beyond go to the partner of the
  true segment that contains them, or become outside. A segment that loses elements may match better than before; that
  is repeated until every matched pair is equal.

A segment that loses all its elements disappears.

The error analysis of a run: what its scores would be without the errors of each kind.

All items are fixed at once: segments of different items share nothing, so the fix of the union is the union of
the fixes. Nothing but the overlap rows of the run is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray
from segmetry.alignments import BySize, counted_sizes
from segmetry.diagnosis.diagnosis_result import PQ, Confusion, Diagnosis
from segmetry.diagnosis.error_reasons import KINDS, MatchSettings, Reasons, SegmentPairs
from segmetry.diagnosis.scored_state import Means, State
from segmetry.diagnosis.table_cells import OUTSIDE, FixedTable
from segmetry.errors import ClassesError, InputError, KindError, SegmetryError, UnknownNameError
from segmetry.metrics import ClassMatching
from segmetry.overlaps import OverlapTable
from segmetry.run import Run, Settings, item_alignment
from segmetry.runfile import RunTables

Fix = Callable[[Reasons, Collection[str]], FixedTable]


def fix(table: OverlapTable, kind: str, how: MatchSettings, done: Collection[str] = ()) -> FixedTable:
    """Return the table after all errors of a kind are fixed; kinds ``done`` before no longer explain segments."""
    return fixed(Reasons.of(table, how), kind, done)


def fixed(reasons: Reasons, kind: str, done: Collection[str] = ()) -> FixedTable:
    """Return the table after all errors of a kind are fixed, from its known errors; see :func:`fix`."""
    try:
        apply_fix = _FIXES[kind]
    except KeyError:
        raise UnknownNameError(f"there is no kind of error {kind!r}; known: {', '.join(KINDS)}") from None
    return apply_fix(reasons, done)


def _fix_class(reasons: Reasons, _done: Collection[str]) -> FixedTable:
    cells, classes = reasons.cells, reasons.table.pred.classes
    if classes is not None and reasons.table.true.classes is not None:
        classes = classes.copy()
        classes[reasons.confused.pred] = reasons.table.true.classes[reasons.confused.true]
    return cells.reassigned(cells.pred, classes=classes)


def _fix_split(reasons: Reasons, _done: Collection[str]) -> FixedTable:
    cells, pairs = reasons.cells, reasons.fragments
    keeper = largest_shared(pairs.true, pairs.shared)
    joined = np.arange(len(reasons.table.pred) + 2)
    joined[-2:] = (-2, -1)  # outside and void stay what they are
    joined[pairs.pred] = pairs.pred[keeper]
    return cells.reassigned(joined[cells.pred])


def _fix_merge(reasons: Reasons, _done: Collection[str]) -> FixedTable:
    table, cells = reasons.table, reasons.cells
    cut = cut_off(reasons)
    new = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    new[cut.true] = len(table.pred) + np.arange(cut.true.size)
    swallower = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    swallower[cut.true] = cut.pred
    moves = (cells.pred >= 0) & (cells.true >= 0) & (swallower[cells.true] == cells.pred)
    classes = None if table.pred.classes is None else table.pred.classes[cut.pred]
    return cells.reassigned(np.where(moves, new[cells.true], cells.pred), new_for=cut.true, new_classes=classes)


def cut_off(reasons: Reasons) -> SegmentPairs:
    """Return the swallowed true segments that are cut off from their pred, by pred."""
    pairs = reasons.swallowed
    order = np.lexsort((pairs.true, pairs.pred))
    pairs = SegmentPairs(*(column[order] for column in pairs))
    mains = np.unique(largest_shared(pairs.pred, pairs.shared))
    off = np.ones(pairs.true.size, dtype=bool)
    off[mains] = ~_keeps_rest(reasons, pairs, mains)
    return SegmentPairs(*(column[off] for column in pairs))


def _keeps_rest(reasons: Reasons, pairs: SegmentPairs, mains: IndexArray) -> BoolArray:
    """Return whether the rule accepts the main swallowed segment with all of its pred but the other swallowed ones."""
    table = reasons.table
    true_sizes, pred_sizes = counted_sizes(table, reasons.how.policy)
    swallowed = np.zeros(len(table.pred), dtype=np.int64)
    np.add.at(swallowed, pairs.pred, pairs.shared)
    true, pred, shared = pairs.true[mains], pairs.pred[mains], pairs.shared[mains]
    return reasons.how.rule.accepts(shared, true_sizes[true] - shared, pred_sizes[pred] - swallowed[pred])


def _fix_missed(reasons: Reasons, done: Collection[str]) -> FixedTable:
    table, cells = reasons.table, reasons.cells
    lost, _ = reasons.not_explained(done)
    new_for = np.flatnonzero(lost & (table.true.sizes > 0))
    new = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    new[new_for] = len(table.pred) + np.arange(new_for.size)
    classes = None if table.true.classes is None else table.true.classes[new_for]
    taken = new[cells.true]
    return cells.reassigned(np.where(taken >= 0, taken, cells.pred), new_for=new_for, new_classes=classes)


def _fix_spurious(reasons: Reasons, done: Collection[str]) -> FixedTable:
    cells = reasons.cells
    _, extra = reasons.not_explained(done)
    # Two more for OUTSIDE and VOID, which look up the end of the array.
    gone = np.concatenate((extra, [False, False]))
    return cells.reassigned(np.where(gone[cells.pred], OUTSIDE, cells.pred), dropped=extra)


def _fix_boundary(reasons: Reasons, _done: Collection[str]) -> FixedTable:
    after = _all_equal(reasons)
    # A segment that lost elements to its neighbour may match now, and its pair not be equal yet.
    while (again := Reasons.of(after.table, reasons.how)).imperfect.any():
        later = _all_equal(again)
        after = FixedTable(later.table, after.origin[later.origin])
    return after


def _all_equal(reasons: Reasons) -> FixedTable:
    """Make every matched pred segment equal to its partner."""
    cells = reasons.cells
    partner = np.concatenate((reasons.partner_of_true, [-1, -1]))[cells.true]
    matched = np.concatenate((reasons.alignment.matched_pred, [False, False]))[cells.pred]
    return cells.reassigned(np.where(partner >= 0, partner, np.where(matched, OUTSIDE, cells.pred)))


def largest_shared(group: IndexArray, shared: IntArray) -> IndexArray:
    """Return for every pair the position of the pair of its group that shares most; ties: the first listed.

    A partner always shares most: of its own elements and of its partner's it has more than all others together.
    """
    order = np.lexsort((np.arange(group.size), -shared, group))
    chosen = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.intp)
    leads = np.flatnonzero(np.diff(group[order], prepend=-1))
    chosen[group[order][leads]] = order[leads]
    return chosen[group]


_FIXES: dict[str, Fix] = {
    "class": _fix_class,
    "split": _fix_split,
    "merge": _fix_merge,
    "missed": _fix_missed,
    "spurious": _fix_spurious,
    "boundary": _fix_boundary,
}


SHOWN = 5


class _FixedStage(NamedTuple):
    """A table of all items with its errors, and the item of every pred segment."""

    reasons: Reasons
    pred_item: IntArray

    def after(self, fixed_table: FixedTable, true_item: IntArray) -> _FixedStage:
        """Return the next stage; a new segment belongs to the item of the true segment it covers."""
        is_new = fixed_table.origin < 0
        at = np.where(is_new, self.pred_item.size - 1 - fixed_table.origin, fixed_table.origin)
        return _FixedStage(
            Reasons.of(fixed_table.table, self.reasons.how), np.concatenate((self.pred_item, true_item))[at]
        )


def diagnose(
    run: Run | str | Path,
    *,
    rule: Any = None,
    policy: Any = None,
    classes: ClassMatching | None = None,
    sizes: BySize | None = None,
    partial: bool = False,
) -> Diagnosis:
    """Return the gain of every score of a run if all errors of one kind are fixed, individually and cumulatively.

    The kinds of errors and their fixes are described in the documentation, page "Error analysis".

    Parameters
    ----------
    run : Run, str or Path
        A run, or the path of its file.
    rule : MatchRule or str, optional
        By default that of the run.
    policy : Policy or str, optional
        By default that of the run.
    classes : {'match', 'ignore'}, optional
        By default as in the run.
    sizes : BySize, optional
        The bins of the breakdown by size; by default those of COCO.
    partial : bool, default False
        Accept a run that is not finished.

    Returns
    -------
    Diagnosis
        The scores as predicted, and after the errors of each kind are fixed.

    Examples
    --------
    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 1, 1, 2, 2]]}, {"a": [[1, 1, 2, 2, 3, 0]]})
    >>> diagnosis = diagnose(run)
    >>> [state.scores["pq"]["by_item"].value for state in (diagnosis.base, diagnosis.individually["split"])]
    [0.0, 0.5]
    >>> diagnosis.cumulative["boundary"].scores["pq"]["by_item"].value
    1.0
    """
    if isinstance(run, str | Path):
        with Run.open(run) as opened:
            return diagnose(opened, rule=rule, policy=policy, classes=classes, sizes=sizes, partial=partial)
    if not isinstance(run, Run):
        raise KindError(f"run is a {type(run).__name__}; expected a Run, or the path of a run file (*.segm)")
    run.check_complete(partial=partial)
    settings = run.settings.changed(rule=rule, policy=policy, classes=classes)
    how = MatchSettings.of(settings.rule, settings.policy, settings.classes)
    tables = run.tables_together
    first = _FixedStage(_error_reasons(tables, how, settings), tables.pred.item)
    means = Means(settings.undefined, settings.average, BySize() if sizes is None else sizes)

    def state(stage: _FixedStage) -> State:
        return means.state(stage.reasons.alignment, tables.true.item, stage.pred_item, len(tables))

    def fixed_stage(stage: _FixedStage, kind: str, done: tuple[str, ...] = ()) -> _FixedStage:
        return stage.after(fixed(stage.reasons, kind, done), tables.true.item)

    # The first kind fixed individually is the first step of the cumulative fixes: computed once.
    stage = fixed_stage(first, KINDS[0])
    individually = {KINDS[0]: state(stage)} | {kind: state(fixed_stage(first, kind)) for kind in KINDS[1:]}
    cumulative = {KINDS[0]: individually[KINDS[0]]}
    for at, kind in enumerate(KINDS[1:], start=1):
        stage = fixed_stage(stage, kind, KINDS[:at])
        cumulative[kind] = state(stage)
    return Diagnosis(
        rule=how.rule.name,
        policy=how.policy.name,
        classes=how.classes,
        n_items=len(tables),
        counts=first.reasons.counts(),
        base=state(first),
        individually=individually,
        cumulative=cumulative,
        confusion=_class_confusions(first.reasons),
        has_classes=first.reasons.table.class_names is not None,
        size_edges=means.sizes.edges,
        class_names=run.class_names,
        cell=replace(run.cell(), name="PQ", metric="pq") if run.cell().unit == "percent" else PQ,
    )


def run_reasons(run: Run) -> Reasons:
    """Return the errors of a run under its own settings, those that :func:`diagnose` fixes."""
    settings = run.settings
    how = MatchSettings.of(settings.rule, settings.policy, settings.classes)
    return _error_reasons(run.tables_together, how, settings)


def overlap_problem(tables: RunTables, items: str = "items", segments: str = "segments") -> str | None:
    """Return why overlapping segments have no error analysis, in a field's words for items and segments."""
    overlapping = [item for item in tables.items if not (item.true_disjoint and item.pred_disjoint)]
    if not overlapping:
        return None
    shown = ", ".join(item.name for item in overlapping[:SHOWN]) + (" …" if len(overlapping) > SHOWN else "")
    where = f"{segments} overlap in {len(overlapping)} of {len(tables)} {items} ({shown})"
    problem = f"{where}: the elements of their union are not in the run"
    if all(item.kind not in ("masks", None) for item in overlapping):
        return problem
    return (
        f"{problem}; predicted masks with scores become disjoint by resolve='by_score' "
        "(--resolve by_score) in the evaluation, true ones by Masks.painted()"
    )


def _check_items(tables: RunTables) -> None:
    problem = overlap_problem(tables)
    if problem is not None:
        raise InputError(problem)
    if len({item.has_classes for item in tables.items}) > 1:
        first, second = (next(item.name for item in tables.items if item.has_classes is has) for has in (True, False))
        raise ClassesError(f"item {first} has classes and item {second} has none; expected all or none")


def _error_reasons(tables: RunTables, how: MatchSettings, settings: Settings) -> Reasons:
    _check_items(tables)
    try:
        return Reasons.of(tables.together, how)
    except SegmetryError:
        for at in range(len(tables)):
            item_alignment(tables, at, settings)  # raises the same error and names the item
        raise


def _class_confusions(reasons: Reasons) -> tuple[Confusion, ...]:
    """Count how often each class is confused with which other class, the most frequent first."""
    table, pairs = reasons.table, reasons.confused
    if not pairs.true.size or table.class_names is None or table.true.classes is None or table.pred.classes is None:
        return ()
    codes = np.stack((table.true.classes[pairs.true], table.pred.classes[pairs.pred]), axis=1)
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    order = np.lexsort((cells[:, 1], cells[:, 0], -counts))
    names = table.class_names
    listed = zip(cells[order].tolist(), counts[order].tolist(), strict=True)
    return tuple(Confusion(names[true], names[pred], count) for (true, pred), count in listed)
