"""The table of a protocol: the values of a data set in the rows and columns that its layout names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.small_table import html_table, text_table
from segmetry.errors import UnknownNameError
from segmetry.metrics.average import AVERAGES, Average
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import ALL
from segmetry.metrics.score import Score
from segmetry.protocols.protocol import Protocol
from segmetry.protocols.table_layout import EachClass, Heading, NumberStyle, TableLayout
from segmetry.statistics.data_set import DataSet


@frozen_dataclass()
class ProtocolCell:
    """One value with its address; ``value`` is None where it is undefined, for the ``reason`` stated.

    ``is_score``: it is the score itself, which may be the detail of one threshold, not another of its details.
    """

    value: float | None
    key: str
    average: str
    reason: str | None = None
    is_score: bool = True


@frozen_dataclass()
class ProtocolRow:
    """A row: its heading, and one cell per column; None where the run has no such value."""

    heading: str
    cells: tuple[ProtocolCell | None, ...]


@frozen_dataclass()
class ProtocolTable:
    """A plain table, for the terminal and for files; ``corner`` is the heading of the first column.

    ``table[row, column]`` is a value by its headings; where there is one row or one column, the other heading is
    enough: ``table["PQ"]``. None is a value that is undefined or that the data do not have.
    """

    title: str
    corner: str
    headings: tuple[str, ...]
    rows: tuple[ProtocolRow, ...]
    numbers: NumberStyle

    def __getitem__(self, heading: str | tuple[str, str]) -> float | None:
        places = [
            (cell, {(row.heading, column), *([column] if one_row else []), *([row.heading] if one_column else [])})
            for one_row, one_column in [(len(self.rows) == 1, len(self.headings) == 1)]
            for row in self.rows
            for column, cell in zip(self.headings, row.cells, strict=True)
        ]
        for cell, names in places:
            if heading in names:
                return None if cell is None else cell.value
        rows = ", ".join(repr(row.heading) for row in self.rows)
        raise UnknownNameError(
            f"the table of {self.title} has no value {heading!r}; expected table[row, column] with a row of {rows} and "
            f"a column of {', '.join(map(repr, self.headings))}"
        )

    def place_of(self, key: str, value: float) -> tuple[ProtocolRow, str] | None:
        """Return the row and the heading of the column in which a score stands; None where the table lacks it.

        A score itself goes before a detail that has its value, such as the mean over classes in a column of its own.
        """
        found = [
            (not cell.is_score, at, column)
            for at, row in enumerate(self.rows)
            for column, cell in enumerate(row.cells)
            if cell is not None and (cell.key, cell.value) == (key, value)
        ]
        if not found:
            return None
        _, at, column = min(found)
        return self.rows[at], self.headings[column]

    def __str__(self) -> str:
        return text_table(self.title, *self.shown())

    def _repr_html_(self) -> str:
        return html_table(self.title, *self.shown())

    def shown(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return the headings and the rows, without addresses."""
        rows = [(row.heading, *(None if cell is None else cell.value for cell in row.cells)) for row in self.rows]
        return (self.corner, *self.headings), rows

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with all digits."""
        return {
            "title": self.title,
            "columns": list(self.headings),
            "rows": [
                {"name": row.heading, "values": [None if cell is None else cell.value for cell in row.cells]}
                for row in self.rows
            ],
        }


def protocol_table(
    protocol: Protocol,
    data: DataSet,
    *,
    class_names: Mapping[Hashable, str] | None = None,
    layout: TableLayout | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> ProtocolTable:
    """Return a protocol's table of a data set; ``layout`` is another one than its first, such as its ``class_layout``.

    ``options`` are those of the metrics, by key, for headings that state them.

    Rows and columns of which the run has no value (metrics that were not computed, optional groups) are left out.

    >>> import segmetry as sm
    >>> true, pred = ({"a": sm.LabelArray([labels], classes={1: "car", 2: "sky"})} for labels in ([1, 1, 2], [1, 1, 0]))
    >>> run = sm.evaluate(true, pred, protocol="coco-panoptic")
    >>> table = protocol_table(run.protocol, run.data)
    >>> table.headings, [(row.heading, *(cell.value for cell in row.cells)) for row in table.rows]
    (('PQ', 'SQ', 'RQ', 'N'), [('All', 0.5, 0.5, 0.5, 2)])
    """
    chosen = protocol.layout if layout is None else layout
    names = class_names or {}
    rows, columns = (_headings(entries, data, names) for entries in (chosen.rows, chosen.columns))
    stated = options or {}
    values = [[_cell(_joined(row, column), data, names) for column in columns] for row in rows]
    kept_rows = [at for at, row in enumerate(values) if any(cell is not None for cell in row)]
    kept = [at for at in range(len(columns)) if any(values[row][at] is not None for row in kept_rows)]
    return ProtocolTable(
        title=protocol.name,
        corner=chosen.corner,
        headings=tuple(_text(columns[at], data, stated) for at in kept),
        rows=tuple(
            ProtocolRow(_text(rows[row], data, stated), tuple(values[row][at] for at in kept)) for row in kept_rows
        ),
        numbers=protocol.numbers,
    )


def table_averages(protocol: Protocol) -> dict[str, Average]:
    """Return the average of each metric in the table of a protocol: what is meant where none is named.

    The average of the headline is that which the community ranks by.
    """
    averages = {protocol.headline.key: AVERAGES[protocol.headline.average]}
    for row in protocol.layout.rows:
        for column in protocol.layout.columns:
            if isinstance(row, Heading) and isinstance(column, Heading):
                cell = _joined(row, column)
                if cell.key is not None and cell.average is not None and cell.level != "class":
                    averages.setdefault(cell.key, AVERAGES[cell.average])
    return averages


def _headings(
    entries: tuple[Heading | EachClass, ...], data: DataSet, class_names: Mapping[Hashable, str]
) -> list[Heading]:
    """Return one heading per row or column."""
    headings: list[Heading] = []
    for entry in entries:
        if isinstance(entry, Heading):
            headings.append(entry)
        elif data.by == "class":
            headings += [
                Heading(class_names.get(name, str(name)), level="class", name=name, average=entry.average)
                for name in data.parts
            ]
    return headings


def _text(heading: Heading, data: DataSet, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a heading with the options that it states, and with the unit of its distances, where it is known."""
    if heading.key is None:
        return heading.text
    text = heading.text
    if heading.line is not None:
        text = heading.written({**METRICS[heading.key].options, **options.get(heading.key, {})})
    unit = data.sources[heading.key].unit if heading.key in data.sources else None
    return text if unit is None else f"{text} ({unit})"


