"""Read text files: UTF-8 with or without a byte order mark, lines that end in LF or CR LF; tables with a header."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from segmetry._base import translate_errors
from segmetry.errors import FormatError
from segmetry.readers.parts.file_head import HEAD


def read_text(path: Path) -> str:
    """Return the text of a file with LF line endings."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None
    if not content:
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
    text = text.replace("\r\n", "\n")
    at = text.find("\0")
    if at >= 0:
        raise FormatError(f"{path}, {line_and_column(text, at)}: a NUL character; expected text")
    return text


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file without line endings."""
    return read_text(path).removesuffix("\n").split("\n")


def line_and_column(text: str, at: int, first: int = 1) -> str:
    r"""Return the position of a character as text; lines are counted from ``first``, columns from 1.

    >>> line_and_column("ab\ncd", 4)
    'line 2, column 2'
    """
    return f"line {text.count(chr(10), 0, at) + first}, column {at - text.rfind(chr(10), 0, at)}"


def column_of(line: str, field: int) -> int:
    """Return the column, counted from 1, at which a whitespace-separated field of a line starts.

    >>> column_of("0.0  1.5 a", 1)
    6
    """
    return [match.start() for match in re.finditer(r"\S+", line)][field] + 1


def read_xml(path: Path, expected: str) -> Any:
    """Return the root of an XML file; one that declares a document type or entities is an error.

    ``expected`` is what the file should contain, for the message.
    """
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
        end = head.rfind(b"\n")
        cut = head[:end] if end >= 0 else b""
    try:
        text = cut.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    return [] if "\0" in text else text.replace("\r\n", "\n").split("\n")


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
