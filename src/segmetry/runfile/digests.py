"""Digests of a run: of its whole content, of its truth and of its results.

They are of values, segment by segment, so they depend neither on the order of writing nor on how counts are stored.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from typing import Any

from segmetry.runfile.overlap_columns import RunSideColumns, RunTables
from segmetry.runfile.values import stored_id

_BATCH = 10_000
"""How many rows are hashed at once."""
_SCORES = "SELECT item.name, key, rule, value FROM score JOIN item USING (item) ORDER BY name, key, rule"
_COLLECTED = (
    "SELECT item.name, collector, options, rule, collected.name, content FROM collected JOIN item USING (item) "
    "ORDER BY item.name, collector, options, rule, 5"
)


def content_digest(connection: sqlite3.Connection, tables: RunTables) -> str:
    """Return the sha256 of all values in the order of their keys, with the type of every value."""
    keys = [item for (item,) in connection.execute("SELECT item FROM item WHERE status = 'done' ORDER BY item")]
    rows: dict[str, Iterable[tuple[Any, ...]]] = {
        "fact": connection.execute("SELECT * FROM fact ORDER BY name"),
        "input": connection.execute("SELECT * FROM input ORDER BY side, name"),
        "class_name": connection.execute("SELECT * FROM class_name ORDER BY class"),
        "item": connection.execute("SELECT * FROM item ORDER BY item"),
        "segment": (
            (key, word, *row)
            for at, key in enumerate(keys)
            for word in ("pred", "true")
            for row in _segment_rows(tables, at, word)
        ),
        "overlap": ((key, *row) for at, key in enumerate(keys) for row in _overlap_rows(tables, at)),
        "score": connection.execute("SELECT * FROM score ORDER BY item, key, rule"),
        "collected": connection.execute("SELECT * FROM collected ORDER BY item, collector, options, rule, name"),
    }
    return _hash_rows(rows)


def truth_digests(tables: RunTables) -> dict[str, str]:
    """Return the sha256 of the true side of every item: n_elements, ids, classes, sizes and crowd of its segments."""
    return {
        facts.name: hashlib.sha256(
            "".join(
                [repr(facts.n_elements)]
                + [repr([row[1], row[2], row[3], int(bool(row[6]))]) for row in _segment_rows(tables, at, "true")]
            ).encode()
        ).hexdigest()
        for at, facts in enumerate(tables.items)
    }


def results_digest(connection: sqlite3.Connection, tables: RunTables) -> str:
    """Return the sha256 of the predicted segments, their overlaps with the truth, and the stored scores."""
    by_name = sorted((facts.name, at) for at, facts in enumerate(tables.items))
    segments = ((name, *row[:4]) for name, at in by_name for row in _segment_rows(tables, at, "pred"))
    overlaps = ((name, *row) for name, at in by_name for row in _overlap_rows(tables, at))
    stored = (connection.execute(query) for query in (_SCORES, _COLLECTED))
    return _hash_rows({"": chain(segments, overlaps, *stored)})


def _hash_rows(tables: dict[str, Iterable[tuple[Any, ...]]]) -> str:
    digest = hashlib.sha256()
    for name, rows in tables.items():
        digest.update(name.encode())
        remaining = iter(rows)
        while batch := list(islice(remaining, _BATCH)):
            digest.update("".join(map(repr, batch)).encode())
    return digest.hexdigest()


def _segment_rows(tables: RunTables, item: int, word: str) -> Iterator[tuple[Any, ...]]:
    """Yield position, id, class, size, outside, void and crowd code of the segments of one side of an item."""
    side: RunSideColumns = getattr(tables, word)
    facts, part = tables.items[item], side.part(item)
    has_crowd = facts.true_has_crowd if word == "true" else facts.pred_has_crowd
    crowd = side.crowd[part].astype(int) + side.superseded[part]
    names = tables.class_names
    return zip(  # noqa: B905 - constants have no end
        range(part.stop - part.start),
        map(stored_id, side.original_ids(part).tolist()),
        [names[code] for code in side.classes[part].tolist()] if facts.has_classes else repeat(None),
        side.sizes[part].tolist(),
        side.outside[part].tolist(),
        side.void[part].tolist(),
        crowd.tolist() if has_crowd else repeat(None),
    )


def _overlap_rows(tables: RunTables, item: int) -> Iterator[tuple[Any, ...]]:
    """Yield the positions of both segments and the shared elements of the overlaps of an item."""
    part = slice(int(tables.row_starts[item]), int(tables.row_starts[item + 1]))
    return zip(*(column[part].tolist() for column in (tables.row_true, tables.row_pred, tables.shared)), strict=True)
