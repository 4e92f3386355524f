"""The table of a protocol: the values of a summary in the rows and columns that its layout names.

Every value is looked up, never computed here, so the table of a protocol and the summary of its run agree.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.small_table import html_table, text_table
from segmetry.errors import UnknownNameError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.protocols.protocol import Protocol
from segmetry.protocols.table_layout import EachClass, Heading, NumberStyle, TableLayout
from segmetry.statistics.averages import Average
from segmetry.statistics.summary_tables import Aggregated, Summary

ALL = "all"


@frozen_dataclass()
class ProtocolCell:
    """One value with its address; ``value`` is None where it is undefined, for the ``reason`` stated.

    ``is_score``: it is the score itself, not one of its details.
    """

    value: float | None
    key: str
    average: Average
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
    summary: Summary,
    *,
    class_names: Mapping[Hashable, str] | None = None,
    layout: TableLayout | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> ProtocolTable:
    """Return a protocol's table of a summary; ``layout`` is another one than its first, such as its ``class_layout``.

    ``options`` are those of the metrics, by key, for headings that state them.

    Rows and columns of which the run has no value (metrics that were not computed, optional groups) are left out.

    >>> import segmetry as sm
    >>> true, pred = ({"a": sm.LabelArray([labels], classes={1: "car", 2: "sky"})} for labels in ([1, 1, 2], [1, 1, 0]))
    >>> run = sm.evaluate(true, pred, protocol="coco-panoptic")
    >>> table = protocol_table(run.protocol, run.summary())
    >>> table.headings, [(row.heading, *(cell.value for cell in row.cells)) for row in table.rows]
    (('PQ', 'SQ', 'RQ', 'N'), [('All', 0.5, 0.5, 0.5, 2)])
    """
    chosen = protocol.layout if layout is None else layout
    names = class_names or {}
    rows, columns = (_headings(entries, summary, names) for entries in (chosen.rows, chosen.columns))
    stated = options or {}
    cells = [[_cell(_joined(row, column), summary, names) for column in columns] for row in rows]
    kept_rows = [at for at, row in enumerate(cells) if any(cell is not None for cell in row)]
    kept = [at for at in range(len(columns)) if any(cells[row][at] is not None for row in kept_rows)]
    return ProtocolTable(
        title=protocol.name,
        corner=chosen.corner,
        headings=tuple(_text(columns[at], summary, stated) for at in kept),
        rows=tuple(
            ProtocolRow(_text(rows[row], summary, stated), tuple(cells[row][at] for at in kept)) for row in kept_rows
        ),
        numbers=protocol.numbers,
    )


def table_scores(protocol: Protocol, summary: Summary) -> dict[str, Score]:
    """Return one score per metric of a summary: in the average of the table, else over the data set, else over items.

    The average of the headline is that which the community ranks by.
    """
    entries = [entry for entry in (*protocol.layout.columns, *protocol.layout.rows) if isinstance(entry, Heading)]
    stated = {entry.key: entry.average for entry in reversed(entries) if entry.average is not None}
    averages = {**stated, protocol.headline.key: protocol.headline.average}
    scores = {}
    for key, aggregated in summary.scores.items():
        average = averages.get(key)
        of_table = None if average is None else _score(aggregated, average, summary)
        over_all = aggregated.over_data_set if of_table is None else of_table
        scores[key] = aggregated.by_item if over_all is None else over_all
    return scores


def _headings(
    entries: tuple[Heading | EachClass, ...], summary: Summary, class_names: Mapping[Hashable, str]
) -> list[Heading]:
    """Return one heading per row or column."""
    headings: list[Heading] = []
    for entry in entries:
        if isinstance(entry, Heading):
            headings.append(entry)
        elif summary.by == "class":
            headings += [
                Heading(class_names.get(name, str(name)), level="class", name=name, average=entry.average)
                for name in summary.parts
            ]
    return headings


def _text(heading: Heading, summary: Summary, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a heading with the options that it states, and with the unit of its distances, where it is known."""
    if heading.key is None:
        return heading.text
    text = heading.written({**METRICS[heading.key].options, **options.get(heading.key, {})})
    aggregated = summary.scores.get(heading.key)
    unit = None if aggregated is None else aggregated.by_item.details.get("unit")
    return text if unit is None else f"{text} ({unit})"


def _joined(row: Heading, column: Heading) -> Heading:
    """Return the address of a cell; what a row states goes before what a column states."""
    parts = ("level", "name", "key", "average")
    stated = {part: getattr(row, part) for part in parts if getattr(row, part) is not None}
    show = column.show if row.show == "value" else row.show
    return replace(column, **stated, show=show, optional=row.optional or column.optional)


def _cell(address: Heading, summary: Summary, class_names: Mapping[Hashable, str]) -> ProtocolCell | None:
    row = _row(address, summary, class_names)
    if address.key is None or address.average is None or row is None or address.key not in row:
        return None
    score = _score(row[address.key], address.average, summary)
    if score is None:
        return None
    value, reason = _shown(score, address.show)
    if address.optional and score.is_defined and value is None:
        return None  # an entry that the details of this score do not have
    return ProtocolCell(value, address.key, address.average, reason, is_score=address.show == "value")


def _row(address: Heading, summary: Summary, class_names: Mapping[Hashable, str]) -> Mapping[str, Aggregated] | None:
    if address.level == "class":
        labels = [label for label in summary.parts if address.name in (label, class_names.get(label))]
        return summary.parts[labels[0]] if summary.by == "class" and labels else None
    if address.level == "group":
        one_class = summary.scores if address.name == ALL and summary.by != "class" else None
        return summary.groups.get(str(address.name), one_class)
    return summary.scores


def _score(aggregated: Aggregated, average: Average, summary: Summary) -> Score | None:
    """Return one of the averages; segments without classes are of one class.

    Where segments carry classes, the value of a metric of the data set stands by class, also if it ignores them.
    """
    if average == "all_segments" and aggregated.all_segments is None:
        return aggregated.by_class
    return aggregated.scores().get("all_segments" if average == "by_class" and summary.by != "class" else average)


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
