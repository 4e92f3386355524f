"""Confidence intervals for every value of a summary, by resampling items (never segments)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from segmetry.aggregate.aggregated import Aggregated, Summary
from segmetry.aggregate.bootstrap import LEVEL, Interval, checked_level, interval_of
from segmetry.aggregate.records import ItemRecord, unite
from segmetry.aggregate.resampling import RESAMPLES, SEED, Draws, checked_resamples, checked_seed
from segmetry.aggregate.samples import DATA_SET, WORDS, Place, Samples, Sums
from segmetry.aggregate.summary import summarise
from segmetry.exact import FloatArray

_MOST_VALUES = 2**24
_JACKKNIFE_BLOCK = 256


@dataclass(frozen=True)
class IntervalPair:
    """The intervals of the mean and of the pooled value of one metric; a metric that is not pooled has None there."""

    mean: Interval
    pooled: Interval | None

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {"mean": self.mean.as_dict(), "pooled": None if self.pooled is None else self.pooled.as_dict()}


Row = Mapping[str, IntervalPair]


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
    scores: Row
    parts: Mapping[Hashable, Row]
    groups: Mapping[str, Row]

    def __getitem__(self, key: str) -> IntervalPair:
        return self.scores[key]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "scores": {key: found.as_dict() for key, found in self.scores.items()},
            "parts": {str(name): {key: one.as_dict() for key, one in row.items()} for name, row in self.parts.items()},
            "groups": {name: {key: one.as_dict() for key, one in row.items()} for name, row in self.groups.items()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """One plain row per level, name, metric and way to aggregate it, with both intervals; undefined is None."""
        levels: list[tuple[str, Hashable, Row]] = [("data set", None, self.scores)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        return [
            {"level": level, "name": name, "key": key, "aggregation": word, **interval_row(found)}
            for level, name, row in levels
            for key, pair in row.items()
            for word, found in (("mean", pair.mean), ("pooled", pair.pooled))
            if found is not None
        ]


def interval_row(found: Interval) -> dict[str, Any]:
    """An interval as plain columns."""
    low, high = found.percentile or (None, None)
    bca_low, bca_high = found.bca or (None, None)
    return {
        "value": None if math.isnan(found.value) else found.value,
        "low": low,
        "high": high,
        "bca_low": bca_low,
        "bca_high": bca_high,
        "standard_error": found.standard_error,
        "reason": found.reason,
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
    """Percentile and BCa intervals of every mean and pooled value of a data set.

    ``parts=False`` leaves out classes (or what else the items are broken down by). ``metrics``, ``groups``,
    ``undefined`` and ``options`` are those of :func:`summarise`; ``summary`` is its result, where it is there already.

    >>> import segmetry as sm
    >>> preds = {"a": [[1, 1, 2]], "b": [[1, 2, 2]], "c": [[0, 0, 3]], "d": [[1, 1, 1]]}
    >>> records = [sm.record_of(item, sm.align(sm.overlap([[1, 1, 2]], pred))) for item, pred in preds.items()]
    >>> found = intervals(records, metrics=["rq"])["rq"].mean
    >>> found.value, found.percentile
    (0.5833333333333333, (0.16666666666666666, 0.9166666666666666))
    """
    united = unite(records)
    same: dict[str, Any] = {"groups": groups, "undefined": undefined, "options": options}
    told = summarise(united, metrics=metrics, **same) if summary is None else summary
    n_resamples, chosen, share = checked_resamples(resamples), checked_seed(seed), checked_level(level)
    samples, draws = Samples.of(united, told, **same), Draws(len(united), n_resamples, chosen)
    found = {
        place: interval_pairs(samples, place, values, left_out, scores_at(told, place), share)
        for chunk in chunks(samples, told, n_resamples, parts=parts)
        for place, (values, left_out) in resample(samples, chunk, draws).items()
    }
    return Intervals(
        rule=told.rule,
        policy=told.policy,
        by=told.by,
        n_items=told.n_items,
        level=share,
        resamples=n_resamples,
        seed=chosen,
        scores=found[DATA_SET],
        parts={name: found[told.by or "part", name] for name in told.parts} if parts else {},
        groups={name: found["group", name] for name in told.groups},
    )


def resample(
    samples: Samples, names: Sequence[Hashable] | None, draws: Draws
) -> dict[Place, tuple[FloatArray, FloatArray]]:
    """Resampled and leave-one-out values (words × metrics × samples): of the data set and the groups of classes
    where ``names`` is None, else of the parts it names.
    """
    n = len(samples.items)
    blocks = [values_of(samples, names, samples.sums(block)) for block in draws] if n > 1 else []
    cuts = ((start, min(start + _JACKKNIFE_BLOCK, n)) for start in range(0, n, _JACKKNIFE_BLOCK))
    lacking = [values_of(samples, names, samples.without(*cut)) for cut in cuts]
    places = lacking[0].keys()
    nothing = {place: lacking[0][place][..., :0] for place in places}
    return {
        place: tuple(  # type: ignore[misc]
            np.concatenate([block[place] for block in found], axis=-1) for found in (blocks or [nothing], lacking)
        )
        for place in places
    }


def values_of(samples: Samples, names: Sequence[Hashable] | None, sums: Sums) -> dict[Place, FloatArray]:
    """The values of some samples: of the data set and its groups where ``names`` is None, else of parts."""
    if names is None:
        return samples.together(sums)
    return {(samples.by or "part", name): samples.part(name, sums) for name in names}


def chunks(samples: Samples, summary: Summary, n_resamples: int, *, parts: bool) -> Iterator[Sequence[Hashable] | None]:
    """The data set with its groups, then parts by parts, so that memory stays bounded."""
    yield None
    names = list(summary.parts) if parts else []
    of_one = len(WORDS) * len(samples.part_layout.keys) * max(n_resamples, len(samples.items))
    step = max(1, _MOST_VALUES // of_one) if of_one else len(names)
    for start in range(0, len(names), step):
        yield names[start : start + step]


def scores_at(summary: Summary, place: Place) -> Mapping[str, Aggregated]:
    """The row of a summary at a place."""
    level, name = place
    if place == DATA_SET:
        return summary.scores
    return summary.groups[str(name)] if level == "group" else summary.parts[name]


def interval_pairs(
    samples: Samples,
    place: Place,
    values: FloatArray,
    left_out: FloatArray,
    scores: Mapping[str, Aggregated],
    level: float,
) -> dict[str, IntervalPair]:
    """The intervals of one row of a summary from its resampled and leave-one-out values."""
    found = {}
    for at, key in enumerate(samples.keys(place)):
        pair = [
            None if score is None else interval_of(score.value, values[w, at], left_out[w, at], level, score.reason)
            for w, score in enumerate((scores[key].mean, scores[key].pooled))
        ]
        if pair[0] is not None:
            found[key] = IntervalPair(pair[0], pair[1])
    return found
