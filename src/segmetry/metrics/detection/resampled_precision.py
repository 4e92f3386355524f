"""The average precision of many samples of images at once, for confidence intervals and comparisons.

An image that is drawn m times contributes each of its predictions m times, one after the other. Of such a run only the
last copy matters: copies of a hit raise precision and recall together, and copies of a miss only lower precision at the
same recall, so the best precision at a recall or beyond is reached at the last copy of a hit. So the running sums have
one row per prediction, and one column per sample. Predictions of one image, class and score repeat as a group; where
these exist, every sample is computed by itself.
"""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IntArray
from segmetry.metrics.accumulator import Collected
from segmetry.metrics.detection.detections import average_precisions, ranked


def resampled_average_precision(collected: Collected, times: IntArray, recall_points: FloatArray) -> FloatArray:
    """Return the average precision of every sample (a column of ``times``); NaN without true masks."""
    ranking, by_item = ranked(collected)
    if ranking.tie.size and np.bincount(ranking.tie).max() > 1:
        return np.array([_alone(collected.drawn(column), recall_points) for column in times.T])
    n_true = by_item.T @ times
    total, count = np.zeros(times.shape[1]), np.zeros(times.shape[1])
    for at in range(n_true.shape[0]):
        part = slice(int(ranking.starts[at]), int(ranking.starts[at + 1]))
        weights = times[ranking.item[part]]
        chosen = ranking.order[part]
        for hit, dropped in zip(
            collected.columns["hit"][chosen].T, collected.columns["dropped"][chosen].T, strict=True
        ):
            total += _interpolated_columns(hit[~dropped], weights[~dropped], n_true[at], recall_points)
            count += n_true[at] > 0
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _alone(collected: Collected, recall_points: FloatArray) -> float:
    values = [value for row in average_precisions(collected, recall_points).values() for value in row.tolist()]
    return float(np.mean(values)) if values else float("nan")


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
