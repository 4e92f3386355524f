"""Exact times, and rows of start, stop and class gathered into items; shared by all readers of spans and times.

Adding seconds as floats rounds; the decimals written in a file can be added exactly. Times are read as fractions, and
a file's *tick* is the largest power of ten, at most 1, of which every time in it is an integer multiple.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from segmetry._base import fraction, frozen_dataclass
from segmetry.errors import DataWarning, FormatError, OptionError, list_some
from segmetry.readers.items import Item, check_label, check_name
from segmetry.readers.reader import MOST_ELEMENTS, Option, OptionType, PositiveNumber, ReadOptions, Text
from segmetry.segmentation import MOST_DECIMALS, Spans, TimeIntervals, common_tick, decimals

ALL_CODERS = "*"
"""The name that stands for every annotator of a file."""


@frozen_dataclass()
class LineLength(OptionType[Fraction | Literal["longer"]]):
    """The length of a line, or the word ``longer``: the later end of two."""

    def check(self, value: Any, name: str) -> Fraction | Literal["longer"]:
        if value == "longer":
            return "longer"
        length = fraction(value, name)
        if length < 0:
            raise OptionError(f"{name} is {length}; expected the length of the line")
        return length

    def plain(self, value: Fraction | Literal["longer"]) -> str:
        return str(value)


CODER: Option[str | None] = Option(
    "coder", "Masses, bits, spans, boundaries: the annotator to read.", Text(), metavar="NAME"
)
LENGTH: Option[Fraction | Literal["longer"] | None] = Option(
    "length", "Length of the line, if the file has none; 'longer': the later of two ends.", LineLength(), None, "N"
)
TICK: Option[Fraction | None] = Option(
    "tick",
    "Times: round to integer multiples of it. [default: the finest decimal]",
    PositiveNumber("duration"),
    metavar="TIME",
)
TIER: Option[str | None] = Option(
    "tier", "TextGrid: the tier; RTTM: the type of lines; JAMS: the namespace.", Text(), metavar="NAME"
)


class Coded(Protocol):
    """A row that belongs to an item and perhaps to an annotator."""

    @property
    def name(self) -> str:
        """The item."""

    @property
    def coder(self) -> str | None:
        """The annotator, if the file names any."""


AnnotatedRow = TypeVar("AnnotatedRow", bound=Coded)


def of_coder(rows: Sequence[AnnotatedRow], path: Path, chosen: str | None) -> Sequence[AnnotatedRow]:
    """Return the rows of the chosen annotator, or of all (``*``); without a choice every item may have one only."""
    coders = sorted({row.coder for row in rows if row.coder is not None})
    listed = list_some(ascii(name[:40])[1:-1] for name in coders)
    bare = next((row.name for row in rows if row.coder is None), None)
    if coders and bare is not None:
        raise FormatError(f"{path}: the item {bare[:80]!a} names no annotator, but others do; expected all or none")
    if chosen == ALL_CODERS:
        return rows
    if chosen is None:
        if len({row.name for row in rows}) == len({(row.name, row.coder) for row in rows}):
            return rows
        raise OptionError(f"{path}: contains the annotators {listed}; choose one with --coder")
    if not coders:
        raise OptionError(f"{path}: names no annotators; leave --coder out")
    kept = [row for row in rows if row.coder == chosen]
    if not kept:
        raise OptionError(f"{path}: no annotator {chosen!a}; found {listed}")
    return kept


def shown_coder(coder: str | None, path: Path, chosen: str | None) -> str | None:
    """Return the annotator to store with an item: None if the user chose one, as it is then known."""
    if coder is None or chosen not in (None, ALL_CODERS):
        return None
    return check_label(coder, f"{path}: the annotator")


NANOSECOND = Fraction(1, 10**9)
"""The tick of times that are written with more decimals, such as floats of which each digit is printed."""
_NUMBER = re.compile(r"([+-])?(\d{1,30})(\.\d{0,400})?([eE][+-]?\d{1,2})?", re.ASCII)


def parse_time(text: str, where: str) -> Fraction:
    """Return the exact number written in a file."""
    if len(text) < 18 and text.isdecimal() and text.isascii():
        return Fraction(int(text))
    parts = _NUMBER.fullmatch(text)
    if parts is None:
        raise FormatError(f"{where}: {text[:40]!a} is not a number; expected one such as 12 or 0.25")
    sign, whole, digits, exponent = parts.groups(default="")
    if exponent or sign:
        value = Fraction(text)
    else:  # four times as fast, and times are many
        value = Fraction(int(whole + digits[1:]), 10 ** max(len(digits) - 1, 0))
    if abs(value.numerator) >= value.denominator << 62:
        raise FormatError(f"{where}: {text[:40]!a} is out of range; expected less than 2**62")
    return value


def is_number(text: str) -> bool:
    """Return whether a word is a number."""
    return _NUMBER.fullmatch(text) is not None


def in_ticks(time: Fraction, tick: Fraction) -> int:
    """Return the nearest integer number of ticks, half to even; exact for a common tick."""
    if tick.numerator == 1:
        ticks, rest = divmod(time.numerator * tick.denominator, time.denominator)
        if not rest:
            return ticks
    return round(time / tick)


def time_text(position: int, tick: Fraction) -> str:
    """Return a position as an exact decimal."""
    time = position * tick
    count = decimals(time.denominator)
    if count > MOST_DECIMALS:
        raise FormatError(f"the time {time} has no finite decimal; choose a --tick such as 0.01")
    if not count:
        return str(time.numerator)
    digits = str(abs(time.numerator) * 10**count // time.denominator).rjust(count + 1, "0")
    return f"{'-' if time < 0 else ''}{digits[:-count]}.{digits[-count:]}"


ScoredParts = Mapping[str, Sequence[tuple[Fraction, Fraction]]]
"""The parts of each item that are evaluated."""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One span ``[start, stop)`` of an item as written in a file; without a span it declares that the item exists."""

    where: str
    name: str
    coder: str | None = None
    length: Fraction | None = None
    span: tuple[Fraction, Fraction] | None = None
    label: str | None = None
    track: int | None = None


