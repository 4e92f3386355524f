r"""From the distances between two surfaces to one number for the pair.

With the directed distances D₁ = {min_{b∈B} |a−b| : a ∈ A} and D₂ the other way round:

* Hausdorff distance: max(max D₁, max D₂) [huttenlocher1993comparing].
* 95 % Hausdorff distance: the 95th percentile instead of the maximum. *directed*: the larger of the percentiles of
  D₁ and D₂; *pooled*: the percentile of D₁ and D₂ together. Percentiles are interpolated linearly.
* Average surface distance: *pooled*: (ΣD₁ + ΣD₂)/(|D₁| + |D₂|) [heimann2009comparison]; *directed*: the mean of the
  two directed means.
* Surface Dice at tolerance τ: the share of both surfaces that is within τ of the other [nikolov2021clinically], of
  their area or of their elements.

The surface of a segment in pieces: where they lie, and how long (2-D) or large (3-D) they are.

Between 2, 4 or 8 neighbouring elements, around their common corner, the surface is a piece of a polyhedron through the
midpoints between the elements that are inside and those that are not [lorensen1987marching]. A corner at which all
elements agree has none. In 2-D a piece cuts off one corner, goes straight through, or cuts off two opposite corners. In
3-D it consists of triangles; the vector of a triangle's area has components along the axes, so its length for any
spacing follows from three numbers. Mirroring, turning, and exchanging inside and outside do not change the triangles:
thirteen cases make all 256. The published surface Dice [nikolov2021clinically] and what challenges report under this
name weigh the pieces so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, Threshold, fraction
from segmetry.errors import OptionError
from segmetry.kernels import SurfaceDistances, distances_between

_ROUNDS_BACK = 2**48
"""The square of a rounded root is within 1/2 of the integer it came from well below this."""


def hausdorff_of(distances: SurfaceDistances) -> float:
    """Return the largest distance from either side."""
    return float(max(distances.true_to_pred.max(), distances.pred_to_true.max()))


def percentile_of(distances: SurfaceDistances, percent: float, how: str) -> float:
    """Return a percentile: the larger of the two directed ones, or that of all distances together."""
    if how == "directed":
        return float(max(np.percentile(directed, percent) for directed in distances))
    return float(np.percentile(np.concatenate(distances), percent))


def average_of(distances: SurfaceDistances, how: str) -> float:
    """Return the mean distance over all surface elements, or the mean of the two directed means."""
    sums = [math.fsum(directed.tolist()) for directed in distances]
    counts = [directed.size for directed in distances]
    if how == "directed":
        return (sums[0] / counts[0] + sums[1] / counts[1]) / 2
    return math.fsum(np.concatenate(distances).tolist()) / sum(counts)


def as_tolerance(tolerance: Threshold) -> Fraction:
    """Read a tolerance as the decimal that was written; NaN, infinite and negative ones are errors."""
    try:
        limit = fraction(tolerance, "tolerance")
    except OptionError:
        raise OptionError(
            f"tolerance is {tolerance!r}; expected a distance of 0 or more, in the units of spacing"
        ) from None
    if limit < 0:
        raise OptionError(f"tolerance is {tolerance}; expected a distance of 0 or more, in the units of spacing")
    return limit


def common_unit(spacing: Sequence[float]) -> int:
    """Return the smallest q such that every step, read as the decimal that was written, is a multiple of 1/q."""
    return math.lcm(*(fraction(step, "spacing").denominator for step in spacing))


def within(distances: FloatArray, tolerance: Fraction, spacing: Sequence[float]) -> NDArray[np.bool_]:
    """Return which distances are at most the tolerance.

    Decided on integers where spacing and tolerance are short decimals: in units of 1/q of the spacing every squared
    distance is an integer, and the rounded root recovers it. Three steps of 0.1 are within 0.3, although 3 · 0.1 >
    0.3 in binary.
    """
    return squares_within(distances, tolerance**2, spacing)


def squares_within(
    distances: FloatArray, limit: Fraction, spacing: Sequence[float], *, strict: bool = False
) -> NDArray[np.bool_]:
    """Return which distances have a square of at most the limit (below it if ``strict``), decided on integers."""
    unit = common_unit(spacing)
    largest = float(distances.max(initial=0.0))
    if largest * unit >= math.sqrt(_ROUNDS_BACK):
        bound = math.sqrt(limit)
        return np.asarray(distances < bound if strict else distances <= bound)
    squares = np.rint((distances * unit) ** 2).astype(np.int64)
    scaled = limit * unit**2
    most = math.ceil(scaled) - 1 if strict else math.floor(scaled)
    return np.asarray(squares <= most)


class TalliedDistances(NamedTuple):
    """The distinct distances of each direction in ascending order, and their counts.

    Distances between elements are roots of sums of a few squares, so of the thousands of a surface only some dozens are
    distinct. Stored this way all pairs of a volume take little memory; no measure depends on the order of distances.
    """

    true_to_pred: tuple[NDArray[np.float64], NDArray[Any]]
    pred_to_true: tuple[NDArray[np.float64], NDArray[Any]]

    @classmethod
    def of(cls, distances: SurfaceDistances) -> TalliedDistances:
        """Count the distances of a pair."""
        true_to_pred, pred_to_true = (np.unique(directed, return_counts=True) for directed in distances)
        return cls(true_to_pred, pred_to_true)

    def spread(self) -> SurfaceDistances:
        """Return one distance per element, in ascending order."""
        true_to_pred, pred_to_true = (np.repeat(values, counts) for values, counts in self)
        return SurfaceDistances(true_to_pred, pred_to_true)


CubeCorners = tuple[tuple[int, int, int], ...]
AreaVectors = tuple[tuple[int, int, int], ...]
_TRIANGLES: dict[CubeCorners, AreaVectors] = {
    ((0, 0, 0),): ((1, 1, 1),),
    ((0, 0, 0), (0, 0, 1)): ((2, 2, 0),) * 2,
    ((0, 0, 0), (0, 1, 1)): ((1, 1, 1),) * 2,
    ((0, 0, 0), (1, 1, 1)): ((1, 1, 1),) * 2,
    ((0, 0, 0), (0, 0, 1), (0, 1, 0)): ((1, 1, 1), (2, 2, 2), (4, 0, 0)),
    ((0, 0, 1), (0, 1, 0), (1, 0, 0)): ((1, 1, 1),) * 3,
    ((0, 0, 0), (0, 0, 1), (1, 1, 0)): ((2, 2, 0), (2, 2, 0), (1, 1, 1)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)): ((4, 0, 0),) * 2,
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)): ((1, 1, 1), (1, 1, 1), (2, 2, 2), (2, 2, 2)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0)): ((0, 2, 2), (2, 0, 2), (1, 1, 1), (3, 3, 3)),
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (1, 1, 1)): ((1, 1, 1), (1, 1, 1), (2, 2, 2), (4, 0, 0)),
    ((0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)): ((2, 2, 0),) * 4,
    ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)): ((1, 1, 1),) * 4,
}
"""The corners of a unit cube that are inside, and the area vectors of the triangles, in eighths."""


class WeightedDistances(NamedTuple):
    """The directed distances between the pieces of two surfaces, and the lengths or areas of the pieces."""

    distances: SurfaceDistances
    true_areas: FloatArray
    pred_areas: FloatArray


def weighted_percentile(distances: FloatArray, areas: FloatArray, percent: float) -> float:
    """Return the smallest distance within which lies this percentage of the area, without interpolation."""
    order = np.argsort(distances, kind="stable")
    reached = np.cumsum(areas[order]) / areas.sum()
    return float(distances[order][min(int(np.searchsorted(reached, percent / 100)), distances.size - 1)])


def percentile_of_area(pieces: WeightedDistances, percent: float) -> float:
    """Return the larger of the two directed percentiles of the area of two surfaces."""
    distances, *areas = pieces
    return max(weighted_percentile(part, area, percent) for part, area in zip(distances, areas, strict=True))


def area_within(pieces: WeightedDistances, tolerance: Fraction, spacing: Sequence[float]) -> tuple[float, float]:
    """Return the area of both surfaces that is within the tolerance of the other, and their whole area."""
    distances, *areas = pieces
    close = [area[within(part, tolerance, spacing)] for part, area in zip(distances, areas, strict=True)]
    return math.fsum(np.concatenate(close).tolist()), math.fsum(np.concatenate(areas).tolist())


def weighted_distances(true: NDArray[np.bool_], pred: NDArray[np.bool_], spacing: Sequence[float]) -> WeightedDistances:
    """Measure from every piece of one surface to the nearest piece of the other, both ways, in the order of nonzero."""
    areas = piece_areas(tuple(map(float, spacing)))
    true_codes, pred_codes = corner_codes(true), corner_codes(pred)
    on_true, on_pred = (areas > 0)[true_codes], (areas > 0)[pred_codes]
    return WeightedDistances(
        distances_between(on_true, on_pred, np.asarray(spacing, np.float64)),
        areas[true_codes[on_true]],
        areas[pred_codes[on_pred]],
    )


def corner_codes(mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return which elements around every corner are inside: one bit for each, in up to three axes."""
    # A corner touches 2 elements in one axis, 4 in two, 8 in three: one bit for each of them.
    padded = np.pad(mask, 1).view(np.uint8)
    codes = np.zeros([size + 1 for size in mask.shape], dtype=np.uint8)
    for bit, part in enumerate(product((slice(None, -1), slice(1, None)), repeat=mask.ndim)):
        codes |= padded[part] << np.uint8(bit)
    return codes


