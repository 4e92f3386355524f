"""Cells, values and the table of them: what is asked, what the answer is, and how both are laid out and written.

>>> table = ResultTable("by class", ("class", "PQ"), [("road_1", 0.5), ("all", math.nan)], ["– no segments"])
>>> print(table)
by class
class       PQ
──────────────
road_1  0.5000
all          –
– no segments
>>> table["road_1"], table["all", "PQ"]
(0.5, None)
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.errors import UnknownNameError
from segmetry.results.number_format import UNDEFINED, number
from segmetry.results.records import Exported, Table, as_csv, as_parquet

Form = Literal["terminal", "markdown", "latex", "html", "csv", "json", "parquet"]
SHOWN = 20
"""Rows of a long table that are shown; the last line counts the others."""


@frozen_dataclass()
class Cell:
    """A question to a data set: which metric, in which average, of which classes, and how the answer is written.

    Parameters
    ----------
    name, of
        As the community prints it: ``Dice``, ``AP50``; and of what it is, the heading of its row or its average.
    metric, average
        The keys of both; the average of a class is over items or the pooled one.
    level, labels
        Whether it is about the data set, or about a group of classes or a class, and about which.
    show
        ``value``, ``n`` (the number of values in a mean), or an entry of the score's details; a tuple names an entry of
        an entry, such as ``("thresholds", "0.5")``.
    unit, decimals
        How its values are written: ``fraction``, ``percent``, ``count``, or the unit of a distance.
    """

    name: str
    metric: str
    average: str
    level: str = "data set"
    labels: Hashable | None = None
    show: str | tuple[str, ...] = "value"
    unit: str = "fraction"
    decimals: int = 4
    of: str = ""

    @property
    def heading(self) -> str:
        """What heads a column of its values: its name, and the unit where there is one."""
        unit = {"percent": "%", "fraction": "", "count": ""}.get(self.unit, self.unit)
        return f"{self.name} ({unit})" if unit else self.name

    @property
    def is_distance(self) -> bool:
        """Whether its unit is that of the data, such as mm."""
        return self.unit not in ("fraction", "percent", "count")

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return f"{self.name} ({self.of})" if self.of else self.name

    def text(self, value: float | None, *, sign: bool = False, ends: tuple[float, float] | None = None) -> str:
        """Return a value of this cell as it is printed; with its interval, in the digits that its ends leave."""
        if ends is not None and 0 < ends[1] - ends[0] < math.inf:
            half = (ends[1] - ends[0]) / 2 * (100 if self.unit == "percent" else 1)
            digits = max(0, 1 + math.ceil(-math.log10(half)))  # two of what is uncertain
            return replace(self, decimals=min(self.decimals, digits)).text(value)
        if self.unit == "count" and value is not None and math.isfinite(value) and value == int(value):
            value = int(value)
        return number(value, self.decimals, sign=sign, percent=self.unit == "percent")

    def span(self, ends: tuple[float, float] | None, *, sign: bool = False) -> str:
        """Return the ends of an interval as they are printed."""
        return UNDEFINED if ends is None else " to ".join(self.text(end, sign=sign) for end in ends)


@frozen_dataclass()
class Value:
    """The answer to a cell: a number, NaN where it is undefined for the ``reason`` stated, and where it comes from.

    ``n`` is the number of values in a mean. ``is_score``: it is the score itself, which may be the detail of one
    threshold, not another of its details. ``change``: it is the difference of two values, ``tone`` says whether that is
    clearly for the ``"better"`` or for the ``"worse"``, or that a value is the ``"best"`` of its column. ``beside`` is
    what is printed after the number.
    """

    cell: Cell
    value: float
    reason: str | None = None
    n: int | None = None
    numerator: Any = None
    denominator: Any = None
    interval: tuple[float, float] | None = None
    is_score: bool = True
    change: bool = False
    tone: str | None = None
    beside: str = ""

    @property
    def or_none(self) -> float | None:
        """The number; None where it is undefined."""
        return None if math.isnan(self.value) else self.value

    def __str__(self) -> str:
        return self.cell.text(self.value, sign=self.change) + self.beside


Entry = Value | str | float | None
"""An entry of a table: a value, a text, a number (NaN is undefined), or nothing."""


@frozen_dataclass(repr=False)
class ResultTable(Exported):
    """Rows of entries under headings, with what stands above and below them; the first entry of a row is its heading.

    ``table[row, column]`` is a number by its headings; where there is one row or one column of numbers, the other
    heading is enough: ``table["PQ"]``. None is a number that is undefined or that the data do not have.
    :meth:`value` returns it with all that is known about it.

    Parameters
    ----------
    title
        What stands above the headings.
    headings
        One for each column, perhaps of several lines; the first is that of the rows' headings.
    rows
        The entries; a row of one entry is a heading of the rows below it.
    notes
        What stands below, one line each.
    texts
        The positions of the columns of text; the others hold numbers, which are aligned on the right and never cut.
    rules
        The numbers of rows before which a line is drawn.
    breaks
        Names that leave no room for the numbers in 80 columns are broken after an underscore; else they are shortened.
    has_headings
        Whether the terminal shows the headings, which files always have.
    n_more
        How many rows are not shown.
    headline
        The row and the column of the value that a community ranks by.
    source
        Whose numbers these are: a footnote in LaTeX and Markdown, a column in CSV.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Entry]]
    notes: Sequence[str] = ()
    texts: frozenset[int] = frozenset({0})
    rules: frozenset[int] = frozenset()
    breaks: bool = False
    has_headings: bool = True
    n_more: int = 0
    headline: tuple[str, str] | None = None
    source: str = ""

    @classmethod
    def of_rows(
        cls, title: str, headings: Sequence[str], rows: Iterable[Sequence[Any]], n: int | None = None
    ) -> ResultTable:
        """Return the first rows of a long table, of ``n`` rows in all; None is a missing value, a flag its name."""
        every = list(rows)
        shown = [[_shown_entry(entry) for entry in row] for row in every[:SHOWN]]
        columns = range(len(headings))
        texts = frozenset(at for at in columns if not shown or any(isinstance(row[at], str) for row in shown))
        return cls(title, headings, shown, texts=texts, n_more=max(0, (len(every) if n is None else n) - SHOWN))

    @classmethod
    def of_table(cls, table: Table, cells: Mapping[str, Cell] | None = None) -> ResultTable:
        """Return the rows of records as they are printed; ``cells`` say how the numbers of some columns are written."""
        known, names = cells or {}, list(table.columns)
        texts = frozenset(at for at, name in enumerate(names) if table.types[name] in ("text", "flag"))
        rows = [
            [
                Value(known[name], math.nan if value is None else value) if name in known else _shown_entry(value)
                for name, value in row.items()
            ]
            for row in table
        ]
        return cls(table.name, names, rows, texts=texts)

    def value(self, heading: str | tuple[str, str]) -> Value | None:
        """Return a value by its headings; None where the data do not have it."""
        entry = self._entry(heading)
        return entry if isinstance(entry, Value) else None

    def __getitem__(self, heading: str | tuple[str, str]) -> float | None:
        entry = self._entry(heading)
        number_ = entry.value if isinstance(entry, Value) else entry
        return None if number_ is None or isinstance(number_, str) or math.isnan(number_) else number_

    def _entry(self, heading: str | tuple[str, str]) -> Entry:
        one_row, one_column = len(self.rows) == 1, len(self.headings) == 2
        for name, *entries in self.rows:
            for column, entry in zip(self.headings[1:], entries, strict=False):
                names = {(name, column), *([column] if one_row else []), *([name] if one_column else [])}
                if heading in names:
                    return entry
        raise UnknownNameError(
            f"the table {self.title} has no value {heading!r}; expected table[row, column] with a row of "
            f"{', '.join(repr(row[0]) for row in self.rows)} and a column of {', '.join(map(repr, self.headings[1:]))}"
        )

    def values(self) -> list[tuple[str, str, Value]]:
        """Return the values with the headings of their rows and columns."""
        return [
            (str(name), column, entry)
            for name, *entries in self.rows
            for column, entry in zip(self.headings[1:], entries, strict=False)
            if isinstance(entry, Value)
        ]

    def printed(self) -> list[list[str]]:
        """Return the rows as text."""
        return [[_entry_text(entry) for entry in row] for row in self.rows]

    def records(self) -> Table:
        """Return the numbers under the headings, one row each, for CSV, Parquet and JSON; undefined is None."""
        names = [" ".join(heading.split()) or "metric" for heading in self.headings]
        source = {"provenance": self.source} if self.source else {}
        return Table("scores", [dict(zip(names, map(_plain_entry, row), strict=False)) | source for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with all digits."""
        return {
            "title": self.title,
            "columns": list(self.headings[1:]),
            "rows": [{"name": row[0], "values": [_plain_entry(entry) for entry in row[1:]]} for row in self.rows],
        }

    def to(self, form: Form) -> str | bytes:
        r"""Return the table in a form: ``"terminal"``, ``"markdown"``, ``"latex"`` and ``"html"`` with formatted
        numbers, ``"csv"``, ``"json"`` and ``"parquet"`` with all digits.

        >>> ResultTable("", ("class", "PQ"), [("road", 1 / 3)]).to("csv")
        'class,PQ\nroad,0.3333333333333333\n'
        """
        from segmetry.results.render import as_html, as_latex, as_markdown, as_terminal

        if form in ("csv", "parquet"):
            return as_csv(self.records()) if form == "csv" else as_parquet(self.records())
        if form == "json":
            return self.to_json()
        texts = {"terminal": as_terminal, "markdown": as_markdown, "latex": as_latex, "html": as_html}
        return texts[form](self)

    def __str__(self) -> str:
        return str(self.to("terminal"))

    def _repr_html_(self) -> str:
        return str(self.to("html"))

    def __repr__(self) -> str:
        return f"ResultTable({self.title}: {len(self.rows)} rows of {', '.join(' '.join(self.headings).split()[:6])})"


def _shown_entry(entry: Any) -> Entry:
    if entry is None:
        return math.nan
    return entry if isinstance(entry, Value | int | float) and not isinstance(entry, bool) else str(entry)


def _entry_text(entry: Entry) -> str:
    if entry is None:
        return ""
    return str(entry) if isinstance(entry, str | Value) else number(entry)


def _plain_entry(entry: Entry) -> Any:
    value = entry.value if isinstance(entry, Value) else entry
    return None if isinstance(value, float) and math.isnan(value) else value
