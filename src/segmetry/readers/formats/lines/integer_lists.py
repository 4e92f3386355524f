"""Lists of integers in JSON: segment lengths (``masses``), or first-element bits (``bits``): a 1 starts a segment.

Three depths are supported: ``{item: [..]}``, ``{item: {coder: [..]}}`` and ``{data set: {item: {coder: [..]}}}``, whose
items are named ``data set/item``. The object may be the value of ``"items"`` next to ``"segmentation_type": "linear"``,
as segeval stores lengths. A bare list ``[..]`` is one item, named after its file; the items of a list of lists are
named 1, 2, 3 and so on. Elements before the first bit are in no segment unless ``--first force`` starts one there.

A list of ones can be segment lengths or bits. The entire file decides: a value above 1 makes it lengths, a 0 makes it
bits, and for a file of nothing but ones the user must choose the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry._base import products_fit
from segmetry.errors import FormatError, SegmetryError
from segmetry.kernels import scan_integer_lists
from segmetry.readers.items import Item, check_name
from segmetry.readers.line_files import LineFile
from segmetry.readers.parts.file_head import json_start
from segmetry.readers.parts.span_rows import CODER, of_coder, shown_coder
from segmetry.readers.parts.text_file import JsonPath, locate, parse_json, read_text
from segmetry.readers.reader import Choice, Option, ReadOptions, Writer, reads
from segmetry.segmentation import SpanLines, Spans

TYPE_KEY = "segmentation_type"
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_LIST_OF_NUMBERS = re.compile(rb"\[\s*(\[\s*)?([-\d\]]|$)")


class ListRow(NamedTuple):
    """One list of numbers, and the keys that lead to it."""

    name: str
    coder: str | None
    numbers: list[int]
    path: tuple[str | int, ...]


def could_be(path: Path, head: bytes) -> frozenset[str]:
    """Return which of ``masses`` and ``bits`` a file can be by its content."""
    start = json_start(head)
    if not start.startswith((b"{", b"[")):
        return frozenset()
    outside_strings = _STRING.sub(b"0", start)
    first_list = outside_strings.find(b"[")
    if first_list >= 0 and not _LIST_OF_NUMBERS.match(outside_strings, first_list):
        return frozenset()
    facts = path.stat()
    return _possible_formats(path, facts.st_mtime_ns, facts.st_size)


@lru_cache(maxsize=4)
def _possible_formats(path: Path, _changed: int, _size: int) -> frozenset[str]:
    try:
        text = read_text(path)
        found = scan_integer_lists(text.encode())
        if found is not None and found.numbers.max(initial=0) > 1:
            return frozenset({"masses"})
        data = parse_json(text, str(path))
        rows = list(_list_rows(data, path, text))
    except SegmetryError:
        return frozenset()
    if data == []:
        return frozenset()
    if TYPE_KEY in data or any(max(row.numbers, default=0) > 1 for row in rows):
        return frozenset({"masses"})
    if any(0 in row.numbers for row in rows):
        return frozenset({"bits"})
    return frozenset({"masses", "bits"})


@dataclass(frozen=True)
class _Kind:
    """What the numbers of a list are: those that are allowed, the length of the line, and its spans."""

    allowed: Callable[[int], bool]
    expected: str
    length: Callable[[list[int]], int]
    spans: Callable[[list[int]], Spans]


def _read_lists(path: Path, options: ReadOptions, kind: _Kind) -> Iterator[Item]:
    text = read_text(path)
    rows = list(_list_rows(parse_json(text, str(path)), path, text))
    if not rows:
        raise FormatError(f"{path}: contains no list of integers")
    for row in of_coder(rows, path, options[CODER]):
        check_name(row.name, f"{path}: the item")
        wrong = {number for number in set(row.numbers) if not kind.allowed(number)}
        if wrong:
            raise _wrong_number(row.numbers, wrong.__contains__, kind.expected, row.path, path, text)
        options.check_size((kind.length(row.numbers),), f"{path}, {' → '.join(map(str, row.path or (row.name,)))}")
        yield Item(row.name, kind.spans(row.numbers), shown_coder(row.coder, path, options[CODER]))


def _list_rows(data: Any, path: Path, text: str) -> Iterator[ListRow]:
    if isinstance(data, list):
        yield from _unnamed_rows(data, path, text)
        return
    if not isinstance(data, dict):
        raise FormatError(f"{path}, line 1, column 1: expected an object of items or a list of integers")
    inner: dict[str, Any] = data
    before: tuple[str | int, ...] = ()
    if TYPE_KEY in data:
        if data[TYPE_KEY] != "linear":
            raise FormatError(
                f"{path}, {locate(text, (TYPE_KEY,))}: {TYPE_KEY} is {str(data[TYPE_KEY])[:40]!a}; expected 'linear'"
            )
        stray = data.keys() - {TYPE_KEY, "items"}
        if stray or not isinstance(data.get("items"), dict):
            raise FormatError(f"{path}: expected an object 'items' beside {TYPE_KEY!r} and nothing else")
        inner, before = data["items"], ("items",)
    yield from _nested_rows(inner, before, len(before), path, text)


def _unnamed_rows(data: list[Any], path: Path, text: str) -> Iterator[ListRow]:
    """One list, or one list per item, without names."""
    if not any(isinstance(value, list) for value in data):
        if data:
            _check_integers(data, (), path, text)
            yield ListRow(path.stem, None, data, ())
        return
    for at, value in enumerate(data):
        if not isinstance(value, list):
            raise FormatError(f"{path}, {locate(text, (at,))}: item {at + 1} is not a list, but others are")
        _check_integers(value, (at,), path, text)
        yield ListRow(str(at + 1), None, value, (at,))


def _nested_rows(
    data: dict[str, Any], keys: tuple[str | int, ...], skip: int, path: Path, text: str
) -> Iterator[ListRow]:
    for key, value in data.items():
        here = (*keys, key)
        if isinstance(value, dict) and len(here) - skip < 3:
            yield from _nested_rows(value, here, skip, path, text)
        elif isinstance(value, list):
            _check_integers(value, here, path, text)
            names = [str(name) for name in here[skip:]]
            coder = names.pop() if len(names) > 1 else None
            yield ListRow("/".join(names), coder, value, here)
        else:
            raise FormatError(f"{path}, {locate(text, here)}: {key[:40]!a} is not a list; expected a list of integers")


def _check_integers(values: list[Any], keys: tuple[str | int, ...], path: Path, text: str) -> None:
    if not set(map(type, values)) <= {int}:
        raise _wrong_number(values, lambda value: type(value) is not int, "an integer", keys, path, text)


def _wrong_number(
    values: list[Any], is_wrong: Callable[[Any], bool], expected: str, keys: JsonPath, path: Path, text: str
) -> FormatError:
    """Return the error of the first wrong number of a list, which is named by its key or index."""
    at = next(at for at, value in enumerate(values) if is_wrong(value))
    name = "" if not keys else f"{keys[-1]!a}" if isinstance(keys[-1], str) else f"[{keys[-1]}]"
    found = values[at] if type(values[at]) is int else f"{str(values[at])[:40]!a}"
    return FormatError(f"{path}, {locate(text, (*keys, at))}: {name}[{at}] is {found}; expected {expected}")


def nested(items: Sequence[Item], numbers: Callable[[Spans], list[int]]) -> dict[str, Any]:
    """Return items as the object that is read back: by name, and below it by annotator where there are annotators."""
    lists: dict[str, Any] = {}
    for item in items:
        if item.coder is None:
            lists[item.name] = numbers(item.spans)
        else:
            lists.setdefault(item.name, {})[item.coder] = numbers(item.spans)
    return lists


def _write_masses(items: Sequence[Item], _path: Path) -> str:
    lists = nested(items, lambda spans: spans.masses.tolist())
    if any(item.coder is not None for item in items):
        lists = {"items": lists, TYPE_KEY: "linear"}
    elif TYPE_KEY in lists:
        raise FormatError(f"an item is named {TYPE_KEY!r}, which has another meaning in this format; rename it")
    return json.dumps(lists, ensure_ascii=False) + "\n"


def _masses_at_once(path: Path, options: ReadOptions) -> LineFile | None:
    """Return the items of a file of names and segment lengths in which nothing is wrong."""
    found = scan_integer_lists(read_text(path).encode())
    if found is None or options[CODER] is not None or len(set(found.names)) < len(found.names):
        return None
    line, ends = np.repeat(np.arange(len(found.names)), np.diff(found.starts)), np.cumsum(found.numbers)
    before = np.concatenate(([0], ends))[found.starts]
    lengths = np.diff(before)
    least, most = int(found.numbers.min(initial=1)), int(found.numbers.max(initial=1))
    if least < 1 or not products_fit(most, ends.size) or int(lengths.max()) > options.most_elements:
        return None
    stops = ends - before[line]
    codes = np.zeros(line.size, dtype=np.intp)
    return LineFile(
        found.names, SpanLines(stops - found.numbers, stops, line, codes, ("",), lengths), has_classes=False
    )


@reads(
    "masses",
    "segment lengths in JSON: [5, 3, 5], by item, or by item and annotator as stored by segeval",
    (".json",),
    sniff=lambda path, head: "masses" in could_be(path, head),
    options=(CODER,),
    lines=_masses_at_once,
    writer=Writer(_write_masses, holds=frozenset({"several items", "coders", "no elements"})),
)
def _read_masses(path: Path, options: ReadOptions) -> Iterator[Item]:
    kind = _Kind(lambda length: length >= 1, "a segment length of at least 1", sum, Spans.from_masses)
    return _read_lists(path, options, kind)


FIRST: Option[Literal["gap", "force"]] = Option(
    "first",
    "Bits: elements before the first 1 are outside (gap, the default) or a segment (force).",
    Choice(("gap", "force")),
    "gap",
)


def _write_bits(items: Sequence[Item], _path: Path) -> str:
    def first_bits(spans: Spans) -> list[int]:
        bits = np.zeros(spans.n, dtype=np.uint8)
        bits[spans.starts] = 1
        return bits.tolist()

    return json.dumps(nested(items, first_bits), ensure_ascii=False) + "\n"


@reads(
    "bits",
    "first-element bits in JSON: [1, 0, 0, 1], or by item; --first says what a leading 0 is",
    (".json",),
    sniff=lambda path, head: "bits" in could_be(path, head),
    options=(CODER, FIRST),
    writer=Writer(_write_bits, holds=frozenset({"several items", "coders", "first gap", "no spans", "no elements"})),
)
def _read_bits(path: Path, options: ReadOptions) -> Iterator[Item]:
    def spans(bits: list[int]) -> Spans:
        return Spans.from_bits(np.array(bits, dtype=np.uint8), first=options[FIRST])

    return _read_lists(path, options, _Kind(lambda bit: bit in (0, 1), "0 or 1", len, spans))
