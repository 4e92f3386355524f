"""The scores of one pair under a protocol: the values of its table, and the score behind every metric."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from segmetry._base.small_table import html_table, text_table
from segmetry.metrics.score import Score
from segmetry.metrics.score_many import Scores
from segmetry.protocols.modified import protocol_header
from segmetry.protocols.protocol import Protocol
from segmetry.protocols.protocol_table import ProtocolTable, protocol_table
from segmetry.run.settings import Settings
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import SummaryRowScores, summarise


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProtocolScores(Scores):
    """Scores as a community reports them: ``scores.table["PQ"]`` is a value of its table, ``scores["pq"]`` the score.

    A metric that the table shows in one of several averages (over items, classes, or all segments) is in ``results``
    in that average; columns that show another number of a score, such as a mean over labels, are in the table alone.

    Parameters
    ----------
    results, rule, policy, classes, groups
        As in :class:`Scores`.
    protocol : str
        The name of the protocol.
    header : str
        What the protocol reads how and averages over what, and what was modified, in one line.
    headline : str
        The key of the metric that the community ranks by.
    table : ProtocolTable
        The table that the protocol prints.
    class_table : ProtocolTable, optional
        Its table of classes, where it has one.
    modified : tuple of str
        The options that differ from those of the protocol.
    """

    protocol: str
    header: str
    headline: str
    table: ProtocolTable
    class_table: ProtocolTable | None = None
    modified: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, data: DataSet, protocol: Protocol, settings: Settings, class_names: Mapping[Hashable, str]
    ) -> ProtocolScores:
        """Return the scores of a data set that was evaluated by a protocol."""
        summary = summarise(data, usual=True)
        table, class_table = (
            None
            if layout is None
            else protocol_table(protocol, data, class_names=class_names, layout=layout, options=settings.options)
            for layout in (protocol.layout, protocol.class_layout)
        )
        if table is None:
            raise ValueError(f"protocol {protocol.name} has no table")
        return cls(
            results={key: averages.usual for key, averages in summary.scores.items()},
            rule=summary.rule,
            policy=summary.policy,
            classes={name: _of_part(row) for name, row in summary.parts.items()} if summary.by == "class" else {},
            groups={name: _of_part(row) for name, row in summary.groups.items()},
            protocol=protocol.name,
            header=protocol_header(protocol, settings.modified),
            headline=protocol.headline.key,
            table=table,
            class_table=class_table,
            modified=settings.modified,
        )

    def __repr__(self) -> str:
        return (
            f"ProtocolScores({super().__repr__().removeprefix('Scores(').removesuffix(')')}; protocol {self.protocol})"
        )

    def __str__(self) -> str:
        return text_table(self.header, *self.table.shown())

    def _repr_html_(self) -> str:
        return html_table(self.header, *self.table.shown())

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        tables = {"table": self.table, "class_table": self.class_table}
        return {
            "protocol": self.protocol,
            "modified": list(self.modified),
            **{name: None if table is None else table.as_dict() for name, table in tables.items()},
            **super().as_dict(),
        }


def _of_part(row: SummaryRowScores) -> dict[str, Score]:
    """Return the scores of a class or group."""
    return {key: averages.usual for key, averages in row.items()}
