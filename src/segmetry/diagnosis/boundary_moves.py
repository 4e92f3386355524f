"""Move every predicted segment by one element: dilate, erode, or shift along an axis.

Neighbours are elements that share a face: two along each axis. The frame of the image is not a boundary.

* **dilate**: an outside element with a neighbour in a segment joins it; with neighbours in several, the segment with
  the smallest id. Nothing grows into void or into another segment of a label array. Masks may overlap, so each
  grows over its neighbours.
* **erode**: an element with a neighbour that is not in its segment becomes outside.
* **shift**: every element of a segment moves one step along one axis. Elements that leave the frame are lost,
  elements left behind become outside. Void stays where it is and hides elements that move onto it.

A segment that loses its last element disappears.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray
from segmetry.errors import KindError
from segmetry.geometry.band_overlaps import outside_label
from segmetry.geometry.segment_shapes import Mask, redrawn
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks

Slices = tuple[slice, ...]


@dataclass(frozen=True)
class Move:
    """``dilate``, ``erode``, or one step (+1 or -1) along an axis."""

    kind: str
    axis: int = 0
    step: int = 0

    @property
    def name(self) -> str:
        """The name of the move.

        >>> Move("erode").name, Move("shift", 1, -1).name
        ('erode', 'shift_1-')
        """
        return self.kind if self.kind != "shift" else f"shift_{self.axis}{'+' if self.step > 0 else '-'}"


def moves(axes: int) -> list[Move]:
    """Return all moves of segments with this number of axes.

    >>> [move.name for move in moves(2)]
    ['dilate', 'erode', 'shift_0-', 'shift_0+', 'shift_1-', 'shift_1+']
    """
    shifts = [Move("shift", axis, step) for axis in range(axes) for step in (-1, 1)]
    return [Move("dilate"), Move("erode"), *shifts]


@dataclass(frozen=True, eq=False)
class Moved:
    """The moved segments, and how many elements they gained or lost, each segment counted separately."""

    segmentation: Segmentation
    changed: int


def move_segments(segments: Segmentation, move: Move) -> Moved:
    """Move all segments of a label array, or all masks.

    >>> after = move_segments(LabelArray([[0, 1, 1, 1, 0, 2]]), Move("dilate"))
    >>> after.segmentation.labels.tolist(), after.changed
    ([[1, 1, 1, 1, 1, 2]], 2)
    """
    if isinstance(segments, LabelArray):
        return _moved_labels(segments, move)
    if isinstance(segments, Masks):
        return _moved_masks(segments, move)
    raise KindError(
        f"segments of kind {segments.kind!r} have no outline of pixels to move; expected label arrays or masks"
    )


def _moved_labels(label_array: LabelArray, move: Move) -> Moved:
    outside, labels = outside_label(label_array)
    void = _is_special(labels, label_array.void)
    segment = ~(_is_special(labels, (*label_array.outside, outside)) | void)
    before = np.where(segment | void, labels, labels.dtype.type(outside))
    if move.kind == "dilate":
        after = _dilate_labels(before, segment, ~(segment | void))
    elif move.kind == "erode":
        after = np.where(segment & ~_same_neighbours(before), labels.dtype.type(outside), before)
    else:
        after = _shift_labels(before, segment, void, outside, move)
    differs = after != before
    left, joined = differs & segment, differs & (after != labels.dtype.type(outside)) & ~void
    moved = LabelArray(
        after,
        outside=(*label_array.outside, outside),
        void=label_array.void,
        classes=label_array.classes,
        crowd=label_array.crowd,
        spacing=label_array.spacing,
        allow_negative=label_array.allow_negative,
    )
    return Moved(moved, int(np.count_nonzero(left)) + int(np.count_nonzero(joined)))


def _is_special(labels: NDArray[np.integer], special: tuple[int, ...]) -> BoolArray:
    limits, flags = np.iinfo(labels.dtype), np.zeros(labels.shape, dtype=bool)
    for label in special:
        if limits.min <= label <= limits.max:
            flags |= labels == labels.dtype.type(label)
    return flags


def _neighbour_slices(axes: int) -> list[tuple[Slices, Slices]]:
    """Return the slices of elements and of their neighbours for every axis and direction."""
    slices = []
    for axis in range(axes):
        low = (*(slice(None),) * axis, slice(None, -1))
        high = (*(slice(None),) * axis, slice(1, None))
        slices += [(low, high), (high, low)]
    return slices


def _dilate_labels(labels: NDArray[np.integer], segment: BoolArray, free: BoolArray) -> NDArray[np.integer]:
    after, reached = labels.copy(), np.zeros(labels.shape, dtype=bool)
    for here, there in _neighbour_slices(labels.ndim):
        near = free[here] & segment[there]
        # Of several neighbours the smallest id wins, whatever the order of axes and directions.
        better = near & (~reached[here] | (labels[there] < after[here]))
        np.copyto(after[here], labels[there], where=better)
        reached[here] |= near
    return after


def _same_neighbours(labels: NDArray[np.generic]) -> BoolArray:
    """Return whether all neighbours of an element have its label."""
    same = np.ones(labels.shape, dtype=bool)
    for axis in range(labels.ndim):
        low, high = _neighbour_slices(axis + 1)[-1][::-1]
        equal = labels[low] == labels[high]
        same[low] &= equal
        same[high] &= equal
    return same


def _shift_labels(
    labels: NDArray[np.integer], segment: BoolArray, void: BoolArray, outside: int, move: Move
) -> NDArray[np.integer]:
    here, there = _shift_slices(move)
    after = np.full_like(labels, outside)
    np.copyto(after[here], labels[there], where=segment[there])
    np.copyto(after, labels, where=void)
    return after


def _shift_slices(move: Move) -> tuple[Slices, Slices]:
    """Return the slices of the elements after and before a shift."""
    low, high = _neighbour_slices(move.axis + 1)[-2]
    return (high, low) if move.step > 0 else (low, high)


def _moved_masks(masks: Masks, move: Move) -> Moved:
    changed = 0

    def draw(mask: Mask) -> Mask:
        nonlocal changed
        after = _moved_mask(mask, move)
        changed += int(np.count_nonzero(after != mask))
        return after

    moved = redrawn(masks, draw, margin=1)
    return Moved(_without_masks(moved, (moved.sizes == 0) & (masks.sizes > 0)), changed)


def _moved_mask(mask: Mask, move: Move) -> Mask:
    if move.kind == "erode":
        return mask & _same_neighbours(mask)
    if move.kind == "dilate":
        after = mask.copy()
        for here, there in _neighbour_slices(mask.ndim):
            after[here] |= mask[there]
        return after
    here, there = _shift_slices(move)
    after = np.zeros_like(mask)
    after[here] = mask[there]
    return after


def _without_masks(masks: Masks, gone: BoolArray) -> Masks:
    """Return the masks that are not ``gone``; those have no elements."""
    if not gone.any():
        return masks
    kept = np.flatnonzero(~gone)
    offsets = masks.run_lengths.offsets[np.concatenate(([0], kept + 1))]
    return Masks(
        RunLengthMasks(offsets, masks.run_lengths.starts, masks.run_lengths.stops),
        masks.shape,
        ids=masks.ids[kept],
        classes=masks.classes,
        crowd=masks.crowd,
        scores=None if masks.scores is None else masks.scores[kept],
        spacing=masks.spacing,
    )
