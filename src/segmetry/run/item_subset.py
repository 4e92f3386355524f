"""Some of the items of a data set: columns from which their summary follows as that of a data set of their own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from segmetry._base.exact import IndexArray
from segmetry.metrics.accumulator import Collected
from segmetry.metrics.class_quotient import ClassSums
from segmetry.statistics.accumulated import AccumulatedColumns
from segmetry.statistics.item_columns import ItemColumns


def only_items(columns: ItemColumns, names: Collection[str]) -> ItemColumns:
    """Return the columns of some items, in the order of the data set.

    >>> import segmetry as sm
    >>> true, pred = {"a": [[1, 2]], "b": [[1, 1]]}, {"a": [[1, 1]], "b": [[1, 1]]}
    >>> columns = sm.evaluate(true, pred, metrics="pq").columns
    >>> only_items(columns, {"b"}).items, only_items(columns, {"b"}).total
    (('b',), Tally(1 pairs, 0 missed, 0 spurious))
    """
    kept = np.array([item in names for item in columns.items], dtype=bool)
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    cells = np.flatnonzero(kept[columns.cell_item])
    of_cell = np.full(columns.cell_item.size, -1)
    of_cell[cells] = np.arange(cells.size)
    items = tuple(item for item in columns.items if item in names)
    return replace(
        columns,
        items=items,
        whole=columns.whole.regrouped(place, len(items)),
        cells=columns.cells.regrouped(of_cell, cells.size),
        cell_item=place[columns.cell_item[cells]],
        cell_part=columns.cell_part[cells],
        class_sums={key: _only_cells(sums, cells) for key, sums in columns.class_sums.items()},
        scores={item: columns.scores[item] for item in items if item in columns.scores},
        score_columns={key: column.take(np.flatnonzero(kept)) for key, column in columns.score_columns.items()},
        accumulated={key: _only_collected(metric, names) for key, metric in columns.accumulated.items()},
    )


def _only_cells(sums: ClassSums, cells: IndexArray) -> ClassSums:
    return ClassSums.listed([sums.cut(cell, cell + 1) for cell in cells.tolist()])


def _only_collected(metric: AccumulatedColumns, names: Collection[str]) -> AccumulatedColumns:
    kept = [at for at, item in enumerate(metric.items) if item in names]
    collected = Collected.of([metric.collected.facts(at) for at in kept])
    return replace(metric, items=tuple(metric.items[at] for at in kept), collected=collected)
