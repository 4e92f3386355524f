r"""What single errors cost: the headline of a run with one item replaced, for many errors at once.

An error is fixed by moves: elements of a cell of the overlap table go to another pred segment. The item is counted
again with its elements moved, and the value of the data set follows from weights of items, as that of a resample does:
1 − e(item as predicted) + e(item fixed). A number that adds up over segments needs only the pred segments that change,
with all true segments they touch: then the two items of an error are these parts before and after, so that the work
grows with the errors, not with their items.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import FloatArray, IndexArray, IntArray, range_positions, sum_by
from segmetry.diagnosis.table_cells import OUTSIDE, VOID, TableCells
from segmetry.kernels import group_order
from segmetry.metrics import AVERAGES, METRICS, Reading, Statistics
from segmetry.run import Run
from segmetry.runfile import FactColumns, RunSideColumns, RunTables

_ADDITIVE = ("segment_counts", "class_counts")
"""What adds up over segments, so that the changed ones suffice."""
_MOST_CELLS = 2**22
"""The most cells of the tables that are made at once: about 300 MB."""
_MOST_SUMS = 2**22


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves that fix some errors: elements of a cell go to a pred segment, by position in :class:`TableCells`.

    ``error`` is ascending. Positions from the number of pred segments on are new segments, the ``k``-th of the class
    ``new_class[k]``. ``count`` is how many elements of the cell move, by default all.
    """

    error: IndexArray
    cell: IndexArray
    to: IndexArray
    new_class: IntArray
    count: IntArray | None = None


def headline_reading(run: Run) -> Reading:
    """Return the question whose answer is the headline of a run, as its table prints it."""
    cell = run.cell()
    average = run.data.known_as(cell.metric, AVERAGES[cell.average])
    reading = run.data.reading(cell.metric, average, str(cell.labels) if cell.level == "group" else None)
    shown = {"at": cell.show[1]} if isinstance(cell.show, tuple) else {}
    return replace(reading, options={**reading.options, **shown})


def costs_of_items(reading: Reading, replaced: Statistics, without: IndexArray, with_: IndexArray) -> FloatArray:
    """Return the points (× 100) that a value gains if items leave and others, numbered after all, come."""
    n = reading.statistics.n_items
    together = reading.of(Statistics.concatenate([reading.statistics, replaced]))
    sign = -100.0 if METRICS[reading.key].better == "lower" else 100.0
    without, with_ = (np.append(0, places) for places in (without, with_))  # the first is the value as it is
    if reading.is_ranked:
        pairs = zip(without.tolist(), with_.tolist(), strict=True)
        values = np.array([together.ranked(_weights(n, replaced.n_items, *pair))[0, 0] for pair in pairs])
    else:
        values = _linear_values(together, n, without, with_)
    gains: FloatArray = sign * (values[1:] - values[0])
    return gains


def _weights(n: int, n_replaced: int, without: int, with_: int) -> FloatArray:
    weights: FloatArray = np.repeat([1.0, 0.0], (n, n_replaced))[:, None]
    weights[without] -= 1
    weights[with_] += 1
    return weights


