"""The layout of a protocol's table: which value of a summary stands in which row and column, under which heading.

Every value of a summary has an address: its level (data set, group of classes, class), the name of the group or class,
the key of the metric, and the average. A row states one part of the address and a column the other:

>>> layout = TableLayout(
...     rows=(Heading("All", level="group", name="all"), EachClass()),
...     columns=(Heading("PQ", key="pq", average="by_class"), Heading("N", key="pq", average="by_class", show="n")),
... )
>>> layout.keys
('pq',)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal

from segmetry._base.frozen_dataclass import frozen_dataclass

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
class TableLayout:
    """Rows and columns; ``corner`` is the heading of the rows' headings."""

    rows: tuple[Heading | EachClass, ...]
    columns: tuple[Heading | EachClass, ...]
    corner: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        """The metrics that the table shows, each once."""
        named = (entry.key for entry in (*self.columns, *self.rows) if isinstance(entry, Heading))
        return tuple(dict.fromkeys(key for key in named if key is not None))


@frozen_dataclass()
class NumberStyle:
    """How the numbers of a table are written: decimals, and whether scores of 0 to 1 are written as percentages."""

    decimals: int = 4
    percent: bool = False
