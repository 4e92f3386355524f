"""The overlap table of an item as rows of the table ``counts``: one row, or one for every thousand segments.

The content of a row is text of digits: first the ids of its segments, true ones before predicted ones, each of
``id_digits``; then, each of ``digits``, their sizes, their elements outside and in the void of the other side, their
classes if they have any, and the true position, the pred position and the shared elements of its overlaps; then, if
there are crowds, a character for every segment: 0, 1, 2, or - where it is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.overlaps.table import OverlapTable, Side
from segmetry.run.counts.fixed_width import width_of, written
from segmetry.run.values import stored_class

BLOCK = 1024
"""The most true segments, pred segments and overlaps of a row: SQL reads a whole row for each of them."""

PackedRow = tuple[int, int, int, int, int, int, int, int, str | None, bytes]
"""Item, block, n_true, n_pred, n_overlaps, id_digits, digits, has_classes, class_list, content."""


def packed_rows(item: int, table: OverlapTable) -> Iterator[PackedRow]:
    """Yield the rows of the table ``counts`` of an item.

    >>> from segmetry.overlaps.overlap import overlap
    >>> list(packed_rows(1, overlap([[1, 1, 2]], [[7, 7, 7]])))
    [(1, 0, 2, 1, 2, 1, 1, 0, None, b'127213000000010021')]
    """
    true, pred = table.true, table.pred
    class_list, true_classes, pred_classes = _classes(table)
    segments = [
        (true.sizes, pred.sizes),
        (true.outside, pred.outside),
        (true.void, pred.void),
        *([] if table.class_names is None else [(true_classes, pred_classes)]),
    ]
    rows = [table.row_true, table.row_pred, table.shared]
    ends = [int(end) for side in (true, pred) if len(side) for end in (side.ids[0], side.ids[-1])]  # ids ascend
    numbers = np.concatenate([*chain.from_iterable(segments), *rows])
    id_digits = width_of(*ends)
    digits = width_of(int(numbers.min()), int(numbers.max())) if numbers.size else 1
    crowd = None if true.crowd is None and pred.crowd is None else (_crowd_codes(true), _crowd_codes(pred))
    n_blocks = max(1, -(-max(len(true), len(pred), len(table)) // BLOCK))
    for block in range(n_blocks):
        part = slice(None) if n_blocks == 1 else slice(block * BLOCK, (block + 1) * BLOCK)
        true_ids, pred_ids = true.ids[part], pred.ids[part]
        if n_blocks > 1:
            numbers = np.concatenate([column[part] for column in (*chain.from_iterable(segments), *rows)])
        content = written(true_ids, id_digits) + written(pred_ids, id_digits) + written(numbers, digits)
        if crowd is not None:
            content += crowd[0][part] + crowd[1][part]
        counts = len(true_ids), len(pred_ids), len(table.shared[part])
        yield item, block, *counts, id_digits, digits, int(table.class_names is not None), class_list, content


def _classes(table: OverlapTable) -> tuple[str | None, IntArray, IntArray]:
    """Return integer classes themselves; others as codes, with the list of the classes as JSON."""
    codes = table.true.class_codes, table.pred.class_codes
    if table.class_names is None:
        return None, *codes
    names = [stored_class(name) for name in table.class_names]
    if all(isinstance(name, int) for name in names):
        numbers = np.array(names, dtype=np.int64)
        return None, numbers[codes[0]], numbers[codes[1]]
    return json.dumps(names, ensure_ascii=False), *codes


def _crowd_codes(side: Side) -> bytes:
    """Return 0 for no crowd, 1 for a crowd, 2 for a crowd after which another one of its class is listed."""
    if side.crowd is None:
        return b"-" * len(side)
    codes = side.crowd.astype(np.uint8)
    if side.superseded is not None:
        codes += side.superseded
    return written(codes.astype(np.int64), 1)
