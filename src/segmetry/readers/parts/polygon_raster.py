"""Rasterize polygons: a pixel belongs to a polygon if its centre is inside, computed on integers.

The even-odd rule decides, so outlines that cross themselves are well defined. Of pixels whose centre is on an edge,
those to the right of or below the edge belong. What is outside the grid is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.errors import FormatError
from segmetry.kernels import RunLengthMasks, union_run_lengths

PARTS = 1000
"""Coordinates are integer multiples of one thousandth of a pixel."""

FARTHEST = 100_000
"""Beyond this the products of coordinates would not fit into 64 bits."""

ExactPoint = tuple[Fraction, Fraction]
RingCoordinates = NDArray[np.int64] | NDArray[np.object_]


def rasterize_polygon(points: Sequence[ExactPoint], shape: tuple[int, int], where: str) -> RunLengthMasks:
    """Return the pixels of a polygon of points (x, y) as run lengths of a column-major image (height, width)."""
    return rasterize_rings([_scaled_corners(points, shape, where)], shape, PARTS)


def rasterize_rings(
    rings: Sequence[tuple[RingCoordinates, RingCoordinates]], shape: tuple[int, int], parts: int
) -> RunLengthMasks:
    """Return the pixels inside rings of corners (x, y) in halves of a part; a pixel has ``parts`` parts per side.

    Coordinates are int64 where their products fit, otherwise Python integers.
    """
    height, width = shape
    columns: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    rows: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for x, y in rings:
        for edge in range(x.size):
            (x1, y1), (x2, y2) = sorted(((int(x[edge - 1]), int(y[edge - 1])), (int(x[edge]), int(y[edge]))))
            # Columns whose centre (2c + 1)·parts is in [x1, x2).
            first, last = (max(0, -((parts - end) // (2 * parts))) for end in (x1, x2))
            column = np.arange(first, min(last, width), dtype=np.int64)
            centre = (2 * column.astype(x.dtype) + 1) * parts
            # The first row whose centre is not above the edge: ceil of (edge - parts) / (2·parts).
            above: Any = (y1 - parts) * (x2 - x1) + (centre - x1) * (y2 - y1)
            columns.append(column)
            rows.append(np.clip(-(-above // (2 * parts * max(x2 - x1, 1))), 0, height).astype(np.int64))
    column, row = np.concatenate(columns), np.concatenate(rows)
    order = np.lexsort((row, column))
    ends_of = (column * height + row)[order]
    starts, stops = ends_of[::2], ends_of[1::2]  # every column is crossed an even number of times
    kept = starts < stops
    offsets = np.array([0, int(kept.sum())], dtype=np.int64)
    return union_run_lengths(RunLengthMasks(offsets, starts[kept], stops[kept]))


def _scaled_corners(points: Sequence[ExactPoint], shape: tuple[int, int], where: str) -> tuple[IntArray, IntArray]:
    """Return coordinates in units of half a part; a point far from the grid or an excessive outline is an error."""
    if len(points) < 3:
        raise FormatError(f"{where}: an outline of {len(points)} points; expected at least 3")
    height, width = shape
    if max(shape) > FARTHEST:
        raise FormatError(f"{where}: a page of {shape}; polygons are drawn on at most {FARTHEST} pixels a side")
    scaled: list[list[int]] = [[], []]
    for point in points:
        for axis, (value, length) in enumerate(zip(point, (width, height), strict=True)):
            if not -length <= value <= 2 * length:
                raise FormatError(f"{where}: the outline goes to {float(value):g}, far from a page of {shape}")
            if PARTS % value.denominator:
                raise FormatError(f"{where}: the coordinate {float(value)!r} has more than three decimals")
            scaled[axis].append(2 * int(value * PARTS))
    x, y = np.array(scaled[0], dtype=np.int64), np.array(scaled[1], dtype=np.int64)
    if int(np.abs(np.diff(x, append=x[:1])).sum()) // (2 * PARTS) > 4 * (height + 1) * (width + 1):
        raise FormatError(f"{where}: an outline too long for a page of {shape}")
    return x, y
