"""The columns that metrics of a data set collect from each item, as rows of the table ``collected``.

Arrays are written as their bytes, little-endian, integers in the narrowest type that holds them, so equal columns are
equal files.

Counted blocks of large items that are not finished: what a part of a run that counts a slab of a volume contains.

The rows are in the table ``collected``, under a name of their own, until the item is finished: the borders of the
blocks along each axis, the numbers of those that are counted, and the sum of their label pairs. Sums of integers do not
depend on their order, so the slabs of several parts add up to the counts of the volume.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, ColumnsOfItem, IndexArray, frozen_dataclass
from segmetry.errors import FormatError, InputError
from segmetry.kernels import PairCounts, add_up
from segmetry.runfile.values import json_of_text, stored_class
from segmetry.storage import Edges

_TYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "<f8")
_READ_AS = {"b": np.bool_, "i": np.int64, "f": np.float64}
_LABELS = "labels"


class CollectedKey(NamedTuple):
    """The name of the function that collects, its options as JSON, and the rule ("" where none matters)."""

    collector: str
    options: str
    rule: str


class CollectedTogether(NamedTuple):
    """The columns of many items, one after the other: ``starts[name][i] : starts[name][i + 1]`` is item ``i``.

    Of a column of classes they are positions in ``labels[name]``.
    """

    columns: Mapping[str, NDArray[Any]]
    starts: Mapping[str, IndexArray]
    labels: Mapping[str, tuple[Hashable, ...]]

    def items(self) -> Iterator[ColumnsOfItem]:
        """Yield the columns of every item."""
        cuts = [pairwise(starts.tolist()) for starts in self.starts.values()]
        whole: list[Column] = [
            [self.labels[name][code] for code in self.columns[name].tolist()]
            if name in self.labels
            else self.columns[name]
            for name in self.starts
        ]
        for parts in zip(*cuts, strict=True):
            yield {
                name: column[start:stop] for name, column, (start, stop) in zip(self.starts, whole, parts, strict=True)
            }


class CollectedItems(NamedTuple):
    """The columns of finished items: by item, and of items that were evaluated together."""

    by_item: Mapping[str, ColumnsOfItem]
    groups: Sequence[tuple[Sequence[str], CollectedTogether]] = ()


ColumnRow = tuple[str, str, str, bytes]
"""Name, type, shape and content of a column."""


def column_rows(facts: ColumnsOfItem) -> list[ColumnRow]:
    """Return the columns of one item as rows of the table ``collected``."""
    return [(name, *_written(column)) for name, column in facts.items()]


def _written(column: Column) -> tuple[str, str, bytes]:
    if not isinstance(column, np.ndarray):
        labels = [stored_class(label) for label in column]
        return _LABELS, json.dumps([len(labels)]), json.dumps(labels, ensure_ascii=False).encode()
    array = np.ascontiguousarray(column, dtype=_narrowest(column))
    return array.dtype.str, json.dumps(array.shape), array.tobytes()


def as_read(column: Column) -> Column:
    """Return a column as it is read from a file."""
    if not isinstance(column, np.ndarray):
        return [stored_class(label) for label in column]
    return column.astype(_READ_AS.get(column.dtype.kind, np.int64), copy=False)


def _narrowest(column: NDArray[Any]) -> str:
    if column.dtype.kind == "b":
        return "|b1"
    if column.dtype.kind == "f":
        return "<f8"
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    return next(name for name in _TYPES[1:5] if np.iinfo(name).min <= low and high <= np.iinfo(name).max)


def read_columns(rows: Iterable[ColumnRow]) -> dict[str, Column]:
    """Return the columns of one item from such rows."""
    return {row[0]: read_column(row) for row in rows}


def read_column(row: ColumnRow) -> Column:
    """Return one column from such a row."""
    name, type_name, shape_text, content = row
    try:
        shape = tuple(map(int, json_of_text(shape_text)))
        if type_name == _LABELS:
            labels = json_of_text(content)
            if not isinstance(labels, list) or (len(labels),) != shape or not _are_classes(labels):
                raise ValueError(name)
            return labels
        if type_name not in _TYPES or min(shape, default=-1) < 0:
            raise ValueError(name)
        array = np.frombuffer(content, dtype=type_name)
        if array.size != math.prod(shape):
            raise ValueError(name)
        return array.reshape(shape).astype(_READ_AS[array.dtype.kind])
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise FormatError(f"corrupt run file: the collected column {name!r} of an item cannot be read") from None


def _are_classes(labels: list[Any]) -> bool:
    return all(isinstance(label, str | int | float) and not isinstance(label, bool) for label in labels)


COLLECTOR = "counted blocks"
"""The collector under which the rows of an item are stored."""
_INSERT = "INSERT INTO collected VALUES (?, ?, '', '', ?, ?, ?, ?)"
FORGET_ALL = f"DELETE FROM collected WHERE collector = '{COLLECTOR}'"  # noqa: S608 - a fixed name
FORGET = f"{FORGET_ALL} AND item = ?"


@frozen_dataclass(eq=False)
class CountedBlocks:
    """The borders of the blocks of one item, the numbers of the counted ones, and the sum of their counts."""

    edges: Edges
    blocks: frozenset[int]
    counts: PairCounts

    @property
    def n_blocks(self) -> int:
        """The number of blocks of the item, counted or not."""
        return prod(len(cuts) - 1 for cuts in self.edges)


def write_counted(connection: sqlite3.Connection, items: Mapping[int, CountedBlocks]) -> None:
    """Replace the counted blocks of all items in one transaction."""
    connection.execute("BEGIN")
    connection.execute(FORGET_ALL)
    for item, counted in items.items():
        connection.executemany(_INSERT, [(item, COLLECTOR, *row) for row in column_rows(_columns(counted))])
    connection.execute("COMMIT")


def read_counted(connection: sqlite3.Connection) -> dict[int, CountedBlocks]:
    """Return the counted blocks of all items that have some."""
    rows: dict[int, list[Any]] = {}
    query = "SELECT item, name, type, shape, content FROM collected WHERE collector = ?"
    for item, *row in connection.execute(query, (COLLECTOR,)):
        rows.setdefault(item, []).append(tuple(row))
    return {item: _blocks_of_columns(read_columns(of_item)) for item, of_item in rows.items()}


def add_part(name: str, total: CountedBlocks | None, part: CountedBlocks) -> CountedBlocks:
    """Return the blocks of parts and of one more; one whose blocks are all counted already adds nothing."""
    if total is None:
        return part
    if part.edges != total.edges:
        raise InputError(f"item {name!r} is divided into other blocks than in a part before; expected the same")
    if part.blocks <= total.blocks or total.blocks < part.blocks:
        return total if part.blocks <= total.blocks else part
    if part.blocks & total.blocks:
        raise InputError(
            f"item {name!r} shares some of its blocks with parts before; expected parts of one division, "
            "such as 1/4 to 4/4"
        )
    return CountedBlocks(total.edges, total.blocks | part.blocks, add_up([total.counts, part.counts]))


def _columns(counted: CountedBlocks) -> dict[str, Any]:
    labels = [counted.counts.true_labels, counted.counts.pred_labels]
    return {
        "n_borders": np.array([len(cuts) for cuts in counted.edges], dtype=np.int64),
        "borders": np.array([cut for cuts in counted.edges for cut in cuts], dtype=np.int64),
        "blocks": np.array(sorted(counted.blocks), dtype=np.int64),
        "unsigned": np.array([column.dtype == np.uint64 for column in labels]),
        "true_labels": labels[0].view(np.int64),
        "pred_labels": labels[1].view(np.int64),
        "counts": counted.counts.counts,
    }


def _blocks_of_columns(columns: Mapping[str, Any]) -> CountedBlocks:
    try:
        ends = list(accumulate(columns["n_borders"].tolist(), initial=0))
        borders = columns["borders"].tolist()
        edges = tuple(tuple(borders[start:stop]) for start, stop in pairwise(ends))
        unsigned = columns["unsigned"].tolist()
        labels = [
            columns[name].view(np.uint64) if is_unsigned else columns[name]
            for name, is_unsigned in zip(("true_labels", "pred_labels"), unsigned, strict=True)
        ]
        counts = PairCounts(labels[0], labels[1], columns["counts"])
        if len({column.shape for column in counts}) != 1 or ends[-1] != len(borders):
            raise ValueError(COLLECTOR)
        return CountedBlocks(edges, frozenset(columns["blocks"].tolist()), counts)
    except (KeyError, ValueError, AttributeError, TypeError):
        raise FormatError("corrupt run file: the counted blocks of an item cannot be read") from None
