"""From the distances between two surfaces to one number for the pair.

With the directed distances D₁ = {min_{b∈B} |a−b| : a ∈ A} and D₂ the other way round:

* Hausdorff distance: max(max D₁, max D₂) [huttenlocher1993comparing].
* 95 % Hausdorff distance: the 95th percentile instead of the maximum. *directed*: the larger of the percentiles of
  D₁ and D₂; *pooled*: the percentile of D₁ and D₂ together. Percentiles are interpolated linearly.
* Average surface distance: *pooled*: (ΣD₁ + ΣD₂)/(|D₁| + |D₂|) [heimann2009comparison]; *directed*: the mean of the
  two directed means.
* Surface Dice at tolerance τ: the share of both surfaces that is within τ of the other [nikolov2021clinically], of
  their area (see :mod:`segmetry.geometry.surface_pieces`) or of their elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, Threshold, fraction
from segmetry.errors import OptionError
from segmetry.kernels import SurfaceDistances

_ROUNDS_BACK = 2**48
"""The square of a rounded root is within 1/2 of the integer it came from well below this."""


def hausdorff_of(distances: SurfaceDistances) -> float:
    """Return the largest distance from either side.

    >>> hausdorff_of(SurfaceDistances(np.array([0.0, 3.0]), np.array([1.0])))
    3.0
    """
    return float(max(distances.true_to_pred.max(), distances.pred_to_true.max()))


def percentile_of(distances: SurfaceDistances, percent: float, how: str) -> float:
    """Return a percentile: the larger of the two directed ones, or that of all distances together.

    >>> distances = SurfaceDistances(np.array([0.0, 4.0]), np.array([0.0, 0.0]))
    >>> percentile_of(distances, 50, "directed"), percentile_of(distances, 50, "pooled")
    (2.0, 0.0)
    """
    if how == "directed":
        return float(max(np.percentile(directed, percent) for directed in distances))
    return float(np.percentile(np.concatenate(distances), percent))


def average_of(distances: SurfaceDistances, how: str) -> float:
    """Return the mean distance over all surface elements, or the mean of the two directed means.

    >>> distances = SurfaceDistances(np.array([0.0, 0.0, 3.0]), np.array([1.0]))
    >>> average_of(distances, "pooled"), average_of(distances, "directed")
    (1.0, 1.0)
    """
    sums = [math.fsum(directed.tolist()) for directed in distances]
    counts = [directed.size for directed in distances]
    if how == "directed":
        return (sums[0] / counts[0] + sums[1] / counts[1]) / 2
    return math.fsum(np.concatenate(distances).tolist()) / sum(counts)


def as_tolerance(tolerance: Threshold) -> Fraction:
    """Read a tolerance as the decimal that was written; NaN, infinite and negative ones are errors.

    >>> as_tolerance(0.3)
    Fraction(3, 10)
    """
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
    """Return the smallest q such that every step, read as the decimal that was written, is a multiple of 1/q.

    >>> common_unit((0.5, 0.25, 3.0))
    4
    """
    return math.lcm(*(fraction(step, "spacing").denominator for step in spacing))


def within(distances: FloatArray, tolerance: Fraction, spacing: Sequence[float]) -> NDArray[np.bool_]:
    """Return which distances are at most the tolerance.

    Decided on integers where spacing and tolerance are short decimals: in units of 1/q of the spacing every squared
    distance is an integer, and the rounded root recovers it. Three steps of 0.1 are within 0.3, although 3 · 0.1 >
    0.3 in binary.

    >>> within(np.array([0.30000000000000004, 0.4]), Fraction(3, 10), (0.1, 0.1)).tolist()
    [True, False]
    """
    return squares_within(distances, tolerance**2, spacing)


def squares_within(
    distances: FloatArray, limit: Fraction, spacing: Sequence[float], *, strict: bool = False
) -> NDArray[np.bool_]:
    """Return which distances have a square of at most the limit (below it if ``strict``), decided on integers.

    >>> squares_within(np.array([1.0, 3.0]), Fraction(9), (1.0, 1.0), strict=True).tolist()
    [True, False]
    """
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
        """Count the distances of a pair.

        >>> tallied = TalliedDistances.of(SurfaceDistances(np.array([2.0, 0.0, 2.0]), np.array([1.0])))
        >>> tallied.spread().true_to_pred.tolist()
        [0.0, 2.0, 2.0]
        """
        true_to_pred, pred_to_true = (np.unique(directed, return_counts=True) for directed in distances)
        return cls(true_to_pred, pred_to_true)

    def spread(self) -> SurfaceDistances:
        """Return one distance per element, in ascending order."""
        true_to_pred, pred_to_true = (np.repeat(values, counts) for values, counts in self)
        return SurfaceDistances(true_to_pred, pred_to_true)
