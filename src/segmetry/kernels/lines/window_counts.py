"""Sums over the sliding windows of many lines, all in one sweep over two sorted lists of boundaries.

Window i of a line contains the boundaries b with i < b <= i + k; r and c are its numbers of true and pred boundaries.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segmetry._base.exact import IntArray, as_python_ints, products_fit
from segmetry.kernels.backend import native

SUMS = ("one_empty", "unequal", "difference", "smaller", "fewer", "more", "with_true")
"""Numbers of windows in which r = 0 ≠ c or r ≠ 0 = c; r ≠ c; Σ |r - c|; Σ min(r, c); c < r; c > r; r > 0."""


class LineWindows(NamedTuple):
    """The boundaries of both sides of many lines, and the windows of each line: start … stop-1, of ``sizes`` gaps.

    ``offsets`` say where the boundaries of each line begin: one number per line, and the number of all boundaries.
    """

    true: IntArray
    true_offsets: IntArray
    pred: IntArray
    pred_offsets: IntArray
    starts: IntArray
    stops: IntArray
    sizes: IntArray


def window_counts(lines: LineWindows) -> IntArray:
    """Return the :data:`SUMS` of every line, an array (lines, 7); of Python integers where 64 bits may not be enough.

    >>> one = [np.array(column) for column in ([5, 8], [0, 2], [4, 8], [0, 2], [0], [11], [2])]
    >>> window_counts(LineWindows(*one)).tolist()
    [[2, 2, 2, 3, 1, 1, 4]]
    """
    if native is None or not _fit(lines):
        return window_counts_numpy(lines)
    sums: IntArray = native.window_counts(*lines)
    return sums.reshape(-1, len(SUMS))


def window_counts_numpy(lines: LineWindows) -> IntArray:
    """The numpy twin of :func:`window_counts`."""
    rows = [
        _one_line(
            lines.true[lines.true_offsets[line] : lines.true_offsets[line + 1]],
            lines.pred[lines.pred_offsets[line] : lines.pred_offsets[line + 1]],
            int(lines.starts[line]),
            int(lines.stops[line]),
            int(lines.sizes[line]),
        )
        for line in range(lines.starts.size)
    ]
    return np.array(rows, dtype=np.int64 if _fit(lines) else object).reshape(-1, len(SUMS))


def _fit(lines: LineWindows) -> bool:
    """Return whether no sum of a line can exceed 64 bits."""
    widest = max((lines.stops - lines.starts).tolist(), default=0)
    return products_fit(lines.true.size + lines.pred.size + 1, max(widest, 0) + 1)


def _one_line(true: IntArray, pred: IntArray, start: int, stop: int, k: int) -> list[int]:
    """Sum over stretches of windows with equal counts."""
    if stop <= start:
        return [0] * len(SUMS)
    changes = np.concatenate((true - k, true, pred - k, pred))
    firsts = np.unique(np.concatenate(([start], changes[(changes > start) & (changes < stop)])))
    lengths = np.diff(firsts, append=stop)
    r, c = (
        np.searchsorted(side, firsts + k, side="right") - np.searchsorted(side, firsts, side="right")
        for side in (true, pred)
    )
    per_window = ((r == 0) != (c == 0), r != c, np.abs(r - c), np.minimum(r, c), c < r, c > r, r > 0)
    if not products_fit(true.size + pred.size + 1, stop - start):
        return [int(as_python_ints(values.astype(np.int64)) @ as_python_ints(lengths)) for values in per_window]
    return [int(values @ lengths) for values in per_window]
