r"""The BF score [csurka2013good]: how much of the boundary of each class lies close to that of the other side.

The boundary of a class are its elements with a neighbour along an axis (4 in 2-D, 6 in 3-D) that is not of the class;
the frame of the image is none. With B_t and B_p the boundaries of a class in the truth and in the prediction:
P = |{b ∈ B_p : d(b, B_t) < θ}| / |B_p|, R = |{b ∈ B_t : d(b, B_p) < θ}| / |B_t|, F = 2PR/(P + R), then the mean over
classes. θ is 0.75 % of the diagonal of the image. Squared distances are compared as integers.

Boundary recall and precision of superpixels [stutz2018superpixels]: do true boundaries lie along superpixels?

A boundary are the elements with a neighbour along an axis (4 in 2-D, 6 in 3-D) of another segment; the frame is none. A
true boundary element is found (TP) if a superpixel boundary lies in the square window of radius r around it, else it is
missed (FN). A superpixel boundary element is spurious (FP) if it is no true boundary element and no true boundary lies
in its window. Recall = TP/(TP + FN). Precision = TP/(TP + FP): TP counts elements of the *true* boundary there, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, Threshold, fraction, whole_number
from segmetry.errors import OptionError
from segmetry.geometry import class_masks, squares_within, trimmed, void_elements
from segmetry.kernels import distances_between, label_changes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.class_distances import KINDS, harmonic_mean
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import LabelArray, Segmentation, one_spacing

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
    notes=_NOTES + "A class without a true boundary is left out.",
    examples=(Example(*_LINE, (0 + 1) / 2, {"tolerance": 1}),),
)
def bf_recall(sums: Sums) -> Quotient:
    return Quotient(sums["close_true"], sums["n_true"], "no true class has a boundary")


_SUPERPIXEL_SHARE = float(np.float32(0.0025))
"""The benchmark keeps 0.0025 in single precision, which decides the radius of images with a diagonal of 600 pixels."""
_SUPERPIXEL_NOTES = (
    "radius is the number of elements from the centre of the window to its edge, by default 0.25 % of the diagonal of "
    "the image, rounded as the published benchmark rounds it (0 below a diagonal of 200 pixels, 1 for 481 by 321). "
    "Every label is a segment here, 0 included; void elements do not count. "
)
_FINE = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
_SHIFTED = [[1, 1, 1, 2, 2, 2]], [[1, 2, 2, 2, 2, 2]]


def benchmark_radius(shape: Sequence[int]) -> int:
    """Return 0.25 % of the diagonal in elements, rounded half up."""
    return math.floor(_SUPERPIXEL_SHARE * math.sqrt(sum(size**2 for size in shape)) + 0.5)


def boundary_elements(true: LabelArray, pred: LabelArray, radius: int | None) -> tuple[int, int, int]:
    """Return how many elements of the true boundary are found and missed, and of the predicted one spurious."""
    reach = benchmark_radius(true.domain) if radius is None else whole_number("radius", radius, 0, "elements")
    counted = ~(void_elements(true) | void_elements(pred))
    of_true, of_pred = (label_changes(_segment_labels(side)) for side in (true, pred))
    near = _in_windows(of_pred, reach)
    places = of_true & near, of_true & ~near, of_pred & ~_in_windows(of_true, reach)
    found, missed, spurious = (int(np.count_nonzero(part & counted)) for part in places)
    return found, missed, spurious


def _segment_labels(side: LabelArray) -> NDArray[np.int64]:
    """Return the labels, with one number for all that are outside, and one for all that are void."""
    values, codes = np.unique(side.labels, return_inverse=True)
    new = np.arange(2, values.size + 2)
    new[np.isin(values, side.outside)] = 0
    new[np.isin(values, side.void)] = 1
    return new[codes].reshape(side.domain)


def _in_windows(marked: NDArray[np.bool_], radius: int) -> NDArray[np.bool_]:
    """Return which elements have a marked one in the square window around them."""
    from scipy.ndimage import maximum_filter1d

    # A square window as in the benchmark; one axis after the other, since the maximum of maxima is the same.
    near = marked.view(np.uint8)
    for axis in range(marked.ndim if radius else 0):
        near = maximum_filter1d(near, 2 * radius + 1, axis=axis, mode="constant")
    return near.astype(bool)


_superpixel_score = partial(metric, dimensions=(2, 3), citation="stutz2018superpixels", pooled=True)


@_superpixel_score(
    order=88,
    formula=r"\mathrm{BR} = \frac{|TP|}{|TP|+|FN|}",
    summary="Boundary recall of superpixels: the share of true boundary elements with a superpixel boundary in the "
    "window around them.",
    notes=_SUPERPIXEL_NOTES + "Undefined where the truth has no boundary; the benchmark returns 0 there.",
    examples=(Example(*_FINE, 1, {"radius": 0}), Example(*_SHIFTED, 1 / 2, {"radius": 1})),
)
def superpixel_boundary_recall(true: LabelArray, pred: LabelArray, *, radius: int | None = None) -> Score:
    found, missed, _ = boundary_elements(true, pred, radius)
    return Score.of("superpixel_boundary_recall", found, found + missed, "the truth has no boundary")


@_superpixel_score(
    formula=r"\mathrm{BP} = \frac{|TP|}{|TP|+|FP|}",
    summary="Boundary precision of superpixels: found true boundary elements, over these and the superpixel boundary "
    "elements without a true boundary in the window around them.",
    notes=_SUPERPIXEL_NOTES
    + "TP are elements of the true boundary, as in recall, so that a thick predicted boundary is not "
    "counted twice. Undefined where nothing is found or spurious; the benchmark returns 0 there.",
    examples=(Example(*_FINE, 1 / 2, {"radius": 0}), Example(*_SHIFTED, 1 / 2, {"radius": 1})),
)
def superpixel_boundary_precision(true: LabelArray, pred: LabelArray, *, radius: int | None = None) -> Score:
    found, _, spurious = boundary_elements(true, pred, radius)
    reason = "no found and no spurious boundary elements"
    return Score.of("superpixel_boundary_precision", found, found + spurious, reason)
