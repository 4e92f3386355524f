"""Scores of tracks from their matches: sums over videos by class, a formula for each class, then the mean over classes.

A formula takes the sums of all classes (rows) and samples (columns) at once, so a data set and its resamples are the
same computation.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.class_sums import ColumnSums, sums_by_class
from segmetry.metrics.score import Score
from segmetry.metrics.video.track_matches import track_matches

TrackFormula = Callable[[ColumnSums], FloatArray]
"""Returns the values of classes (rows) and samples (columns); NaN where a value is undefined."""

NO_TRACKS = "no tracks"


def track_accumulator(key: str, formula: TrackFormula, reason: str = NO_TRACKS) -> Accumulator:
    """Return the accumulator of a score that is the mean over classes of a formula of the sums over videos."""

    def combine(collected: Collected) -> Combined:
        sums = sums_by_class(collected, collected.times[:, None])
        values = formula(sums)[:, 0].tolist()
        ties = sums["ties"][:, 0].tolist()
        classes = {
            name: Score.undefined(key, reason) if math.isnan(value) else Score.number(key, value, ties=tied)
            for name, value, tied in zip(collected.labels.get("class", ()), values, ties, strict=True)
        }
        defined = [score.value for score in classes.values() if score.is_defined]
        return Combined(Score.of(key, math.fsum(defined), len(defined), reason, ties=sum(ties)), classes)

    def resampled(collected: Collected, times: IntArray) -> FloatArray:
        values = formula(sums_by_class(collected, times))
        count = (~np.isnan(values)).sum(axis=0)
        total = np.where(np.isnan(values), 0, values).sum(axis=0)
        means: FloatArray = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
        return means

    return Accumulator(track_matches, combine, mean_over_classes=True, resampled=resampled)