def _linear_values(reading: Reading, n: int, without: IndexArray, with_: IndexArray) -> FloatArray:
    linear = reading.linear
    of_items = linear.of_items
    item_sums = of_items[:, :n].sum(axis=1)[:, None] - of_items[:, without] + of_items[:, with_]
    cells, rows = linear.cells, linear.of_cells
    if cells is None or rows is None:
        values: FloatArray = linear.finish(item_sums, np.zeros((1, 0, without.size)))[0]
        return values
    total = np.zeros((len(cells.names), len(rows)))
    own = cells.item < n
    np.add.at(total, cells.code[own], rows[:, own].T)
    order, starts = group_order(cells.item, cells.n_items)
    step = max(1, _MOST_SUMS // max(1, total.size))
    parts = []
    for start in range(0, without.size, step):
        sums = np.repeat(total[:, :, None], min(step, without.size - start), axis=2)
        for sign, items in ((-1, without[start : start + step]), (1, with_[start : start + step])):
            sizes = np.diff(starts)[items]
            at = order[range_positions(starts[items], sizes)]
            sums[cells.code[at], :, np.repeat(np.arange(items.size), sizes)] += sign * rows[:, at].T
        parts.append(linear.finish(item_sums[:, start : start + step], sums)[0])
    return np.concatenate(parts)


def costs_of_moves(run: Run, cells: TableCells, item: IndexArray, moves: Moves) -> FloatArray:
    """Return what each error costs: the points that the headline gains if its moves alone are made."""
    reading = headline_reading(run)
    tables = run.tables_together
    of_cell = items_of(cells, tables)
    adds_up = reading.aggregation.name in _ADDITIVE and not reading.average.over_items
    by = cells.pred if adds_up else of_cell
    sizes = np.bincount(by[by >= 0], minlength=len(tables) if not adds_up else len(cells.table.pred))
    largest = max(1, int(sizes.max(initial=1)))
    step = max(1, _MOST_CELLS // (largest * (4 if adds_up else 1)))
    found = []
    for start in range(0, item.size, step):
        part = slice(*np.searchsorted(moves.error, (start, start + step)))
        count = cells.count[moves.cell] if moves.count is None else moves.count
        some = replace(
            moves, error=moves.error[part] - start, cell=moves.cell[part], to=moves.to[part], count=count[part]
        )
        n = min(step, item.size - start)
        replicas = _replicas(cells, tables, item[start : start + n], some, only_changed=adds_up)
        statistics = run.with_tables(replicas, [reading.key]).data.source(reading.key).statistics
        before = len(tables) + np.arange(n) if adds_up else item[start : start + n]
        after = len(tables) + (n if adds_up else 0) + np.arange(n)
        found.append(costs_of_items(reading, statistics, before, after))
    return np.concatenate([np.zeros(0), *found])


def items_of(cells: TableCells, tables: RunTables) -> IndexArray:
    """Return the item of every cell."""
    true, pred = (np.concatenate((side.item, [-1, -1])) for side in (tables.true, tables.pred))
    items: IndexArray = np.maximum(true[cells.true], pred[cells.pred])
    return items


def _replicas(cells: TableCells, tables: RunTables, item: IndexArray, moves: Moves, *, only_changed: bool) -> RunTables:
    """Return the items of errors with the moves made; of ``only_changed`` segments these parts before and after."""
    n, n_cells, count = item.size, cells.count.size, cells.count[moves.cell] if moves.count is None else moves.count
    # The cells of each error: those of the pred segments that change and those that move, or those of its item.
    if only_changed:
        changed = [np.stack((moves.error, side)) for side in (cells.pred[moves.cell], moves.to)]
        pairs = np.unique(np.concatenate(changed, axis=1), axis=1)
        pairs = pairs[:, (pairs[1] >= 0) & (pairs[1] < len(cells.table.pred))]
        error, cell = expanded(cells.pred, len(cells.table.pred), pairs[0], pairs[1])
        key = np.unique(np.concatenate((error * n_cells + cell, moves.error * n_cells + moves.cell)))
        error, cell = np.divmod(key, n_cells)
    else:
        error, cell = expanded(items_of(cells, tables), len(tables), np.arange(n), item)
        key = error * n_cells + cell
        order = np.argsort(key)
        error, cell, key = error[order], cell[order], key[order]
    at = np.searchsorted(key, moves.error * n_cells + moves.cell)
    left = cells.count[cell] - sum_by(at, count, cell.size)
    before = ItemCells(error, cells.true[cell], cells.pred[cell], cells.count[cell])
    moved = ItemCells(moves.error, cells.true[moves.cell], moves.to, count)
    parts = [before._replace(elements=left), moved]
    if only_changed:
        rest = _rest_of_true(cells, error, cell)
        later = [part._replace(item=part.item + n) for part in (*parts, rest)]
        parts, item = [before, rest, *later], np.tile(item, 2)
    together = ItemCells(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return tables_of(tables, item, together, moves.new_class[:0], moves.new_class)


def expanded(by: IndexArray, n: int, error: IndexArray, place: IndexArray) -> tuple[IndexArray, IndexArray]:
    """Return every error with each cell at its place."""
    known = np.flatnonzero(by >= 0)
    order, starts = group_order(by[known], n)
    sizes = np.diff(starts)[place]
    return np.repeat(error, sizes), known[order][range_positions(starts[place], sizes)]


def _rest_of_true(cells: TableCells, error: IndexArray, cell: IndexArray) -> ItemCells:
    """Return the elements of true segments beyond the cells of an error, as cells outside and void of it."""
    side, n = cells.table.true, max(1, len(cells.table.true))
    inside = cells.true[cell] >= 0
    key = error[inside] * n + cells.true[cell[inside]]
    present, place = np.unique(key, return_inverse=True)
    errors, trues = np.divmod(present, n)
    counts, is_void = cells.count[cell[inside]], cells.pred[cell[inside]] == VOID
    void = side.void[trues] - sum_by(place[is_void], counts[is_void], present.size)
    outside = side.sizes[trues] - side.void[trues] - sum_by(place[~is_void], counts[~is_void], present.size)
    pred = np.repeat([OUTSIDE, VOID], present.size)
    return ItemCells(np.tile(errors, 2), np.tile(trues, 2), pred, np.concatenate((outside, void)))


class ItemCells(NamedTuple):
    """Cells of the tables of some items, each with its item, its segments and how many elements it has."""

    item: IndexArray
    true: IndexArray
    pred: IndexArray
    elements: IntArray


def tables_of(
    tables: RunTables, items: IndexArray, cells: ItemCells, new_true: IntArray, new_pred: IntArray
) -> RunTables:
    """Return the tables of some cells, the k-th of item ``items[k]``, with the classes of new segments."""
    some = cells.elements > 0
    own, true, pred, count = (column[some] for column in cells)
    sides: list[RunSideColumns] = []
    places = []
    for segment, other, side, new in ((true, pred, tables.true, new_true), (pred, true, tables.pred, new_pred)):
        n_old, known = side.sizes.size, segment >= 0
        width = n_old + new.size + 1
        present, place = np.unique(own[known] * width + segment[known], return_inverse=True)
        item, old = np.divmod(present, width)
        kept, added = np.minimum(old, n_old), np.maximum(old - n_old, 0)
        ids = np.arange(n_old) if side.large_ids else side.ids
        counts = [sum_by(place[part], count[known][part], present.size) for part in _cell_parts(other[known])]
        side_columns = RunSideColumns(
            starts=np.searchsorted(item, np.arange(items.size + 1)),
            item=item,
            ids=np.where(old < n_old, np.append(ids, 0)[kept], int(ids.max(initial=0)) + 1 + old),
            large_ids={},
            classes=np.where(old < n_old, np.append(side.classes, 0)[kept], np.append(new, 0)[added]),
            sizes=counts[0],
            outside=counts[1],
            void=counts[2],
            crowd=np.append(side.crowd, values=False)[kept],
            superseded=np.append(side.superseded, values=False)[kept],
        )
        sides.append(side_columns)
        at = np.full(segment.size, -1)
        at[known] = place
        places.append(at)
    rows = np.flatnonzero((true >= 0) & (pred >= 0))
    # Elements that moved into a row that is there already are added to it.
    width = sides[1].sizes.size + 1
    row, of_row = np.unique(places[0][rows] * width + places[1][rows], return_inverse=True)
    row_true, row_pred = np.divmod(row, width)
    row_item = sides[0].item[row_true]
    facts = tables.items
    background = facts.counts[items].copy()
    for column, pair in enumerate(((OUTSIDE, OUTSIDE), (OUTSIDE, VOID), (VOID, OUTSIDE), (VOID, VOID)), start=1):
        corner = (true == pair[0]) & (pred == pair[1])
        background[:, column] += sum_by(own[corner], count[corner], items.size)
    kinds, axes = ([column[place] for place in items.tolist()] for column in (facts.kinds, facts.axes))
    names = tuple(map(str, range(items.size)))
    return RunTables(
        items=FactColumns(names, kinds, axes, background, facts.flags[items]),
        class_names=tables.class_names,
        true=sides[0],
        pred=sides[1],
        row_starts=np.searchsorted(row_item, np.arange(items.size + 1)),
        row_item=row_item,
        row_true=row_true - sides[0].starts[row_item],
        row_pred=row_pred - sides[1].starts[row_item],
        shared=sum_by(of_row, count[rows], row.size),
    )


def _cell_parts(other: IndexArray) -> tuple[Any, Any, Any]:
    return slice(None), other == OUTSIDE, other == VOID
