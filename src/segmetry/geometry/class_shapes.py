"""The shapes of whole classes: all segments of a class of one side against all of the other, cropped to both.

Where segments carry no classes, equal labels of a label array are the same class, and masks are one foreground. Boxes
of all segments are found in one pass, so that a class costs no more than its box, whatever the size of the volume.
Elements that are void on a side are removed from both.

:func:`class_masks` draws every class as two whole masks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, check_choice
from segmetry.errors import KindError
from segmetry.geometry.band_overlaps import band_width, contour_band
from segmetry.geometry.measured_shapes import MeasuredShapes, measure_each
from segmetry.geometry.segment_shapes import Mask, Shapes, shapes_of, trimmed, union_of
from segmetry.geometry.surface_statistics import WeightedDistances
from segmetry.kernels import surface
from segmetry.overlaps import OverlapTable, Side, sorted_names
from segmetry.segmentation import LabelArray, Masks, Segmentation

FOREGROUND = 1
"""The class of masks without classes."""


class ClassMasks(NamedTuple):
    """One class: its elements on both sides, without those that are void on either."""

    name: Hashable
    true: Mask
    pred: Mask


def class_masks(true: Segmentation, pred: Segmentation) -> Iterator[ClassMasks]:
    """Yield every class that occurs on a side, in the order of their names."""
    sides = [_segments_by_class(side) for side in (true, pred)]
    counted = ~(void_elements(true) | void_elements(pred))
    for name in sorted_names({name for members, _ in sides for name in members}):
        first, second = (_draw_segments(drawn, members.get(name, [])) & counted for members, drawn in sides)
        if first.any() or second.any():
            yield ClassMasks(name, first, second)


def void_elements(segmentation: Segmentation) -> Mask:
    """Return which elements are void."""
    if isinstance(segmentation, LabelArray) and segmentation.void:
        return np.isin(segmentation.labels, segmentation.void)
    if not isinstance(segmentation.domain, tuple):
        raise _no_grid(segmentation)
    return np.zeros(segmentation.domain, dtype=bool)


def _no_grid(segmentation: Segmentation) -> KindError:
    return KindError(f"segments of kind {segmentation.kind!r} have no grid; expected a label array or masks")


def _segments_by_class(segmentation: Segmentation) -> tuple[dict[Hashable, list[int]], NDArray[Any] | Masks]:
    """Return the ids of the segments of every class, and the labels (read once) or masks from which they are drawn."""
    drawn: NDArray[Any] | Masks
    if isinstance(segmentation, LabelArray):
        drawn = segmentation.labels
        ignored = {*segmentation.outside, *segmentation.void}
        ids = [label for label in np.unique(drawn).tolist() if label not in ignored]
        segmentation.check_labels(drawn, "labels")
    elif isinstance(segmentation, Masks):
        drawn, ids = segmentation, segmentation.ids.tolist()
    else:
        raise _no_grid(segmentation)
    classes, members = segmentation.classes, dict[Hashable, list[int]]()
    for label in ids:
        bare = FOREGROUND if isinstance(segmentation, Masks) else int(label)
        members.setdefault(bare if classes is None else classes[label], []).append(label)
    return members, drawn


def _draw_segments(drawn: NDArray[Any] | Masks, ids: list[int]) -> Mask:
    if isinstance(drawn, Masks):
        return _union_of_masks(drawn, ids)
    return np.asarray(drawn == ids[0]) if len(ids) == 1 else np.isin(drawn, ids)


def _union_of_masks(masks: Masks, ids: list[int]) -> Mask:
    """Draw the given masks together; their run lengths are in column-major order."""
    position = {label: at for at, label in enumerate(masks.ids.tolist())}
    flat = np.zeros(masks.n_elements, dtype=bool)
    offsets, starts, stops = masks.run_lengths
    for at in (position[label] for label in ids):
        part = slice(int(offsets[at]), int(offsets[at + 1]))
        for start, stop in zip(starts[part].tolist(), stops[part].tolist(), strict=True):
            flat[start:stop] = True
    return flat.reshape(masks.shape[::-1]).T


@dataclass(frozen=True, eq=False)
class ClassShapes(MeasuredShapes):
    """Every class that occurs on a side; a measure is an array with one value per class, NaN where a side has none."""

    area_needs: ClassVar[str] = "percentile='directed'"
    table: OverlapTable
    true: Segmentation
    pred: Segmentation

    @cached_property
    def _side_shapes(self) -> tuple[Shapes, Shapes]:
        return shapes_of(self.true, self.table.true.ids), shapes_of(self.pred, self.table.pred.ids)

    @cached_property
    def _class_members(self) -> tuple[dict[Hashable, list[int]], dict[Hashable, list[int]]]:
        """The positions of the segments of each class, on both sides, without those that are all void on the other."""
        return self._of_side(self.table.true), self._of_side(self.table.pred)

    def _of_side(self, side: Side) -> dict[Hashable, list[int]]:
        names, members = self.table.class_names, dict[Hashable, list[int]]()
        codes, counted = side.class_codes.tolist(), (side.sizes - side.void).tolist()
        for at, label in enumerate(side.ids.tolist()):
            # Ids of masks are arbitrary, so without classes they cannot say which masks belong together.
            bare = label if self.true.kind == "labels" else FOREGROUND
            if counted[at]:
                members.setdefault(bare if names is None else names[codes[at]], []).append(at)
        return members

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """The classes that have elements on a side."""
        return sorted_names({*self._class_members[0], *self._class_members[1]})

    @property
    def sides_of_names(self) -> tuple[IntArray, IntArray]:
        """Whether each class is in the truth, and whether it is in the prediction: 1 or 0."""
        sides = (np.array([name in side for name in self.names], dtype=np.int64) for side in self._class_members)
        true, pred = sides
        return true, pred

    def crops(self) -> Iterator[tuple[Mask, Mask] | None]:
        """Yield the two masks of every class, cropped to both; None where a side has none."""
        for name in self.names:
            parts = [
                (side, members.get(name, []))
                for side, members in zip(self._side_shapes, self._class_members, strict=True)
            ]
            if not all(members for _, members in parts):
                yield None
                continue
            box = reduce(union_of, (side.boxes[at] for side, members in parts for at in members))
            true, pred = (reduce(np.logical_or, (side.crop(at, box) for at in members)) for side, members in parts)
            if self.table.has_void:
                counted = ~(self._side_shapes[0].void(box) | self._side_shapes[1].void(box))
                true, pred = trimmed(true & counted, pred & counted)
            yield true, pred

    @cached_property
    def _pieces(self) -> list[WeightedDistances | None]:
        return list(super().weighted_pieces())

    def weighted_pieces(self) -> list[WeightedDistances | None]:
        """Return the pieces of every class, measured once: there are few classes."""
        return self._pieces

    def surface_distance(self, average: str = "pooled") -> FloatArray:
        """Return the average distance between the surfaces of every class."""
        check_choice("average", average, ("pooled", "directed", "pred_to_true"))
        if average == "pred_to_true":
            return measure_each(lambda part: float(part.pred_to_true.mean()), self.distances())
        return self.average_surface_distance(average)

    def boundary_iou(self, d: float | Literal["surface"] | None = None, metric: str = "chessboard") -> FloatArray:
        """Return the IoU of the bands along the contours of every class, or of its surface elements."""
        width = None if d == "surface" else band_width(d, metric, self.true.domain, self.spacing)

        def band_iou(masks: tuple[Mask, Mask]) -> float:
            true, pred = (
                surface(mask) if width is None else mask & contour_band(mask, width, metric, self.spacing)
                for mask in masks
            )
            return int(np.count_nonzero(true & pred)) / int(np.count_nonzero(true | pred))

        return measure_each(band_iou, self.crops())
