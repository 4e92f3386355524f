"""The counts of run files of the versions 1 and 2, which have a row of its own for every segment and every overlap."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.run.counts.count_columns import NO_CLASS, CountColumns, OverlapColumns, SegmentColumns
from segmetry.run.counts.integer_columns import integer_columns


def load_rows(connection: sqlite3.Connection, keys: IntArray) -> CountColumns:
    """Return the counts of all items in a few queries in the order of the primary keys; ``keys`` are the items."""
    kinds = _ValueKinds.of(connection)
    columns = ("item", "true_position", "pred_position", "shared")
    return CountColumns(
        class_names=kinds.class_names,
        true=_side(connection, "true", keys, kinds),
        pred=_side(connection, "pred", keys, kinds),
        overlaps=OverlapColumns(*integer_columns(connection, columns, "FROM overlap WHERE true", keys)),
    )


@frozen_dataclass()
class _ValueKinds:
    """Which values occur in the segments: their classes, and whether all of these, and all ids, are integers."""

    class_names: tuple[Hashable, ...]
    integer_classes: bool
    integer_ids: bool
    crowds: bool

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> _ValueKinds:
        query = "SELECT DISTINCT class, typeof(class), typeof(id) = 'integer', crowd > 0 FROM segment"
        rows = connection.execute(query).fetchall()
        return cls(
            class_names=sorted_names({row[0] for row in rows} - {None}),
            integer_classes=all(row[1] == "integer" for row in rows),
            integer_ids=all(row[2] for row in rows),
            crowds=any(row[3] for row in rows),
        )


def _side(connection: sqlite3.Connection, word: str, keys: IntArray, kinds: _ValueKinds) -> SegmentColumns:
    columns = {"item": "item", "size": "size", "outside": "outside", "void": "void"}
    if kinds.integer_ids:
        columns["id"] = "id"
    if kinds.crowds:
        columns["crowd"] = "ifnull(crowd, 0)"
    if kinds.integer_classes:
        columns["class"] = "class"
    rows = integer_columns(connection, tuple(columns.values()), "FROM segment WHERE side = ?", keys, word)
    numbers = dict(zip(columns, rows, strict=True))
    if kinds.integer_classes:
        classes = np.searchsorted(np.array(kinds.class_names, dtype=np.int64), numbers["class"])
    else:
        classes = _class_codes(connection, word, kinds.class_names)
    return SegmentColumns(
        item=numbers["item"],
        ids=numbers["id"] if kinds.integer_ids else _large_ids(connection, word),
        sizes=numbers["size"],
        outside=numbers["outside"],
        void=numbers["void"],
        classes=classes,
        crowd=numbers.get("crowd", np.zeros(numbers["item"].size, dtype=np.int64)),
    )


def _large_ids(connection: sqlite3.Connection, word: str) -> NDArray[Any]:
    """Return the ids of a run in which some are 2⁶³ or more, and kept as text."""
    ids = connection.execute("SELECT id FROM segment WHERE side = ? ORDER BY item, position", (word,)).fetchall()
    return np.array([int(segment) for (segment,) in ids], dtype=object)


def _class_codes(connection: sqlite3.Connection, word: str, names: tuple[Hashable, ...]) -> IntArray:
    """Return the position of the class of every segment among the names; NO_CLASS where it has none."""
    code: dict[Hashable, int] = {name: at for at, name in enumerate(names)} | {None: NO_CLASS}
    classes = connection.execute("SELECT class FROM segment WHERE side = ? ORDER BY item, position", (word,))
    return np.fromiter(map(code.__getitem__, chain.from_iterable(classes)), dtype=np.int64)