def _joined(row: Heading, column: Heading) -> Heading:
    """Return the address of a cell; what a row states goes before what a column states."""
    parts = ("level", "name", "key", "average")
    stated = {part: getattr(row, part) for part in parts if getattr(row, part) is not None}
    show = column.show if row.show == "value" else row.show
    return replace(column, **stated, show=show, optional=row.optional or column.optional)


def _cell(address: Heading, data: DataSet, class_names: Mapping[Hashable, str]) -> ProtocolCell | None:
    """Return a cell; None where the data set has no such value."""
    if address.key is None or address.average is None or address.key not in data.sources:
        return None
    average = AVERAGES[address.average]
    if address.level != "class":
        average = data.known_as(address.key, average)
    score = _score(address, address.key, average, data, class_names)
    if score is None:
        return None
    value, reason = _shown(score, address.show)
    if address.optional and score.is_defined and value is None:
        return None  # an entry that the details of this score do not have
    is_score = address.show == "value" or address.show[-1] == score.details.get("at")
    return ProtocolCell(value, address.key, average.name, reason, is_score=is_score)


def _score(
    address: Heading, key: str, average: Average, data: DataSet, class_names: Mapping[Hashable, str]
) -> Score | None:
    source = data.source(key)
    if address.level == "class":
        labels = [label for label in data.parts if address.name in (label, class_names.get(label))]
        if not labels or not source.aggregation.has_classes:
            return None
        known = data.class_scores(key, over_items=average.over_items)
        return known.get(labels[0], Score.undefined(key, "this class has no value"))
    group = None
    if address.level == "group" and address.name != ALL:
        if str(address.name) not in data.groups:
            return None
        group = str(address.name)
    return data.score(key, average, group)


def _shown(score: Score, show: str | tuple[str, ...]) -> tuple[float | None, str | None]:
    if show == "value":
        return (score.value, None) if score.is_defined else (None, score.reason)
    value: Any = score.denominator if show == "n" else score.details
    for name in () if show == "n" else (show,) if isinstance(show, str) else show:
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, int | float | Fraction):
        entry = show if isinstance(show, str) else " ".join(show)
        return None, f"no value of {entry}" if score.is_defined else score.reason
    return (value if isinstance(value, int) else float(value)), None
