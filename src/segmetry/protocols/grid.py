"""The grid of cells of a protocol: which value of a data set stands in which row and column, under which heading.

A cell says which metric is meant, in which average, and of which classes: of the data set, of a group, or of a class. A
row states one part of that and a column the other:

>>> grid = Grid(
...     rows=(Heading("All", level="group", name="all"), EachClass()),
...     columns=(Heading("PQ", key="pq", average="by_class"), Heading("N", key="pq", average="by_class", show="n")),
... )
>>> grid.keys, grid.cell("PQ").metric, grid.cell(("All", "N")).show
(('pq',), 'pq', 'n')
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.errors import UnknownNameError
from segmetry.results import Cell

Level = Literal["data set", "group", "class"]


@frozen_dataclass()
class Heading:
    """A row or a column: its heading as the community prints it, and what its values have in common.

    Parameters
    ----------
    text
        What is printed.
    level
        Whether the values belong to the data set (the default), to a group of classes, or to a class.
    name
        The group or the class; a class by its label or by the name that the data set gives it.
    key
        The metric.
    average
        The average; at the level of a class, ``by_class`` is the value of that class over the data set.
    show
        ``value``, ``n`` (the number of values in a mean), or an entry of the score's details; a tuple names an entry of
        an entry, such as ``("criteria", "iou(at_least=1/2)")``.
    line
        Writes the text from the options of the metric, for a heading that states them.
    optional
        Leave the row or column out where the run does not have the metric, group, class, or entry of the details.
    """

    text: str
    level: Level | None = None
    name: Hashable | None = None
    key: str | None = None
    average: str | None = None
    show: str | tuple[str, ...] = "value"
    line: Callable[[Mapping[str, Any]], str] | None = None
    optional: bool = False

    def states(self, cell: Cell) -> bool:
        """Return whether a row and a column together state this cell."""
        place = self.key, self.average, self.level or "data set", self.name, self.show
        return place == (cell.metric, cell.average, cell.level, cell.labels, cell.show)

    def written(self, options: Mapping[str, Any]) -> str:
        """Return what is printed where the metric has these options.

        >>> Heading("AR at 100", key="average_recall", line="AR at {max_detections}".format_map).written(
        ...     {"max_detections": 300}
        ... )
        'AR at 300'
        """
        return self.text if self.line is None else self.line(options)


@frozen_dataclass()
class EachClass:
    """One row or column for each class that occurs, under its name."""

    average: str | None = None


@frozen_dataclass()
class Grid:
    """Rows and columns; ``corner`` is the heading of the rows' headings."""

    rows: tuple[Heading | EachClass, ...]
    columns: tuple[Heading | EachClass, ...]
    corner: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The metrics that the table shows, each once."""
        named = (entry.key for entry in (*self.columns, *self.rows) if isinstance(entry, Heading))
        return tuple(dict.fromkeys(key for key in named if key is not None))

    def declared(self) -> Iterator[tuple[Heading, Heading, Heading]]:
        """Yield each row and column that are not of single classes, and what they state together."""
        for row in self.rows:
            for column in self.columns:
                if isinstance(row, Heading) and isinstance(column, Heading):
                    yield row, column, joined_heading(row, column)

    def cell(self, name: str | tuple[str, str]) -> Cell:
        """Return a cell by its printed name: its row and column, or one of them that says which."""
        for row, column, cell in self.declared():
            if cell.key is not None and cell.average is not None and name in _cell_names(self, row.text, column.text):
                return Cell(column.text or row.text, cell.key, cell.average, **cell_place(cell))
        known = ", ".join(repr((row.text, column.text)) for row, column, _ in self.declared())
        raise UnknownNameError(f"the table has no cell {name!r}; expected (row, column), one of {known}")


def _cell_names(grid: Grid, row: str, column: str) -> set[str | tuple[str, str]]:
    """Return what a cell may be called: row and column, or one of them, in the first column or row."""
    names: set[str | tuple[str, str]] = {(row, column)}
    first_row, first_column = (
        next((entry.text for entry in side if isinstance(entry, Heading)), None) for side in (grid.rows, grid.columns)
    )
    if row == first_row:
        names.add(column)
    if column == first_column:
        names.add(row)
    return names - {""}


def joined_heading(row: Heading, column: Heading) -> Heading:
    """Return the address of a cell; what a row states goes before what a column states."""
    parts = ("level", "name", "key", "average")
    stated = {part: getattr(row, part) for part in parts if getattr(row, part) is not None}
    show = column.show if row.show == "value" else row.show
    return replace(column, **stated, show=show, optional=row.optional or column.optional)


def cell_place(heading: Heading) -> dict[str, Any]:
    """Return what a heading says about a cell besides its metric and average."""
    return {"level": heading.level or "data set", "labels": heading.name, "show": heading.show}
