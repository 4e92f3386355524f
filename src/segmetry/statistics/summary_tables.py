"""The summary of a data set: metrics aggregated in total, per part and per group of classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from segmetry._base.result_table import ColumnType, Table, Tabular
from segmetry._base.small_table import counted, html_table, text_table
from segmetry.errors import ClassesError
from segmetry.metrics.score import Score, value_or_none


@dataclass(frozen=True, eq=False)
class Aggregated:
    """One metric over a data set; the denominator of ``mean`` is the number of values it used."""

    mean: Score
    pooled: Score | None

    @property
    def n(self) -> int:
        """The number of values in the mean."""
        return int(self.mean.denominator or 0)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "mean": self.mean.as_dict(),
            "n": self.n,
            "pooled": None if self.pooled is None else self.pooled.as_dict(),
        }

    def __eq__(self, other: object) -> bool:
        """Return whether everything is equal, quotients and reasons too: undefined for the same reason is equal."""
        return self.as_dict() == other.as_dict() if isinstance(other, Aggregated) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


SUMMARY_TYPES: dict[str, ColumnType] = {
    "level": "text",
    "name": "text",
    "class_name": "text",
    "key": "text",
    "mean": "number",
    "n": "integer",
    "pooled": "number",
}
SummaryRowScores = dict[str, Aggregated]


@dataclass(frozen=True, repr=False)
class Summary(Tabular):
    """The scores of a data set: in total, by part (class, or another breakdown) and by group of classes."""

    rule: str
    policy: str
    by: str | None
    n_items: int
    scores: Mapping[str, Aggregated]
    parts: Mapping[Hashable, Mapping[str, Aggregated]]
    groups: Mapping[str, Mapping[str, Aggregated]]
    class_names: Mapping[Hashable, str] = field(default_factory=dict)

    @property
    def classes(self) -> Mapping[Hashable, Mapping[str, Aggregated]]:
        """The parts, where the breakdown is by class."""
        if self.by != "class":
            raise ClassesError(f"this summary is broken down by {self.by or 'nothing'}, not by class; see .parts")
        return self.parts

    def __getitem__(self, key: str) -> Aggregated:
        return self.scores[key]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "scores": _plain(self.scores),
            "parts": {str(name): _plain(row) for name, row in self.parts.items()},
            "groups": {name: _plain(row) for name, row in self.groups.items()},
        }

    def __repr__(self) -> str:
        metrics, items = counted(len(self.scores), "metric"), counted(self.n_items, "item")
        return f"Summary({metrics} of {items}, rule {self.rule}, policy {self.policy})"

    def __str__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())

    def _table(self) -> tuple[str, list[str], list[list[Any]]]:
        """The values of the data set and of groups; those of parts are in :meth:`rows`."""
        shown = [row for row in self.rows() if row["level"] in ("data set", "group")]
        title = f"Summary: {counted(self.n_items, 'item')}, rule {self.rule}, policy {self.policy}"
        head = [
            name
            for name in (shown[0] if shown else {"key": None})
            if name != "level" and (name != "name" or self.groups)
        ]
        return title, head, [[row[name] if name != "name" else row[name] or "all" for name in head] for row in shown]

    def rows(self) -> Table:
        """Return one plain row per metric and part: level, name, key, mean, n, pooled; undefined is None."""
        levels: list[tuple[str, Hashable, Mapping[str, Aggregated]]] = [("data set", None, self.scores)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        rows = [
            {
                "level": level,
                "name": name,
                **({"class_name": self.class_names.get(name)} if self.class_names else {}),
                "key": key,
                "mean": value_or_none(aggregated.mean),
                "n": aggregated.n,
                "pooled": value_or_none(aggregated.pooled),
            }
            for level, name, row in levels
            for key, aggregated in row.items()
        ]
        return Table("summary", rows, SUMMARY_TYPES)


def _plain(row: Mapping[str, Aggregated]) -> dict[str, Any]:
    return {key: aggregated.as_dict() for key, aggregated in row.items()}
