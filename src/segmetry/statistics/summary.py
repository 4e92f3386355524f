"""The summary of a data set: every metric in every average that it has, in total, by class and by group of classes.

Undefined values are left out of means unless the policy's reference counts them as 0 in its means over classes, or
``undefined=`` says otherwise; every mean carries how many values it used (the denominator of its score).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from segmetry._base import frozen_dataclass
from segmetry.errors import ClassesError, UnknownNameError
from segmetry.metrics import ALL, AVERAGES, POOLED, Average, Score, known_key, value_or_none
from segmetry.results import ColumnType, ResultTable, ShownAsTable, Table, Tabular, counted
from segmetry.statistics.data_set import DataSet

SUMMARY_TYPES: dict[str, ColumnType] = {
    "level": "text",
    "name": "text",
    "class_name": "text",
    "key": "text",
    "average": "text",
    "value": "number",
    "n": "integer",
}
NO_CLASS = "no class of this group occurs"


class Averages(dict[str, Score], Tabular):
    """The values of one metric by the name of their average (:mod:`segmetry.metrics.average`), the usual one first."""

    @property
    def usual(self) -> Score:
        """The value in the average that is meant where none is named."""
        return next(iter(self.values()))

    @property
    def over_data_set(self) -> Score | None:
        """The value of the counts of the whole data set, by class where there are classes; None if it has none."""
        return next((score for name, score in self.items() if not AVERAGES[name].over_items), None)

    @property
    def over_items(self) -> Score | None:
        """The mean over items; None if there is none."""
        return next((score for name, score in self.items() if AVERAGES[name].steps[:1] == ("item",)), None)

    def find(self, average: str) -> Score | None:
        """Return the value in an average; ``"by_item"`` is the mean over items, whatever is averaged inside an item."""
        return self.over_items if average == "by_item" else self.get(average)

    def n(self, average: str) -> int | None:
        """Return the number of values in a mean; None for a total."""
        return int(self[average].denominator or 0) if AVERAGES[average].steps else None

    def rows(self) -> Table:
        """Return one plain row per average."""
        return Table("averages", [{"average": name, **score.records()[0]} for name, score in self.items()])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {name: score.to_dict() for name, score in self.items()}

    def __eq__(self, other: object) -> bool:
        """Return whether everything is equal, quotients and reasons too: undefined for the same reason is equal."""
        return self.to_dict() == other.to_dict() if isinstance(other, Averages) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]


SummaryRowScores = Mapping[str, Averages]


@frozen_dataclass(repr=False)
class Summary(Tabular, ShownAsTable):
    """The scores of a data set: in total, by part (class, or another breakdown) and by group of classes.

    ``summary["pq"]["by_class"]`` is one of them; which averages a metric has, the names say.
    """

    rule: str
    policy: str
    by: str | None
    n_items: int
    scores: SummaryRowScores
    parts: Mapping[Hashable, SummaryRowScores]
    groups: Mapping[str, SummaryRowScores]
    class_names: Mapping[Hashable, str] = field(default_factory=dict)

    @property
    def classes(self) -> Mapping[Hashable, SummaryRowScores]:
        """The parts, where the breakdown is by class."""
        if self.by != "class":
            raise ClassesError(f"the data set is broken down by {self.by or 'nothing'}, not by class")
        return self.parts

    def __getitem__(self, key: str) -> Averages:
        if key in self.scores:
            return self.scores[key]
        try:
            return self.scores[known_key(key, self.scores)]
        except KeyError:
            raise UnknownNameError(f"{key!r} was not computed; found {', '.join(self.scores)}") from None

    def levels(self) -> Iterator[tuple[str, Hashable, SummaryRowScores]]:
        """Yield the level, the name and the scores of the data set, of every group, and of every part."""
        yield "data set", None, self.scores
        for group, row in self.groups.items():
            yield "group", group, row
        for part, row in self.parts.items():
            yield self.by or "part", part, row

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "scores": _plain_row(self.scores),
            "parts": {str(name): _plain_row(row) for name, row in self.parts.items()},
            "groups": {name: _plain_row(row) for name, row in self.groups.items()},
        }

    def __repr__(self) -> str:
        metrics, items = counted(len(self.scores), "metric"), counted(self.n_items, "item")
        return f"Summary({metrics} of {items}, rule {self.rule}, policy {self.policy})"

    def _as_table(self) -> ResultTable:
        """The values of the data set and of groups; those of parts are in :meth:`rows`."""
        groups = [("group", name) for name in self.groups if name != ALL]  # all classes are the data set
        shown = [row for row in self.rows() if row["level"] == "data set" or (row["level"], row["name"]) in groups]
        title = f"Summary: {counted(self.n_items, 'item')}, rule {self.rule}, policy {self.policy}"
        head = [*(["name"] if groups else []), "key", "average", "value", "n"]
        rows = [[row[name] if name != "name" else row[name] or "all" for name in head] for row in shown]
        return ResultTable.of_rows(title, head, rows, len(rows))

    def rows(self) -> Table:
        """Return one plain row per level, name, metric and average, with its value and ``n``, the number of values in
        a mean; undefined is None.
        """
        rows = [
            {
                "level": level,
                "name": name,
                **({"class_name": self.class_names.get(name)} if self.class_names else {}),
                "key": key,
                "average": average,
                "value": value_or_none(score),
                "n": averages.n(average),
            }
            for level, name, row in self.levels()
            for key, averages in row.items()
            for average, score in averages.items()
        ]
        return Table("summary", rows, SUMMARY_TYPES)


def _plain_row(row: SummaryRowScores) -> dict[str, Any]:
    return {key: averages.to_dict() for key, averages in row.items()}


def summarise(data: DataSet, class_names: Mapping[Hashable, str] | None = None, *, usual: bool = False) -> Summary:
    """Return every metric of a data set in every average that it has, or in its ``usual`` one alone."""
    if data.groups and data.by != "class":
        raise ClassesError(f"groups= names groups of classes, but the items are broken down by {data.by or 'nothing'}")
    last = 1 if usual else None
    scores = {
        key: Averages({average.name: data.score(key, average) for average in data.averages(key)[:last]})
        for key in data.sources
    }
    return Summary(
        rule=data.rule,
        policy=data.policy,
        by=data.by,
        n_items=len(data.items),
        scores=scores,
        parts=_parts(data, last),
        groups={group: _group(data, group, last) for group in data.group_names},
        class_names=class_names or {},
    )


def keys_of_classes(data: DataSet) -> list[str]:
    """Return the metrics that have values of single classes."""
    return [key for key, source in data.sources.items() if _has_parts(data, key) and source.aggregation.has_classes]


def _has_parts(data: DataSet, key: str) -> bool:
    source = data.sources[key]
    return source.metric.needs == "tally" or (data.by == "class" and source.is_by_class)


def _parts(data: DataSet, last: int | None) -> dict[Hashable, dict[str, Averages]]:
    parts: dict[Hashable, dict[str, Averages]] = {name: {} for name in data.parts}
    for key in keys_of_classes(data) if parts else ():
        for average in data.averages(key, part=ALL)[:last]:
            of_classes = data.class_scores(key, over_items=average != POOLED)
            for name, row in parts.items():
                known = of_classes.get(name, Score.undefined(key, "this class has no value"))
                row.setdefault(key, Averages())[average.name] = known
    return parts


def group_averages(data: DataSet, key: str) -> tuple[Average, ...]:
    """Return the averages of a metric over a group of classes."""
    return tuple(average for average in data.averages(key) if average.over_classes or average == POOLED)


def _group(data: DataSet, group: str, last: int | None) -> dict[str, Averages]:
    return {
        key: Averages({one.name: data.score(key, one, group) for one in group_averages(data, key)[:last]})
        for key in keys_of_classes(data)
    }


def restricted(summary: Summary, keys: Sequence[str]) -> Summary:
    """Return a summary with only these metrics."""
    from dataclasses import replace

    def some(row: SummaryRowScores) -> dict[str, Averages]:
        return {key: row[key] for key in keys if key in row}

    return replace(
        summary,
        scores=some(summary.scores),
        parts={name: some(row) for name, row in summary.parts.items()},
        groups={name: some(row) for name, row in summary.groups.items()},
    )
