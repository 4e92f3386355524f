"""The boundaries of many lines, one after the other: what metrics of lines need of a whole corpus."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from segmetry._base import IndexArray, IntArray, frozen_dataclass
from segmetry.segmentation import SpanLines, Spans


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
        """Return the boundaries of spans of many lines.

        >>> both = LineBoundaries.of([Spans.from_masses([2, 1]), Spans([1], [2], 4)])
        >>> both.positions.tolist(), both.offsets.tolist()
        ([2, 1, 2], [0, 1, 3])
        """
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
