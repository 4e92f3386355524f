"""The overlap table of an item as rows of the table ``counts``: one row, or one for every thousand segments.

The content of a row is text of digits: first the ids of its segments, true ones before predicted ones, each of
``id_digits``; then, each of ``digits``, their sizes, their elements outside and in the void of the other side, their
classes if they have any, and the true position, the pred position and the shared elements of its overlaps; then, if
there are crowds, a character for every segment: 0, 1, 2, or - where it is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, repeat
from operator import add
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.overlaps.line_tables import LineTables
from segmetry.overlaps.table import Ids, OverlapTable, Side
from segmetry.run.counts.fixed_width import width_of, widths_of, written, written_parts
from segmetry.run.values import stored_classes

BLOCK = 1024
"""The most true segments, pred segments and overlaps of a row: SQL reads a whole row for each of them."""

PackedRow = tuple[int, int, int, int, int, int, int, int, str | None, bytes]
"""Item, block, n_true, n_pred, n_overlaps, id_digits, digits, has_classes, class_list, content."""


def packed_rows(tables: Iterable[tuple[int, OverlapTable]]) -> Iterator[PackedRow]:
    """Yield the rows of the table ``counts`` of some items, whose digits are written together.

    >>> from segmetry.overlaps.overlap import overlap
    >>> list(packed_rows([(1, overlap([[1, 1, 2]], [[7, 7, 7]]))]))
    [(1, 0, 2, 1, 2, 1, 1, 0, None, b'127213000000010021')]
    """
    blocks = [block for item, table in tables for block in _blocks(item, table)]
    if not blocks:
        return
    ids, id_digits = _written([block.ids for block in blocks], [block.id_digits for block in blocks])
    numbers, digits = _written([block.numbers for block in blocks], [block.digits for block in blocks])
    for block, id_text, id_width, text, width in zip(blocks, ids, id_digits, numbers, digits, strict=True):
        content = id_text + text + block.crowd
        yield block.item, block.number, *block.counts, id_width, width, block.has_classes, block.class_list, content


class _Block(NamedTuple):
    """A row before it is written; ``id_digits`` and ``digits`` are stated where the item has several rows."""

    item: int
    number: int
    counts: tuple[int, int, int]
    has_classes: int
    class_list: str | None
    ids: list[Ids]
    numbers: list[IntArray]
    crowd: bytes
    id_digits: int | None = None
    digits: int | None = None


def _blocks(item: int, table: OverlapTable) -> Iterator[_Block]:
    true, pred = table.true, table.pred
    has_classes = int(table.class_names is not None)
    numbers = [true.sizes, pred.sizes, true.outside, pred.outside, true.void, pred.void]
    class_list = None
    if has_classes:
        class_list, *classes = _classes(table)
        numbers += classes
    numbers += [table.row_true, table.row_pred, table.shared]
    ids, counts = [true.ids, pred.ids], (true.ids.size, pred.ids.size, table.shared.size)
    has_crowd = true.crowd is not None or pred.crowd is not None
    crowd = (_crowd_codes(true), _crowd_codes(pred)) if has_crowd else (b"", b"")
    if max(counts) <= BLOCK:
        yield _Block(item, 0, counts, has_classes, class_list, ids, numbers, crowd[0] + crowd[1])
        return
    together = np.concatenate(numbers)
    digits = width_of(int(together.min()), int(together.max()))
    id_digits = width_of(*(int(end) for side in ids if side.size for end in (side[0], side[-1])))  # ids ascend
    for block in range(-(-max(counts) // BLOCK)):
        part = slice(block * BLOCK, (block + 1) * BLOCK)
        yield _Block(
            item,
            block,
            (true.ids[part].size, pred.ids[part].size, table.shared[part].size),
            has_classes,
            class_list,
            [column[part] for column in ids],
            [column[part] for column in numbers],
            crowd[0][part] + crowd[1][part],
            id_digits,
            digits,
        )


def packed_lines(items: Sequence[int], tables: LineTables) -> Iterator[PackedRow]:
    """Yield the rows of the table ``counts`` of lines that were counted together.

    >>> from segmetry.segmentation.spans import Spans
    >>> list(packed_lines([1], LineTables.of([Spans.from_masses([2, 1])], [Spans.from_masses([3])])))
    [(1, 0, 2, 1, 2, 1, 1, 0, None, b'121213000000010021')]
    """
    true, pred = tables.true, tables.pred
    n_true, n_pred, n_rows = (np.diff(offsets) for offsets in (true.offsets, pred.offsets, tables.row_offsets))
    if max(int(n_true.max()), int(n_pred.max()), int(n_rows.max())) > BLOCK:
        yield from packed_rows(zip(items, tables.tables(), strict=True))
        return
    number = np.arange(len(items), dtype=np.min_scalar_type(len(items)))  # sorted fastest
    of_true, of_pred, of_row = (np.repeat(number, counts) for counts in (n_true, n_pred, n_rows))
    ids = _by_line([true.ids, pred.ids], [of_true, of_pred])
    sides = [column for first, second in zip(true[2:], pred[2:], strict=True) for column in (first, second)]
    numbers = _by_line([*sides, tables.row_true, tables.row_pred, tables.shared], [of_true, of_pred] * 3 + [of_row] * 3)
    n_ids, n_numbers = n_true + n_pred, 3 * (n_true + n_pred + n_rows)
    id_digits, digits = widths_of(ids, n_ids), widths_of(numbers, n_numbers)
    texts = map(add, written_parts(ids, n_ids, id_digits), written_parts(numbers, n_numbers, digits))
    columns = (column.tolist() for column in (n_true, n_pred, n_rows, id_digits, digits))
    yield from zip(items, repeat(0), *columns, repeat(0), repeat(None), texts)


def _by_line(columns: Sequence[IntArray], lines: Sequence[NDArray[Any]]) -> IntArray:
    """Return columns one after the other for the first line, then for the second, and so on."""
    order = np.argsort(np.concatenate(lines), kind="stable")
    return np.concatenate(columns)[order]


def _written(parts: Sequence[Sequence[NDArray[Any]]], stated: Sequence[int | None]) -> tuple[list[bytes], list[int]]:
    """Return the text of the numbers of every part, and its width: the stated one, or that of its longest number."""
    together = np.concatenate(list(chain.from_iterable(parts)))
    if together.dtype != np.int64:  # ids beyond it
        return _written_one_by_one(parts, stated)
    counts = np.array([sum([column.size for column in part]) for part in parts], dtype=np.int64)
    widths = widths_of(together, counts)
    for at, width in enumerate(stated):
        if width is not None:
            widths[at] = width
    return written_parts(together, counts, widths), widths.tolist()


def _written_one_by_one(
    parts: Sequence[Sequence[NDArray[Any]]], stated: Sequence[int | None]
) -> tuple[list[bytes], list[int]]:
    numbers = [[number for column in part for number in column.tolist()] for part in parts]
    widths = [width or width_of(*part) for part, width in zip(numbers, stated, strict=True)]
    texts = ["".join([f"{n:0{width}d}" for n in part]) for part, width in zip(numbers, widths, strict=True)]
    return [text.encode() for text in texts], widths


def _classes(table: OverlapTable) -> tuple[str | None, IntArray, IntArray]:
    """Return integer classes themselves; others as codes, with the list of the classes as JSON."""
    codes = table.true.class_codes, table.pred.class_codes
    if table.class_names is None:
        return None, *codes
    names = stored_classes(table.class_names)
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
