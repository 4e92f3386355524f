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
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry.errors import FormatError, SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.parts.file_head import json_start
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.parts.span_rows import CODER, of_coder, shown_coder
from segmetry.readers.parts.strict_json import locate, parse_json
from segmetry.readers.parts.text_file import read_text
from segmetry.readers.reader import Choice, Option, ReadOptions, Writer, reads
from segmetry.segmentation.spans import Spans

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


def read_rows(path: Path, options: ReadOptions, make: Callable[[list[int], str], Spans]) -> Iterator[Item]:
    """Yield the items of the chosen annotator; ``make`` turns a list into spans, or raises ``BadNumber``."""
    text = read_text(path)
    rows = list(_list_rows(parse_json(text, str(path)), path, text))
    if not rows:
        raise FormatError(f"{path}: contains no list of integers")
    for row in of_coder(rows, path, options[CODER]):
        where = f"{path}, {' → '.join(map(str, row.path or (row.name,)))}"
        check_name(row.name, f"{path}: the item")
        try:
            yield Item(row.name, make(row.numbers, where), shown_coder(row.coder, path, options[CODER]))
        except BadNumber as problem:
            place = locate(text, (*row.path, problem.index))
            raise FormatError(f"{path}, {place}: {_number_name(row.path, problem.index)} {problem}") from None


class BadNumber(Exception):  # noqa: N818
    """A number of a list that its format does not allow."""

    def __init__(self, index: int, words: str) -> None:
        super().__init__(words)
        self.index = index


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
            yield _named_row(here, skip, value)
        else:
            raise FormatError(f"{path}, {locate(text, here)}: {key[:40]!a} is not a list; expected a list of integers")


def _named_row(keys: tuple[str | int, ...], skip: int, numbers: list[int]) -> ListRow:
    names = [str(key) for key in keys[skip:]]
    if len(names) == 1:
        return ListRow(names[0], None, numbers, keys)
    return ListRow("/".join(names[:-1]), names[-1], numbers, keys)


def _check_integers(values: list[Any], keys: tuple[str | int, ...], path: Path, text: str) -> None:
    if set(map(type, values)) <= {int}:
        return
    at = next(at for at, value in enumerate(values) if type(value) is not int)
    place = locate(text, (*keys, at))
    raise FormatError(f"{path}, {place}: {_number_name(keys, at)} is {str(values[at])[:40]!a}; expected an integer")


def _number_name(keys: tuple[str | int, ...], at: int) -> str:
    """Return the name of a number in a list, by the key or index of the list."""
    if not keys:
        return f"[{at}]"
    return f"{keys[-1]!a}[{at}]" if isinstance(keys[-1], str) else f"[{keys[-1]}][{at}]"


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


@reads(
    "masses",
    "segment lengths in JSON: [5, 3, 5], by item, or by item and annotator as stored by segeval",
    (".json",),
    sniff=lambda path, head: "masses" in could_be(path, head),
    options=(CODER,),
    writer=Writer(_write_masses, holds=frozenset({"several items", "coders", "no elements"})),
)
def _read_masses(path: Path, options: ReadOptions) -> Iterator[Item]:
    def make(numbers: list[int], where: str) -> Spans:
        if min(numbers, default=1) < 1:
            at = next(at for at, length in enumerate(numbers) if length < 1)
            raise BadNumber(at, f"is {numbers[at]}; expected a segment length of at least 1")
        options.check_size((sum(numbers),), where)
        return Spans.from_masses(numbers)

    return read_rows(path, options, make)


FIRST: Option[Literal["gap", "force"]] = Option(
    "first",
    "Bits: elements before the first 1 are outside (gap, the default) or a segment (force).",
    Choice(("gap", "force")),
    "gap",
)


def _first_bits(spans: Spans) -> list[int]:
    bits = np.zeros(spans.n, dtype=np.uint8)
    bits[spans.starts] = 1
    return bits.tolist()


def _write_bits(items: Sequence[Item], _path: Path) -> str:
    return json.dumps(nested(items, _first_bits), ensure_ascii=False) + "\n"


@reads(
    "bits",
    "first-element bits in JSON: [1, 0, 0, 1], or by item; --first says what a leading 0 is",
    (".json",),
    sniff=lambda path, head: "bits" in could_be(path, head),
    options=(CODER, FIRST),
    writer=Writer(_write_bits, holds=frozenset({"several items", "coders", "first gap", "no spans", "no elements"})),
)
def _read_bits(path: Path, options: ReadOptions) -> Iterator[Item]:
    def make(numbers: list[int], where: str) -> Spans:
        if not set(numbers) <= {0, 1}:
            at = next(at for at, bit in enumerate(numbers) if bit not in (0, 1))
            raise BadNumber(at, f"is {numbers[at]}; expected 0 or 1")
        options.check_size((len(numbers),), where)
        return Spans.from_bits(np.array(numbers, dtype=np.uint8), first=options[FIRST])

    return read_rows(path, options, make)
