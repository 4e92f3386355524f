r"""The BF score [csurka2013good]: how much of the boundary of each class lies close to that of the other side.

The boundary of a class are its elements with a neighbour along an axis (4 in 2-D, 6 in 3-D) that is not of the class;
the frame of the image is none. With B_t and B_p the boundaries of a class in the truth and in the prediction:
P = |{b ∈ B_p : d(b, B_t) < θ}| / |B_p|, R = |{b ∈ B_t : d(b, B_p) < θ}| / |B_t|, F = 2PR/(P + R), then the mean over
classes. θ is 0.75 % of the diagonal of the image. Squared distances are compared as integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, Threshold, fraction
from segmetry.errors import OptionError
from segmetry.geometry import class_masks, squares_within, trimmed
from segmetry.kernels import distances_between, label_changes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.class_distances import KINDS, harmonic_mean
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import Segmentation, one_spacing

NO_BOUNDARY = "no class has a boundary inside the image"
_SHARE = Fraction(75, 10_000)
_COUNTS = ("close_true", "n_true", "close_pred", "n_pred")
_NOTES = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "the items in which the class has a boundary. Segments of one class count together; where segments carry no "
    "classes, equal labels are the same class. tolerance is in units of spacing, by default 0.75 % of the diagonal of "
    "the image. A distance equal to the tolerance is too far, as published; strict=False accepts it (images of 480 by "
    "640 have a tolerance of exactly 6 pixels). Elements that are void on a side are removed from both. "
)


def boundary_counts(
    true: Segmentation, pred: Segmentation, *, tolerance: Threshold | None = None, strict: bool = True
) -> dict[str, Column]:
    """Collect the boundary elements of each class on both sides, and how many are close to the other boundary."""
    spacing = one_spacing(true, pred)
    limit = _squared_limit(tolerance, true.domain, spacing)
    names, rows = [], []
    for name, *masks in class_masks(true, pred):
        of_true, of_pred = (mask & label_changes(mask) for mask in masks)
        if of_true.any() or of_pred.any():
            names.append(name)
            rows.append(_close_counts(of_true, of_pred, limit, spacing, strict=strict))
    counts = np.array(rows, dtype=np.int64).reshape(-1, len(_COUNTS))
    return {"class": names, **dict(zip(_COUNTS, counts.T, strict=True))}


def _squared_limit(tolerance: Threshold | None, shape: Sequence[int], spacing: Sequence[float]) -> Fraction:
    if tolerance is None:
        return _SHARE**2 * sum((size * fraction(step)) ** 2 for size, step in zip(shape, spacing, strict=True))
    limit = fraction(tolerance, "tolerance")
    if limit <= 0:
        raise OptionError(f"tolerance is {tolerance}; expected a positive distance, in the units of spacing")
    return limit**2


def _close_counts(
    of_true: NDArray[np.bool_], of_pred: NDArray[np.bool_], limit: Fraction, spacing: Sequence[float], *, strict: bool
) -> tuple[int, int, int, int]:
    first, second = trimmed(of_true, of_pred)
    sizes = int(np.count_nonzero(first)), int(np.count_nonzero(second))
    if not all(sizes):
        return 0, sizes[0], 0, sizes[1]
    directed = distances_between(first, second, np.asarray(spacing, np.float64))
    near = [int(np.count_nonzero(squares_within(part, limit, spacing, strict=strict))) for part in directed]
    return near[0], sizes[0], near[1], sizes[1]


_STEP = [[1, 1, 1, 2, 2]] * 2 + [[1, 1, 2, 2, 2]] * 2, [[1, 1, 1, 2, 2]] * 4
_LINE = [[1, 1, 2, 2]], [[1, 2, 2, 1]]
_contour_score = partial(
    metric,
    kinds=KINDS,
    dimensions=(2, 3),
    citation="csurka2013good",
    compares_labels=True,
    statistics=Aggregation(boundary_counts, average=BY_CLASS_OF_ITEMS, degree=2),
)


@_contour_score(
    symbol=r"\mathrm{BF}",
    order=80,
    aliases=("bf", "bfscore", "boundary_f_score"),
    formula=r"\mathrm{BF} = \frac{1}{|C|}\sum_{c\in C}\frac{2P_cR_c}{P_c+R_c}",
    summary="BF score: the harmonic mean of the shares of both boundaries of a class that are close to the other one, "
    "averaged over classes.",
    symmetric=True,
    notes=_NOTES + "A class with a boundary on one side only counts 0; one without a boundary on either side, such as "
    "a class that fills the image, is left out.",
    examples=(
        Example(*_LINE, (0 + 2 / 3) / 2, {"tolerance": 1}),
        Example(*_STEP, 1 / 2, {"tolerance": 1}),
        Example(*_STEP, 1, {"tolerance": 1, "strict": False}),
    ),
)
def bf_score(sums: Sums) -> Quotient:
    return harmonic_mean((sums["close_pred"], sums["n_pred"]), (sums["close_true"], sums["n_true"]), NO_BOUNDARY)


@_contour_score(
    symbol=r"\mathrm{BF}_P",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|\{b\in B_p^c : d(b,B_t^c)<\theta\}|}{|B_p^c|}",
    summary="Boundary precision of the BF score: the share of the predicted boundary of a class that is close to the "
    "true one, averaged over classes.",
    swaps_with="bf_recall",
    notes=_NOTES + "A class without a predicted boundary is left out.",
    examples=(Example(*_LINE, (0 + 1 / 2) / 2, {"tolerance": 1}),),
)
def bf_precision(sums: Sums) -> Quotient:
    return Quotient(sums["close_pred"], sums["n_pred"], "no predicted class has a boundary")


@_contour_score(
    symbol=r"\mathrm{BF}_R",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|\{b\in B_t^c : d(b,B_p^c)<\theta\}|}{|B_t^c|}",
    summary="Boundary recall of the BF score: the share of the true boundary of a class that is close to the predicted "
    "one, averaged over classes.",
    swaps_with="bf_precision",
    notes=_NOTES + "A class without a true boundary is left out.",
    examples=(Example(*_LINE, (0 + 1) / 2, {"tolerance": 1}),),
)
def bf_recall(sums: Sums) -> Quotient:
    return Quotient(sums["close_true"], sums["n_true"], "no true class has a boundary")
