"""Areas of polygons with integer coordinates, counted in halves of a unit square: exact, or rounded down.

The doubled area of such a polygon is an integer. Two of them may cross between integer coordinates, so the doubled
area they share need not be one: it is measured by shapely and rounded *down* to an integer, so that the parts of a
polygon never add up to more than the polygon. Where all crossings have integer coordinates (outlines that share their
corners, edges along the axes) nothing is rounded.
"""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, import_optional
from segmetry.errors import InputError

Geometries = NDArray[np.object_]

WIDEST = 2**24
"""The largest width of a polygon in steps. With coordinates below 2²⁵ a crossing is known to 2⁻²⁸ steps."""

_POLYGON, _MULTIPOLYGON = 3, 6  # the numbers of these types in shapely
_AT_ONCE = 10_000
"""Pairs of polygons that are intersected together."""


def shapely() -> ModuleType:
    """Import the package that intersects polygons."""
    return import_optional("shapely", "comparing polygons", "maps")


class Pieces(NamedTuple):
    """The intersections of polygon ``first[k]`` of one side with polygon ``second[k]`` of the other, sorted by both.

    ``shapes`` are drawn relative to the lower left corner of the box round the first polygon.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    shapes: Geometries
    shared: IntArray


def doubled_areas(geometries: Geometries) -> IntArray:
    """Return Σ (x_i·y_{i+1} - x_{i+1}·y_i) over the rings, holes subtracted; relative to a corner, so that it fits."""
    lib = shapely()
    parts, home = lib.get_parts(geometries, return_index=True)
    rings, part = lib.get_rings(parts, return_index=True)
    points, ring = lib.get_coordinates(rings, return_index=True)
    local = (points - _corner_coordinates(geometries)[home[part[ring]]]).astype(np.int64)
    edge = ring[1:] == ring[:-1]  # the last point of a ring is its first, so no edge is left out
    cross = (local[:-1, 0] * local[1:, 1] - local[1:, 0] * local[:-1, 1])[edge]
    of_ring = np.zeros(rings.size, dtype=np.int64)
    np.add.at(of_ring, ring[:-1][edge], cross)
    is_outline = np.ones(rings.size, dtype=bool)
    is_outline[1:] = part[1:] != part[:-1]  # the outline of a part comes before its holes
    areas: IntArray = np.zeros(geometries.size, dtype=np.int64)
    np.add.at(areas, home[part], np.where(is_outline, 1, -1) * np.abs(of_ring))
    return areas


def pieces(first: Geometries, second: Geometries) -> Pieces:
    """Return all pairs of polygons of the two sides that share an area, even one below half a square."""
    return _cut_pairs(first, second, *_near_pairs(first, second))


def earlier_pieces(geometries: Geometries) -> Pieces:
    """Return the intersections of every polygon with those before it."""
    later, earlier = _near_pairs(geometries, geometries)
    kept = earlier < later
    return _cut_pairs(geometries, geometries, later[kept], earlier[kept])


def covered(pieces: Pieces, count: int) -> IntArray:
    """Return how much of every polygon of the first side its pieces cover together; they may overlap."""
    total: IntArray = np.zeros(count, dtype=np.int64)
    edges = np.flatnonzero(np.diff(pieces.first, prepend=-1, append=-1)).tolist()
    for start, stop in pairwise(edges):
        if stop - start == 1:
            total[pieces.first[start]] = pieces.shared[start]
        else:
            union = shapely().union_all(pieces.shapes[start:stop])
            total[pieces.first[start]] = _counted_shapes(np.array([union], dtype=object))[1][0]
    return total


def moved(geometries: Geometries, offsets: FloatArray) -> Geometries:
    """Return every polygon shifted by its own offset."""
    lib = shapely()
    if not geometries.size:
        return geometries
    points, home = lib.get_coordinates(geometries, return_index=True)
    shifted: Geometries = lib.set_coordinates(geometries.copy(), points + offsets[home])
    return shifted


def _near_pairs(first: Geometries, second: Geometries) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    at_first, at_second = shapely().STRtree(second).query(first, predicate="intersects")
    order = np.lexsort((at_second, at_first))
    return at_first[order], at_second[order]


def _cut_pairs(
    first: Geometries, second: Geometries, at_first: NDArray[np.intp], at_second: NDArray[np.intp]
) -> Pieces:
    lib = shapely()
    origin = -_corner_coordinates(first)
    shapes: list[Geometries] = [np.zeros(0, dtype=object)]
    for start in range(0, at_first.size, _AT_ONCE):
        at, beside = at_first[start : start + _AT_ONCE], at_second[start : start + _AT_ONCE]
        sides = moved(first[at], origin[at]), moved(second[beside], origin[at])
        try:
            shapes.append(lib.intersection(*sides))
        except lib.errors.GEOSException as problem:
            raise InputError(f"shapely cannot intersect two of the polygons: {str(problem)[:120]}") from None
    joined = np.concatenate(shapes)
    is_area, shared = _counted_shapes(joined)
    return Pieces(at_first[is_area], at_second[is_area], joined[is_area], shared[is_area])


def _counted_shapes(shapes: Geometries) -> tuple[NDArray[np.bool_], IntArray]:
    """Return whether each shape has an area, and its doubled area rounded down.

    Integer coordinates give it exactly. A crossing that is off by δ changes it by at most δ times the length of its
    edges; the largest possible rounding error is added before rounding down, so that an integer area stays the same.
    """
    lib = shapely()
    shared = np.zeros(shapes.size, dtype=np.int64)
    integer = _is_integer(shapes)
    shared[integer] = doubled_areas(shapes[integer])
    is_area, crossing = shared > 0, shapes[~integer]
    lost = np.asarray(lib.length(crossing)) * 2.0**-26 + 2.0**-12
    if lost.size and lost.max() > 0.25:
        raise InputError("an outline is too long for its areas to be counted; state a coarser precision= (--precision)")
    doubled = 2 * np.asarray(lib.area(crossing))
    is_area[~integer], shared[~integer] = doubled > lost, np.floor(doubled + lost).astype(np.int64)
    return is_area, shared


def _is_integer(shapes: Geometries) -> NDArray[np.bool_]:
    """Return which shapes are polygons with integer coordinates, whose areas are exact."""
    lib = shapely()
    points, home = lib.get_coordinates(shapes, return_index=True)
    broken = np.zeros(shapes.size, dtype=bool)
    broken[home[(points != np.rint(points)).any(axis=1)]] = True
    integer: NDArray[np.bool_] = np.isin(lib.get_type_id(shapes), (_POLYGON, _MULTIPOLYGON)) & ~broken
    return integer


def _corner_coordinates(geometries: Geometries) -> FloatArray:
    corners: FloatArray = shapely().bounds(geometries).reshape(-1, 4)[:, :2]
    return corners
