"""Praat's TextGrid: the intervals of one tier; an interval without text is in no segment. Needs praatio.

``--tier`` chooses among several tiers. Times are read from the text of the file, exactly; Praat writes many digits, so
a ``--tick`` such as 0.001 is usually wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from segmetry._base import import_optional
from segmetry.errors import FormatError, OptionError
from segmetry.readers.formats.lines.span_tables import span_cells
from segmetry.readers.items import Item
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.parts.span_rows import TICK, TIER, SpanRow, gather, parse_time, time_text
from segmetry.readers.parts.text_file import read_text
from segmetry.readers.reader import ReadOptions, Writer, reads

_MARK = 'File type = "ooTextFile'
INTERVALS = "IntervalTier"
DEFAULT_TIER = "segments"


def _exact_time(value: Any, where: str) -> Fraction:
    return parse_time(repr(value) if isinstance(value, float) else str(value), where)


def _parse_textgrid(path: Path) -> Any:
    textgrid_io = import_optional("praatio.utilities.textgrid_io", "reading TextGrid files", "textgrid")
    text = _decode_text(path)
    if not text.startswith(_MARK):
        raise FormatError(f"{path}, line 1, column 1: expected {_MARK}")
    try:
        return textgrid_io.parseTextgridStr(text, includeEmptyIntervals=True)
    except Exception as problem:  # noqa: BLE001 - the package raises whatever a damaged file leads it into
        raise FormatError(
            f"{path}: not a TextGrid that praatio can read: {type(problem).__name__} {str(problem)[:80]!a}"
        ) from None


def _decode_text(path: Path) -> str:
    """Return the text of a TextGrid: UTF-8 or, with a byte order mark, UTF-16."""
    try:
        if read_head(path)[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return path.read_bytes().decode("utf-16").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as problem:
        raise FormatError(f"{path}: damaged UTF-16 text at byte {problem.start}") from None
    return read_text(path)


def _chosen_tier(grid: Any, path: Path, chosen: str | None) -> Any:
    tiers = [tier for tier in grid["tiers"] if tier["class"] == INTERVALS]
    names = [tier["name"] for tier in tiers]
    listed = ", ".join(ascii(name[:40]) for name in names[:10])
    if not tiers:
        raise FormatError(f"{path}: contains no tier of intervals")
    if len(set(names)) != len(names):
        raise FormatError(f"{path}: two tiers have the same name; found {listed}")
    if chosen is None and len(tiers) > 1:
        raise OptionError(f"{path}: contains the tiers {listed}; choose one with --tier")
    if chosen is not None and chosen not in names:
        raise OptionError(f"{path}: no tier {chosen!a}; found {listed}")
    return tiers[0 if chosen is None else names.index(chosen)]


def _is_textgrid(_path: Path, head: bytes) -> bool:
    mark = _MARK.encode()
    return head.removeprefix(b"\xef\xbb\xbf").startswith(mark) or head[2:].replace(b"\0", b"").startswith(mark)


def _write_textgrid(items: Sequence[Item], path: Path) -> str:
    """Return the long text format; gaps are written as intervals without text."""
    (item,) = items
    end, last, intervals = time_text(item.spans.n, item.tick), "0", []
    for start, stop, label in span_cells(item):
        if label != label.strip() or '"' in label:
            raise FormatError(f"{path}: the class {label!r} cannot be written in this format")
        intervals += [(last, start, "")] if start != last else []
        intervals.append((start, stop, label))
        last = stop
    intervals += [(last, end, "")] if end != last else []
    lines = [
        _MARK + '"', 'Object class = "TextGrid"', "", "xmin = 0 ", f"xmax = {end} ", "tiers? <exists> ", "size = 1 ",
        "item []: ", "    item [1]:", f'        class = "{INTERVALS}" ', f'        name = "{DEFAULT_TIER}" ',
        "        xmin = 0 ", f"        xmax = {end} ", f"        intervals: size = {len(intervals)} ",
    ]  # fmt: skip
    for number, (start, stop, label) in enumerate(intervals, start=1):
        lines += [f"        intervals [{number}]:", f"            xmin = {start} ", f"            xmax = {stop} "]
        lines.append(f'            text = "{label}" ')
    return "\n".join(lines) + "\n"


@reads(
    "textgrid",
    "the intervals of one tier of a Praat TextGrid",
    (".textgrid",),
    sniff=_is_textgrid,
    extra="textgrid",
    options=(TICK, TIER),
    writer=Writer(
        _write_textgrid,
        holds=frozenset({"classes", "first gap", "inner gaps", "last gap", "no spans", "tick"}),
        needs=frozenset({"classes"}),
    ),
    one_item=True,
)
def _read_textgrid(path: Path, options: ReadOptions) -> Iterator[Item]:
    tier = _chosen_tier(_parse_textgrid(path), path, options[TIER])
    where = f"{path}, tier {tier['name'][:40]!a}"
    end = _exact_time(tier["xmax"], where)
    rows, last = [SpanRow(where, path.stem, length=end)], Fraction(0)
    if _exact_time(tier["xmin"], where) != 0:
        raise FormatError(f"{where}: starts at {tier['xmin']}; expected 0")
    for number, (start, stop, text) in enumerate(tier["entries"], start=1):
        place = f"{where}, interval {number}"
        span = (_exact_time(start, place), _exact_time(stop, place))
        if span[0] != last:
            raise FormatError(
                f"{place}: starts at {start}, the one before ended at {float(last):g}; the file is damaged"
            )
        last = span[1]
        if text:
            rows.append(SpanRow(place, path.stem, length=end, span=span, label=text))
    if last != end:
        raise FormatError(
            f"{where}: the last interval ends at {float(last):g}, the tier at {float(end):g}; the file is cut off"
        )
    return gather(rows, path, options)
