"""The scores of one pair under a protocol: the values of its table, and the score behind every metric."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from segmetry.metrics import Score, Scores
from segmetry.protocols import Grid, Protocol, protocol_header, protocol_table
from segmetry.results import ResultTable
from segmetry.run import Settings
from segmetry.statistics import DataSet, Summary, SummaryRowScores, summarise


class ProtocolScores(Scores):
    """Scores as a community reports them: ``scores.table["PQ"]`` is a value of its table, ``scores["pq"]`` the score.

    A metric that the table shows in one of several averages (over items, classes, or all segments) is in ``results``
    in that average; columns that show another number of a score, such as a mean over labels, are in the table alone.

    Parameters
    ----------
    data : DataSet
        The data set that was evaluated by the protocol.
    protocol : Protocol
        The protocol.
    settings : Settings
        Its settings, with the options that the user stated.
    class_names : mapping of classes to str
        How classes are called.

    Attributes
    ----------
    results, rule, policy, classes, groups
        As in :class:`Scores`.
    protocol : str
        The name of the protocol.
    header : str
        What the protocol reads how and averages over what, and what was modified, in one line.
    headline : str
        The key of the metric that the community ranks by.
    table : ResultTable
        The table that the protocol prints.
    class_table : ResultTable, optional
        Its table of classes, where it has one.
    modified : tuple of str
        The options that differ from those of the protocol.
    """

    protocol: str
    headline: str
    table: ResultTable
    modified: tuple[str, ...]
    _evaluated: tuple[DataSet, Protocol, Mapping[str, Mapping[str, Any]], Mapping[Hashable, str]]

    def __init__(
        self, data: DataSet, protocol: Protocol, settings: Settings, class_names: Mapping[Hashable, str]
    ) -> None:
        self.__dict__.update(  # the record is frozen; what is not here is computed when it is read
            results={key: data.score(key) for key in data.sources},
            rule=data.rule,
            policy=data.policy,
            protocol=protocol.name,
            headline=protocol.headline_cell.metric,
            modified=settings.modified,
            _evaluated=(data, protocol, settings.options, class_names),
        )
        self.__dict__["table"] = self._table_of(protocol.cells)

    def _table_of(self, cells: Grid) -> ResultTable:
        data, protocol, options, class_names = self._evaluated
        return protocol_table(protocol, data, class_names=class_names, cells=cells, options=options)

    @cached_property
    def header(self) -> str:
        return protocol_header(self._evaluated[1], self.modified, self.rule, self.policy)

    @cached_property
    def class_table(self) -> ResultTable | None:
        cells = self._evaluated[1].class_cells
        return None if cells is None else self._table_of(cells)

    @cached_property
    def _summary(self) -> Summary:
        return summarise(self._evaluated[0], usual=True)

    @cached_property
    def classes(self) -> Mapping[Hashable, Mapping[str, Score]]:
        summary = self._summary
        return {name: _of_part(row) for name, row in summary.parts.items()} if summary.by == "class" else {}

    @cached_property
    def groups(self) -> Mapping[str, Mapping[str, Score]]:
        return {name: _of_part(row) for name, row in self._summary.groups.items()}

    def __repr__(self) -> str:
        return (
            f"ProtocolScores({super().__repr__().removeprefix('Scores(').removesuffix(')')}; protocol {self.protocol})"
        )

    def __str__(self) -> str:
        return str(replace(self.table, title=self.header))

    def _repr_html_(self) -> str:
        return replace(self.table, title=self.header)._repr_html_()

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        tables = {"table": self.table, "class_table": self.class_table}
        return {
            "protocol": self.protocol,
            "modified": list(self.modified),
            **{name: None if table is None else table.to_dict() for name, table in tables.items()},
            **super().to_dict(),
        }


def _of_part(row: SummaryRowScores) -> dict[str, Score]:
    return {key: averages.usual for key, averages in row.items()}
