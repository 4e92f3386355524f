"""Sums over the windows of many lines at once, for the metrics of a batch of texts."""

from __future__ import annotations

import numpy as np

from segmetry._base import IntArray, products_fit
from segmetry.kernels import LineWindows, WindowSums, sum_line_windows
from segmetry.metrics.batches.line_boundaries import LineBoundaries, LinePairs
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.windows.sliding_windows import WindowSize, rounded_quotient, why_no_window, window_size_of

_FARTHEST = 2**59


def window_quotients(lines: LinePairs, name: str, k: WindowSize, *, padded: bool) -> ScoreColumn | None:
    """Return one of the sums over windows (a field of ``WindowSums``) and the number of windows, of every line.

    None where a sum might not fit into 64 bits.
    """
    window_size_of(1, 1, k)  # anything else than a size is refused
    key = ("windows", k, bool(padded))
    if key not in lines.memo:
        lines.memo[key] = _sums(lines, k, padded=padded)
    sums, n_windows, sizes = lines.memo[key]
    if sums is None:
        return None

    def reason(line: int) -> str:
        return why_no_window(int(lines.true.lengths[line]), int(sizes[line]))

    return ScoreColumn.of_quotients(sums[:, WindowSums._fields.index(name)], n_windows, reason, {"k": sizes})


def _sums(lines: LinePairs, k: WindowSize, *, padded: bool) -> tuple[IntArray | None, IntArray, IntArray]:
    """Return the sums, the number of windows and their sizes of every line."""
    n, sizes = lines.true.lengths, window_sizes(lines.true, k)
    starts, stops = (1 - sizes, n - 1) if padded else (np.zeros_like(n), n - sizes)
    stops = np.where(n > 1, stops, starts)
    n_windows = np.maximum(stops - starts, 0)
    most = int(max(n_windows.max(initial=0), sizes.max(initial=0)))
    boundaries = lines.true.positions.size + lines.pred.positions.size
    if most >= _FARTHEST or not products_fit(boundaries + 1, most + 1):
        return None, n_windows, sizes
    true, pred = lines.true, lines.pred
    windows = LineWindows(true.positions, true.offsets, pred.positions, pred.offsets, starts, stops, sizes)
    return sum_line_windows(windows), n_windows, sizes


def window_sizes(true: LineBoundaries, k: WindowSize) -> IntArray:
    """Return the number of gaps in the windows of every line, as ``window_size`` gives one by one.

    >>> from segmetry.segmentation.spans import Spans
    >>> window_sizes(LineBoundaries.of([Spans.from_masses([5, 3, 5]), Spans.from_masses([7])]), None).tolist()
    [2, 4]
    """
    n, segments = true.lengths, true.counts + 1
    if k == "nltk":
        return rounded_quotient(np.maximum(n - 1, 0), 2 * np.maximum(segments - 1, 1))
    half = rounded_quotient(n, 2 * segments)
    if k is None:
        return np.maximum(1, np.minimum(half, n - 1))
    if k == "segeval":
        return np.maximum(2, half)
    return np.full_like(n, window_size_of(1, 1, k))
