r"""Boundary IoU and boundary PQ [cheng2021boundary]: overlap counted only in a band along the contours.

For a width d, s_d are the elements of segment s within distance d of the nearest element that is not in s; the frame
of the image counts as outside. Boundary IoU = |t_d ∩ h_d| / |t_d ∪ h_d|: unlike the IoU it is sensitive to the contour
of large segments.

Mean IoU inside a trimap [kohli2009robust]: only elements near the true boundaries between classes count.

The trimap of width k are the elements within distance k of an element of another class (or of none) in the truth; the
frame of the image is no boundary. Inside it, IoU_c = n_cc / (t_c + p_c − n_cc) over the data set, then the mean over
classes. Published curves show it for several widths.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, Threshold, fraction
from segmetry.alignments import Alignment, candidates_of, clash_error, ignored, marks
from segmetry.errors import InputError, OptionError
from segmetry.geometry import MatchedShapes, class_masks, contour_band, void_elements
from segmetry.kernels import label_changes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import average_of
from segmetry.metrics.declare import Example, as_metric_inputs, metric
from segmetry.metrics.geometry.surface_distances import SIMILARITY_NOTE, MissingFor, mean_over_pairs, missing_similarity
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.tally_quotient import NO_SEGMENTS
from segmetry.results import Table
from segmetry.segmentation import Segmentation, one_spacing

_SQUARES = ([[1, 1, 1, 1, 1, 0]] * 5, [[0, 1, 1, 1, 1, 1]] * 5)
_WIDTH = (
    "d is max(1, round(2 % of the image diagonal)) by default, as in the reference. metric='chessboard' (default) "
    "counts steps including diagonal ones, whatever the spacing, and equals the reference's d erosions with a 3×3 "
    "square; 'euclidean' is the exact distance, and by default an integer number of steps along the finest axis where "
    "elements have a spacing."
)


@metric(
    symbol=r"\mathrm{IoU}_d",
    order=10,
    aliases=("biou",),
    formula=r"\frac{1}{|TP|}\sum_{(t,h)\in TP}\frac{|t_d\cap h_d|}{|t_d\cup h_d|}",
    summary="Boundary IoU: the IoU of the bands along the contours of the two segments, averaged over matched pairs.",
    citation="cheng2021boundary",
    symmetric=True,
    pooled=True,
    notes=f"{SIMILARITY_NOTE} {_WIDTH} Pairs are matched by the whole segments.",
    examples=(Example(*_SQUARES, 1 / 3), Example(*_SQUARES, 20 / 30, {"d": 3})),
)
def boundary_iou(
    shapes: MatchedShapes,
    *,
    d: float | None = None,
    metric: Literal["chessboard", "euclidean"] = "chessboard",
    missing: float | None = None,
    missing_for: MissingFor = "segment",
) -> Score:
    values = shapes.boundary_iou(d, metric)
    return mean_over_pairs("boundary_iou", shapes, values, missing_similarity(missing), missing_for)


def matched_bands(
    shapes: MatchedShapes,
    *,
    d: float | None = None,
    metric: Literal["chessboard", "euclidean"] = "chessboard",
    average: Literal["class", "segments"] | None = None,
) -> dict[str, Column]:
    """Collect 2 min(IoU, IoU_d) over 2 of every pair that matches in the bands too, 0 over 1 of any other segment."""
    whole = shapes.alignment
    if not whole.is_one_to_one and whole.resolve != "keep":
        raise clash_error(whole)
    kept = matched_in_bands(shapes, d, metric)
    pairs = restricted(whole, kept)
    weights = np.minimum(whole.iou, shapes.boundary_iou(d, metric))[kept]
    missed, spurious = np.flatnonzero(pairs.missed_true), np.flatnonzero(pairs.spurious_pred)
    columns: dict[str, Column] = {
        "numerator": np.concatenate((2 * weights, np.zeros(missed.size + spurious.size))),
        "denominator": np.repeat([2, 1], [weights.size, missed.size + spurious.size]),
    }
    if average_of(whole, average) == "segments":
        return columns
    true, pred, names = whole.table.true.class_codes, whole.table.pred.class_codes, whole.table.class_names or ()
    codes = np.concatenate((true[pairs.at_true], true[missed], pred[spurious]))
    return {"class": [names[code] for code in codes.tolist()], **columns}


@metric(
    symbol=r"\mathrm{PQ}_d",
    formula=r"\frac{\sum_{(t,h)\in "
    r"TP_d}\min\bigl(\mathrm{IoU}(t,h),\mathrm{IoU}_d(t,h)\bigr)}{|TP_d|+\frac12|FP|+\frac12|FN|}",
    summary="Boundary panoptic quality: PQ in which a pair counts only if it matches along the contours too, with the "
    "smaller of its two IoUs.",
    citation=("cheng2021boundary", "kirillov2019panoptic"),
    symmetric=True,
    pooled=True,
    notes="A pair is matched if and only if the rule selects it among the segments and among their bands; for "
    "theta_plus that is min(IoU, IoU_d) > 1/2, "
    f"the reference. {_WIDTH} Whether an unmatched pred is ignored for void or crowd is decided on whole segments, "
    "as in the reference. Where segments of the same class are matched it is the mean over the classes; "
    "average='segments' counts all segments together. Segments on one side only: 0. None on either side: undefined.",
    examples=(Example(*_SQUARES, 0), Example(*_SQUARES, 2 / 3, {"d": 3})),
    statistics=Aggregation(matched_bands, no_class=NO_SEGMENTS),
)
def boundary_pq(sums: Sums) -> Quotient:
    return Quotient(sums["numerator"], sums["denominator"], NO_SEGMENTS)


def matched_in_bands(shapes: MatchedShapes, d: float | None, metric: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which pairs of the alignment the same rule also selects from the table of bands."""
    whole, bands = shapes.alignment, shapes.bands(d, metric)
    candidates, _ = candidates_of(bands, whole.policy, whole.classes)
    picked = candidates.take(whole.rule.select(candidates).chosen)
    picked_pairs = set(zip(picked.at_true.tolist(), picked.at_pred.tolist(), strict=True))
    return np.array(
        [pair in picked_pairs for pair in zip(whole.at_true.tolist(), whole.at_pred.tolist(), strict=True)], dtype=bool
    )


