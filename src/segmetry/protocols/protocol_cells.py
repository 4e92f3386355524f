"""The table of a protocol: the values of a data set in the cells of its grid."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics import ALL, AVERAGES, METRICS, Average, Score, known_key
from segmetry.protocols.protocol import EachClass, Grid, Heading, Protocol, cell_place, cell_words, joined_heading
from segmetry.results import UNDEFINED, Cell, NumberStyle, ResultTable, Value, counted
from segmetry.statistics import DataSet

NOTE_WIDTH = 80
"""The longest note that names every undefined value."""


def metric_cell(
    key: str, average: str = "", numbers: NumberStyle | None = None, name: str | None = None, **place: Any
) -> Cell:
    """Return the cell of a metric: counts are whole but for their means over items, and scores are in per cent where
    the table says so.
    """
    metric, style = METRICS[key], numbers or NumberStyle()
    is_share = metric.is_rate or max(map(abs, metric.bounds)) <= 1
    # A mean of counts over items is no count: whole ones would stand without decimals beside others.
    is_count = metric.is_count and not (average and AVERAGES[average].over_items)
    unit = "count" if is_count else "percent" if style.percent and is_share else "fraction"
    words = {"of": AVERAGES[average].words} if average and name is None else {}
    return Cell(name or key, key, average, unit=unit, decimals=style.decimals, **words, **place)


def score_value(score: Score, average: str = "", numbers: NumberStyle | None = None, **place: Any) -> Value:
    """Return a score as the answer to a cell."""
    return _value_of_cell(metric_cell(score.key, average, numbers, **place), score)


def protocol_table(
    protocol: Protocol,
    data: DataSet,
    *,
    cells: Grid | None = None,
    numbers: NumberStyle | None = None,
    class_names: Mapping[Hashable, str] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> ResultTable:
    """Return a protocol's table of a data set.

    ``cells`` is another grid than its first, such as its ``class_cells``, ``numbers`` another style than its own;
    ``options`` are those of the metrics, by key, for headings that state them. Rows and columns of which the run has no
    value (metrics that were not computed, optional groups) are left out.
    """
    grid, names, stated = protocol.cells if cells is None else cells, class_names or _NO_NAMES, options or {}
    style = protocol.numbers if numbers is None else numbers
    rows, columns = (_headings(entries, data, names) for entries in (grid.rows, grid.columns))
    joined = [[joined_heading(row, column) for column in columns] for row in rows]
    values = [
        [
            _table_value(heading, cell_words(row, column), data, names, style)
            for column, heading in zip(columns, cells_of_row, strict=True)
        ]
        for row, cells_of_row in zip(rows, joined, strict=True)
    ]
    kept_rows = [at for at, row in enumerate(values) if any(value is not None for value in row)]
    kept = [at for at in range(len(columns)) if any(values[row][at] is not None for row in kept_rows)]
    headings = [_heading_text(columns[at], stated) for at in kept]
    texts = {at: _heading_text(rows[at], stated) for at in kept_rows}
    units = _unit_notes([*(columns[at] for at in kept), *(rows[at] for at in kept_rows)], data)
    best = protocol.headline_cell
    found = [
        (texts[row], heading)
        for row in kept_rows
        for heading, at in zip(headings, kept, strict=True)
        if values[row][at] is not None and joined[row][at].states(best)
    ]
    reasons: dict[str, list[str]] = {}
    for row in kept_rows:
        for heading, at in zip(headings, kept, strict=True):
            value = values[row][at]
            if value is not None and value.reason is not None:
                reasons.setdefault(value.reason, []).append(f"{heading} of {texts[row]}")
    return ResultTable(
        protocol.name,
        [grid.corner, *headings],
        [[texts[row], *(values[row][at] for at in kept)] for row in kept_rows],
        [*(_reason_note(reason, places) for reason, places in reasons.items()), *units],
        has_headings=bool(grid.corner) or headings != ["value"],
        headline=found[0] if found else None,
    )


def _reason_note(reason: str, places: list[str]) -> str:
    """Return why values are undefined, and which, if that is one line: the table shows where they are."""
    line = f"{UNDEFINED} {reason}: {', '.join(places)}"
    return line if len(line) <= NOTE_WIDTH else f"{UNDEFINED} {reason}: {counted(len(places), 'value')}"


def table_averages(protocol: Protocol) -> dict[str, Average]:
    """Return the average of each metric in the table of a protocol: what is meant where none is named.

    The average of the headline is that which the community ranks by.
    """
    averages = {protocol.headline_cell.metric: AVERAGES[protocol.headline_cell.average]}
    for _, _, cell in protocol.cells.declared():
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


def _heading_text(heading: Heading, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a heading with the options that it states."""
    if heading.key is None or heading.line is None:
        return heading.text
    return heading.written({**METRICS[heading.key].options, **options.get(heading.key, {})})


def _unit_notes(headings: Iterable[Heading], data: DataSet) -> list[str]:
    """Return the unit of distances where the files state it: names of columns are the same with and without."""
    sources = [source for heading in headings if (source := data.sources.get(heading.key or "")) is not None]
    return sorted({f"distances in {source.unit}" for source in sources if source.unit is not None})


