r"""Boundary recall and precision of superpixels [stutz2018superpixels]: do true boundaries lie along superpixels?

A boundary are the elements with a neighbour along an axis (4 in 2-D, 6 in 3-D) of another segment; the frame is none. A
true boundary element is found (TP) if a superpixel boundary lies in the square window of radius r around it, else it is
missed (FN). A superpixel boundary element is spurious (FP) if it is no true boundary element and no true boundary lies
in its window. Recall = TP/(TP + FN). Precision = TP/(TP + FP): TP counts elements of the *true* boundary there, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from segmetry._base import whole_number
from segmetry.geometry import void_elements
from segmetry.kernels import label_changes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import LabelArray

_SHARE = float(np.float32(0.0025))
"""The benchmark keeps 0.0025 in single precision, which decides the radius of images with a diagonal of 600 pixels."""
_NOTES = (
    "radius is the number of elements from the centre of the window to its edge, by default 0.25 % of the diagonal of "
    "the image, rounded as the published benchmark rounds it (0 below a diagonal of 200 pixels, 1 for 481 by 321). "
    "Every label is a segment here, 0 included; void elements do not count. "
)
_FINE = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
_SHIFTED = [[1, 1, 1, 2, 2, 2]], [[1, 2, 2, 2, 2, 2]]


def benchmark_radius(shape: Sequence[int]) -> int:
    """Return 0.25 % of the diagonal in elements, rounded half up.

    >>> benchmark_radius((321, 481)), benchmark_radius((600, 800)), benchmark_radius((30, 30))
    (1, 2, 0)
    """
    return math.floor(_SHARE * math.sqrt(sum(size**2 for size in shape)) + 0.5)


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
    symbol=r"\mathrm{BR}",
    order=88,
    formula=r"\mathrm{BR} = \frac{|TP|}{|TP|+|FN|}",
    summary="Boundary recall of superpixels: the share of true boundary elements with a superpixel boundary in the "
    "window around them.",
    notes=_NOTES + "Undefined where the truth has no boundary; the benchmark returns 0 there.",
    examples=(Example(*_FINE, 1, {"radius": 0}), Example(*_SHIFTED, 1 / 2, {"radius": 1})),
)
def superpixel_boundary_recall(true: LabelArray, pred: LabelArray, *, radius: int | None = None) -> Score:
    found, missed, _ = boundary_elements(true, pred, radius)
    return Score.of("superpixel_boundary_recall", found, found + missed, "the truth has no boundary")


@_superpixel_score(
    symbol=r"\mathrm{BP}",
    formula=r"\mathrm{BP} = \frac{|TP|}{|TP|+|FP|}",
    summary="Boundary precision of superpixels: found true boundary elements, over these and the superpixel boundary "
    "elements without a true boundary in the window around them.",
    notes=_NOTES + "TP are elements of the true boundary, as in recall, so that a thick predicted boundary is not "
    "counted twice. Undefined where nothing is found or spurious; the benchmark returns 0 there.",
    examples=(Example(*_FINE, 1 / 2, {"radius": 0}), Example(*_SHIFTED, 1 / 2, {"radius": 1})),
)
def superpixel_boundary_precision(true: LabelArray, pred: LabelArray, *, radius: int | None = None) -> Score:
    found, _, spurious = boundary_elements(true, pred, radius)
    reason = "no found and no spurious boundary elements"
    return Score.of("superpixel_boundary_precision", found, found + spurious, reason)
