"""The declaration of a protocol: every decision of a community's evaluation, in one place.

A protocol states how files are read, how void and crowd are treated, which segments are matched, which metrics are
computed and averaged over what, how the table is laid out, and which reference implementation its numbers equal.
Options that the user states override it; the run then records what was modified.

Its table is a grid of cells. A cell says which metric is meant, in which average, and of which classes: of the data
set, of a group, or of a class. A row states one part of that and a column the other:

>>> grid = Grid(
...     rows=(Heading("All", level="group", name="all"), EachClass()),
...     columns=(Heading("PQ", key="pq", average="by_class"), Heading("N", key="pq", average="by_class", show="n")),
... )
>>> grid.keys, grid.cell("PQ").metric, grid.cell(("All", "N")).show
(('pq',), 'pq', 'n')
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, ParamSpec

from segmetry._base import FORMAT_PROTOCOLS, PROTOCOL_MODULES, Reference, Registry, frozen_dataclass
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics import Scoring
from segmetry.results import Cell, NumberStyle

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

    def cells(self) -> Iterator[tuple[set[str | tuple[str, str]], Cell]]:
        """Yield the cells that are not of single classes, each with what it may be called: row and column, or one of
        them, in the first column or row.
        """
        first_row, first_column = (
            next((entry.text for entry in side if isinstance(entry, Heading)), None)
            for side in (self.rows, self.columns)
        )
        for row, column, cell in self.declared():
            if cell.key is not None and cell.average is not None:
                found = Cell(metric=cell.key, average=cell.average, **cell_words(row, column), **cell_place(cell))
                short = {column.text} if row.text == first_row else set()
                short |= {row.text} if column.text == first_column else set()
                yield {(row.text, column.text), found.words, *(short - {""})}, found

    def cell(self, name: str | tuple[str, str]) -> Cell:
        """Return a cell by its printed name: its row and column, or one of them that says which."""
        for names, cell in self.cells():
            if name in names:
                return cell
        known = ", ".join(repr((row.text, column.text)) for row, column, _ in self.declared())
        raise UnknownNameError(f"the table has no cell {name!r}; expected (row, column), one of {known}")


def joined_heading(row: Heading, column: Heading) -> Heading:
    """Return the address of a cell; what a row states goes before what a column states."""
    parts = ("level", "name", "key", "average")
    stated = {part: getattr(row, part) for part in parts if getattr(row, part) is not None}
    show = column.show if row.show == "value" else row.show
    if row.show != "value" != column.show:  # a row of one threshold, a column of what is counted there
        show = (str(column.show), row.show[-1])
    return replace(column, **stated, show=show, optional=row.optional or column.optional)


def cell_words(row: Heading, column: Heading) -> dict[str, Any]:
    """Return what a cell is called: its column, or the row that names the metric where the column is an average."""
    is_average = column.average is not None or column.text in ("", "value")
    name, of = (row, column) if row.key is not None and is_average else (column, row)
    return {"name": name.text or of.text, "of": of.text if name.text and of.text != "value" else ""}


def cell_place(heading: Heading) -> dict[str, Any]:
    """Return what a heading says about a cell besides its metric and average."""
    return {"level": heading.level or "data set", "labels": heading.name, "show": heading.show}


@frozen_dataclass()
class ReferenceImplementation:
    """The program whose numbers a protocol reproduces.

    ``version`` is the version that the tests compare with. ``transcribed``: it cannot be installed any more, so the
    tests compare with an independent transcription of its published definition.
    """

    package: str
    version: str
    function: str
    transcribed: bool = False

    def __str__(self) -> str:
        return f"{self.package} {self.version}, {self.function}{' (transcribed)' if self.transcribed else ''}"


@frozen_dataclass(kw_only=True)
class Protocol(Scoring):
    """A community's way of evaluating.

    Parameters
    ----------
    name
        As the command line spells it, such as ``coco-panoptic``.
    field
        The community, in a few words.
    summary
        What it measures, in one sentence.
    header
        What is read how and averaged over what, for the line above the table; parts are separated by semicolons.
    decisions
        Every decision in words, one sentence each.
    headline
        The value the community ranks by: the name of a cell of its table, ``"Dice"`` or ``("mean", "Dice")`` with the
        heading of its row.
    cells
        Its table.
    reference
        The implementation whose numbers it reproduces.
    citation
        Keys of ``references.bib``, references, or citations in plain text.
    metrics
        Keys of the metrics it computes; by default those of its tables.
    formats
        Names of the file formats of the truth that this protocol is the default of.
    pred_formats
        Names of the file formats of the prediction for which it is; by default any.
    class_cells
        The table of classes, which is printed on request.
    numbers
        How numbers are written.
    format
        The file format in which both sides are read where the user states none; None where the content decides.
    read_as
        Formats in which files are read whose content looks like another, by that one; by ``""`` for files that no
        format recognises.
    reading
        Reading options by name, as ``read=`` of :func:`segmetry.evaluate` takes them.
    companion
        Returns the reading options that a file beside the truth states, from the path of the truth; what the user
        states goes first.
    class_names
        Names of its classes by number, for data sets that do not name them.
    declared_classes
        Classes that the data set names and no item has count in means over classes: with 0 elements, or as
        ``undefined`` says.
    **scoring
        The options of scoring of :func:`segmetry.evaluate`. Where it states no policy, the data decide: every element
        counts unless some labels are void; where it states no groups of classes, they are those that the data set
        declares.
    exceptions
        Where its numbers differ from the reference on purpose, one sentence each.
    neighbours
        Protocols that are easily confused with it; how they differ is computed.
    """

    name: str
    field: str
    summary: str
    header: str
    decisions: tuple[str, ...]
    headline: str | tuple[str, str]
    cells: Grid
    reference: ReferenceImplementation
    citation: tuple[str | Reference, ...]
    metrics: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    pred_formats: tuple[str, ...] = ()
    class_cells: Grid | None = None
    numbers: NumberStyle = dataclasses.field(default_factory=NumberStyle)
    format: str | None = None
    read_as: Mapping[str, str] = dataclasses.field(default_factory=dict)
    reading: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    companion: Callable[[Path], Mapping[str, Any]] | None = None
    class_names: Mapping[Hashable, str] = dataclasses.field(default_factory=dict)
    declared_classes: bool = False
    rule: str | None = None
    also: tuple[str, ...] = ()
    policy: str | None = None
    background: str | None = None
    groups: Mapping[str, Collection[Hashable]] | None = None
    exceptions: tuple[str, ...] = ()
    neighbours: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.metrics:
            grids = (self.cells, self.class_cells or Grid((), ()))
            object.__setattr__(self, "metrics", tuple(dict.fromkeys(key for grid in grids for key in grid.keys)))

    @cached_property
    def headline_cell(self) -> Cell:
        """The cell of its table that the community ranks by.

        >>> PROTOCOLS["coco-panoptic"].headline_cell.metric, PROTOCOLS["coco-panoptic"].headline_cell.average
        ('pq', 'by_class')
        """
        return self.cells.cell(self.headline)

    @cached_property
    def metric_names(self) -> dict[str, str]:
        """What its table calls each metric; with the heading of the row where another metric has that name.

        >>> PROTOCOLS["semeval13"].metric_names["semeval_strict"], PROTOCOLS["semeval13"].metric_names["semeval_exact"]
        ('F1', 'exact F1')
        """
        cells = [cell for _, cell in self.cells.cells() if cell.level != "class" and cell.show != "n"]
        names: dict[str, str] = {}
        for cell in sorted(cells, key=lambda cell: (cell != self.headline_cell, cell.show != "value")):
            name = f"{cell.of} {cell.name}" if cell.name in names.values() else cell.name
            names.setdefault(cell.metric, name)
        return names

    @property
    def scoring(self) -> dict[str, Any]:
        """What it states about scoring, by the names of :class:`ScoringOptions`.

        >>> sorted(PROTOCOLS["coco-panoptic"].scoring)
        ['metrics', 'policy', 'rule']
        """
        own = {option.name: option.default for option in fields(self)}
        values = {option.name: getattr(self, option.name) for option in fields(Scoring)}
        return {name: value for name, value in values.items() if value not in (own[name], None, (), {})}


PROTOCOLS: Registry[Protocol] = Registry(
    "protocol", package="segmetry.protocols", group="segmetry.protocols", index=PROTOCOL_MODULES
)


def declare_protocol(protocol: Protocol) -> Protocol:
    """Register a protocol under its name; its headline must be a cell of its table."""
    try:
        protocol.headline_cell  # noqa: B018 - raises an error where there is no such cell
    except UnknownNameError as problem:
        raise problem.within(f"the headline of protocol {protocol.name}") from None
    PROTOCOLS.declare(protocol.name, protocol)
    return protocol


P = ParamSpec("P")


def _declaring(make: Callable[P, Protocol]) -> Callable[P, Protocol]:
    """Return a function that makes and declares a protocol, with the parameters of the record for type checkers."""

    def declare_record(*args: P.args, **facts: P.kwargs) -> Protocol:
        return declare_protocol(make(*args, **facts))

    return declare_record


declare = _declaring(Protocol)
"""Declare a protocol by the fields of :class:`Protocol`."""


def as_protocol(protocol: Protocol | str | None) -> Protocol | None:
    """Return a protocol, also from its name; a run stores only the name, so it must be registered."""
    if isinstance(protocol, Protocol) and (protocol.name not in PROTOCOLS or PROTOCOLS[protocol.name] is not protocol):
        raise OptionError(
            f"protocol {protocol.name} is not the one registered under this name, and a run stores only the name; "
            "declare it under a name of its own (segmetry.plugins.declare_protocol)"
        )
    return PROTOCOLS[protocol] if isinstance(protocol, str) else protocol


def protocol_of_format(name: str, pred: str | None = None) -> Protocol | None:
    """Return the protocol that a file format of the truth is evaluated by unless the user states another.

    ``pred`` is the format of the prediction, where it is known.
    """
    for protocol in PROTOCOLS.with_plugins(FORMAT_PROTOCOLS.get(name, ())).values():
        fits = pred is None or not protocol.pred_formats or pred in protocol.pred_formats
        if name in protocol.formats and fits:
            return protocol
    return None


def default_policy(format_name: str) -> str | None:
    """Return the policy of a format's protocol, None where it has none or that states none."""
    protocol = protocol_of_format(format_name)
    return None if protocol is None else protocol.policy
