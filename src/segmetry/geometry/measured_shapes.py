"""Pairs of shapes and their distances: two matched segments, or a class on both sides."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np

from segmetry._base import FloatArray, Threshold, check_choice
from segmetry.errors import OptionError
from segmetry.geometry.segment_shapes import Mask
from segmetry.geometry.surface_statistics import (
    TalliedDistances,
    WeightedDistances,
    area_within,
    as_tolerance,
    average_of,
    hausdorff_of,
    percentile_of,
    percentile_of_area,
    weighted_distances,
    within,
)
from segmetry.kernels import SurfaceDistances, distances_between, surface_distances
from segmetry.segmentation import Segmentation, Spacing, element_word, one_spacing

T = TypeVar("T")


class MeasuredShapes(ABC):
    """Pairs of masks of the two sides; a measure is an array with one value per pair, NaN where a side has none."""

    true: Segmentation
    pred: Segmentation
    area_needs: ClassVar[str] = "percentile='directed' and points='surface'"
    """What the percentile of an area goes with, in the error about other options."""

    @abstractmethod
    def crops(self) -> Iterator[tuple[Mask, Mask] | None]:
        """Yield the two masks of every pair, cropped to both; None where a side has none."""

    @cached_property
    def spacing(self) -> Spacing:
        """The distance between neighbours along each axis, the same on both sides, or that of the side that has one."""
        return one_spacing(self.true, self.pred)

    @property
    def unit(self) -> str | None:
        """The unit of distances: that of the spacing, or elements where no spacing is known; None if unknown."""
        return self.spacing.unit if self.spacing.stated else element_word(self.true.kind, len(self.true.domain))

    @cached_property
    def _distances(self) -> dict[str, list[TalliedDistances | None]]:
        return {}

    def distances(self, points: str = "surface") -> Iterator[SurfaceDistances | None]:
        """Return the directed distances of every pair, ascending; between all elements if ``points="all"``."""
        check_choice("points", points, ("surface", "all"))
        if points not in self._distances:
            measure = surface_distances if points == "surface" else distances_between
            lengths = np.asarray(self.spacing, np.float64)
            self._distances[points] = [
                None if masks is None else TalliedDistances.of(measure(*masks, lengths)) for masks in self.crops()
            ]
        return (None if tallied is None else tallied.spread() for tallied in self._distances[points])

    def weighted_pieces(self) -> Iterable[WeightedDistances | None]:
        """Return the pieces of both surfaces of every pair, with their areas and distances."""
        return (None if masks is None else weighted_distances(*masks, self.spacing) for masks in self.crops())

    def hausdorff(self, points: str = "surface") -> FloatArray:
        """Return the Hausdorff distance of every pair."""
        return measure_each(hausdorff_of, self.distances(points))

    def hausdorff95(
        self, percentile: str = "directed", points: str = "surface", weights: str = "elements"
    ) -> FloatArray:
        """Return the 95 % Hausdorff distance of every pair; of 95 % of the area with ``weights="area"``."""
        check_choice("percentile", percentile, ("directed", "pooled"))
        check_choice("weights", weights, ("area", "elements"))
        if weights == "area":
            if (percentile, points) != ("directed", "surface"):
                raise OptionError(f"weights='area' needs {self.area_needs}")
            return measure_each(lambda pieces: percentile_of_area(pieces, 95), self.weighted_pieces())
        return measure_each(lambda part: percentile_of(part, 95, percentile), self.distances(points))

    def average_surface_distance(self, average: str = "pooled") -> FloatArray:
        """Return the average distance between the surfaces of every pair."""
        check_choice("average", average, ("directed", "pooled"))
        return measure_each(lambda part: average_of(part, average), self.distances())

    def surface_dice(self, tolerance: Threshold, weights: str = "area") -> FloatArray:
        """Return the share of both surfaces that is within the tolerance of the other, for every pair.

        ``weights="area"`` weighs each piece of a surface by its length or area, ``"elements"`` counts elements.
        """
        check_choice("weights", weights, ("area", "elements"))
        limit = as_tolerance(tolerance)

        def share_of_area(pieces: WeightedDistances) -> float:
            near, total = area_within(pieces, limit, self.spacing)
            return near / total

        def share_of_elements(distances: SurfaceDistances) -> float:
            close = within(np.concatenate(distances), limit, self.spacing)
            return int(np.count_nonzero(close)) / close.size

        if weights == "area":
            return measure_each(share_of_area, self.weighted_pieces())
        return measure_each(share_of_elements, self.distances())


def measure_each(measure: Callable[[T], float], pairs: Iterable[T | None]) -> FloatArray:
    """Return a measure of every pair, NaN where there is none."""
    return np.fromiter((math.nan if pair is None else measure(pair) for pair in pairs), dtype=np.float64)
