"""Confidence intervals for every value of a summary, by resampling items (never segments)."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.score import Score
from segmetry.statistics.averages import AVERAGES, Average
from segmetry.statistics.bootstrap import LEVEL, Interval, checked_level, interval_of
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.jackknife import Jackknife
from segmetry.statistics.random_draws import RESAMPLES, SEED, Draws, checked_resamples, checked_seed
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, unite
from segmetry.statistics.sample_sums import rows_first
from segmetry.statistics.samples import DATA_SET, Samples, SummaryRow, averages_of_part
from segmetry.statistics.summary import summarise_columns
from segmetry.statistics.summary_tables import Aggregated, Summary

_MOST_VALUES = 2**26
"""The most resampled sums of parts that are kept at once: 512 MB."""


@dataclass(frozen=True)
class AveragedIntervals:
    """The intervals of the averages of one metric; an average that the metric does not have is None."""

    by_item: Interval
    by_class: Interval | None
    all_segments: Interval | None

    def intervals(self) -> dict[Average, Interval]:
        """Return the intervals of the averages that exist, by name."""
        every = {name: getattr(self, name) for name in AVERAGES}
        return {name: interval for name, interval in every.items() if interval is not None}

    @property
    def over_data_set(self) -> Interval | None:
        """The interval of the value by class where there are classes, else of all segments."""
        return self.all_segments if self.by_class is None else self.by_class

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        known = self.intervals()
        return {name: known[name].as_dict() if name in known else None for name in AVERAGES}


IntervalRow = Mapping[str, AveragedIntervals]


@dataclass(frozen=True)
class Intervals:
    """The intervals of a summary, in the same shape: the data set, its parts, its groups of classes."""

    rule: str
    policy: str
    by: str | None
    n_items: int
    level: float
    resamples: int
    seed: int
    scores: IntervalRow
    parts: Mapping[Hashable, IntervalRow]
    groups: Mapping[str, IntervalRow]

    def __getitem__(self, key: str) -> AveragedIntervals:
        return self.scores[key]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "scores": {key: pair.as_dict() for key, pair in self.scores.items()},
            "parts": {
                str(name): {key: pair.as_dict() for key, pair in row.items()} for name, row in self.parts.items()
            },
            "groups": {name: {key: pair.as_dict() for key, pair in row.items()} for name, row in self.groups.items()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain row per level, name, metric and average, with both intervals; undefined is None."""
        levels: list[tuple[str, Hashable, IntervalRow]] = [("data set", None, self.scores)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        return [
            {"level": level, "name": name, "key": key, "average": average, **interval_row(interval)}
            for level, name, row in levels
            for key, averaged in row.items()
            for average, interval in averaged.intervals().items()
        ]


def interval_row(interval: Interval) -> dict[str, Any]:
    """Return an interval as plain columns."""
    low, high = interval.percentile or (None, None)
    bca_low, bca_high = interval.bca or (None, None)
    return {
        "value": None if math.isnan(interval.value) else interval.value,
        "low": low,
        "high": high,
        "bca_low": bca_low,
        "bca_high": bca_high,
        "standard_error": interval.standard_error,
        "reason": interval.reason,
    }


def intervals(
    records: Iterable[ItemRecord],
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
    parts: bool = True,
    summary: Summary | None = None,
    metrics: Sequence[str] | None = None,
    groups: Mapping[str, Any] | None = None,
    undefined: float | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Intervals:
    """Return percentile and BCa intervals of every average of a data set.

    Parameters
    ----------
    records : iterable of ItemRecord
        The items, from :func:`segmetry.record_of` or ``run.records()``.
    resamples : int, default 10000
        The number of bootstrap resamples.
    level : float, default 0.95
        The confidence level of intervals.
    seed : int, default 2024
        The seed of the random numbers; the same seed gives the same resamples on every machine.
    parts : bool, default True
        Compute intervals of classes (or what else the items are broken down by), too.
    summary : Summary, optional
        The summary of the same records, if already computed.
    metrics : sequence of str, optional
        As for :func:`segmetry.summarise`.
    groups : mapping of str to classes, optional
        Sets of classes to average over, such as ``{'things': …, 'stuff': …}``.
    undefined : float, optional
        A number that replaces undefined values, as in some other packages; by default they stay undefined.
    options : mapping, optional
        Keyword arguments of single metrics by key: ``{'false_hits': {'pi': 0.5}}``.

    Returns
    -------
    Intervals
        The intervals in the shape of a summary.

    Examples
    --------
    >>> import segmetry as sm
    >>> preds = {"a": [[1, 1, 2]], "b": [[1, 2, 2]], "c": [[0, 0, 3]], "d": [[1, 1, 1]]}
    >>> records = [sm.record_of(item, sm.align(sm.overlap([[1, 1, 2]], pred))) for item, pred in preds.items()]
    >>> interval = intervals(records, metrics=["rq"])["rq"].by_item
    >>> interval.value, interval.percentile
    (0.5833333333333333, (0.16666666666666666, 0.9166666666666666))
    """
    columns = columns_of_records(unite(records))
    averaging: dict[str, Any] = {"groups": groups, "undefined": undefined, "options": options}
    known = summarise_columns(columns, metrics=metrics, **averaging) if summary is None else summary
    drawing: dict[str, Any] = {"resamples": resamples, "level": level, "seed": seed, "parts": parts}
    return intervals_of_columns(columns, known, **drawing, **averaging)


def intervals_of_columns(
    columns: ItemColumns,
    summary: Summary,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
    parts: bool = True,
    **averaging: Any,
) -> Intervals:
    """Return the intervals of a summary of these columns; see :func:`intervals`."""
    n_resamples, chosen, share = checked_resamples(resamples), checked_seed(seed), checked_level(level)
    samples = Samples.of(columns, summary, **averaging)
    names: Collection[Hashable] = summary.parts if parts else ()
    draws = Draws(len(samples.items), n_resamples, chosen, keep=len(_cuts(samples, names, n_resamples)) > 1)
    rows = {
        place: averaged_intervals(samples, place, values, left_out, scores_at(summary, place), share)
        for chunk in resample(samples, draws, names)
        for place, (values, left_out) in chunk.items()
    }
    return Intervals(
        rule=summary.rule,
        policy=summary.policy,
        by=summary.by,
        n_items=summary.n_items,
        level=share,
        resamples=n_resamples,
        seed=chosen,
        scores=rows[DATA_SET],
        parts={name: rows[summary.by or "part", name] for name in summary.parts} if parts else {},
        groups={name: rows["group", name] for name in summary.groups},
    )


def resample(
    samples: Samples, draws: Draws, names: Collection[Hashable] = ()
) -> Iterator[dict[SummaryRow, tuple[FloatArray, FloatArray]]]:
    """Yield resampled and leave-one-out values (averages × rows × samples): first of each of the parts ``names``, then
    of the data set and its groups of classes together.
    """
    jackknife, layout, cells = Jackknife(samples), samples.part_layout, samples.cells
    n_resamples = draws.n_resamples if len(samples.items) > 1 else 0
    of_classes = samples.group_sums(n_resamples)
    whole = np.empty((samples.n_units, samples.whole.n_distinct, n_resamples))
    accumulated = {row: np.empty(n_resamples) for row in samples.accumulated}
    cuts = _cuts(samples, names, n_resamples)
    kept = np.empty((cuts[0][1] if names else 0, cells.n_distinct, n_resamples))
    for start, stop in cuts:
        for block, weights in draws.blocks() if n_resamples else ():
            if start == 0:
                samples.whole.sum_distinct(weights, 0, whole[..., block])
                for row, metric in samples.accumulated.items():
                    accumulated[row][block] = metric.values(weights)
            if names:
                cells.sum_distinct(weights, start, kept[: stop - start, :, block])
                continue
            for stretch, low, high in samples.batches(start, stop):
                sums = rows_first(high - low, cells.n_distinct, weights.shape[1])
                cells.sum_distinct(weights, low, sums)
                of_classes.add(stretch, layout.quotients(sums, cells.column), block)
        for stretch, at in samples.parts(start, stop) if names else ():
            quotients = layout.quotients(kept[at - start : at - start + 1], cells.column)
            of_classes.add(stretch, quotients)
            if samples.names[at] in names:
                yield {samples.place(at): (averages_of_part(quotients.with_nan()[0]), jackknife.part(at))}
    left_out = jackknife.together()
    together = samples.together(whole, of_classes, samples.whole.column)
    for row, values_of_row in accumulated.items():
        together[DATA_SET][samples.of_data_set(samples.accumulated[row]), row] = values_of_row
    yield {place: (values, left_out[place]) for place, values in together.items()}


def _cuts(samples: Samples, names: Collection[Hashable], n_resamples: int) -> list[tuple[int, int]]:
    """Return ranges of parts, so that memory stays bounded: all at once where no single part is requested; at least
    one range. Every range needs all draws again.
    """
    n_parts = len(samples.names)
    of_one = samples.cells.n_distinct * n_resamples
    step = max(1, _MOST_VALUES // max(1, of_one)) if names else max(1, n_parts)
    return [(start, min(start + step, n_parts)) for start in range(0, max(1, n_parts), step)]


def scores_at(summary: Summary, place: SummaryRow) -> Mapping[str, Aggregated]:
    """Return the row of a summary at a place."""
    level, name = place
    if place == DATA_SET:
        return summary.scores
    return summary.groups[str(name)] if level == "group" else summary.parts[name]


def averaged_intervals(
    samples: Samples,
    place: SummaryRow,
    values: FloatArray,
    left_out: FloatArray,
    scores: Mapping[str, Aggregated],
    level: float,
) -> dict[str, AveragedIntervals]:
    """Return the intervals of one row of a summary from its resampled and leave-one-out values."""
    intervals_by_key = {}
    is_part = place != DATA_SET and place[0] != "group"
    known: dict[Any, Interval] = {}
    for key, row in samples.rows(place).items():
        averaged: dict[str, Interval | None] = dict.fromkeys(AVERAGES)
        for at, name in enumerate(AVERAGES):
            score: Score | None = getattr(scores[key], name)
            if score is None:
                continue
            # Metrics with the same quotient have the same interval, and so have both totals of a part.
            same = min(at, 1) if is_part else at, row, score.value, score.reason
            if same not in known:
                known[same] = interval_of(score.value, values[at, row], left_out[at, row], level, score.reason)
            averaged[name] = known[same]
        if averaged["by_item"] is not None:
            intervals_by_key[key] = AveragedIntervals(
                averaged["by_item"], averaged["by_class"], averaged["all_segments"]
            )
    return intervals_by_key
