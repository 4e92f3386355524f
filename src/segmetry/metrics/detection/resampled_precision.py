"""The average precision and recall of many samples of images at once, for confidence intervals and comparisons.

An image that is drawn m times contributes each of its predictions m times, one after the other. Of such a run only the
last copy matters: copies of a hit raise precision and recall together, and copies of a miss only lower precision at the
same recall, so the best precision at a recall or beyond is reached at the last copy of a hit. So the running sums have
one row per prediction, and one column per sample. Predictions of one image, class and score repeat as a group; where
these exist, the numpy version computes every sample of average precision by itself.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.kernels.backend import native
from segmetry.kernels.greedy_matches import HIT, IGNORED
from segmetry.metrics.detection.detection_options import Evaluation
from segmetry.metrics.detection.detections import DetectionSet
from segmetry.metrics.detection.precision_recall import RankedOutcomes, drawn_curves, ranked_outcomes
from segmetry.metrics.detection.prediction_outcomes import Ranking, counted_truths
from segmetry.metrics.statistics import Statistics


def resampled_average_precision(
    statistics: Statistics, times: IntArray, evaluation: Evaluation
) -> tuple[FloatArray, IntArray]:
    """Return average precision, added over the criteria, and the number of true masks: classes × samples.

    ``times`` is how often each image (a row) is in each sample (a column). Precision is 0 without true masks.
    """
    ranking = Ranking.of(statistics)
    ranked, n_true = _ranked(statistics, times, evaluation)
    total = np.zeros(n_true.shape)
    if native is not None:
        by_sample = np.empty((times.shape[1], ranked.classes.size))
        native.resampled_precision(
            np.ascontiguousarray(ranked.outcomes),
            np.ascontiguousarray(DetectionSet.of(statistics).item[ranked.place], dtype=np.int64),
            np.ascontiguousarray(ranking.tie_of(ranked.place), dtype=np.int64),
            np.ascontiguousarray(ranked.starts, dtype=np.int64),
            np.ascontiguousarray(times.T, dtype=np.int64),
            np.ascontiguousarray(n_true[ranked.classes].T, dtype=np.int64),
            evaluation.recalls,
            by_sample,
        )
        total[ranked.classes] = by_sample.T
    elif ranking.has_ties:
        for sample, column in enumerate(times.T):
            curves = drawn_curves(statistics, evaluation, column)
            total[curves.classes, sample] = curves.average_precision.sum(axis=1)
    else:
        for at, part, weights in _parts(statistics, times, ranked):
            for outcome in ranked.outcomes[part].T:
                counts = outcome != IGNORED
                total[at] += _interpolated_columns(
                    outcome[counts] == HIT, weights[counts], n_true[at], evaluation.recalls
                )
    return total, n_true


def resampled_average_recall(
    statistics: Statistics, times: IntArray, evaluation: Evaluation
) -> tuple[FloatArray, IntArray]:
    """Return average recall, added over the criteria, and the number of true masks: classes × samples."""
    ranked, n_true = _ranked(statistics, times, evaluation)
    total = np.zeros(n_true.shape)
    for at, part, weights in _parts(statistics, times, ranked):
        total[at] = ((ranked.outcomes[part] == HIT).sum(axis=1) @ weights) / np.maximum(n_true[at], 1)
    return total, n_true


def _ranked(statistics: Statistics, times: IntArray, evaluation: Evaluation) -> tuple[RankedOutcomes, IntArray]:
    """Return the ranking of all images, and the true masks of each class (a row) in each sample."""
    data = DetectionSet.of(statistics)
    counted = counted_truths(data, evaluation.size)
    by_item = np.zeros((len(data.names), statistics.n_items), dtype=np.int64)
    np.add.at(by_item, (data.true_class[counted], data.true_item[counted]), 1)
    return ranked_outcomes(statistics, evaluation, np.ones(statistics.n_items, dtype=np.int64)), by_item @ times


def _parts(statistics: Statistics, times: IntArray, ranked: RankedOutcomes) -> Iterator[tuple[int, slice, IntArray]]:
    """Yield each class that has true masks, its rows, and how often each row is in every sample."""
    item = DetectionSet.of(statistics).item
    for at, first, last in zip(ranked.classes.tolist(), ranked.starts[:-1], ranked.starts[1:], strict=True):
        part = slice(int(first), int(last))
        yield at, part, times[item[ranked.place[part]]]


def _interpolated_columns(hit: BoolArray, weights: IntArray, n_true: IntArray, recall_points: FloatArray) -> FloatArray:
    """Return the interpolated precision of one class under one criterion in every sample; 0 without true masks."""
    hits, n_pred = np.cumsum(weights * hit[:, None], axis=0), np.cumsum(weights, axis=0)
    best = np.zeros((hit.size + 1, weights.shape[1]))
    np.divide(hits, n_pred, out=best[:-1], where=n_pred > 0)
    np.maximum.accumulate(best[::-1], axis=0, out=best[::-1])
    # One search for all samples: their numbers of hits, each shifted beyond those of the sample before.
    least = _least_hits(n_true, recall_points)
    shift = np.arange(weights.shape[1]) * (max(int(hits.max(initial=0)), int(least.max(initial=0))) + 1)
    before = np.searchsorted((hits + shift).T.ravel(), (least + shift).T.ravel())
    rows = before.reshape(weights.shape[1], -1) - np.arange(weights.shape[1])[:, None] * hit.size
    values: FloatArray = best[rows, np.arange(weights.shape[1])[:, None]].mean(axis=1)
    return np.where(n_true > 0, values, 0.0)


def _least_hits(n_true: IntArray, recall_points: FloatArray) -> IntArray:
    """Return the least number of hits (recall points × samples) whose recall, as a float, reaches each point.

    >>> _least_hits(np.array([20]), np.array([0.0, 0.35, 1.0])).ravel().tolist()
    [0, 7, 20]
    """
    some = np.maximum(n_true, 1)
    least = np.ceil(recall_points[:, None] * some).astype(np.int64)
    least -= (least > 0) & ((least - 1) / some >= recall_points[:, None])
    least += least / some < recall_points[:, None]
    return least
