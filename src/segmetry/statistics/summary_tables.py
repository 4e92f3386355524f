"""The summary of a data set: metrics aggregated in total, per part and per group of classes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import field
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.result_table import ColumnType, Table, Tabular
from segmetry._base.small_table import counted, html_table, text_table
from segmetry.errors import ClassesError, UnknownNameError
from segmetry.metrics.metric_names import find_metric
from segmetry.metrics.score import Score, value_or_none
from segmetry.statistics.averages import AVERAGES, Average


@frozen_dataclass(eq=False)
class Aggregated:
    """One metric over a data set, in its three averages (see :mod:`segmetry.statistics.averages`).

    ``by_class`` is None where segments carry no classes or the metric has no value for a class, ``all_segments`` where
    the metric is only defined for items.
    """

    by_item: Score
    by_class: Score | None
    all_segments: Score | None

    @property
    def n(self) -> int:
        """The number of items in the mean over items."""
        return int(self.by_item.denominator or 0)

    @property
    def over_data_set(self) -> Score | None:
        """The value of the counts of the whole data set: by class where there are classes, else of all segments."""
        return self.all_segments if self.by_class is None else self.by_class

    def scores(self) -> dict[Average, Score]:
        """Return the averages that exist, by name."""
        every = {name: getattr(self, name) for name in AVERAGES}
        return {name: score for name, score in every.items() if score is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "by_item": self.by_item.as_dict(),
            "n": self.n,
            "by_class": None if self.by_class is None else self.by_class.as_dict(),
            "all_segments": None if self.all_segments is None else self.all_segments.as_dict(),
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
    "by_item": "number",
    "n": "integer",
    "by_class": "number",
    "all_segments": "number",
}
SummaryRowScores = dict[str, Aggregated]


@frozen_dataclass(repr=False)
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
        if key in self.scores:
            return self.scores[key]
        try:
            return self.scores[find_metric(key).metric.key]
        except KeyError:
            raise UnknownNameError(f"{key!r} was not computed; found {', '.join(self.scores)}") from None

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
        """Return one plain row per metric and part: level, name, key, by_item, n, by_class, all_segments; undefined is
        None."""
        levels: list[tuple[str, Hashable, Mapping[str, Aggregated]]] = [("data set", None, self.scores)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        rows = [
            {
                "level": level,
                "name": name,
                **({"class_name": self.class_names.get(name)} if self.class_names else {}),
                "key": key,
                "by_item": value_or_none(aggregated.by_item),
                "n": aggregated.n,
                "by_class": value_or_none(aggregated.by_class),
                "all_segments": value_or_none(aggregated.all_segments),
            }
            for level, name, row in levels
            for key, aggregated in row.items()
        ]
        return Table("summary", rows, SUMMARY_TYPES)


def _plain(row: Mapping[str, Aggregated]) -> dict[str, Any]:
    return {key: aggregated.as_dict() for key, aggregated in row.items()}
