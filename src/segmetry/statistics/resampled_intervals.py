"""Confidence intervals for every value of a summary, by resampling items (never segments)."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from segmetry._base import FloatArray, IndexArray, short_repr
from segmetry.metrics import ALL, BY_CLASS, BY_CLASS_OF_ITEMS, POOLED, Reading, Score
from segmetry.results import Table, Tabular
from segmetry.statistics.bootstrap import (
    FIRST,
    LEVEL,
    Interval,
    biased_interval,
    checked_level,
    interval_of,
    median_interval,
)
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.random_draws import RESAMPLES, SEED, Draws, checked_resamples, checked_seed
from segmetry.statistics.readings import Stack, resampled
from segmetry.statistics.summary import Summary, group_averages, keys_of_classes

_MOST_VALUES = 2**25
"""The most values of samples that are kept at once: 256 MB."""

Place = tuple[str, Hashable, str, str]
"""Level, name, metric and average of a value."""
IntervalRow = Mapping[str, Mapping[str, Interval]]


@dataclass(frozen=True)
class Resampling:
    """How many resamples are drawn, the level of intervals, the seed of the random numbers, and what is drawn.

    ``cluster`` maps items to what is drawn as a whole (:class:`segmetry.ByItem`): slices to patients, frames to videos.
    """

    resamples: int = RESAMPLES
    level: float = LEVEL
    rng: int = SEED
    cluster: Any = None

    def __post_init__(self) -> None:
        checked_resamples(self.resamples)
        checked_level(self.level)
        checked_seed(self.rng)

    def draws(self, items: Sequence[str], *, keep: bool) -> Draws:
        """Return the resamples of some items."""
        return Draws(len(items), self.resamples, self.rng, keep=keep, clusters=self.clusters(items))

    def clusters(self, items: Sequence[str]) -> IndexArray | None:
        """Return the number of the cluster of every item, by name; None where every item is one."""
        if self.cluster is None:
            return None
        groups: Mapping[Hashable, list[str]] = self.cluster.groups(items)
        number = {item: at for at, members in enumerate(groups.values()) for item in members}
        return np.array([number[item] for item in items], dtype=np.intp)


@dataclass(frozen=True)
class Intervals(Tabular):
    """The intervals of a summary, in the same shape: the data set, its parts, its groups of classes."""

    __repr__ = short_repr

    rule: str
    policy: str
    by: str | None
    n_items: int
    resampling: Resampling
    scores: IntervalRow
    parts: Mapping[Hashable, IntervalRow]
    groups: Mapping[str, IntervalRow]
    n_units: int = 0
    """How many items, or clusters of items, are drawn."""
    medians: Mapping[str, Interval] = field(default_factory=dict)
    """The median over items, or over the means of clusters, of every metric."""

    def __getitem__(self, key: str) -> Mapping[str, Interval]:
        return self.scores[key]

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.resampling.level

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "level": self.resampling.level,
            "resamples": self.resampling.resamples,
            "seed": self.resampling.rng,
            "scores": _plain_row(self.scores),
            "parts": {str(name): _plain_row(row) for name, row in self.parts.items()},
            "groups": {name: _plain_row(row) for name, row in self.groups.items()},
            "medians": {key: median.to_dict() for key, median in self.medians.items()},
        }

    def rows(self) -> Table:
        """Return one plain row per level, name, metric and average, with both intervals; undefined is None."""
        medians = {key: {"median": median} for key, median in self.medians.items()}
        levels: list[tuple[str, Hashable, IntervalRow]] = [("data set", None, self.scores), ("data set", None, medians)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        rows = [
            {"level": level, "name": name, "key": key, "average": average, **interval_row(interval)}
            for level, name, row in levels
            for key, averages in row.items()
            for average, interval in averages.items()
        ]
        return Table("intervals", rows)


def _plain_row(row: IntervalRow) -> dict[str, Any]:
    return {key: {name: interval.to_dict() for name, interval in averages.items()} for key, averages in row.items()}


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


@dataclass(frozen=True)
class Asked:
    """A reading, and the place in a summary of each of its outputs; a class without a place is not asked for."""

    reading: Reading
    places: tuple[Place | None, ...]

    def by_place(self, values: FloatArray) -> Iterator[tuple[Place, float]]:
        """Yield a number of every output that has a place, from those of all outputs of another reading's classes."""
        for place, value in zip(self.places, values.tolist(), strict=True):
            if place is not None:
                yield place, value


def every_place(data: DataSet, *, parts: bool, only: Collection[Hashable] | None = None) -> list[Asked]:
    """Return the readings of everything in a summary: the data set, its groups, and its parts (or some of them)."""
    asked = [
        Asked(data.reading(key, average), (("data set", None, key, average.name),))
        for key in data.sources
        for average in data.averages(key)
    ]
    for group in data.group_names:
        for key in keys_of_classes(data):
            for average in group_averages(data, key):
                place = ("group", group, key, average.name)
                asked.append(Asked(data.reading(key, average, group), (place,)))
    wanted = set() if not parts else set(data.parts if only is None else only)
    for key in keys_of_classes(data) if wanted else ():
        for average in data.averages(key, part=ALL):
            reading = data.reading(key, BY_CLASS if average == POOLED else BY_CLASS_OF_ITEMS, each_class=True)
            level = data.by or "part"
            places = [(level, name, key, average.name) if name in wanted else None for name in reading.names]
            asked.append(Asked(reading, tuple(places)))
    return asked


