"""The shapes of whole classes: all segments of a class of one side against all of the other, cropped to both.

Where segments carry no classes, equal labels of a label array are the same class, and masks are one foreground. Boxes
of all segments are found in one pass, so that a class costs no more than its box, whatever the size of the volume.
Elements that are void on a side are removed from both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import ClassVar, Literal

import numpy as np

from segmetry._base import FloatArray, IntArray, check_choice
from segmetry.geometry.band_overlaps import band_width, contour_band
from segmetry.geometry.masks_by_class import FOREGROUND
from segmetry.geometry.measured_shapes import MeasuredShapes, measure_each
from segmetry.geometry.segment_shapes import Mask, Shapes, shapes_of, trimmed, union_of
from segmetry.geometry.surface_pieces import WeightedDistances
from segmetry.kernels import surface
from segmetry.overlaps import OverlapTable, Side, sorted_names
from segmetry.segmentation import Segmentation


@dataclass(frozen=True, eq=False)
class ClassShapes(MeasuredShapes):
    """Every class that occurs on a side; a measure is an array with one value per class, NaN where a side has none.

    >>> from segmetry.overlaps.count import overlap
    >>> from segmetry.segmentation.labels import LabelArray
    >>> true, pred = LabelArray([[1, 1, 1, 2]]), LabelArray([[1, 0, 0, 0]])
    >>> shapes = ClassShapes(overlap(true, pred), true, pred)
    >>> shapes.names, shapes.hausdorff().tolist()
    ((1, 2), [2.0, nan])
    """

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
