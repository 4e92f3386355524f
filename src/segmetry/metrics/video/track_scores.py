"""Scores of tracks from their matches: sums over videos by class, a formula for each class, then the mean over classes.

A formula takes the sums of all classes (rows) and samples (columns) at once, so a data set and its resamples are the
same computation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.score import Score
from segmetry.metrics.video.track_matches import track_matches

TrackSums = Mapping[str, NDArray[Any]]
"""The columns of ``track_matches`` summed over videos: classes, samples, and thresholds where there are some."""
TrackFormula = Callable[[TrackSums], FloatArray]
"""Returns the values of classes (rows) and samples (columns); NaN where a value is undefined."""

NO_TRACKS = "no tracks"


def track_accumulator(key: str, formula: TrackFormula, reason: str = NO_TRACKS) -> Accumulator:
    """Return the accumulator of a score that is the mean over classes of a formula of the sums over videos."""

    def combine(collected: Collected) -> Combined:
        sums = _sums(collected, collected.times[:, None])
        values = formula(sums)[:, 0].tolist()
        ties = sums["ties"][:, 0].tolist()
        classes = {
            name: Score.undefined(key, reason) if math.isnan(value) else Score.number(key, value, ties=tied)
            for name, value, tied in zip(collected.labels.get("class", ()), values, ties, strict=True)
        }
        defined = [score.value for score in classes.values() if score.is_defined]
        return Combined(Score.of(key, math.fsum(defined), len(defined), reason, ties=sum(ties)), classes)

    def resampled(collected: Collected, times: IntArray) -> FloatArray:
        values = formula(_sums(collected, times))
        count = (~np.isnan(values)).sum(axis=0)
        total = np.where(np.isnan(values), 0, values).sum(axis=0)
        means: FloatArray = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
        return means

    return Accumulator(track_matches, combine, mean_over_classes=True, resampled=resampled)


def _sums(collected: Collected, times: IntArray) -> TrackSums:
    """Return the sums of all columns: classes, samples and, where there are some, thresholds."""
    if "classes × items" not in collected.memo:
        place = collected.columns["class"], collected.item_of("class")
        shape = len(collected.labels.get("class", ())), collected.n_items
        tables = {}
        for name, column in collected.columns.items():
            if name == "class":
                continue
            table = np.zeros((*shape, *column.shape[1:]), column.dtype)
            np.add.at(table, place, column)
            tables[name] = table
        collected.memo["classes × items"] = tables
    return {
        name: np.einsum("ci...,is->cs...", table, times) for name, table in collected.memo["classes × items"].items()
    }


def ratio_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> FloatArray:
    """Return the quotients; NaN where the denominator is 0."""
    quotients: FloatArray = np.divide(
        numerator, denominator, out=np.full(denominator.shape, np.nan), where=denominator > 0
    )
    return quotients
