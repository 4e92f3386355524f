r"""Mean IoU inside a trimap [kohli2009robust]: only elements near the true boundaries between classes count.

The trimap of width k are the elements within distance k of an element of another class (or of none) in the truth; the
frame of the image is no boundary. Inside it, IoU_c = n_cc / (t_c + p_c − n_cc) over the data set, then the mean over
classes. Published curves show it for several widths.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import Threshold, fraction
from segmetry.errors import OptionError
from segmetry.geometry.band_overlaps import contour_band
from segmetry.geometry.class_masks import class_masks, void_elements
from segmetry.kernels.label_boundaries import label_changes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.spacing import one_spacing

NO_CLASS = "no class inside the trimap"


def trimap_counts(true: Segmentation, pred: Segmentation, *, width: Threshold) -> dict[str, Column]:
    """Collect the elements of each class inside the trimap: on both sides, in the truth, and in the prediction."""
    classes = list(class_masks(true, pred))
    codes = np.zeros(true.domain, dtype=np.int32)
    for code, (_, mask, _) in enumerate(classes, 1):
        codes[mask] = code
    codes[void_elements(true)] = len(classes) + 1
    inside = trimap(codes, width, one_spacing(true, pred))
    rows = [
        [np.count_nonzero(part) for part in (of_true & of_pred & inside, of_true & inside, of_pred & inside)]
        for _, of_true, of_pred in classes
    ]
    shared, in_true, in_pred = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return {"class": [name for name, _, _ in classes], "shared": shared, "true": in_true, "pred": in_pred}


def trimap(labels: NDArray[np.int32], width: Threshold, spacing: tuple[float, ...]) -> NDArray[np.bool_]:
    """Return the elements within a distance of another label.

    >>> trimap(np.array([[1, 1, 1, 2, 2]], dtype=np.int32), 1, (1.0, 1.0)).astype(int).tolist()
    [[0, 0, 1, 1, 0]]
    """
    distance = fraction(width, "width")
    if distance < fraction(min(spacing)):
        raise OptionError(f"width is {width}; expected at least one step, {min(spacing):g}: a thinner band is empty")
    diagonal = math.hypot(*(size * step for size, step in zip(labels.shape, spacing, strict=True)))
    if distance >= diagonal:
        return np.full(labels.shape, bool(label_changes(labels).any()))
    # Repeating the border keeps the frame from counting: what is repeated is further away than what it repeats.
    margins = [math.ceil(distance / fraction(step)) for step in spacing]
    padded = np.pad(labels, [(margin, margin) for margin in margins], mode="edge")
    band = contour_band(padded, float(distance), "euclidean", spacing)
    return band[tuple(slice(margin, margin + size) for margin, size in zip(margins, labels.shape, strict=True))]


_STEP = [[1, 1, 1, 1, 2, 2, 2, 2]], [[1, 1, 1, 2, 2, 2, 2, 1]]


@metric(
    symbol=r"\mathrm{mIoU}_k",
    order=86,
    aliases=("trimap_miou",),
    kinds=("labels",),
    dimensions=(2, 3),
    formula=r"\mathrm{mIoU}_k = \frac{1}{|C|}\sum_{c\in C}\frac{n_{cc}}{t_c + p_c - n_{cc}}"
    r"\ \text{over elements within } k \text{ of a true boundary}",
    summary="Trimap mean IoU: the mean IoU of classes, counted only in a band along the true boundaries.",
    citation="kohli2009robust",
    notes="The width has no default: published curves show several. It is in units of spacing, measured between "
    "element centres and decided exactly. Elements are counted over the data set before the quotient of each class is "
    "taken. Where segments carry no classes, equal labels are the same class. Void elements do not count, but a change "
    "from a class to void is a boundary. Undefined where the truth has no boundary.",
    examples=(Example(*_STEP, 1 / 4, {"width": 1}), Example(*_STEP, (3 / 5 + 3 / 5) / 2, {"width": 9})),
    default_in_family=False,
    compares_labels=True,
    statistics=Aggregation(trimap_counts),
)
def trimap_iou(sums: Sums) -> Quotient:
    union = sums["true"] + sums["pred"] - sums["shared"]
    return Quotient(sums["shared"], union, NO_CLASS, occurs=union > 0)