def _table_value(
    heading: Heading,
    words: Mapping[str, str],
    data: DataSet,
    class_names: Mapping[Hashable, str],
    numbers: NumberStyle | None,
) -> Value | None:
    """Return the value of a cell; None where the data set has no such value."""
    if heading.key is None or heading.average is None or heading.key not in data.sources:
        return None
    cell = metric_cell(heading.key, heading.average, numbers, **words, **cell_place(heading))
    value = value_of_cell(cell, data, class_names)
    # An entry that the details of this score do not have.
    return None if value is None or (heading.optional and value.reason == _no_entry(cell)) else value


_NO_NAMES: Mapping[Hashable, str] = {}


def value_of_cell(cell: Cell, data: DataSet, class_names: Mapping[Hashable, str] | None = None) -> Value | None:
    """Return the answer of a data set to a cell; None where it has no such value."""
    average = AVERAGES[cell.average]
    if cell.level != "class":
        average = data.known_as(cell.metric, average)
    score = _score_of_cell(cell, average, data, class_names or _NO_NAMES)
    return None if score is None else _value_of_cell(replace(cell, average=average.name), score)


def cell_of_name(
    name: str, data: DataSet, protocol: Protocol | None = None, numbers: NumberStyle | None = None
) -> Cell:
    """Return what a name means: the one rule for everything that states a number.

    It is the printed name of a cell in the protocol's table (``"Dice"``, ``"Things/PQ"`` with its row), the headline
    before others of that name; else a metric, in the average that is named (``"pq.pooled"``) or in its usual one, which
    is that of the protocol's table. ``numbers`` is another style than that of the protocol.
    """
    style = protocol.numbers if protocol is not None and numbers is None else numbers
    if protocol is not None:
        row, _, column = name.partition("/")
        for place in (name, (row, column)):
            try:
                cell = protocol.headline_cell if name == protocol.headline_cell.name else protocol.cells.cell(place)
            except UnknownNameError:
                continue
            return _as_printed(cell, data, style)
    stated, _, average = name.partition(".")
    key = known_key(stated, data.sources)
    known = [one.name for one in data.averages(key)]
    if average and average not in known:
        raise OptionError(f"{key} has no average {average}; it has {', '.join(known)}")
    chosen = metric_cell(key, average or known[0], style)
    cells = () if protocol is None else (protocol.headline_cell, *(cell for _, cell in protocol.cells.cells()))
    printed = (_as_printed(cell, data, style) for cell in cells if cell.metric == key and _is_of_all(cell, cells[0]))
    found = next((cell for cell in printed if cell.average == chosen.average), chosen)
    name = found.name if protocol is None else protocol.metric_names.get(key, found.name)
    return found if name == found.name else replace(found, name=name, of="" if found.of in name else found.of)


def _is_of_all(cell: Cell, headline: Cell) -> bool:
    return cell == headline or (cell.show == "value" and cell.level != "class" and cell.labels in (None, ALL))


def _as_printed(cell: Cell, data: DataSet, style: NumberStyle | None) -> Cell:
    """Return a cell of a table in the unit and with the digits that are printed, in the average that the data have."""
    if cell.level != "class" and cell.metric in data.sources:
        cell = replace(cell, average=data.known_as(cell.metric, AVERAGES[cell.average]).name)
    own = metric_cell(cell.metric, cell.average, style)
    return replace(cell, unit=own.unit, decimals=own.decimals)


def _value_of_cell(cell: Cell, score: Score) -> Value:
    """Return what a cell shows of a score."""
    value, reason = _shown_number(score, cell)
    is_score = cell.show == "value" or cell.show[-1] == score.details.get("at")
    n = int(score.denominator or 0) if cell.average and AVERAGES[cell.average].steps else None
    return Value(cell, value, reason, n, score.numerator, score.denominator, is_score=is_score)


def _score_of_cell(cell: Cell, average: Average, data: DataSet, class_names: Mapping[Hashable, str]) -> Score | None:
    source = data.source(cell.metric)
    if cell.level == "class":
        label = data.label_named(cell.labels, class_names)
        if label is None or not source.aggregation.has_classes:
            return None
        known = data.class_scores(cell.metric, over_items=average.over_items)
        return known.get(label, Score.undefined(cell.metric, "this class has no value"))
    group = None
    if cell.level == "group" and cell.labels != ALL:
        if str(cell.labels) not in data.groups:
            return None
        group = str(cell.labels)
    return data.score(cell.metric, average, group)


def _no_entry(cell: Cell) -> str:
    return f"no value of {cell.show if isinstance(cell.show, str) else ' '.join(cell.show)}"


def _shown_number(score: Score, cell: Cell) -> tuple[float, str | None]:
    show = cell.show
    if show == "value":
        return score.value, None if score.is_defined else score.reason
    value: Any = score.denominator if show == "n" else score.details
    for name in () if show == "n" else (show,) if isinstance(show, str) else show:
        value = value.get(name) if isinstance(value, Mapping) else None
    if not isinstance(value, int | float | Fraction):
        return math.nan, _no_entry(cell) if score.is_defined else score.reason
    return (value if isinstance(value, int) else float(value)), None
