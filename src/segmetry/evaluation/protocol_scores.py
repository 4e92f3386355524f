"""The scores of one pair under a protocol: the values of its table, and the score behind every metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from segmetry._base.small_table import html_table, text_table
from segmetry.metrics.score import Score
from segmetry.metrics.score_many import Scores
from segmetry.protocols.protocol import Protocol
from segmetry.protocols.protocol_table import ProtocolTable, table_scores
from segmetry.run.run import Run
from segmetry.statistics.summary_tables import Aggregated


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
    def of_run(cls, run: Run, protocol: Protocol) -> ProtocolScores:
        """Return the scores of a run that follows a protocol."""
        summary, table = run.summary(), run.protocol_table()
        if table is None:
            raise ValueError(f"the run does not follow protocol {protocol.name}")
        return cls(
            results=table_scores(protocol, summary),
            rule=summary.rule,
            policy=summary.policy,
            classes={name: _of_part(row) for name, row in summary.parts.items()} if summary.by == "class" else {},
            groups={name: _of_part(row) for name, row in summary.groups.items()},
            protocol=protocol.name,
            header=run.header or protocol.header,
            headline=protocol.headline.key,
            table=table,
            class_table=run.protocol_table(classes=True),
            modified=run.modified,
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


def _of_part(row: Mapping[str, Aggregated]) -> dict[str, Score]:
    """Return the scores of a class or group: over the data set where they exist, else the mean over items."""
    whole = {key: aggregated.over_data_set for key, aggregated in row.items()}
    return {key: row[key].by_item if score is None else score for key, score in whole.items()}
