"""Bands along the contours of all segments, and how much the bands of two segmentations overlap.

The band of a segment is the set of its elements within distance d of the nearest element that is not in it; outside
the image nothing is [cheng2021boundary]. Bands of disjoint segments are disjoint, so the bands of a whole label array
come from one pass and their overlaps are one overlap table of two label arrays in which elements in no band are
outside. Masks may overlap: the band of each is drawn inside its own box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base import fraction
from segmetry.errors import KindError, OptionError
from segmetry.geometry.segment_shapes import redrawn, runs_of
from segmetry.geometry.surface_statistics import common_unit
from segmetry.kernels import boundary_band
from segmetry.overlaps import OverlapTable, count_overlaps, merge, plan_of
from segmetry.segmentation import LabelArray, Masks, Segmentation, SegmentationPair, Spans
from segmetry.storage import Region

BandDistance = Literal["euclidean", "chessboard"]
# The default dilation ratio of the reference implementation of [cheng2021boundary].
_SHARE = 0.02
# Merged now and then, so that memory does not grow with the number of blocks.
_TABLES_AT_ONCE = 16


def default_width(shape: Sequence[int], spacing: Sequence[float]) -> float:
    """Return 2 % of the diagonal in steps of the finest axis, at least one: as the reference for unit spacing."""
    unit = min(spacing)
    diagonal = math.sqrt(sum((size * step) ** 2 for size, step in zip(shape, spacing, strict=True)))
    return unit * max(1, round(_SHARE * diagonal / unit))


def band_width(d: float | None, metric: str, shape: Sequence[int], spacing: Sequence[float]) -> float:
    """Return the checked width, or the default for the shape; chessboard distance counts steps whatever the spacing."""
    if metric not in ("euclidean", "chessboard"):
        raise OptionError(f"metric is {metric!r}; expected 'euclidean' or 'chessboard'")
    steps = metric == "chessboard"
    lengths = [1.0] * len(shape) if steps else spacing
    if d is None:
        return default_width(shape, lengths)
    least = min(lengths)
    try:
        width = float(d)
    except (TypeError, ValueError):
        width = math.nan
    if not least <= width < math.inf:
        raise OptionError(f"d is {d!r}; expected a distance of at least one step, {least:g}: a thinner band is empty")
    if steps and width != int(width):
        raise OptionError(f"d is {d}; expected an integer number of steps for metric='chessboard'")
    return width


def band_table(true: Segmentation, pred: Segmentation, d: float, metric: str) -> OverlapTable:
    """Return the overlap table of the bands, with the same segments as the table of the segments themselves."""
    plan = plan_of(true, pred) if isinstance(true, LabelArray) and isinstance(pred, LabelArray) else None
    if plan is None:
        return count_overlaps(SegmentationPair(banded(true, d, metric), banded(pred, d, metric)))
    labels = cast(LabelArray, true), cast(LabelArray, pred)
    total: list[OverlapTable] = []
    for number in range(len(plan)):
        first, second = (_banded_part(side, plan.box(number), d, metric) for side in labels)
        total.append(count_overlaps(SegmentationPair(first, second)))
        if len(total) >= _TABLES_AT_ONCE:
            total = [merge(total)]
    return merge(total)


def banded(segmentation: Segmentation, d: float, metric: str) -> Segmentation:
    """Return the segments reduced to their bands."""
    if isinstance(segmentation, LabelArray):
        return _banded_labels(segmentation, d, metric)
    if isinstance(segmentation, Masks):
        return banded_masks(segmentation, d, metric)
    if isinstance(segmentation, Spans):
        return _banded_spans(segmentation, math.floor(d))
    raise KindError(f"segments of kind {segmentation.kind!r} have no contour; expected a label array, masks or spans")


def _banded_part(array: LabelArray, box: Region, d: float, metric: str) -> LabelArray:
    """Return the bands inside a box; they do not depend on elements further away than the width of a band."""
    steps = [1.0] * array.axes if metric == "chessboard" else array.spacing
    wide = tuple(
        slice(max(0, part.start - math.ceil(d / step)), min(length, part.stop + math.ceil(d / step)))
        for part, length, step in zip(box, array.domain, steps, strict=True)
    )
    core = tuple(slice(p.start - w.start, p.stop - w.start) for p, w in zip(box, wide, strict=True))
    return _banded_labels(array.part(wide), d, metric).part(core)


def _banded_labels(array: LabelArray, d: float, metric: str) -> LabelArray:
    labels = array.labels
    kept = contour_band(labels, d, metric, array.spacing)
    for label in array.void:
        kept |= labels == label
    outside, labels = outside_label(array)
    reduced = np.where(kept, labels, labels.dtype.type(outside))
    return array.with_labels(reduced, outside=(*array.outside, outside))


def contour_band(labels: NDArray[Any], d: float, metric: str, spacing: tuple[float, ...]) -> NDArray[np.bool_]:
    """Return the elements within distance ``d`` of another segment, or of the frame, decided exactly."""
    if metric == "chessboard" or all(step == 1 for step in spacing):
        return boundary_band(labels, d, metric=cast(BandDistance, metric))
    # In units in which every step is an integer, squares are exact: three steps of 0.1 are within 0.3.
    unit = common_unit(spacing)
    steps = [float(fraction(step) * unit) for step in spacing]
    return boundary_band(labels, float(fraction(d) * unit), spacing=steps)


def outside_label(array: LabelArray) -> tuple[int, NDArray[Any]]:
    """Return a label that means outside (declared or unused), and the labels in a type that can represent it."""
    labels = array.labels if array.labels.dtype != np.bool_ else array.labels.view(np.uint8)
    limits = np.iinfo(labels.dtype)
    for label in array.outside:
        if limits.min <= label <= limits.max:
            return label, labels
    # Among one number more than there are labels at least one is free.
    taken = {*np.unique(labels).tolist(), *array.void}
    free = next(label for label in range(len(taken) + 1) if label not in taken)
    return free, labels if free <= limits.max else labels.astype(np.int64)


def banded_masks(masks: Masks, d: float, metric: str) -> Masks:
    """Return masks reduced to their bands, each by itself: they may overlap."""
    return redrawn(masks, lambda mask: mask & contour_band(mask, d, metric, masks.spacing) if mask.size else mask)


def _banded_spans(spans: Spans, d: int) -> Masks:
    """The first and last d elements of every span."""
    bands = [
        np.unique(np.concatenate((np.arange(start, min(start + d, stop)), np.arange(max(start, stop - d), stop))))
        for start, stop in zip(spans.starts.tolist(), spans.stops.tolist(), strict=True)
    ]
    return Masks(runs_of(bands), (spans.n,), classes=spans.classes)
