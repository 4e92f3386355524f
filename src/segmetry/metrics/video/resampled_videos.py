"""VPQ and STQ of many samples of videos at once, for confidence intervals and comparisons: both follow from sums over
videos, so the sums of all samples are one product of matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Collected
from segmetry.metrics.video.tubes import as_lengths


def resampled_vpq(
    collected: Collected,
    times: IntArray,
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    windows: Literal["pooled", "mean"] = "pooled",
) -> FloatArray:
    """Return the VPQ of every sample (a column of ``times``); NaN without a segment or a video of k frames."""
    lengths = as_lengths(k)
    total, count = np.zeros(times.shape[1]), np.zeros(times.shape[1])
    for length in lengths:
        rows = np.flatnonzero(collected.columns["k"] == length)
        values = (_pooled_windows if windows == "pooled" else _mean_of_windows)(collected, times, rows)
        total += np.where(np.isnan(values), 0, values)
        count += ~np.isnan(values)
    has_windows = (times[collected.columns["frames"] >= max(lengths)] > 0).any(axis=0)
    return _ratio_or_nan(total, np.where(has_windows, count, 0))


def resampled_stq(
    collected: Collected, times: IntArray, *, unpredicted: Literal["class", "missed"] = "class"
) -> FloatArray:
    """Return the STQ of every sample (a column of ``times``); NaN without a true tube."""
    tubes = collected.columns["association"]
    at_tube, one = collected.item_of("association"), np.zeros(tubes.size, dtype=np.intp)
    association, n_tubes = (
        (_by_item(collected, at_tube, one, values, 1).T @ times)[0] for values in (tubes, np.ones(tubes.size))
    )
    at, code, count = collected.item_of("class"), collected.columns["class"], len(collected.labels["class"])
    shared, union = (
        _by_item(collected, at, code, collected.columns[name], count).T @ times for name in ("shared", "union")
    )
    n_classes = (union > 0).sum(axis=0)
    if unpredicted == "class":
        n_classes = n_classes + (collected.columns["unpredicted"] @ times > 0)
    ious = np.divide(shared, union, out=np.zeros(union.shape), where=union > 0).sum(axis=0)
    return np.sqrt(_ratio_or_nan(association, n_tubes) * _ratio_or_nan(ious, n_classes))


def _pooled_windows(collected: Collected, times: IntArray, rows: NDArray[np.intp]) -> FloatArray:
    """Return the mean over classes of 2·Σ IoU / (2·pairs + unmatched)."""
    at, code = collected.item_of("class")[rows], collected.columns["class"][rows]
    count = len(collected.labels.get("class", ()))
    sums = 2 * collected.columns["iou"][rows], (2 * collected.columns["pairs"] + collected.columns["unmatched"])[rows]
    top, bottom = (_by_item(collected, at, code, values, count).T @ times for values in sums)
    qualities = np.divide(top, bottom, out=np.zeros(bottom.shape), where=bottom > 0)
    return _ratio_or_nan(qualities.sum(axis=0), (bottom > 0).sum(axis=0))


def _mean_of_windows(collected: Collected, times: IntArray, rows: NDArray[np.intp]) -> FloatArray:
    """Return the mean over windows of the mean over the classes of each window."""
    bottom = (2 * collected.columns["pairs"] + collected.columns["unmatched"])[rows]
    qualities = 2 * collected.columns["iou"][rows] / bottom
    places = np.stack((collected.item_of("class")[rows], collected.columns["window"][rows]), axis=1)
    windows, inverse = np.unique(places, axis=0, return_inverse=True)
    window_of = inverse.reshape(-1)  # numpy 2.0.0 keeps an axis
    means = np.bincount(window_of, qualities, len(windows)) / np.bincount(window_of, minlength=len(windows))
    one = np.zeros(len(windows), dtype=np.intp)
    total, count = (
        (_by_item(collected, windows[:, 0], one, values, 1).T @ times)[0] for values in (means, np.ones(len(windows)))
    )
    return _ratio_or_nan(total, count)


def _by_item(
    collected: Collected, item: NDArray[np.intp], column: NDArray[np.intp], values: NDArray[Any], count: int
) -> NDArray[Any]:
    """Return sums of values, one row per item and one column per class."""
    sums = np.zeros((collected.n_items, count), dtype=values.dtype)
    np.add.at(sums, (item, column), values)
    return sums


def _ratio_or_nan(top: NDArray[Any], bottom: NDArray[Any]) -> FloatArray:
    ratios: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return ratios