@cache
def piece_areas(spacing: tuple[float, ...]) -> FloatArray:
    """Return the length or area of the piece for every code of :func:`corner_codes`; 1 for the end of a line."""
    if len(spacing) == 1:
        return np.array([0.0, 1.0, 1.0, 0.0])
    if len(spacing) == 2:
        return _contour_lengths(*spacing)
    if len(spacing) == 3:
        return _surface_areas(*spacing)
    raise OptionError(
        f"weights='area' measures surfaces in 1 to 3 axes; found {len(spacing)}: choose weights='elements'"
    )


def _contour_lengths(first: float, second: float) -> FloatArray:
    """Return the lengths in 2-D; bits 0, 1 are the elements of the first row and bits 2, 3 those of the second."""
    corner = math.hypot(first, second) / 2
    lengths = np.full(16, corner)
    lengths[[0b0000, 0b1111]] = 0
    lengths[[0b0011, 0b1100]] = second
    lengths[[0b0101, 0b1010]] = first
    lengths[[0b0110, 0b1001]] = 2 * corner
    return lengths


def _surface_areas(first: float, second: float, third: float) -> FloatArray:
    faces = np.array([second * third, first * third, first * second])
    areas = np.zeros(256)
    for code, vectors in _vectors_by_code():
        areas[code] = math.fsum(np.linalg.norm(np.array(vectors) / 8 * faces, axis=1).tolist())
    return areas


def _vectors_by_code() -> Iterator[tuple[int, AreaVectors]]:
    """Yield all codes with a piece, some of them several times, from the thirteen cases."""
    for (corners, vectors), axes, mirrored in product(
        _TRIANGLES.items(), permutations(range(3)), product((0, 1), repeat=3)
    ):
        turned = [[corner[axis] ^ mirrored[axis] for axis in axes] for corner in corners]
        code = sum(1 << (4 * first + 2 * second + third) for first, second, third in turned)
        along = tuple((vector[axes[0]], vector[axes[1]], vector[axes[2]]) for vector in vectors)
        yield code, along
        yield 255 - code, along
