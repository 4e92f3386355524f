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
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from segmetry._base.exact import BoolArray, IndexArray, IntArray
from segmetry.alignments.policy import counted_sizes
from segmetry.diagnosis.error_reasons import KINDS, MatchSettings, Reasons, SegmentPairs
from segmetry.diagnosis.table_cells import OUTSIDE, FixedTable
from segmetry.errors import UnknownNameError
from segmetry.overlaps.table import OverlapTable

Fix = Callable[[Reasons, Collection[str]], FixedTable]


def fix(table: OverlapTable, kind: str, how: MatchSettings, done: Collection[str] = ()) -> FixedTable:
    """Return the table after all errors of a kind are fixed.

    ``done`` names kinds that were fixed before: they no longer explain missed or spurious segments.

    >>> import segmetry as sm
    >>> how = MatchSettings.of("theta_and")
    >>> table = sm.overlap([[1, 1, 1, 1, 2]], [[1, 1, 2, 2, 0]])
    >>> how.align(table), how.align(fix(table, "split", how).table)  # doctest: +NORMALIZE_WHITESPACE
    (Alignment(theta_and, policy=none: 0 pairs, 2 missed, 2 spurious),
     Alignment(theta_and, policy=none: 1 pairs, 1 missed, 0 spurious))
    """
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
    keeper = _largest_shared(pairs.true, pairs.shared)
    joined = np.arange(len(reasons.table.pred) + 2)
    joined[-2:] = (-2, -1)  # outside and void stay what they are
    joined[pairs.pred] = pairs.pred[keeper]
    return cells.reassigned(joined[cells.pred])


def _fix_merge(reasons: Reasons, _done: Collection[str]) -> FixedTable:
    table, cells, pairs = reasons.table, reasons.cells, reasons.swallowed
    order = np.lexsort((pairs.true, pairs.pred))
    pairs = SegmentPairs(*(column[order] for column in pairs))
    main = _largest_shared(pairs.pred, pairs.shared)
    off = np.ones(pairs.true.size, dtype=bool)  # which pairs are cut off from their pred
    mains = np.unique(main)
    off[mains] = ~_keeps_rest(reasons, pairs, mains)
    cut_true, cut_pred = pairs.true[off], pairs.pred[off]
    new = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    new[cut_true] = len(table.pred) + np.arange(cut_true.size)
    swallower = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    swallower[cut_true] = cut_pred
    moves = (cells.pred >= 0) & (cells.true >= 0) & (swallower[cells.true] == cells.pred)
    classes = None if table.pred.classes is None else table.pred.classes[cut_pred]
    return cells.reassigned(np.where(moves, new[cells.true], cells.pred), new_for=cut_true, new_classes=classes)


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


def _largest_shared(group: IndexArray, shared: IntArray) -> IndexArray:
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
