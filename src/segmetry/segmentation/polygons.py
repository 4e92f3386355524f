"""Polygons of a map: regions with holes and several parts, whose areas are integer numbers of half grid cells."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from segmetry._base import FloatArray, IntArray, Threshold, common_step, fraction, frozen_dataclass
from segmetry.errors import DataWarning, InputError, OptionError
from segmetry.segmentation.base import ClassMap, Segmentation
from segmetry.segmentation.masks import checked_ids
from segmetry.segmentation.polygon_areas import WIDEST, Geometries, covered, doubled_areas, earlier_pieces, shapely

# A double has no more decimal digits.
MOST_DECIMALS = 15
LARGEST = 2**53
"""Integers below this are exact as floats, the only numbers of shapely."""


@frozen_dataclass(eq=False, init=False)
class Polygons(Segmentation):
    """Regions of the plane, from shapely's polygons and multipolygons; they may overlap.

    Coordinates are integer multiples of a *precision*, and an element is half a square of it. ``geometries`` are kept
    in steps of the precision.

    Parameters
    ----------
    geometries : sequence of shapely geometries
        Polygons and multipolygons.
    precision : number, optional
        The step of the coordinates; by default the finest decimal in them, so that none is changed, or where that
        is too fine for the widest polygon, as after a reprojection, the finest that can be counted, with a warning.
        Coordinates are rounded to it; a polygon whose outline would then cross itself is an error.
    ids : array of int, optional
        The ids of the segments; by default 1, 2, … in the order given.
    classes : sequence, optional
        The class of each segment.
    crs : str, optional
        The coordinate reference system, which must be the same on both sides.

    Examples
    --------
    >>> from shapely import box
    >>> polygons = Polygons([box(0, 0, 2, 1.5), box(2, 0, 3, 1)])
    >>> polygons.precision, polygons.sizes.tolist(), polygons.is_disjoint
    (Fraction(1, 10), [600, 200], True)
    """

    kind: ClassVar[str] = "polygons"

    geometries: Geometries
    precision: Fraction
    ids: IntArray
    classes: ClassMap | None
    crowd: tuple[int, ...]
    crs: str | None
    rounded: bool
    """Whether coordinates were rounded to a precision that nobody stated."""

    def __init__(
        self,
        geometries: Sequence[Any] | Geometries,
        *,
        precision: Threshold | None = None,
        ids: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
        crs: str | None = None,
    ) -> None:
        shapes: Geometries = np.empty(len(geometries), dtype=object)
        shapes[:] = geometries
        numbers = checked_ids(ids, shapes.size)
        if classes is not None and len(classes) != shapes.size:
            raise InputError(f"{len(classes)} classes for {shapes.size} polygons; expected one for each")
        flat = _flat_polygons(shapes, numbers)
        stated = None if precision is None else fraction(precision, "precision")
        points, step, rounded = _in_steps(flat, shapely().get_coordinates(flat), stated)
        placed = _with_points(flat, points)
        _check_valid(placed, numbers, f" when its coordinates are rounded to {float(step):g}")
        by_id = None if classes is None else dict(zip(numbers.tolist(), classes, strict=True))
        # The dataclass is frozen.
        self.__dict__.update(
            geometries=placed, precision=step, ids=numbers, classes=by_id, crowd=(), crs=crs, rounded=rounded
        )
        if rounded:
            warnings.warn(
                f"the coordinates of {shapes.size} polygons have more decimals than can be counted: they are rounded "
                f"to {float(step):g} (precision=, --precision states another)",
                DataWarning,
                stacklevel=2,
            )

    @property
    def n_elements(self) -> int:
        """Twice the area that the polygons cover together, in squares of the precision."""
        return int(self.sizes.sum()) - int(covered(earlier_pieces(self.geometries), self.ids.size).sum())

    @property
    def domain(self) -> tuple[int, ...]:
        """The plane, which has no bounds; see ``crs``."""
        return ()

    @cached_property
    def is_disjoint(self) -> bool:
        return not earlier_pieces(self.geometries).first.size

    @cached_property
    def sizes(self) -> IntArray:
        """Twice the area of every polygon, in squares of the precision."""
        widths = _widths(self.geometries)
        if widths.size and widths.max() > WIDEST:
            at = int(np.argmax(widths))
            coarser = 10.0 ** math.ceil(math.log10(float(self.precision) * float(widths[at]) / WIDEST))
            raise InputError(
                f"segment {self.ids[at]} is {int(widths[at])} steps of {float(self.precision):g} wide; areas are "
                f"counted up to {WIDEST}: state a coarser precision= (--precision {coarser:g})"
            )
        return doubled_areas(self.geometries)

    def in_steps_of(self, precision: Fraction) -> Polygons:
        """Return the polygons with another precision: exactly where theirs is a multiple of it, else rounded.

        >>> from shapely import box
        >>> Polygons([box(0, 0, 2, 1)]).in_steps_of(Fraction(1, 10)).sizes.tolist()
        [400]
        """
        factor = self.precision / precision
        if factor == 1:
            return self
        points = shapely().get_coordinates(self.geometries) * int(factor.numerator) / int(factor.denominator)
        if factor.denominator > 1:
            points = np.rint(points) + 0.0
        _check_range(points, precision)
        polygons = object.__new__(Polygons)
        placed = _with_points(self.geometries, points)
        if factor.denominator > 1:
            _check_valid(placed, self.ids, f" when its coordinates are rounded to {float(precision):g}")
        own = {name: self.__dict__[name] for name in ("ids", "classes", "crowd", "crs", "rounded")}
        polygons.__dict__.update(own, geometries=placed, precision=precision, n_removed=self.n_removed)
        return polygons


def check_same_crs(true: str | None, pred: str | None) -> None:
    """Raise if the coordinates of two maps mean different places; segmetry does not reproject."""
    if true != pred:
        raise InputError(
            f"true has coordinates in {true or 'an unknown system'} and pred in {pred or 'an unknown system'}; "
            "expected the same coordinate reference system: reproject one side (ogr2ogr -t_srs), or state what a file "
            "leaves open with crs= (--crs)"
        )


def _flat_polygons(geometries: Geometries, ids: IntArray) -> Geometries:
    """Return the polygons without heights; raise for what is not a polygon, has no area or crosses itself."""
    lib = shapely()
    for at, geometry in enumerate(geometries.tolist()):
        if not isinstance(geometry, lib.Polygon | lib.MultiPolygon):
            kind = getattr(geometry, "geom_type", type(geometry).__name__)
            raise InputError(f"segment {ids[at]} is a {kind}; expected a Polygon or MultiPolygon of shapely")
        if geometry.is_empty:
            raise InputError(f"segment {ids[at]} is an empty {geometry.geom_type}; expected one with an area")
    flat: Geometries = np.asarray(lib.force_2d(geometries), dtype=object)
    points, home = lib.get_coordinates(flat, return_index=True)
    infinite = ~np.isfinite(points).all(axis=1)
    if infinite.any():
        raise InputError(f"segment {ids[home[int(np.argmax(infinite))]]} has a coordinate that is not finite")
    _check_valid(flat, ids, "")
    return flat


@np.errstate(over="ignore", invalid="ignore")  # GEOS multiplies coordinates of any size
def _check_valid(geometries: Geometries, ids: IntArray, when: str) -> None:
    lib = shapely()
    bad = np.flatnonzero(~lib.is_valid(geometries))
    if bad.size:
        first = int(bad[0])
        more = f" (nor are {bad.size - 1} others)" if bad.size > 1 else ""
        raise InputError(
            f"segment {ids[first]} is not a valid polygon{when}{more}: {lib.is_valid_reason(geometries[first])}; "
            "expected outlines that neither cross nor overlap themselves or each other"
        )


def in_common_steps(true: Polygons, pred: Polygons) -> tuple[Polygons, Polygons]:
    """Return both sides in the precision that contains both.

    It may be too fine for the widest polygon where a side was rounded unasked: then the coarser one.
    """
    both = true.precision, pred.precision
    step = common_step(*both)
    widest = max(float(side.precision) * _widths(side.geometries).max(initial=0) for side in (true, pred))
    if (true.rounded or pred.rounded) and widest / float(step) > WIDEST:
        step = max(both)
    return true.in_steps_of(step), pred.in_steps_of(step)


def _widths(geometries: Geometries) -> FloatArray:
    """Return the larger of width and height of every polygon."""
    bounds = shapely().bounds(geometries).reshape(-1, 4)
    widths: FloatArray = (bounds[:, 2:] - bounds[:, :2]).max(axis=1, initial=0)
    return widths


@np.errstate(over="ignore")
def _in_steps(flat: Geometries, points: FloatArray, precision: Fraction | None) -> tuple[FloatArray, Fraction, bool]:
    """Return the coordinates in steps of the precision, the precision, and whether they were rounded unasked.

    A float stands for the shortest decimal that gives it; with k decimals that is n/10^k, and since both n and 10^k are
    exact, dividing gives the float back.
    """
    if precision is not None:
        if precision <= 0:
            raise OptionError(f"precision is {precision}; expected a positive length")
        steps = np.rint(points * (precision.denominator / precision.numerator))
        _check_range(steps, precision)
        return steps + 0.0, precision, False  # + 0.0: no negative zero
    widest = _widths(flat).max(initial=0)
    for decimals in range(MOST_DECIMALS + 1):
        steps = np.rint(points * 10.0**decimals)
        if steps.size and (np.abs(steps).max() >= LARGEST or widest * 10.0**decimals > WIDEST):
            break
        if np.array_equal(steps / 10.0**decimals, points):
            return steps + 0.0, Fraction(1, 10**decimals), False
    # The finest power of ten in which the widest polygon, and the farthest corner, have few enough steps.
    exponent = math.ceil(math.log10(max(1.001 * widest / WIDEST, 1.001 * np.abs(points).max() / LARGEST)))
    step = Fraction(10) ** exponent
    return np.rint(points / float(step)) + 0.0, step, True


def _check_range(steps: FloatArray, precision: Fraction) -> None:
    if steps.size and not np.abs(steps).max() < LARGEST:
        raise InputError(f"coordinates beyond 2**53 steps of {float(precision):g}; state a coarser one (--precision)")


def _with_points(geometries: Geometries, points: FloatArray) -> Geometries:
    if not geometries.size:
        return geometries
    changed: Geometries = shapely().set_coordinates(geometries.copy(), points)
    return changed
