r"""Sliding windows over two linear segmentations, for Pk, WindowDiff, Pr_error and WinPR.

Element indices 0 … n-1; gap g in 1 … n-1 is before element g; a segmentation is the set of gaps where it has a
boundary. Window i covers the k gaps i+1 … i+k, so it contains the boundaries b with i < b <= i+k. The windows are

    i = 0 … n-k-1          n-k windows, as first published; a gap near an edge is in fewer of them
    i = -(k-1) … n-2       n+k-2 windows, *padded* by k-1 phantom elements on both sides: every gap is in k

The counts of a window change only where a boundary enters or leaves, so all sums over windows come from one sweep over
the boundaries of both sides: the cost grows with the boundaries, and does not depend on n or k. Of a whole corpus
the boundaries of all lines are one after the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Any, TypeVar

import numpy as np

from segmetry._base import IndexArray, IntArray, checked_integer, frozen_dataclass
from segmetry.errors import OptionError
from segmetry.kernels import WindowSums, sum_windows
from segmetry.segmentation import SpanLines, Spans

WindowSize = int | str | None
Integers = TypeVar("Integers", int, IntArray)


@frozen_dataclass()
class Windows:
    """The windows of one comparison: gaps first+1 … first+k for first = start … stop-1."""

    true: IntArray
    pred: IntArray
    k: int
    start: int
    stop: int
    n: int

    def __len__(self) -> int:
        return self.stop - self.start

    @property
    def why_none(self) -> str:
        """The reason why there is no window; empty where there is one."""
        return "" if self.stop > self.start else why_no_window(self.n, self.k)

    @property
    def sums(self) -> WindowSums:
        """Sums over all windows, computed at every access."""
        return sum_windows(self.true, self.pred, self.start, self.stop, self.k)

    def runs(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return runs of consecutive windows with equal counts: the first window, how many they are, and the counts."""
        changes = np.concatenate((self.true - self.k, self.true, self.pred - self.k, self.pred))
        changes = np.sort(changes[(changes > self.start) & (changes < self.stop)])
        firsts = np.concatenate(([self.start] if len(self) else [], changes)).astype(np.int64)
        firsts = firsts[np.diff(firsts, prepend=self.start - 1) > 0]
        lengths = np.diff(firsts, append=self.stop)[: firsts.size]
        in_true, in_pred = (_boundaries_inside(side, firsts, self.k) for side in (self.true, self.pred))
        return firsts, lengths, in_true, in_pred


def why_no_window(n: int, k: int) -> str:
    """Return the reason why no window of k gaps fits n elements."""
    if n < 2:
        return f"{n} elements have no gap between them"
    return f"windows of k = {k} gaps do not fit {n} elements, which have {n - 1}"


def slide_windows(true: Spans, pred: Spans, k: WindowSize = None, *, padded: bool = False) -> Windows:
    """Return the windows of k gaps over two segmentations, each gap between spans filled by a segment (P*)."""
    size, n = window_size(true, k), true.n
    start, stop = (1 - size, n - 1) if padded else (0, n - size)
    return Windows(true.boundaries, pred.boundaries, size, start, stop if n > 1 and stop > start else start, n)


def window_size(true: Spans, k: WindowSize = None) -> int:
    """Return the number of gaps in a window.

    Parameters
    ----------
    true : Spans
        The true segments.
    k : int or str, optional
        A number of gaps, or how to compute it: by default half the mean true segment length, rounded half to even
        and kept within 1 … n-1. ``'segeval'`` is that package's default (at least 2, whatever n is); ``'nltk'`` is
        nltk's for a string of gaps: it divides by the boundaries instead of the segments, and may be 0.

    Returns
    -------
    int
        The number of gaps in a window.

    Examples
    --------
    >>> true = Spans.from_masses([5, 3, 5])
    >>> window_size(true), window_size(true, "segeval"), window_size(true, "nltk"), window_size(true, 4)
    (2, 2, 3, 4)
    """
    return window_size_of(true.n, true.boundaries.size + 1, k)


def window_size_of(n: int, segments: int, k: WindowSize) -> int:
    """Return the number of gaps in a window over n elements in some true segments; see :func:`window_size`."""
    if type(k) is int and k > 0:
        return k
    if k is None:
        return max(1, min(rounded_quotient(n, 2 * segments), n - 1))
    if isinstance(k, str):
        if k == "segeval":
            # With segeval's least window of 2 gaps, every comparison of two elements scores 0.
            return max(2, rounded_quotient(n, 2 * segments))
        if k == "nltk":
            # nltk counts boundaries, not segments, so that k may be 0; then every comparison scores 0.
            return rounded_quotient(max(n - 1, 0), 2 * max(segments - 1, 1))
        raise OptionError(f"k is {k!r}; expected a number of gaps, 'segeval' or 'nltk'")
    return checked_integer("k", k, 1, "number of gaps, at least 1")


def rounded_quotient(top: Integers, bottom: Integers) -> Integers:
    """Return a quotient of integers, or those of arrays, rounded half to even."""
    whole, rest = divmod(top, bottom)
    rounded: Integers = whole + ((2 * rest > bottom) | ((2 * rest == bottom) & (whole % 2 == 1)))
    return rounded


def _boundaries_inside(boundaries: IntArray, firsts: IntArray, k: int) -> IntArray:
    """Return the number of boundaries b with first < b <= first + k."""
    until = np.searchsorted(boundaries, firsts + k, side="right")
    return (until - np.searchsorted(boundaries, firsts, side="right")).astype(np.int64, copy=False)


@frozen_dataclass(eq=False)
class LineBoundaries:
    """The inner boundaries of P* (every maximal gap is a segment) of many lines.

    Those of line ``i`` are ``positions[offsets[i] : offsets[i + 1]]``, in ascending order; ``lengths`` are the numbers
    of elements of the lines.
    """

    positions: IntArray
    offsets: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, lines: SpanLines | Sequence[Spans]) -> LineBoundaries:
        """Return the boundaries of spans of many lines."""
        if isinstance(lines, SpanLines):
            starts, stops, line, lengths = lines.starts, lines.stops, lines.lines, lines.lengths
        else:
            nothing = np.zeros(0, dtype=np.int64)
            starts = np.concatenate([nothing, *(spans.starts for spans in lines)])
            stops = np.concatenate([nothing, *(spans.stops for spans in lines)])
            line = np.repeat(np.arange(len(lines)), [spans.starts.size for spans in lines])
            lengths = np.array([spans.n for spans in lines], dtype=np.int64)
        cuts, of_cut = np.stack((starts, stops), axis=1).ravel(), np.repeat(line, 2)
        kept = (cuts > 0) & (cuts < lengths[of_cut])
        kept[1:] &= (cuts[1:] != cuts[:-1]) | (of_cut[1:] != of_cut[:-1])
        counts = np.bincount(of_cut[kept], minlength=lengths.size)
        return cls(cuts[kept], np.concatenate(([0], np.cumsum(counts))).astype(np.int64), lengths)

    @property
    def counts(self) -> IntArray:
        """The number of boundaries of every line."""
        return np.diff(self.offsets)

    @property
    def lines(self) -> IndexArray:
        """The line of every boundary."""
        return np.repeat(np.arange(self.lengths.size), self.counts)


@frozen_dataclass(eq=False)
class LinePairs:
    """Both sides of many lines; ``memo`` keeps what several metrics of them share."""

    true: LineBoundaries
    pred: LineBoundaries
    memo: dict[Hashable, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.true.lengths.size