def gather(
    rows: Sequence[SpanRow],
    path: Path,
    options: ReadOptions,
    *,
    overlaps: bool = False,
    scored: ScoredParts | None = None,
    open_lines: bool = False,
    without_length: Literal["refuse", "drop", "keep"] = "refuse",
) -> Iterator[Item]:
    """Yield the items of a file from its rows, all in the same tick.

    With ``overlaps``, items are intervals where any of them overlap, or where only parts of them are ``scored``.
    Items whose rows have tracks are intervals, too. With ``open_lines``, an item without spans may have no length.
    ``without_length``: spans that end where they start are an error, left out with a note, or kept as intervals.
    """
    if not rows:
        raise FormatError(f"{path}: contains no spans")
    tick = options[TICK] or _common_tick(_all_times(rows, options, scored), path, options)
    if without_length == "drop":
        rows = _without_empty(rows, tick, path)
    chosen = of_coder(rows, path, options[CODER])
    groups: dict[tuple[str, str | None], list[SpanRow]] = {}
    for row in chosen:
        groups.setdefault((row.name, row.coder), []).append(row)
    in_tracks = any(row.track is not None for row in chosen)
    has_points = without_length == "keep" and any(_is_empty(row, tick) for row in chosen)
    intervals = in_tracks or has_points
    intervals |= overlaps and (scored is not None or any(map(_has_overlap, groups.values())))
    with_classes = any(row.label is not None for row in chosen)
    for (name, coder), group in groups.items():
        check_name(name, f"{group[0].where}: the item")
        parts = None if scored is None else scored.get(name, ())
        line, open_end = _line_of_rows(
            group,
            tick,
            options,
            with_classes=with_classes,
            intervals=intervals,
            scored=parts,
            open_lines=open_lines,
            has_points=has_points,
        )
        yield Item(name, line, shown_coder(coder, path, options[CODER]), tick, open_end)


def _common_tick(times: Iterable[Fraction], path: Path, options: ReadOptions) -> Fraction:
    tick = common_tick(times)
    if tick >= NANOSECOND or options.most_elements > MOST_ELEMENTS:
        return tick
    warnings.warn(
        f"{path}: contains times of more than nine decimals, which are rounded to a nanosecond (--tick states "
        "another unit)",
        DataWarning,
        stacklevel=2,
    )
    return NANOSECOND


def _is_empty(row: SpanRow, tick: Fraction) -> bool:
    return row.span is not None and in_ticks(row.span[0], tick) == in_ticks(row.span[1], tick)


