"""Counted blocks of large items that are not finished: what a part of a run that counts a slab of a volume contains.

The rows are in the table ``collected``, under a name of their own, until the item is finished: the borders of the
blocks along each axis, the numbers of those that are counted, and the sum of their label pairs. Sums of integers do not
depend on their order, so the slabs of several parts add up to the counts of the volume.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError, InputError
from segmetry.kernels import PairCounts, add_up
from segmetry.runfile.collected import column_rows, read_columns
from segmetry.storage import Edges

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
    return {item: _counted(read_columns(of_item)) for item, of_item in rows.items()}


def add_part(name: str, total: CountedBlocks | None, part: CountedBlocks) -> CountedBlocks:
    """Return the blocks of parts and of one more; one whose blocks are all counted already adds nothing.

    >>> one, two = (PairCounts(np.array([1]), np.array([label]), np.array([4])) for label in (1, 2))
    >>> parts = [CountedBlocks(((0, 2, 4),), frozenset({at}), one if at else two) for at in (1, 0, 1)]
    >>> total = add_part("volume", add_part("volume", parts[0], parts[1]), parts[2])
    >>> sorted(total.blocks), total.counts.pred_labels.tolist()
    ([0, 1], [1, 2])
    """
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


def _counted(columns: Mapping[str, Any]) -> CountedBlocks:
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
