"""The shapes of whole classes: all segments of a class of one side against all of the other, cropped to both.

Where segments carry no classes, equal labels of a label array are the same class, and masks are one foreground. Boxes
of all segments are found in one pass, so that a class costs no more than its box, whatever the size of the volume.
Elements that are void on a side are removed from both.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import numpy as np

from segmetry._base.checked_options import check_choice
from segmetry._base.exact import FloatArray, IntArray, Threshold
from segmetry.errors import OptionError
from segmetry.geometry.band_overlaps import band_width, contour_band
from segmetry.geometry.class_masks import FOREGROUND
from segmetry.geometry.segment_shapes import BoxArray, Mask, Shapes, shapes_of, trimmed, union_of
from segmetry.geometry.surface_pieces import WeightedDistances, area_within, percentile_of_area, weighted_distances
from segmetry.geometry.surface_statistics import (
    TalliedDistances,
    as_tolerance,
    average_of,
    hausdorff_of,
    percentile_of,
    within,
)
from segmetry.kernels.distances import SurfaceDistances, surface, surface_distances
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.overlaps.table import OverlapTable, Side
from segmetry.segmentation.base import Segmentation, element_word
from segmetry.segmentation.spacing import Spacing, one_spacing


@dataclass(frozen=True, eq=False)
class ClassShapes:
    """Every class that occurs on a side; a measure is an array with one value per class, NaN where a side has none.

    >>> from segmetry.overlaps.overlap import overlap
    >>> from segmetry.segmentation.labels import LabelArray
    >>> true, pred = LabelArray([[1, 1, 1, 2]]), LabelArray([[1, 0, 0, 0]])
    >>> shapes = ClassShapes(overlap(true, pred), true, pred)
    >>> shapes.names, shapes.hausdorff().tolist()
    ((1, 2), [2.0, nan])
    """

    table: OverlapTable
    true: Segmentation
    pred: Segmentation

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

    @cached_property
    def _side_shapes(self) -> tuple[Shapes, Shapes]:
        return shapes_of(self.true, self.table.true.ids), shapes_of(self.pred, self.table.pred.ids)

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
            box = _common_box(parts)
            true, pred = (_draw_members(side, members, box) for side, members in parts)
            if self.table.has_void:
                counted = ~(self._side_shapes[0].void(box) | self._side_shapes[1].void(box))
                true, pred = trimmed(true & counted, pred & counted)
            yield true, pred

    @cached_property
    def spacing(self) -> Spacing:
        """The distance between neighbours along each axis."""
        return one_spacing(self.true, self.pred)

    @property
    def unit(self) -> str | None:
        """The unit of distances: that of the spacing, or elements where no spacing is known; None if unknown."""
        return self.spacing.unit if self.spacing.stated else element_word(self.true.kind, len(self.true.domain))

    @cached_property
    def _tallied_distances(self) -> list[TalliedDistances | None]:
        return [
            None if masks is None else TalliedDistances.of(surface_distances(*masks, self.spacing))
            for masks in self.crops()
        ]

    def distances(self) -> Iterator[SurfaceDistances | None]:
        """Return the directed distances between surface elements of every class, measured once."""
        return (None if tallied is None else tallied.spread() for tallied in self._tallied_distances)

    @cached_property
    def _weighted_distances(self) -> list[WeightedDistances | None]:
        return [None if masks is None else weighted_distances(*masks, self.spacing) for masks in self.crops()]

    def hausdorff(self) -> FloatArray:
        """Return the Hausdorff distance of every class."""
        return _float_column(None if part is None else hausdorff_of(part) for part in self.distances())

    def hausdorff95(self, percentile: str = "directed", weights: str = "elements") -> FloatArray:
        """Return the 95 % Hausdorff distance of every class, of elements or of the area of the surface."""
        check_choice("percentile", percentile, ("directed", "pooled"))
        check_choice("weights", weights, ("elements", "area"))
        if weights == "area":
            if percentile != "directed":
                raise OptionError("weights='area' needs percentile='directed'")
            parts = self._weighted_distances
            return _float_column(None if part is None else percentile_of_area(part, 95) for part in parts)
        return _float_column(None if part is None else percentile_of(part, 95, percentile) for part in self.distances())

    def surface_distance(self, average: str = "pooled") -> FloatArray:
        """Return the average distance between the surfaces of every class."""
        check_choice("average", average, ("pooled", "directed", "pred_to_true"))
        if average == "pred_to_true":
            return _float_column(None if part is None else float(part.pred_to_true.mean()) for part in self.distances())
        return _float_column(None if part is None else average_of(part, average) for part in self.distances())

    def boundary_iou(self, d: float | Literal["surface"] | None = None, metric: str = "chessboard") -> FloatArray:
        """Return the IoU of the bands along the contours of every class, or of its surface elements."""
        width = None if d == "surface" else band_width(d, metric, self.true.domain, self.spacing)
        values: list[float | None] = []
        for masks in self.crops():
            if masks is None:
                values.append(None)
                continue
            true, pred = (
                surface(mask) if width is None else mask & contour_band(mask, width, metric, self.spacing)
                for mask in masks
            )
            values.append(int(np.count_nonzero(true & pred)) / int(np.count_nonzero(true | pred)))
        return _float_column(values)

    def surface_dice(self, tolerance: Threshold, weights: str = "area") -> FloatArray:
        """Return the share of both surfaces of every class that is within the tolerance of the other."""
        check_choice("weights", weights, ("elements", "area"))
        limit = as_tolerance(tolerance)
        values: list[float | None] = []
        for part in self._weighted_distances if weights == "area" else self.distances():
            if part is None:
                values.append(None)
            elif isinstance(part, WeightedDistances):
                near, total = area_within(part, limit, self.spacing)
                values.append(near / total)
            else:
                close = np.concatenate([within(directed, limit, self.spacing) for directed in part])
                values.append(np.count_nonzero(close) / close.size)
        return _float_column(values)


def _common_box(parts: list[tuple[Shapes, list[int]]]) -> BoxArray:
    return reduce(union_of, (side.boxes[at] for side, members in parts for at in members))


def _draw_members(side: Shapes, members: list[int], box: BoxArray) -> Mask:
    """Draw the segments of a class inside a box."""
    return reduce(np.logical_or, (side.crop(at, box) for at in members))


def _float_column(values: Iterator[float | None] | list[float | None]) -> FloatArray:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)