def _without_empty(rows: Sequence[SpanRow], tick: Fraction, path: Path) -> list[SpanRow]:
    """Return rows without the spans that have no length; their items stay."""
    kept = [replace(row, span=None) if _is_empty(row, tick) else row for row in rows]
    if kept != rows:
        count, first = sum(map(operator.ne, kept, rows)), next(row for row in rows if _is_empty(row, tick))
        warnings.warn(
            f"{path}: {count} spans of no length are left out (the first: {first.where.removeprefix(f'{path}, ')})",
            DataWarning,
            stacklevel=2,
        )
    return kept


def _has_overlap(group: Sequence[SpanRow]) -> bool:
    ends = sorted(row.span for row in group if row.span is not None)
    return any(after[0] < before[1] for before, after in pairwise(ends))


def _all_times(rows: Iterable[SpanRow], options: ReadOptions, scored: ScoredParts | None) -> Iterator[Fraction]:
    for parts in (scored or {}).values():
        for part in parts:
            yield from part
    length = options[LENGTH]
    if isinstance(length, Fraction):
        yield length
    for row in rows:
        if row.length is not None:
            yield row.length
        if row.span is not None:
            yield from row.span


def _line_of_rows(
    group: Sequence[SpanRow],
    tick: Fraction,
    options: ReadOptions,
    *,
    with_classes: bool,
    intervals: bool,
    scored: Sequence[tuple[Fraction, Fraction]] | None,
    open_lines: bool,
    has_points: bool,
) -> tuple[Spans | TimeIntervals, bool]:
    length = line_length(group, options)
    spans = [(in_ticks(row.span[0], tick), in_ticks(row.span[1], tick), row) for row in group if row.span is not None]
    spans.sort(key=lambda triple: triple[:2])
    last, limit = 0, None if length is None else in_ticks(length, tick)
    for start, stop, row in spans:
        if not (0 if intervals else last) <= start < stop + has_points or (limit is not None and stop > limit):
            raise _misplaced_error(row, start, stop, limit, tick)
        last = max(last, stop)
    n = last if limit is None else limit
    if limit is None and not spans and not open_lines:
        raise FormatError(f"{group[0].where}: the item has no spans and no length; pass --length")
    parts = None if scored is None else [(in_ticks(start, tick), in_ticks(stop, tick)) for start, stop in scored]
    n = max(n, *(stop for _, stop in parts)) if parts else n
    options.check_line(n, tick, group[0].where)
    starts, stops = [start for start, _, _ in spans], [stop for _, stop, _ in spans]
    classes = _span_classes([row for _, _, row in spans]) if with_classes else None
    if intervals:
        tracks = [row.track for _, _, row in spans] if any(row.track is not None for row in group) else None
        line = TimeIntervals(starts, stops, n, classes=classes, tick=tick, scored=parts, tracks=tracks)
        return line, length is None
    return Spans(starts, stops, n, classes=classes, tick=tick), length is None


def _misplaced_error(row: SpanRow, start: int, stop: int, limit: int | None, tick: Fraction) -> FormatError:
    """Return the error of a span that does not follow the one before it or is outside the line."""
    span = f"{row.where}: the span from {_end_text(row, 0)} to {_end_text(row, 1)}"
    if start < 0:
        return FormatError(f"{span} starts before 0")
    if start >= stop:
        rounded = row.span is not None and row.span[0] < row.span[1]
        return FormatError(f"{span} is empty{f' in ticks of {tick}' if rounded else ''}; expected start < stop")
    if limit is not None and stop > limit:
        return FormatError(f"{span} ends after the line, whose length is {limit * tick}")
    return FormatError(f"{span} overlaps the one before it; spans of a line must be disjoint")


def _end_text(row: SpanRow, end: int) -> str:
    return f"{float(row.span[end]):g}" if row.span else ""


def line_length(group: Sequence[SpanRow], options: ReadOptions) -> Fraction | None:
    """Return the length of an item's line from its rows or the options; None if neither states it."""
    stated = [row for row in group if row.length is not None]
    for row in stated:
        if row.length != stated[0].length:
            raise FormatError(
                f"{row.where}: the length is {row.length}; before it was {stated[0].length} ({row.name!a})"
            )
    length = options[LENGTH]
    if isinstance(length, Fraction):
        if stated:
            raise OptionError(f"{stated[0].where}: states the length of its line; omit --length")
        return length
    return stated[0].length if stated else None


def _span_classes(rows: Sequence[SpanRow]) -> list[str]:
    classes = []
    for row in rows:
        if row.label is None:
            raise FormatError(f"{row.where}: the span has no class, but others have; give every span a class")
        classes.append(check_label(row.label, f"{row.where}: the class"))
    return classes
