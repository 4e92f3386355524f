"""Polygons on a grid of pixels: a pixel belongs to a polygon if its centre lies inside, decided on integers.

Inside is by the even-odd rule, so outlines that cross themselves have a meaning. Of pixels whose centre lies on an
edge, those to the right of or below the edge belong. What lies outside the grid is no element and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.errors import FormatError
from segmetry.kernels.run_length_masks import RunLengthMasks, union_run_lengths

PARTS = 1000
"""Coordinates are whole multiples of one thousandth of a pixel."""

FARTHEST = 100_000
"""Beyond this the products of coordinates would not fit into 64 bits."""

ExactPoint = tuple[Fraction, Fraction]
Whole = NDArray[np.int64] | NDArray[np.object_]


def polygon_runs(points: Sequence[ExactPoint], shape: tuple[int, int], where: str) -> RunLengthMasks:
    """The pixels of a polygon of points (x, y), as runs of a column-major image of ``shape`` (height, width).

    >>> square = [(Fraction(x), Fraction(y)) for x, y in ((0, 0), (2, 0), (2, 1), (0, 1))]
    >>> found = polygon_runs(square, (3, 4), "a square")
    >>> found.starts.tolist(), found.stops.tolist()
    ([0, 3], [1, 4])
    """
    return runs_of_rings([_corners(points, shape, where)], shape, PARTS)


def runs_of_rings(rings: Sequence[tuple[Whole, Whole]], shape: tuple[int, int], parts: int) -> RunLengthMasks:
    """The pixels inside rings of corners (x, y) in halves of a part, ``parts`` of which are the side of a pixel.

    Coordinates are int64 where products of them fit, Python's integers otherwise.
    """
    height, width = shape
    columns: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    rows: list[IntArray] = [np.zeros(0, dtype=np.int64)]
    for x, y in rings:
        for edge in range(x.size):
            (x1, y1), (x2, y2) = sorted(((int(x[edge - 1]), int(y[edge - 1])), (int(x[edge]), int(y[edge]))))
            # Columns whose centre (2c + 1)·parts lies in [x1, x2).
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


def _corners(points: Sequence[ExactPoint], shape: tuple[int, int], where: str) -> tuple[IntArray, IntArray]:
    """Coordinates in units of half a part; a point far from the grid or an endless outline is refused."""
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
        raise FormatError(f"{where}: an outline longer than a page of {shape} can hold")
    return x, y


def stack(masks: Sequence[RunLengthMasks]) -> RunLengthMasks:
    """Several masks of one polygon each as masks of one image."""
    nothing = [np.zeros(0, dtype=np.int64)]
    return RunLengthMasks(
        np.cumsum([0, *(mask.starts.size for mask in masks)], dtype=np.int64),
        np.concatenate([mask.starts for mask in masks] or nothing),
        np.concatenate([mask.stops for mask in masks] or nothing),
    )
