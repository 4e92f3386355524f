"""Rows of start, stop and class, gathered into items: what all readers of spans and times have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.annotators import of_coder, shown_coder
from segmetry.readers.parts.line_options import CODER, LENGTH, TICK
from segmetry.readers.parts.safe_names import check_label, check_name
from segmetry.readers.parts.ticks import common_tick, in_ticks
from segmetry.segmentation.spans import Spans


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One span ``[start, stop)`` of an item as it stands in a file; without a span it says that the item exists."""

    where: str
    name: str
    coder: str | None = None
    length: Fraction | None = None
    span: tuple[Fraction, Fraction] | None = None
    label: str | None = None


def gather(rows: Sequence[SpanRow], path: Path, options: ReadOptions) -> Iterator[Item]:
    """The items of a file from its rows, in ticks that all of them share."""
    if not rows:
        raise FormatError(f"{path}: holds no spans")
    chosen = of_coder(rows, path, options[CODER])
    tick = options[TICK] or common_tick(_times(rows, options))
    groups: dict[tuple[str, str | None], list[SpanRow]] = {}
    for row in chosen:
        groups.setdefault((row.name, row.coder), []).append(row)
    with_classes = any(row.label is not None for row in chosen)
    for (name, coder), group in groups.items():
        check_name(name, f"{group[0].where}: the item")
        spans, open_end = _line(group, tick, options, with_classes=with_classes)
        yield Item(name, spans, shown_coder(coder, path, options[CODER]), tick, open_end)


def _times(rows: Iterable[SpanRow], options: ReadOptions) -> Iterator[Fraction]:
    length = options[LENGTH]
    if isinstance(length, Fraction):
        yield length
    for row in rows:
        if row.length is not None:
            yield row.length
        if row.span is not None:
            yield from row.span


def _line(group: Sequence[SpanRow], tick: Fraction, options: ReadOptions, *, with_classes: bool) -> tuple[Spans, bool]:
    length = line_length(group, options)
    found = [(in_ticks(row.span[0], tick), in_ticks(row.span[1], tick), row) for row in group if row.span is not None]
    found.sort(key=lambda span: span[:2])
    last, limit = 0, None if length is None else in_ticks(length, tick)
    for start, stop, row in found:
        if not last <= start < stop or (limit is not None and stop > limit):
            raise _misplaced(row, start, stop, limit, tick)
        last = stop
    n = last if limit is None else limit
    if limit is None and not found:
        raise FormatError(f"{group[0].where}: the item has no spans and no length; give --length")
    options.check_size((n,), group[0].where)
    starts, stops = [start for start, _, _ in found], [stop for _, stop, _ in found]
    classes = _classes([row for _, _, row in found]) if with_classes else None
    return Spans(starts, stops, n, classes=classes), length is None


def _misplaced(row: SpanRow, start: int, stop: int, limit: int | None, tick: Fraction) -> FormatError:
    """What is wrong with the place of a span, which may only follow the one before it."""
    told = f"{row.where}: the span from {_told(row, 0)} to {_told(row, 1)}"
    if start < 0:
        return FormatError(f"{told} starts before 0")
    if start >= stop:
        rounded = row.span is not None and row.span[0] < row.span[1]
        return FormatError(f"{told} is empty{f' in ticks of {tick}' if rounded else ''}; expected start < stop")
    if limit is not None and stop > limit:
        return FormatError(f"{told} ends behind the line, whose length is {limit * tick}")
    return FormatError(f"{told} overlaps the one before it; spans of a line must be disjoint")


def _told(row: SpanRow, end: int) -> str:
    return f"{float(row.span[end]):g}" if row.span else ""


def line_length(group: Sequence[SpanRow], options: ReadOptions) -> Fraction | None:
    """How long the line of an item is, as its rows or the user say; None if nobody does."""
    stated = [row for row in group if row.length is not None]
    for row in stated:
        if row.length != stated[0].length:
            raise FormatError(
                f"{row.where}: the length is {row.length}; before it was {stated[0].length} ({row.name!a})"
            )
    length = options[LENGTH]
    if isinstance(length, Fraction):
        if stated:
            raise OptionError(f"{stated[0].where}: says how long its line is; leave --length out")
        return length
    return stated[0].length if stated else None


def _classes(rows: Sequence[SpanRow]) -> list[str]:
    found = []
    for row in rows:
        if row.label is None:
            raise FormatError(f"{row.where}: the span has no class, but others have; give every span a class")
        found.append(check_label(row.label, f"{row.where}: the class"))
    return found
