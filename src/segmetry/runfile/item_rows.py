"""The rows of finished items in the tables of a run: facts, counts, scores and collected columns of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import repeat
from typing import Any, NamedTuple

from segmetry.errors import ClassesError
from segmetry.overlaps.table import OverlapTable
from segmetry.runfile.collected import column_rows
from segmetry.runfile.counted_blocks import FORGET
from segmetry.runfile.counts import INSERT_COUNTS, line_rows, table_rows
from segmetry.runfile.item_result import ItemResult, LineResults
from segmetry.runfile.values import stored_classes
from segmetry.segmentation.spans import Spans

Rows = list[tuple[Any, ...]]

_FACTS = (
    "kind, axes, n_elements, outside_outside, outside_void, void_outside, void_void, true_disjoint, pred_disjoint, "
    "has_classes, true_has_crowd, pred_has_crowd"
)
_FINISH = f"UPDATE item SET status = 'done', ({_FACTS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE item = ?"  # noqa: S608
_SCORE = "INSERT INTO score VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_OF_LINES = (*repeat(repeat(0), 3), *repeat(repeat(True), 2), *repeat(repeat(False), 3))
"""What is the same of all lines: no void, disjoint sides, no classes, no crowds."""
_COLLECTED = "INSERT INTO collected VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class ItemRows(NamedTuple):
    """The rows of one finished item, but for its counts, which are written together with those of others."""

    item: int
    facts: tuple[Any, ...]
    table: OverlapTable
    scores: Rows
    collected: Rows

    @classmethod
    def of(cls, item: int, result: ItemResult) -> ItemRows:
        """Return the rows of an item; one that cannot be stored is an error here, before it is added."""
        try:
            stored_classes(result.table.class_names or ())
        except ClassesError as problem:
            raise problem.within(f"item {result.name}") from None
        return cls(
            item,
            _facts(item, result),
            result.table,
            [(item, *row) for row in result.scores],
            [
                (item, *collected_key, *column)
                for collected_key, columns in result.collected.items()
                for column in column_rows(columns)
            ],
        )


def item_statements(items: Sequence[ItemRows], counted: Collection[int]) -> dict[str, Rows]:
    """Return the statements that write finished items, with the rows of each.

    ``counted`` are the items of which the file has counted blocks, which are no longer needed.
    """
    statements = {
        _FINISH: [rows.facts for rows in items],
        FORGET: [(rows.item,) for rows in items if rows.item in counted],
        INSERT_COUNTS: list(table_rows((rows.item, rows.table) for rows in items)),
        _SCORE: [row for rows in items for row in rows.scores],
        _COLLECTED: [row for rows in items for row in rows.collected],
    }
    return {statement: rows for statement, rows in statements.items() if rows}


def line_statements(items: Sequence[int], results: LineResults) -> dict[str, Rows]:
    """Return the same for lines that were evaluated together."""
    tables = results.tables
    facts = repeat(Spans.kind), repeat(None), tables.lengths.tolist(), tables.uncovered.tolist(), *_OF_LINES
    return {
        _FINISH: list(zip(*facts, items)),  # noqa: B905 - constants have no end
        INSERT_COUNTS: list(line_rows(items, tables)),
        _SCORE: [(item, *row) for item, rows in zip(items, results.scores, strict=True) for row in rows],
    }


def _facts(item: int, result: ItemResult) -> tuple[Any, ...]:
    table, background = result.table, result.table.background
    return (
        result.kind,
        result.axes,
        table.n_elements,
        background.outside_outside,
        background.outside_void,
        background.void_outside,
        background.void_void,
        table.true.disjoint,
        table.pred.disjoint,
        table.class_names is not None,
        table.true.crowd is not None,
        table.pred.crowd is not None,
        item,
    )
