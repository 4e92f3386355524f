"""CSV and TSV files with a header: rows of named cells with their line numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.parts.text_file import read_text, whole_lines


def header_of(head: bytes) -> frozenset[str]:
    """Return the column names in the first line of a file, to recognise its format."""
    lines = whole_lines(head)
    if not lines:
        return frozenset()
    return frozenset(cell.strip().lower() for cell in lines[0].split(_delimiter(lines[0])))


def read_table(path: Path, known: Sequence[str] | None) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield line number and cells of the rows below the header; column names are unique and, if any are, known."""
    text = read_text(path)
    delimiter = _delimiter(text.split("\n", 1)[0])
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # a list of boundaries may be one long cell
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        names = _header(next(rows, []), path, known)
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


def _header(cells: Sequence[str], path: Path, known: Sequence[str] | None) -> list[str]:
    names = [cell.strip().lower() for cell in cells]
    for at, name in enumerate(names):
        if known is not None and name not in known:
            raise FormatError(
                f"{path}, line 1, column {at + 1}: unknown column {name[:40]!a}; known: {', '.join(known)}"
            )
        if name in names[:at]:
            raise FormatError(f"{path}, line 1, column {at + 1}: the column {name!a} occurs twice")
    return names


def _delimiter(header: str) -> str:
    return "\t" if "\t" in header else ","


def write_table(path: Path, rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV, or as TSV if the file name ends in .tsv."""
    text = io.StringIO(newline="")
    csv.writer(text, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n").writerows(rows)
    return text.getvalue()
