"""Polygons of a map: regions with holes and several parts, whose areas are whole numbers of half grid cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from segmetry._base.exact import FloatArray, IntArray, Threshold, fraction
from segmetry.errors import InputError, OptionError
from segmetry.segmentation.base import ClassMap, Segmentation
from segmetry.segmentation.masks import checked_ids
from segmetry.segmentation.polygon_areas import WIDEST, Geometries, covered, doubled_areas, earlier_pieces, shapely

MOST_DECIMALS = 15
LARGEST = 2**53
"""Whole numbers below this are exact as floats, and shapely knows no other numbers."""


@dataclass(frozen=True, eq=False, init=False)
class Polygons(Segmentation):
    """Regions of the plane, from shapely's polygons and multipolygons; they may overlap.

    Coordinates are whole multiples of a *precision*, and an element is half a square of it. Without ``precision`` it is
    the finest decimal in the coordinates, so that none is changed; with it they are rounded, and a polygon whose
    outline would then cross itself is an error. ``crs`` names the coordinate reference system, which must be the same
    on both sides. ``geometries`` are kept in steps of the precision.

    >>> from shapely import box
    >>> found = Polygons([box(0, 0, 2, 1.5), box(2, 0, 3, 1)])
    >>> found.precision, found.sizes.tolist(), found.is_disjoint
    (Fraction(1, 10), [600, 200], True)
    """

    kind: ClassVar[str] = "polygons"

    geometries: Geometries
    precision: Fraction
    ids: IntArray
    classes: ClassMap | None
    crowd: frozenset[int]
    crs: str | None

    def __init__(
        self,
        geometries: Sequence[Any] | Geometries,
        *,
        precision: Threshold | None = None,
        ids: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
        crs: str | None = None,
    ) -> None:
        given: Geometries = np.empty(len(geometries), dtype=object)
        given[:] = geometries
        numbers = checked_ids(ids, given.size)
        if classes is not None and len(classes) != given.size:
            raise InputError(f"{len(classes)} classes for {given.size} polygons; expected one for each")
        flat = _flat(given, numbers)
        points, step = _whole(
            shapely().get_coordinates(flat), None if precision is None else fraction(precision, "precision")
        )
        placed = _with_points(flat, points)
        _check_valid(placed, numbers, f" when its coordinates are rounded to {float(step):g}")
        by_id = None if classes is None else dict(zip(numbers.tolist(), classes, strict=True))
        self._fill(placed, step, numbers, by_id, crs)

    def _fill(
        self, geometries: Geometries, precision: Fraction, ids: IntArray, classes: ClassMap | None, crs: str | None
    ) -> None:
        self.__dict__.update(  # the dataclass is frozen
            geometries=geometries,
            precision=precision,
            ids=ids,
            classes=classes,
            crowd=frozenset(),
            crs=crs,
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
        _check_widths(self)
        return doubled_areas(self.geometries)

    def in_steps_of(self, precision: Fraction) -> Polygons:
        """The same polygons with a finer precision, of which theirs is a multiple.

        >>> from shapely import box
        >>> Polygons([box(0, 0, 2, 1)]).in_steps_of(Fraction(1, 10)).sizes.tolist()
        [400]
        """
        factor = self.precision / precision
        if factor == 1:
            return self
        points = shapely().get_coordinates(self.geometries) * int(factor)
        _check_range(points, precision)
        found = object.__new__(Polygons)
        found._fill(_with_points(self.geometries, points), precision, self.ids, self.classes, self.crs)
        return found


def check_same_crs(true: str | None, pred: str | None) -> None:
    """Refuse two maps whose coordinates mean different places; segmetry does not reproject."""
    if true != pred:
        raise InputError(
            f"true has coordinates in {true or 'an unknown system'} and pred in {pred or 'an unknown system'}; "
            "expected the same coordinate reference system: reproject one side (ogr2ogr -t_srs), or state what a file "
            "leaves open with crs= (--crs)"
        )


def _flat(given: Geometries, ids: IntArray) -> Geometries:
    """The polygons without heights; what is no polygon, has no area or crosses itself is named."""
    lib = shapely()
    for at, found in enumerate(given.tolist()):
        if not isinstance(found, lib.Polygon | lib.MultiPolygon):
            told = getattr(found, "geom_type", type(found).__name__)
            raise InputError(f"segment {ids[at]} is a {told}; expected a Polygon or MultiPolygon")
        if found.is_empty:
            raise InputError(f"segment {ids[at]} is an empty {found.geom_type}; expected one with an area")
    flat: Geometries = np.asarray(lib.force_2d(given), dtype=object)
    points, home = lib.get_coordinates(flat, return_index=True)
    endless = ~np.isfinite(points).all(axis=1)
    if endless.any():
        raise InputError(f"segment {ids[home[int(np.argmax(endless))]]} has a coordinate that is no finite number")
    _check_valid(flat, ids, "")
    return flat


def _check_valid(found: Geometries, ids: IntArray, when: str) -> None:
    lib = shapely()
    bad = np.flatnonzero(~lib.is_valid(found))
    if bad.size:
        first = int(bad[0])
        more = f" (nor are {bad.size - 1} others)" if bad.size > 1 else ""
        raise InputError(
            f"segment {ids[first]} is no valid polygon{when}{more}: {lib.is_valid_reason(found[first])}; expected "
            "outlines that neither cross nor overlap themselves or each other"
        )


def _whole(points: FloatArray, precision: Fraction | None) -> tuple[FloatArray, Fraction]:
    """Coordinates in steps of the precision, and the precision.

    A float stands for the shortest decimal that gives it; with k decimals that is n/10^k, and since both n and 10^k are
    exact, dividing gives the float back.
    """
    if precision is not None:
        if precision <= 0:
            raise OptionError(f"precision is {precision}; expected a positive length")
        with np.errstate(over="ignore"):
            steps = np.rint(points * (precision.denominator / precision.numerator))
        _check_range(steps, precision)
        return steps + 0.0, precision  # + 0.0: there is one zero
    for decimals in range(MOST_DECIMALS + 1):
        with np.errstate(over="ignore"):
            steps = np.rint(points * 10.0**decimals)
        if steps.size and np.abs(steps).max() >= LARGEST:
            break
        if np.array_equal(steps / 10.0**decimals, points):
            return steps + 0.0, Fraction(1, 10**decimals)
    raise InputError(
        "the coordinates have more decimals than can be counted; state to which length they are to be rounded: "
        "precision= (--precision 0.001)"
    )


def _check_range(steps: FloatArray, precision: Fraction) -> None:
    if steps.size and not np.abs(steps).max() < LARGEST:
        raise InputError(f"coordinates beyond 2**53 steps of {float(precision):g}; state a coarser one (--precision)")


def _with_points(found: Geometries, points: FloatArray) -> Geometries:
    if not found.size:
        return found
    changed: Geometries = shapely().set_coordinates(found.copy(), points)
    return changed


def _check_widths(found: Polygons) -> None:
    """Refuse a polygon too wide for its precision."""
    bounds = shapely().bounds(found.geometries).reshape(-1, 4)
    widths = (bounds[:, 2:] - bounds[:, :2]).max(axis=1, initial=0)
    if widths.size and widths.max() > WIDEST:
        at = int(np.argmax(widths))
        coarser = 10.0 ** math.ceil(math.log10(float(found.precision) * float(widths[at]) / WIDEST))
        raise InputError(
            f"segment {found.ids[at]} is {int(widths[at])} steps of {float(found.precision):g} wide; areas are counted "
            f"up to {WIDEST}: state a coarser precision= (--precision {coarser:g})"
        )
