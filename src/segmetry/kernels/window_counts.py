"""Sums over sliding windows, all in one sweep over two sorted lists of boundaries: of one line, or of many.

Window i of a line contains the boundaries b with i < b <= i + k; r and c are its numbers of true and pred boundaries.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import IntArray, as_python_ints, products_fit
from segmetry.kernels.backend import kernel, numpy_twin

_FARTHEST = 2**59
"""Positions and windows up to which the native sweep is used."""


class WindowSums(NamedTuple):
    """Sums over all windows of a line: numbers of windows, except for ``difference`` and ``smaller``."""

    one_empty: int
    """Windows with a boundary of one side only, (r = 0) ≠ (c = 0)."""
    unequal: int
    """Windows with r ≠ c."""
    difference: int
    """Σ |r - c|."""
    smaller: int
    """Σ min(r, c)."""
    fewer: int
    """Windows with c < r."""
    more: int
    """Windows with c > r."""
    with_true: int
    """Windows with r > 0."""


class LineWindows(NamedTuple):
    """The boundaries of both sides of many lines, and the windows start … stop-1 of each line, of ``sizes`` gaps.

    ``offsets`` say where the boundaries of each line begin: one number per line, and the number of all boundaries.
    """

    true: IntArray
    true_offsets: IntArray
    pred: IntArray
    pred_offsets: IntArray
    starts: IntArray
    stops: IntArray
    sizes: IntArray


def _sum_native(native: ModuleType, true: IntArray, pred: IntArray, start: int, stop: int, k: int) -> Any:
    far = k >= _FARTHEST or start <= -_FARTHEST or stop >= _FARTHEST
    if far or not products_fit(true.size + pred.size + 1, stop - start + 1):
        return NotImplemented
    return tuple.__new__(WindowSums, native.line_window_counts(true, pred, start, stop, k))


@kernel(_sum_native)
def sum_windows(true: IntArray, pred: IntArray, start: int, stop: int, k: int) -> WindowSums:
    """Return the sums over the windows start … stop-1 of one line."""
    if stop <= start:
        return WindowSums(0, 0, 0, 0, 0, 0, 0)
    # The counts of a window change only where it gains or loses a boundary: windows between are equal.
    changes = np.concatenate((true - k, true, pred - k, pred))
    firsts = np.unique(np.concatenate(([start], changes[(changes > start) & (changes < stop)])))
    lengths = np.diff(firsts, append=stop)
    r, c = (
        np.searchsorted(side, firsts + k, side="right") - np.searchsorted(side, firsts, side="right")
        for side in (true, pred)
    )
    per_window = ((r == 0) != (c == 0), r != c, np.abs(r - c), np.minimum(r, c), c < r, c > r, r > 0)
    if not products_fit(true.size + pred.size + 1, stop - start):
        # A line of 2**40 elements and as many boundaries overflows: Python's integers do not.
        exact = as_python_ints(lengths)
        return WindowSums(*(int(as_python_ints(values.astype(np.int64)) @ exact) for values in per_window))
    return WindowSums(*(int(values @ lengths) for values in per_window))


@kernel(lambda native, lines: native.window_counts(*lines).reshape(-1, len(WindowSums._fields)))
def sum_line_windows(lines: LineWindows) -> IntArray:
    """Return the sums of every line, (lines, 7) in the order of :class:`WindowSums`, which must fit into 64 bits."""
    true = np.split(lines.true, lines.true_offsets[1:-1])
    pred = np.split(lines.pred, lines.pred_offsets[1:-1])
    windows = zip(lines.starts.tolist(), lines.stops.tolist(), lines.sizes.tolist(), strict=True)
    sums = [numpy_twin(sum_windows)(true[line], pred[line], *window) for line, window in enumerate(windows)]
    return np.array(sums, dtype=np.int64).reshape(-1, len(WindowSums._fields))
