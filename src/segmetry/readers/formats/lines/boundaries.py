"""Boundaries in CSV or TSV: the first elements of all segments but the first, which together cover the line.

Either a row per item, ``item,n,boundaries`` with the boundaries separated by spaces, or a row per boundary,
``item,n,boundary``; an empty cell says that there is none. ``item`` and ``coder`` may be left out; the length ``n`` of
the line too, if ``--length`` states it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.line_options import CODER, LENGTH, TICK
from segmetry.readers.parts.span_rows import SpanRow, gather, line_length, parse_time, time_text
from segmetry.readers.parts.text_file import header_of, read_table, write_table
from segmetry.readers.reader import Writer, reads

KNOWN = ("item", "coder", "n", "boundary", "boundaries")


def _parse_row(path: Path, line: int, cells: Mapping[str, str]) -> tuple[SpanRow, list[Fraction]]:
    where = f"{path}, line {line}"
    if ("boundary" in cells) == ("boundaries" in cells):
        raise FormatError(f"{where}: expected one column, 'boundary' or 'boundaries'")
    column = "boundary" if "boundary" in cells else "boundaries"
    texts = cells[column].split() if column == "boundaries" else [cells[column]] if cells[column] else []
    length = parse_time(cells["n"], f"{where}, column 'n'") if cells.get("n") else None
    row = SpanRow(where, cells.get("item", path.stem), cells.get("coder") or None, length)
    return row, [parse_time(text, f"{where}, column {column!r}") for text in texts]


def _spans_between(
    rows: Sequence[SpanRow], cuts: list[tuple[Fraction, SpanRow]], options: ReadOptions
) -> Iterator[SpanRow]:
    """Yield the spans between the boundaries of one item."""
    length, first = line_length(rows, options), rows[0]
    if length is None:
        raise FormatError(f"{first.where}: the length of the line is missing; add a column 'n' or pass --length")
    cuts.sort(key=lambda cut: cut[0])
    for (cut, _), (following, row) in pairwise(cuts):
        if cut == following:
            raise FormatError(f"{row.where}: the boundary {float(cut):g} occurs twice")
    for cut, row in cuts:
        if not 0 < cut < length:
            raise FormatError(f"{row.where}: the boundary {float(cut):g} is not inside the line of length {length}")
    edges = [(Fraction(0), first), *cuts, (length, first)]
    stated = None if isinstance(options[LENGTH], Fraction) else length
    if length == 0:
        yield SpanRow(first.where, first.name, first.coder, stated)
        return
    for (start, row), (stop, _) in pairwise(edges):
        yield SpanRow(row.where, first.name, first.coder, stated, (start, stop))


def _write_boundaries(items: Sequence[Item], path: Path) -> str:
    coders = any(item.coder is not None for item in items)
    rows = [["item", *(["coder"] if coders else []), "n", "boundaries"]]
    for item in items:
        cuts = " ".join(time_text(cut, item.tick) for cut in item.spans.boundaries.tolist())
        rows.append([item.name, *([item.coder or ""] if coders else []), time_text(item.spans.n, item.tick), cuts])
    return write_table(path, rows)


@reads(
    "boundaries",
    "boundaries in CSV or TSV: item, n, boundaries (or a row per boundary)",
    (".csv", ".tsv"),
    sniff=lambda _path, head: not header_of(head).isdisjoint({"boundary", "boundaries"}),
    options=(CODER, LENGTH, TICK),
    writer=Writer(_write_boundaries, holds=frozenset({"several items", "coders", "tick", "no elements"})),
)
def _read_boundaries(path: Path, options: ReadOptions) -> Iterator[Item]:
    cuts: dict[tuple[str, str | None], list[tuple[Fraction, SpanRow]]] = {}
    rows: dict[tuple[str, str | None], list[SpanRow]] = {}
    for line, cells in read_table(path, KNOWN):
        row, row_cuts = _parse_row(path, line, cells)
        rows.setdefault((row.name, row.coder), []).append(row)
        cuts.setdefault((row.name, row.coder), []).extend((cut, row) for cut in row_cuts)
    return gather([span for key in rows for span in _spans_between(rows[key], cuts[key], options)], path, options)
