"""The scores of the parts of a run: of its items by a column about them, or of its segments by size."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from segmetry._base.result_table import ColumnType, Table
from segmetry.alignments.breakdown import Breakdown, BySize, as_breakdown
from segmetry.errors import OptionError
from segmetry.metrics.score import value_or_none
from segmetry.run.alignment_columns import item_alignment
from segmetry.run.by_item import ByItem
from segmetry.statistics.records import record_of
from segmetry.statistics.summary import summarise, summarise_columns
from segmetry.statistics.summary_tables import Aggregated

if TYPE_CHECKING:
    from segmetry.run.run import Run

COUNTS = ("items", "true", "pred")


def part_rows(run: Run, by: str | Breakdown | ByItem) -> Table:
    """Return one row per part; see :meth:`segmetry.Run.parts`."""
    rows = _of_items(run, by) if isinstance(by, ByItem) else _of_segments(run, as_breakdown(by))
    types: dict[str, ColumnType] = {
        f"{metric.key}{end}": "number" for metric in run.metrics for end in ("", "_by_item")
    }
    return Table("parts", rows, {**dict.fromkeys(COUNTS, "integer"), **types})


def _of_items(run: Run, by: ByItem) -> list[dict[str, Any]]:
    """Every group of items as a data set of its own, with all metrics of the run."""
    from segmetry.run.item_subset import only_items

    rows = []
    keys = [metric.key for metric in run.metrics if metric.needs == "tally"]
    for label, names in by.groups(run.columns.items).items():
        columns = only_items(run.columns, set(names))
        summary = summarise_columns(columns, metrics=keys, **run.averaging())
        total = columns.total
        rows.append(_row(by.name, label, (len(names), total.n_true, total.n_pred), summary.scores))
    return rows


def _of_segments(run: Run, by: Breakdown) -> list[dict[str, Any]]:
    """The segments of every part over all items; only metrics that follow from counts of segments have a value."""
    tables = run.tables_together
    records = [
        replace(record_of(facts.name, item_alignment(tables, at, run.settings), by=by, average="segments"), scores={})
        for at, facts in enumerate(tables.items)
    ]
    keys = [metric.key for metric in run.metrics if metric.needs == "tally"]
    if not keys:
        raise OptionError(
            f"no metric of this run follows from counts of segments, which a breakdown by {by.name} needs; "
            "evaluate with metrics such as pq, rq or n_missed"
        )
    averaging = {**run.averaging(), "groups": None}
    summary = summarise(records, metrics=keys, **averaging)
    order = by.names if isinstance(by, BySize) else tuple(summary.parts)
    tallies = {
        label: [record.parts[label] for record in records if label in record.parts and record.parts[label].occurs]
        for label in order
        if label in summary.parts
    }
    return [
        _row(
            by.name,
            label,
            (len(tallies[label]), sum(t.n_true for t in tallies[label]), sum(t.n_pred for t in tallies[label])),
            summary.parts[label],
        )
        for label in tallies
    ]


def _row(name: str, label: Hashable, counts: tuple[int, int, int], scores: Mapping[str, Aggregated]) -> dict[str, Any]:
    return {
        name: str(label),
        **dict(zip(COUNTS, counts, strict=True)),
        **{key: value_or_none(aggregated.over_data_set or aggregated.by_item) for key, aggregated in scores.items()},
        **{f"{key}_by_item": value_or_none(aggregated.by_item) for key, aggregated in scores.items()},
    }
