"""Read text files: UTF-8 with or without a byte order mark, lines that end in LF, CR LF or CR; tables with a header.

JSON is strict: duplicate keys, NaN, huge numbers and deep nesting are errors with line and column.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from segmetry._base import translate_errors
from segmetry.errors import FormatError
from segmetry.kernels import native
from segmetry.readers.parts.file_head import HEAD


def read_text(path: Path, *, blank: bool = False) -> str:
    """Return the text of a file with LF line endings; one without any is an error unless ``blank`` allows it."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None
    if not content and not blank:
        raise FormatError(f"{path}: an empty file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = content[: problem.start]
        column = problem.start - (before.rfind(b"\n") + 1) + 1
        raise FormatError(
            f"{path}, line {before.count(10) + 1}, column {column}: "
            f"byte {content[problem.start]:#04x} is not UTF-8 text"
        ) from None
    text = _with_line_feeds(text)
    at = text.find("\0")
    if at >= 0:
        raise FormatError(f"{path}, {line_and_column(text, at)}: a NUL character; expected text")
    return text


_FOREIGN_SPACES = [chr(at) for at in range(128, 0x3001) if chr(at).isspace()]


def bytes_of_cells(text: str) -> bytes | None:
    """Return a text for native code that divides cells at ASCII white space; None if it has any other."""
    return None if not text.isascii() and any(mark in text for mark in _FOREIGN_SPACES) else text.encode()


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_lines(path: Path, *, blank: bool = False) -> list[str]:
    """Return the lines of a file without line endings."""
    return read_text(path, blank=blank).removesuffix("\n").split("\n")


def line_and_column(text: str, at: int, first: int = 1) -> str:
    """Return the position of a character as text; lines are counted from ``first``, columns from 1."""
    return f"line {text.count(chr(10), 0, at) + first}, column {at - text.rfind(chr(10), 0, at)}"


def column_of(line: str, field: int) -> int:
    """Return the column, counted from 1, at which a whitespace-separated field of a line starts."""
    return [match.start() for match in re.finditer(r"\S+", line)][field] + 1


def read_xml(path: Path, expected: str) -> Any:
    """Return the root of an XML file, without document type and entities; ``expected`` is what the message calls it."""
    with translate_errors(path, "XML file"):
        from defusedxml.common import DefusedXmlException
        from defusedxml.ElementTree import parse

        try:
            return parse(path, forbid_dtd=True).getroot()
        except DefusedXmlException:
            raise FormatError(
                f"{path}: declares a document type or entities, which are not expanded; expected {expected} only"
            ) from None


def whole_lines(head: bytes) -> list[str]:
    """Return the complete lines at the start of a file, to recognise its format; none if they are not text."""
    cut = head
    if len(head) >= HEAD:
        end = max(head.rfind(b"\n"), head.rfind(b"\r"))
        cut = head[:end] if end >= 0 else b""
    try:
        text = cut.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    return [] if "\0" in text else _with_line_feeds(text).split("\n")


def header_of(head: bytes) -> frozenset[str]:
    """Return the column names in the first line of a file, to recognise its format."""
    lines = whole_lines(head)
    if not lines:
        return frozenset()
    return frozenset(cell.strip().lower() for cell in lines[0].split(_delimiter_of(lines[0])))


def read_table(path: Path, known: Sequence[str] | None) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield line number and cells of the rows below the header; column names are unique and, if any are, known."""
    import csv  # not above: most files are not tables
    import io

    text = read_text(path)
    delimiter = _delimiter_of(text.split("\n", 1)[0])
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # a list of boundaries may be one long cell
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = _column_names(next(rows, []), path, known)
        for row in rows:
            if not row:
                continue
            if len(row) != len(names):
                raise FormatError(
                    f"{path}, line {rows.line_num}: {len(row)} cells; the header has {len(names)} columns"
                )
            yield rows.line_num, dict(zip(names, (cell.strip() for cell in row), strict=True))
    except csv.Error as problem:
        raise FormatError(f"{path}, line {rows.line_num}: {problem}") from None


def _column_names(cells: Sequence[str], path: Path, known: Sequence[str] | None) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    for at, name in enumerate(names):
        if known is not None and name not in known:
            raise FormatError(
                f"{path}, line 1, column {at + 1}: unknown column {name[:40]!a}; known: {', '.join(known)}"
            )
        if name in names[:at]:
            raise FormatError(f"{path}, line 1, column {at + 1}: the column {name!a} occurs twice")
    return names


def _delimiter_of(header: str) -> str:
    return "\t" if "\t" in header else ","


def write_table(path: Path, rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV, or as TSV if the file name ends in .tsv."""
    import csv
    import io

    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n").writerows(rows)
    return text.getvalue()


JsonPath = tuple[str | int, ...]
_AFTER_SPACES, _AFTER_SCALAR = re.compile(r"[^ \t\n\r]"), re.compile(r"[,\]} \t\n\r]")
_STRINGS = json.JSONDecoder()
_HALF_PAIR = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
)
DEEPEST = 64
"""Deeper nesting is rejected before Python's recursion limit is reached."""