def sampled(asked: Sequence[Asked], n_items: int, draws: Draws) -> Iterator[tuple[Place, FloatArray, FloatArray]]:
    """Yield the resampled and the leave-one-out values of every place; items are in the order of their names.

    Equal readings of several places (all classes are a group, too) are computed once.
    """
    for chunk in _chunks(asked, max(n_items, draws.n_resamples)):
        stack = Stack([one.reading for one in chunk], n_items)
        drawn = resampled(stack, draws) if draws.n_items > 1 else [np.zeros((len(one.places), 0)) for one in chunk]
        left_out = stack.without_each(draws.clusters)
        for one, values, without in zip(chunk, drawn, left_out, strict=True):
            for place, own, own_without in zip(one.places, values, without, strict=True):
                if place is not None:
                    yield place, own, own_without


def _chunks(asked: Sequence[Asked], n_samples: int) -> Iterator[list[Asked]]:
    """Yield readings as many at once as memory allows; every chunk needs all draws again."""
    chunk: list[Asked] = []
    size = 0
    for one in asked:
        values = len(one.places) * n_samples
        if chunk and size + values > _MOST_VALUES:
            yield chunk
            chunk, size = [], 0
        chunk.append(one)
        size += values
    if chunk:
        yield chunk


def intervals(data: DataSet, summary: Summary, resampling: Resampling, *, parts: bool = True) -> Intervals:
    """Return percentile and BCa intervals of every value of a summary."""
    ordered = data.sorted()
    asked = every_place(ordered, parts=parts)
    draws = resampling.draws(ordered.items, keep=len(list(_chunks(asked, resampling.resamples))) > 1)
    rows: dict[tuple[str, Hashable], dict[str, dict[str, Interval]]] = {}
    n_units = draws.n_items
    known = {(level, name): row for level, name, row in summary.levels()}
    for (level, name, key, average), values, left_out in sampled(asked, len(data.items), draws):
        score: Score = known[level, name][key][average]
        interval = interval_of(score.value, values, left_out, resampling.level, score.reason)
        rows.setdefault((level, name), {}).setdefault(key, {})[average] = interval
    clusters = resampling.clusters(ordered.items)
    medians = {
        key: median_interval(means_of_clusters(ordered.item_values(key)[None], clusters)[0], resampling.level)
        for key in summary.scores
        if n_units > 1
    }
    return replace(intervals_of_rows(summary, rows, resampling), n_units=n_units, medians=medians)


def means_of_clusters(values: FloatArray, clusters: IndexArray | None) -> FloatArray:
    """Return the means over the items (columns) of each cluster that have a value in every row; NaN without one."""
    if clusters is None:
        return values
    used, n = ~np.isnan(values).any(axis=0), int(clusters.max(initial=-1)) + 1
    count = np.bincount(clusters[used], minlength=n)
    totals = np.array([np.bincount(clusters[used], row[used], n) for row in values])
    return np.where(count > 0, totals / np.maximum(count, 1), np.nan)


def intervals_of_rows(
    summary: Summary, rows: Mapping[tuple[str, Hashable], IntervalRow], resampling: Resampling
) -> Intervals:
    """Return intervals by level and name in the shape of a summary."""
    by = summary.by or "part"
    return Intervals(
        rule=summary.rule,
        policy=summary.policy,
        by=summary.by,
        n_items=summary.n_items,
        resampling=resampling,
        scores=rows.get(("data set", None), {}),
        parts={name: rows[by, name] for name in summary.parts if (by, name) in rows},
        groups={name: rows.get(("group", name), {}) for name in summary.groups},
    )


def one_interval(data: DataSet, key: str, average: str | None, resampling: Resampling) -> Interval:
    """Return the interval of one value of a data set, by default in the usual average of the metric."""
    ordered = data.sorted()
    reading = ordered.reading(key, average)
    score = reading.score()
    draws = resampling.draws(ordered.items, keep=False)
    if reading.is_ranked and draws.n_items > 1 and math.isfinite(score.value) and resampling.resamples > FIRST:
        first = replace(resampling, resamples=FIRST).draws(ordered.items, keep=False)
        ((values,),) = resampled(Stack([reading], len(data.items)), first)
        biased = biased_interval(score.value, values, resampling.level)
        if biased is not None:  # as of all resamples
            return biased
    asked = [Asked(reading, (("data set", None, key, reading.average.name),))]
    ((_, values, left_out),) = sampled(asked, len(data.items), draws)
    return interval_of(score.value, values, left_out, resampling.level, score.reason)