def restricted(whole: Alignment, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Alignment:
    """Return the alignment with some of its pairs; the segments of the others count as unmatched."""
    ignored_true, ignored_pred = ignored(
        whole.table,
        whole.policy,
        marks(whole.at_true[kept], len(whole.table.true)),
        marks(whole.at_pred[kept], len(whole.table.pred)),
    )
    return replace(
        whole,
        rows=whole.rows[kept],
        shared=whole.shared[kept],
        missed=whole.missed[kept],
        spurious=whole.spurious[kept],
        ignored_true=ignored_true,
        ignored_pred=ignored_pred,
    )


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
    """Return the elements within a distance of another label."""
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


STEPS = 20
"""The widths of a sweep, unless they are given: up to 4 % of the diagonal of the largest image."""


def boundary_sweep(
    true: Any,
    pred: Any,
    *,
    widths: Iterable[float] | None = None,
    metric: Literal["chessboard", "euclidean"] = "chessboard",
    **options: Any,
) -> Table:
    """Count the pairs that match along their contours too, for several widths of the band.

    Parameters
    ----------
    true : segmentation, array or path, or mapping of names to them
        The segments of one annotator, or of the truth; of one item or of several.
    pred : segmentation, array or path, or mapping of names to them
        The segments of the other one.
    widths : iterable of float, optional
        The widths d; by default up to 20 integers up to 4 % of the diagonal of the largest image.
    metric : {'chessboard', 'euclidean'}, default 'chessboard'
        How distances to the contour are measured.
    **options
        Options of :func:`segmetry.align`: ``rule=``, ``policy=``, ``classes=``, ``resolve=``.

    Returns
    -------
    Table
        One row per width: matched pairs (true positives), segments of both sides, and the F1 score of matching.

    Examples
    --------
    >>> table = boundary_sweep([[1, 1, 1, 1, 1, 0]] * 5, [[0, 1, 1, 1, 1, 1]] * 5, widths=[1, 2, 3])
    >>> [(row["d"], row["n_matched"]) for row in table]
    [(1.0, 0), (2.0, 1), (3.0, 1)]
    """
    items = _shapes(true, pred, options)
    chosen = _default_widths(items) if widths is None else [float(width) for width in widths]
    whole = sum(shapes.alignment.n_pairs for shapes in items)
    rows = []
    for width in chosen:
        matched = sum(int(np.count_nonzero(matched_in_bands(shapes, width, metric))) for shapes in items)
        n_true, n_pred = (
            sum(getattr(shapes.alignment.tally, side) for shapes in items) for side in ("n_true", "n_pred")
        )
        total = n_true + n_pred
        counts = {"n_matched": matched, "n_matched_whole": whole, "n_true": n_true, "n_pred": n_pred}
        rows.append({"d": width, **counts, "f1": 2 * matched / total if total else None})
    return Table("boundary sweep", rows, {})


def _shapes(true: Any, pred: Any, options: dict[str, Any]) -> list[MatchedShapes]:
    if not isinstance(true, Mapping):
        return [_pair_shapes(true, pred, options)]
    if not isinstance(pred, Mapping) or set(true) != set(pred):
        names = [sorted(map(str, side))[:5] if isinstance(side, Mapping) else "none" for side in (true, pred)]
        raise InputError(f"true has the items {names[0]}, pred {names[1]}; expected the same names on both sides")
    return [_pair_shapes(true[name], pred[name], options) for name in true]


def _pair_shapes(true: Any, pred: Any, options: dict[str, Any]) -> MatchedShapes:
    shapes: MatchedShapes
    (shapes,) = as_metric_inputs(true, pred, **options).give("geometry", "boundary_sweep", **options)
    return shapes


def _default_widths(items: list[MatchedShapes]) -> list[float]:
    largest = max((float(np.hypot.reduce(np.array(shapes.true.domain, float))) for shapes in items), default=0.0)
    return sorted({float(max(1, round(largest * 0.04 * at / STEPS))) for at in range(1, STEPS + 1)})
