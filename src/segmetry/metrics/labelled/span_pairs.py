"""Pairs of overlapping spans of many lines, without a Python object per span."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IndexArray, IntArray
from segmetry.overlaps import sorted_names
from segmetry.segmentation import SpanLines


@dataclass(frozen=True, eq=False)
class LineSpans:
    """The spans of one side, all lines one after the other; ``codes`` are positions in the names of both sides."""

    starts: IntArray
    stops: IntArray
    codes: IndexArray


def on_one_long_line(true: SpanLines, pred: SpanLines) -> tuple[LineSpans, LineSpans, tuple[Hashable, ...]]:
    """Return both sides with positions that count on over all lines, and the classes of both.

    >>> lines = [SpanLines.from_frame_labels([["a"], [name, name]]) for name in "bc"]
    >>> true, pred, names = on_one_long_line(*lines)
    >>> true.starts.tolist(), pred.codes.tolist(), names
    ([0, 1], [0, 2], ('a', 'b', 'c'))
    """
    names = sorted_names({*true.names, *pred.names})
    place = {name: at for at, name in enumerate(names)}
    offsets = np.cumsum(true.lengths) - true.lengths
    sides = []
    for side in (true, pred):
        codes = np.array([place[name] for name in side.names], dtype=np.intp)[side.codes]
        shift = offsets[side.lines]
        sides.append(LineSpans(side.starts + shift, side.stops + shift, codes))
    return sides[0], sides[1], names


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Every pair of a true and a predicted span that share elements, by prediction, then by truth."""

    at_true: IndexArray
    at_pred: IndexArray
    shared: IntArray
    union: IntArray
    same_class: NDArray[np.bool_]


def span_pairs(true: LineSpans, pred: LineSpans) -> SpanPairs:
    """Return the overlapping pairs: the truths of a prediction follow each other, as spans of a side are disjoint.

    >>> side = SpanLines.from_frame_labels(["aab"]), SpanLines.from_frame_labels(["abb"])
    >>> pairs = span_pairs(*on_one_long_line(*side)[:2])
    >>> list(zip(pairs.at_true.tolist(), pairs.at_pred.tolist(), pairs.shared.tolist(), pairs.union.tolist()))
    [(0, 0, 1, 2), (0, 1, 1, 3), (1, 1, 1, 2)]
    """
    first = np.searchsorted(true.stops, pred.starts, side="right")
    last = np.searchsorted(true.starts, pred.stops, side="left")
    number = np.maximum(last - first, 0)
    at_pred = np.repeat(np.arange(pred.starts.size), number)
    before = np.cumsum(number) - number
    at_true = np.arange(int(number.sum())) - np.repeat(before - first, number)
    starts, stops = true.starts[at_true], true.stops[at_true]
    shared = np.minimum(stops, pred.stops[at_pred]) - np.maximum(starts, pred.starts[at_pred])
    union = np.maximum(stops, pred.stops[at_pred]) - np.minimum(starts, pred.starts[at_pred])
    return SpanPairs(at_true, at_pred, shared, union, true.codes[at_true] == pred.codes[at_pred])