def load_json(path: Path) -> Any:
    """Return the content of a JSON file."""
    return parse_json(read_text(path), str(path))


class NumberText(str):
    """A number with a point or an exponent, kept as it was written."""

    __slots__ = ()


def parse_json(text: str, where: str, *, keep_decimals: bool = False, line: int = 1) -> Any:
    """Return the content of a JSON text, whose first line is ``line``; decimals, if kept, as :class:`NumberText`."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            raise _Rejected
        return members

    def reject(_word: str) -> NoReturn:
        raise _Rejected

    try:
        kinds: dict[str, Any] = {"parse_float": NumberText} if keep_decimals else {}
        if native is not None and text.isascii() and native.is_plain_json(text.encode()):
            return json.loads(text, **kinds)  # a function that is called for each object takes longer than all the rest
        value = json.loads(text, object_pairs_hook=unique, parse_constant=reject, **kinds)
    except json.JSONDecodeError as problem:
        raise FormatError(
            f"{where}, line {line + problem.lineno - 1}, column {problem.colno}: not JSON: {problem.msg}"
        ) from None
    except RecursionError:
        raise FormatError(f"{where}: nested deeper than any segmentation needs") from None
    except _Rejected:
        raise FormatError(f"{where}, {_first_fault(text, line)}") from None
    except ValueError as problem:  # an integer of thousands of digits
        raise FormatError(f"{where}: {str(problem).split(';')[0]}") from None
    half = _HALF_PAIR.search(text) if "\\u" in text else None
    if half is not None and not _is_text(value):
        place = line_and_column(text, half.start(), line)
        raise FormatError(f"{where}, {place}: half of a surrogate pair; expected text")
    return value


def _is_text(value: Any) -> bool:
    """Return whether all texts can be written; what looks like half of a pair may be an escaped backslash."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Rejected(Exception):  # noqa: N818
    """Something that Python's parser accepts and this one rejects."""


def locate(text: str, path: JsonPath) -> str:
    """Return line and column of a value in a JSON text, by the keys and indices that lead to it."""
    try:
        for value_path, at, _key in _walk_values(text):
            if value_path == path:
                return line_and_column(text, at)
    except RecursionError:  # an earlier value is nested too deeply to be searched
        pass
    return "line 1, column 1"


def _first_fault(text: str, line: int) -> str:
    """Return the position and description of the first repeated key or forbidden constant."""
    seen: set[JsonPath] = set()
    try:
        for path, at, key_at in _walk_values(text):
            if path in seen:
                return (
                    f"{line_and_column(text, key_at, line)}: the key {str(path[-1])[:80]!a} occurs twice in one object"
                )
            seen.add(path)
            if text.startswith(("NaN", "Infinity", "-Infinity"), at):
                return f"{line_and_column(text, at, line)}: NaN or Infinity, which is not JSON; expected a number"
    except RecursionError:
        return f"line {line}, column 1: nested deeper than any segmentation needs"
    return f"line {line}, column 1: a repeated key"


def _walk_values(
    text: str, at: int = 0, path: JsonPath = (), key_at: int = 0
) -> Generator[tuple[JsonPath, int, int], None, int]:
    """Yield path and start of every value and the start of its key (slow, for errors); return its end."""
    at = _skip_space(text, at)
    yield path, at, key_at
    if len(path) > DEEPEST:
        raise RecursionError
    if text[at] not in "{[":
        return _STRINGS.raw_decode(text, at)[1] if text[at] == '"' else _place_of(_AFTER_SCALAR, text, at)
    closing, is_object, index = "}" if text[at] == "{" else "]", text[at] == "{", 0
    at = _skip_space(text, at + 1)
    while text[at] != closing:
        if is_object:
            key_at = at
            key, at = _STRINGS.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)
            at = yield from _walk_values(text, at, (*path, key), key_at)
        else:
            at = yield from _walk_values(text, at, (*path, index), at)
            index += 1
        at = _skip_space(text, at)
        if text[at] == ",":
            at = _skip_space(text, at + 1)
    return at + 1


def _skip_space(text: str, at: int) -> int:
    return _place_of(_AFTER_SPACES, text, at)


def _place_of(expression: re.Pattern[str], text: str, at: int) -> int:
    match = expression.search(text, at)
    return len(text) if match is None else match.start()
