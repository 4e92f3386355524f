r"""Fixes: a prediction without the errors of one kind, as a table of the same elements.

* **class**: h takes the class of t.
* **split**: the fragments of t become one segment, whole.
* **merge**: h is cut along the true segments it swallows. The one it shares most with (its partner, if it has one;
  ties: the smaller true id) keeps the rest of h as well if θ still accepts the pair; otherwise the rest stays a segment
  of its own. Each other swallowed segment t becomes the new segment t ∩ h, of the class of h.
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
from segmetry.diagnosis.table_cells import OUTSIDE, FixedTable, TableCells
from segmetry.errors import UnknownNameError
from segmetry.overlaps.table import OverlapTable

Fix = Callable[[Reasons, Collection[str]], FixedTable]


def fix(table: OverlapTable, kind: str, how: MatchSettings, done: Collection[str] = ()) -> FixedTable:
    """Return the table after all errors of a kind are fixed.

    ``done`` names kinds that were fixed before: what is still missed or spurious afterwards is not theirs.

    >>> import segmetry as sm
    >>> how = MatchSettings.of("theta_and")
    >>> table = sm.overlap([[1, 1, 1, 1, 2]], [[1, 1, 2, 2, 0]])
    >>> how.align(table), how.align(fix(table, "split", how).table)  # doctest: +NORMALIZE_WHITESPACE
    (Alignment(theta_and, policy=none: 0 pairs, 2 missed, 2 spurious),
     Alignment(theta_and, policy=none: 1 pairs, 1 missed, 0 spurious))
    """
    return fixed(Reasons.of(table, how), kind, done)


def fixed(found: Reasons, kind: str, done: Collection[str] = ()) -> FixedTable:
    """Return the same for a table whose errors are known already."""
    try:
        chosen = _FIXES[kind]
    except KeyError:
        raise UnknownNameError(f"there is no kind of error {kind!r}; known: {', '.join(KINDS)}") from None
    return chosen(found, done)


def _class(found: Reasons, _done: Collection[str]) -> FixedTable:
    cells, classes = TableCells.of(found.table), found.table.pred.classes
    if classes is not None and found.table.true.classes is not None:
        classes = classes.copy()
        classes[found.confused.pred] = found.table.true.classes[found.confused.true]
    return cells.given_to(cells.pred, classes=classes)


def _split(found: Reasons, _done: Collection[str]) -> FixedTable:
    cells, pairs = TableCells.of(found.table), found.fragments
    keeper = _largest(pairs.true, pairs.shared)
    joined = np.arange(len(found.table.pred) + 2)
    joined[-2:] = (-2, -1)  # outside and void stay what they are
    joined[pairs.pred] = pairs.pred[keeper]
    return cells.given_to(joined[cells.pred])


def _merge(found: Reasons, _done: Collection[str]) -> FixedTable:
    table, cells, pairs = found.table, TableCells.of(found.table), found.swallowed
    order = np.lexsort((pairs.true, pairs.pred))
    pairs = SegmentPairs(*(column[order] for column in pairs))
    main = _largest(pairs.pred, pairs.shared)
    off = np.ones(pairs.true.size, dtype=bool)  # which pairs are cut off from their pred
    mains = np.unique(main)
    off[mains] = ~_keeps_rest(found, pairs, mains)
    cut_true, cut_pred = pairs.true[off], pairs.pred[off]
    new = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    new[cut_true] = len(table.pred) + np.arange(cut_true.size)
    swallower = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    swallower[cut_true] = cut_pred
    moves = (cells.pred >= 0) & (cells.true >= 0) & (swallower[cells.true] == cells.pred)
    classes = None if table.pred.classes is None else table.pred.classes[cut_pred]
    return cells.given_to(np.where(moves, new[cells.true], cells.pred), made_for=cut_true, made_classes=classes)


def _keeps_rest(found: Reasons, pairs: SegmentPairs, mains: IndexArray) -> BoolArray:
    """Whether the rule accepts the main swallowed segment with all of its pred but the other swallowed ones."""
    table = found.table
    true_sizes, pred_sizes = counted_sizes(table, found.how.policy)
    swallowed = np.zeros(len(table.pred), dtype=np.int64)
    np.add.at(swallowed, pairs.pred, pairs.shared)
    true, pred, shared = pairs.true[mains], pairs.pred[mains], pairs.shared[mains]
    return found.how.rule.accepts(shared, true_sizes[true] - shared, pred_sizes[pred] - swallowed[pred])


def _missed(found: Reasons, done: Collection[str]) -> FixedTable:
    table, cells = found.table, TableCells.of(found.table)
    lost, _ = found.not_explained(done)
    made_for = np.flatnonzero(lost & (table.true.sizes > 0))
    new = np.full(len(table.true) + 2, OUTSIDE, dtype=np.intp)
    new[made_for] = len(table.pred) + np.arange(made_for.size)
    classes = None if table.true.classes is None else table.true.classes[made_for]
    taken = new[cells.true]
    return cells.given_to(np.where(taken >= 0, taken, cells.pred), made_for=made_for, made_classes=classes)


def _spurious(found: Reasons, done: Collection[str]) -> FixedTable:
    cells = TableCells.of(found.table)
    _, extra = found.not_explained(done)
    gone = np.concatenate((extra, [False, False]))
    return cells.given_to(np.where(gone[cells.pred], OUTSIDE, cells.pred), dropped=extra)


def _boundary(found: Reasons, _done: Collection[str]) -> FixedTable:
    after = _all_equal(found)
    while (again := Reasons.of(after.table, found.how)).imperfect.any():
        later = _all_equal(again)
        after = FixedTable(later.table, after.origin[later.origin])
    return after


def _all_equal(found: Reasons) -> FixedTable:
    """Every matched pred equal to its partner."""
    cells = TableCells.of(found.table)
    partner = np.concatenate((found.partner_of_true, [-1, -1]))[cells.true]
    matched = np.concatenate((found.alignment.matched_pred, [False, False]))[cells.pred]
    return cells.given_to(np.where(partner >= 0, partner, np.where(matched, OUTSIDE, cells.pred)))


def _largest(group: IndexArray, shared: IntArray) -> IndexArray:
    """For every pair the position of that pair of its group that shares most, else of the one listed first.

    A partner always shares most: of its own elements and of its partner's it has more than all others together.
    """
    order = np.lexsort((np.arange(group.size), -shared, group))
    chosen = np.full(int(group.max(initial=-1)) + 1, -1, dtype=np.intp)
    leads = np.flatnonzero(np.diff(group[order], prepend=-1))
    chosen[group[order][leads]] = order[leads]
    return chosen[group]


_FIXES: dict[str, Fix] = {
    "class": _class,
    "split": _split,
    "merge": _merge,
    "missed": _missed,
    "spurious": _spurious,
    "boundary": _boundary,
}
