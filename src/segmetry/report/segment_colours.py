"""A colour number for every segment: neighbours differ, and two segments that mostly cover each other have the same.

Segments are the nodes of a graph whose edges join neighbours, true and predicted ones in one graph. A true and a
predicted segment that share more than half of each (θ&) are one node. Nodes are coloured greedily, those with most
neighbours first (Welsh and Powell, 1967), each with the allowed colour that is used least.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels import boxes_of_run_lengths
from segmetry.overlaps import Ids, OverlapTable
from segmetry.report.label_planes import Codes
from segmetry.report.page_records import AgreesBy, ColourNumbers
from segmetry.segmentation import Masks

COLOURS = 9
NEAR = (1, 3)
"""Distances, in elements, at which two segments are neighbours: across an edge, and across a thin gap."""
MOST_MASKS = 1000
"""Masks of the largest image whose boxes are compared with each other."""

NeighbourPairs = NDArray[np.int64]
"""Pairs of positions, one in a row."""


def touching(codes: NDArray[np.uint32], count: int) -> NeighbourPairs:
    """Return the neighbours among ``count`` segments in an array of their codes, each pair once."""
    keys = [_keys(codes, axis, step, count) for axis in range(codes.ndim) for step in NEAR if step < codes.shape[axis]]
    together = np.unique(np.concatenate(keys)) if keys else np.zeros(0, dtype=np.int64)
    return np.stack(np.divmod(together, count + 1), axis=1) - 1


def _keys(codes: NDArray[np.uint32], axis: int, step: int, count: int) -> NeighbourPairs:
    length = codes.shape[axis]
    first, second = (codes.take(range(*ends), axis=axis) for ends in ((0, length - step), (step, length)))
    at = np.flatnonzero(first != second)
    one, other = first.ravel()[at].astype(np.int64), second.ravel()[at].astype(np.int64)
    known = (one > 0) & (other > 0) & (one <= count) & (other <= count)
    low, high = np.minimum(one[known], other[known]), np.maximum(one[known], other[known])
    keys: NeighbourPairs = np.unique(low * (count + 1) + high)
    return keys


def near_masks(masks: Masks, ids: Ids) -> NeighbourPairs:
    """Return the pairs of masks whose boxes touch, as positions in the overlap table."""
    if ids.size > MOST_MASKS or len(masks.shape) != 2:
        return in_a_row(ids.size)
    at = {segment: place for place, segment in enumerate(masks.ids.tolist())}
    boxes = boxes_of_run_lengths(masks.run_lengths, masks.shape[0])[[at[segment] for segment in ids.tolist()]]
    low, high = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
    near = (low[:, None] <= high[None]).all(axis=-1)
    return np.argwhere(np.triu(near & near.T, 1))


def in_a_row(count: int) -> NeighbourPairs:
    """Return the pairs of neighbours on a line, and those with one segment between them."""
    at = np.arange(count)
    return np.concatenate(
        [np.stack((at[:-step], at[step:]), axis=1) for step in (1, 2) if count > step]
        or [np.zeros((0, 2), dtype=np.int64)]
    )


def partners(table: OverlapTable) -> NDArray[np.int64]:
    """Return for every predicted segment the true one that it shares more than half of both with; -1 without one."""
    rows = np.flatnonzero((table.shared > table.missed) & (table.shared > table.spurious))
    own = np.full(table.pred.ids.size, -1, dtype=np.int64)
    taken: set[int] = set()
    for t, p in zip(table.row_true[rows].tolist(), table.row_pred[rows].tolist(), strict=True):
        if t not in taken and own[p] < 0:
            own[p] = t
            taken.add(t)
    return own


def colours_of_segments(table: OverlapTable, true: NeighbourPairs, pred: NeighbourPairs) -> ColourNumbers:
    """Return the colours of both sides, a digit for every segment, given the neighbours of each side."""
    n_true = table.true.ids.size
    own = partners(table)
    nodes = np.where(own >= 0, own, n_true + np.arange(own.size))
    colours = _greedy(n_true + own.size, [true, nodes[pred]])
    of_pred = [colours[node] for node in nodes.tolist()]
    return {"true": "".join(map(str, colours[:n_true])), "pred": "".join(map(str, of_pred))}


def _greedy(count: int, edges: Sequence[NeighbourPairs]) -> list[int]:
    near: list[set[int]] = [set() for _ in range(count)]
    for one, other in np.concatenate(edges).tolist():
        if one != other:
            near[one].add(other)
            near[other].add(one)
    colours, used = [-1] * count, [0] * COLOURS
    for node in sorted(range(count), key=lambda at: (-len(near[at]), at)):
        clashes = [0] * COLOURS
        for other in near[node]:
            if colours[other] >= 0:
                clashes[colours[other]] += 1
        colours[node] = min(range(COLOURS), key=lambda colour: (clashes[colour], used[colour], colour))
        used[colours[node]] += 1
    return colours


class PlaneErrors:
    """Count wrong elements plane by plane and across all planes, and remember where each segment is largest.

    An element is right where both sides agree in a column of their segments (``by``: classes or ids), without one
    where its two segments are partners. ``objects`` are the counts of every object, shared and in either, by plane.
    """

    def __init__(self, table: OverlapTable, by: AgreesBy | None = None) -> None:
        self._counts = (table.true.ids.size, table.pred.ids.size)
        self._labels = _labels(table, by)
        self._most = [np.zeros(count, dtype=np.int64) for count in self._counts]
        self.names = table.true.ids if by == "ids" else table.true.ids[:0]
        self.peaks = [np.zeros(count, dtype=np.int64) for count in self._counts]
        self.wrong: list[int] = []
        self.across: list[Any] = [0, 0]
        self.objects: list[list[tuple[int, int]]] = [[] for _ in self.names]

    def add(self, codes: Sequence[Codes]) -> None:
        """Add the next plane: the codes of both sides."""
        counted = (codes[0] <= self._counts[0]) & (codes[1] <= self._counts[1])
        true, pred = (labels[plane] for labels, plane in zip(self._labels, codes, strict=True))
        wrong = counted & (true != pred)
        self.wrong.append(int(np.count_nonzero(wrong)))
        self.across = [
            sums + np.count_nonzero(wrong, axis=axis) for sums, axis in zip(self.across, (1, 0), strict=True)
        ]
        for name, counts in zip(self.names.tolist(), self.objects, strict=True):
            ours, theirs = true == name, pred == name
            counts.append((int(np.count_nonzero(ours & theirs)), int(np.count_nonzero(ours | theirs))))
        for side, (plane, count) in enumerate(zip(codes, self._counts, strict=True)):
            sizes = np.bincount(plane.ravel(), minlength=count + 2)[1 : count + 1]
            larger = sizes > self._most[side]
            self.peaks[side][larger] = len(self.wrong) - 1
            self._most[side][larger] = sizes[larger]

    @property
    def worst(self) -> int:
        """The plane with most wrong elements, the first of several."""
        return self.wrong.index(max(self.wrong))


def _labels(table: OverlapTable, by: AgreesBy | None) -> list[NDArray[np.int64]]:
    """Return for the codes of both sides numbers that are equal where an element is right."""
    if by is not None:
        sides = [getattr(side, by).astype(np.int64) for side in (table.true, table.pred)]
    else:
        own = partners(table)
        if table.true.classes is not None and table.pred.classes is not None:
            own = np.where((own >= 0) & (table.true.classes[own] != table.pred.classes), -1, own)
        sides = [np.arange(table.true.ids.size), np.where(own >= 0, own, -2)]
    return [np.concatenate(([-1], side, [-1])) for side in sides]
