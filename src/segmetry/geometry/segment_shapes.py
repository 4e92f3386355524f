"""The shapes of segments: a bounding box for each, and its elements as a boolean crop of any box.

Boxes of all segments of a label array are found in one pass; a crop costs no more than its box, whatever the size of
the image. Of a stored array the chunks around the box are read, and those read last are cached.

Skeletons and median sets of shapes: distances by shape, not by boundary [chazalon2021revisiting].

A skeleton is a thin curve along the middle of a shape, by scikit-image (the extra ``skeleton``): images are thinned as
[zhang1984fast], volumes as [lee1994building]. Thinning depends on the order in which elements are visited, so that a
mask in another box may have a slightly different skeleton; a small block, such as 2 × 2 × 2 voxels, may have none.

The median set of X and Y, which overlap, are the elements of both that are not closer to the outside than to X ∩ Y. It
is the union of (X ∩ Y) dilated by λ and (X ∪ Y) eroded by λ, intersected, over all λ; the distance is the λ from which
on the first covers the second. It is 0 exactly for equal shapes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, import_optional, range_positions
from segmetry.errors import KindError
from segmetry.geometry.block_geometry import label_geometry
from segmetry.kernels import RunLengthMasks, distances_between, nearest_distances
from segmetry.overlaps import Ids
from segmetry.segmentation import LabelArray, Masks, Segmentation, Spans
from segmetry.storage import CachedArray

Mask = NDArray[np.bool_]
BoxArray = IntArray
"""First index and last index + 1 along each axis: shape (axes, 2)."""


class Shapes(ABC):
    """The segments of one side, in the order of the requested ids."""

    boxes: IntArray

    @abstractmethod
    def crop(self, at: int, box: BoxArray) -> Mask:
        """Return which elements of the box belong to a segment."""

    def void(self, box: BoxArray) -> Mask:
        """Return which elements of the box are void."""
        return np.zeros(tuple((box[:, 1] - box[:, 0]).tolist()), dtype=bool)


class LabelShapes(Shapes):
    """Segments of a label array."""

    def __init__(self, array: LabelArray, ids: Ids) -> None:
        self._array = array if array.stored is None else array.with_labels(CachedArray(array.stored))
        self._void, self._ids = array.void, ids.tolist()
        geometry = label_geometry(array, pixels=False)
        where = {label: at for at, label in enumerate(geometry.labels.tolist())}
        self.boxes = geometry.box[[where[label] for label in self._ids]]

    def crop(self, at: int, box: BoxArray) -> Mask:
        mask: Mask = self._array.read(_box_slices(box)) == self._ids[at]
        return mask

    def void(self, box: BoxArray) -> Mask:
        part = self._array.read(_box_slices(box))
        flags = np.zeros(part.shape, dtype=bool)
        for label in self._void:
            flags |= part == label
        return flags


class MaskShapes(Shapes):
    """Masks, which may overlap: each is drawn from its run lengths on request, inside the box."""

    def __init__(self, masks: Masks, ids: Ids) -> None:
        self._masks = masks
        position = {label: at for at, label in enumerate(masks.ids.tolist())}
        self._order = [position[label] for label in ids.tolist()]
        boxes = [_box_of(self._element_positions(at), len(masks.shape)) for at in range(len(self._order))]
        self.boxes = np.array(boxes, dtype=np.int64).reshape(len(boxes), len(masks.shape), 2)

    def _element_positions(self, at: int) -> tuple[NDArray[np.intp], ...]:
        run_lengths, mask = self._masks.run_lengths, self._order[at]
        part = slice(int(run_lengths.offsets[mask]), int(run_lengths.offsets[mask + 1]))
        lengths = run_lengths.stops[part] - run_lengths.starts[part]
        flat = range_positions(run_lengths.starts[part], lengths)
        return np.unravel_index(flat, self._masks.shape, order="F")

    def crop(self, at: int, box: BoxArray) -> Mask:
        coordinates = np.stack(self._element_positions(at)) - box[:, :1]
        size = box[:, 1:] - box[:, :1]
        inside = ((coordinates >= 0) & (coordinates < size)).all(axis=0)
        mask = np.zeros(tuple(size[:, 0].tolist()), dtype=bool)
        mask[tuple(coordinates[:, inside])] = True
        return mask


class SpanShapes(Shapes):
    """Spans of a sequence, with unit spacing."""

    def __init__(self, spans: Spans, ids: Ids) -> None:
        positions = ids.astype(np.intp) - 1
        self.boxes = np.stack((spans.starts[positions], spans.stops[positions]), axis=-1)[:, None, :]

    def crop(self, at: int, box: BoxArray) -> Mask:
        places = np.arange(*box[0])
        inside: Mask = (places >= self.boxes[at, 0, 0]) & (places < self.boxes[at, 0, 1])
        return inside


def shapes_of(segmentation: Segmentation, ids: Ids) -> Shapes:
    """Return the shapes of the given segments."""
    if isinstance(segmentation, LabelArray):
        return LabelShapes(segmentation, ids)
    if isinstance(segmentation, Masks):
        return MaskShapes(segmentation, ids)
    if isinstance(segmentation, Spans):
        return SpanShapes(segmentation, ids)
    raise KindError(f"segments of kind {segmentation.kind!r} have no shape; expected a label array, masks or spans")


def union_of(first: BoxArray, second: BoxArray) -> BoxArray:
    """Return the bounding box of two boxes."""
    union: BoxArray = np.stack((np.minimum(first[:, 0], second[:, 0]), np.maximum(first[:, 1], second[:, 1])), axis=1)
    return union


def trimmed(*masks: Mask) -> tuple[Mask, ...]:
    """Crop masks of one box to the bounding box of all their elements."""
    box = _box_of(np.nonzero(np.logical_or.reduce(masks)), masks[0].ndim)
    return tuple(mask[_box_slices(box)] for mask in masks)


def _box_slices(box: BoxArray) -> tuple[slice, ...]:
    return tuple(slice(start, stop) for start, stop in box.tolist())


def _box_of(coordinates: tuple[NDArray[Any], ...], axes: int) -> BoxArray:
    """Return the bounding box of the given elements; an empty box for none."""
    if not coordinates[0].size:
        return np.zeros((axes, 2), dtype=np.int64)
    return np.array([[along.min(), along.max() + 1] for along in coordinates], dtype=np.int64)


def redrawn(masks: Masks, draw: Callable[[Mask], Mask], *, margin: int = 0) -> Masks:
    """Return the masks, each replaced by ``draw`` of its crop: its box and ``margin`` elements around it."""
    shapes = MaskShapes(masks, masks.ids)
    strides = np.cumprod([1, *masks.shape[:-1]])
    frame = np.array(masks.shape)
    drawn = []
    for at, tight in enumerate(shapes.boxes):
        box = tight.copy()
        if margin and masks.sizes[at]:
            box[:, 0], box[:, 1] = np.maximum(tight[:, 0] - margin, 0), np.minimum(tight[:, 1] + margin, frame)
        elements = np.nonzero(draw(shapes.crop(at, box)))
        flat = sum(
            ((along + start) * stride for along, start, stride in zip(elements, box[:, 0], strides, strict=True)),
            np.zeros(elements[0].size, dtype=np.int64),
        )
        drawn.append(np.sort(flat))
    return Masks(
        runs_of(drawn),
        masks.shape,
        ids=masks.ids,
        classes=masks.classes,
        crowd=masks.crowd,
        scores=masks.scores,
        spacing=masks.spacing,
    )


def runs_of(elements: list[NDArray[np.int64]]) -> RunLengthMasks:
    """Return the sorted flat positions of every mask as run lengths."""
    starts, stops, counts = [], [], [0]
    for flat in elements:
        # Sorted positions: a run ends where the next position does not follow.
        new = np.concatenate(([True], np.diff(flat) != 1)) if flat.size else np.zeros(0, dtype=bool)
        last = np.concatenate((new[1:], [True])) if flat.size else new
        starts.append(flat[new])
        stops.append(flat[last] + 1)
        counts.append(int(new.sum()))
    empty = [np.zeros(0, dtype=np.int64)]
    return RunLengthMasks(
        np.cumsum(counts, dtype=np.int64),
        np.concatenate(starts or empty).astype(np.int64),
        np.concatenate(stops or empty).astype(np.int64),
    )


def skeleton(mask: Mask) -> Mask:
    """Return the skeleton of a mask with two or three axes."""
    morphology = import_optional("skimage.morphology", "skeletons of masks", "skeleton")
    method = "zhang" if mask.ndim == 2 else "lee"
    return np.asarray(morphology.skeletonize(mask, method=method), dtype=bool)


def skeleton_distance(true: Mask, pred: Mask, spacing: tuple[float, ...]) -> float:
    """Return the mean distance from the elements of both skeletons to the other; a shape without one is its own."""
    if true.ndim not in (2, 3):
        raise KindError(f"skeletons are those of images and volumes; found segments with {true.ndim} axes")
    thin = [skeleton(np.pad(mask, 1)) for mask in (true, pred)]
    first, second = (line if line.any() else np.pad(mask, 1) for line, mask in zip(thin, (true, pred), strict=True))
    return float(np.concatenate(distances_between(first, second, np.asarray(spacing, np.float64))).mean())


def median_set_distance(true: Mask, pred: Mask, spacing: tuple[float, ...]) -> float:
    """Return the largest over X ∪ Y of the smaller of the distances to X ∩ Y and to the outside."""
    lengths = np.asarray(spacing, np.float64)
    either, both = np.pad(true | pred, 1), np.pad(true & pred, 1)
    least = np.minimum(nearest_distances(either, both, lengths), nearest_distances(either, ~either, lengths))
    return float(least.max(initial=0.0))
