"""The average precision and recall of many samples of images at once, for confidence intervals and comparisons.

An image that is drawn m times contributes each of its predictions m times, one after the other. Of such a run only the
last copy matters: copies of a hit raise precision and recall together, and copies of a miss only lower precision at the
same recall, so the best precision at a recall or beyond is reached at the last copy of a hit. So the running sums have
one row per prediction, and one column per sample. Predictions of one image, class and score repeat as a group; where
these exist, the numpy version computes every sample of average precision by itself.
"""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.kernels.backend import native
from segmetry.kernels.detection.greedy_matches import HIT, IGNORED
from segmetry.metrics.accumulator import Collected
from segmetry.metrics.detection.detection_options import Evaluation
from segmetry.metrics.detection.detections import DetectionSet
from segmetry.metrics.detection.precision_recall import RankedOutcomes, precision_recall, ranked_outcomes
from segmetry.metrics.detection.prediction_outcomes import Ranking, counted_truths


def resampled_average_precision(collected: Collected, times: IntArray, evaluation: Evaluation) -> FloatArray:
    """Return the average precision of every sample (a column of ``times``); NaN without true masks."""
    ranking = Ranking.of(collected)
    ranked, n_true, weights = _ranked(collected, times, evaluation)
    if native is not None:
        total = np.empty(times.shape[1])
        native.resampled_precision(
            np.ascontiguousarray(ranked.outcomes),
            np.ascontiguousarray(DetectionSet.of(collected).item[ranked.place], dtype=np.int64),
            np.ascontiguousarray(ranking.tie_of(ranked.place), dtype=np.int64),
            np.ascontiguousarray(ranked.starts, dtype=np.int64),
            np.ascontiguousarray(times.T, dtype=np.int64),
            np.ascontiguousarray(n_true.T, dtype=np.int64),
            evaluation.recalls,
            total,
        )
        return _mean(total, n_true, len(evaluation.criteria))
    if ranking.has_ties:
        return np.array([_alone(collected.drawn(column), evaluation) for column in times.T])
    total = np.zeros(times.shape[1])
    for at in range(ranked.classes.size):
        part = slice(int(ranked.starts[at]), int(ranked.starts[at + 1]))
        for outcome in ranked.outcomes[part].T:
            counts = outcome != IGNORED
            total += _interpolated_columns(
                outcome[counts] == HIT, weights[ranked.place[part][counts]], n_true[at], evaluation.recalls
            )
    return _mean(total, n_true, len(evaluation.criteria))


def resampled_average_recall(collected: Collected, times: IntArray, evaluation: Evaluation) -> FloatArray:
    """Return the average recall of every sample (a column of ``times``); NaN without true masks."""
    ranked, n_true, weights = _ranked(collected, times, evaluation)
    total = np.zeros(times.shape[1])
    for at in range(ranked.classes.size):
        part = slice(int(ranked.starts[at]), int(ranked.starts[at + 1]))
        n_hits = (ranked.outcomes[part] == HIT).sum(axis=1)
        total += (n_hits @ weights[ranked.place[part]]) / np.maximum(n_true[at], 1)
    return _mean(total, n_true, len(evaluation.criteria))


def _ranked(collected: Collected, times: IntArray, evaluation: Evaluation) -> tuple[RankedOutcomes, IntArray, IntArray]:
    """Return the ranking of all images, the true masks of each class, and how often each prediction is in a sample."""
    data = DetectionSet.of(collected)
    once = collected.drawn(np.ones(collected.n_items, dtype=np.int64))
    ranked = ranked_outcomes(once, evaluation)
    counted = counted_truths(data, evaluation.size)
    by_item = np.zeros((len(data.names), collected.n_items), dtype=np.int64)
    np.add.at(by_item, (data.true_class[counted], data.true_item[counted]), 1)
    return ranked, by_item[ranked.classes] @ times, times[data.item]


def _mean(total: FloatArray, n_true: IntArray, n_criteria: int) -> FloatArray:
    """Divide by the number of classes that have true masks in a sample, and by that of the criteria."""
    count = (n_true > 0).sum(axis=0) * n_criteria
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _alone(collected: Collected, evaluation: Evaluation) -> float:
    values = precision_recall(collected, evaluation).average_precision
    return float(values.mean()) if values.size else float("nan")


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
