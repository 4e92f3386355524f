r"""Panoptic quality of point clouds as SemanticKITTI [behley2021panoptic] and Panoptic nuScenes define it.

Points that are void in the truth are removed. Segments of a class match at IoU > 1/2 within a scan; an unmatched one
counts only if it has ``min_points`` points. PQ, SQ and RQ of a class follow from its counts over the data set, then the
mean over classes. PQ† takes the IoU of the class over all points in place of the PQ of stuff.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from segmetry._base.exact import Column, FloatArray, IntArray, sum_by
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.tubes import ANY
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair

NO_SEGMENTS = "no segments"
_COUNTS = ("matches", "iou", "missed", "spurious", "shared", "true", "pred")


def scan_tables(true: LabelArray, pred: LabelArray) -> list[OverlapTable]:
    """Return the overlap table of every scan: an array of one axis is one, else the first axis are scans."""
    if true.axes == 1:
        return [count_overlaps(SegmentationPair(true, pred))]
    boxes = [(slice(at, at + 1), *(slice(0, length) for length in true.domain[1:])) for at in range(true.domain[0])]
    return [count_overlaps(SegmentationPair(true.part(box), pred.part(box))) for box in boxes]


def scan_segments(true: LabelArray, pred: LabelArray, *, min_points: int = 50) -> dict[str, Column]:
    """Collect the matched and unmatched segments and the points of each class, over the scans of an item."""
    if min_points < 1:
        raise OptionError(f"min_points is {min_points}; expected at least 1")
    totals: dict[Hashable, IntArray | FloatArray] = {}
    for table in scan_tables(true, pred):
        names = (ANY,) if table.class_names is None else table.class_names
        for name, row in zip(names, _counts_of(table, len(names), min_points), strict=True):
            totals[name] = totals.get(name, np.zeros(len(_COUNTS))) + row
    occurring = {name: row for name, row in totals.items() if row.any()}
    values = np.array(list(occurring.values())).reshape(len(occurring), len(_COUNTS))
    columns: dict[str, Column] = {"class": list(occurring)}
    for at, name in enumerate(_COUNTS):
        columns[name] = values[:, at] if name == "iou" else values[:, at].astype(np.int64)
    return columns


def _counts_of(table: OverlapTable, n_classes: int, min_points: int) -> FloatArray:
    """Return the counts of each class in one scan, a row of :data:`_COUNTS` each."""
    of_true, of_pred = table.true.class_codes, table.pred.class_codes
    pred_sizes = table.pred.sizes - table.pred.void
    same = np.flatnonzero(of_true[table.row_true] == of_pred[table.row_pred])
    row_true, row_pred, shared = table.row_true[same], table.row_pred[same], table.shared[same]
    union = table.true.sizes[row_true] + pred_sizes[row_pred] - shared
    hit = 2 * shared > union
    missed, spurious = table.true.sizes >= min_points, pred_sizes >= min_points
    missed[row_true[hit]], spurious[row_pred[hit]] = False, False
    matched = of_true[row_true[hit]]
    return np.stack(
        (
            np.bincount(matched, minlength=n_classes),
            np.bincount(matched, shared[hit] / union[hit], minlength=n_classes),
            np.bincount(of_true[missed], minlength=n_classes),
            np.bincount(of_pred[spurious], minlength=n_classes),
            sum_by(of_true[row_true], shared, n_classes),
            sum_by(of_true, table.true.sizes, n_classes),
            sum_by(of_pred, pred_sizes, n_classes),
        ),
        axis=1,
    )


def panoptic_qualities(sums: Sums) -> FloatArray:
    """Return the PQ of every class, 0 without segments."""
    return _ratio_or_0(sums["iou"], _half_sums(sums))


def class_ious(sums: Sums) -> FloatArray:
    """Return the IoU of every class over all points, 0 without points."""
    return _ratio_or_0(sums["shared"], sums["true"] + sums["pred"] - sums["shared"])


def _half_sums(sums: Sums) -> FloatArray:
    halves: FloatArray = sums["matches"] + 0.5 * sums["spurious"] + 0.5 * sums["missed"]
    return halves


def _ratio_or_0(numerator: Any, denominator: Any) -> FloatArray:
    return np.nan_to_num(Quotient(numerator, denominator).values)


def _where_points(sums: Sums, values: FloatArray) -> Quotient:
    occurs = sums["true"] + sums["pred"] > 0
    return Quotient(np.where(occurs, values, math.nan), reason=NO_SEGMENTS, occurs=occurs)


def _all_classes(found: IntArray, *, n_classes: int | None = None) -> tuple[float, IntArray]:
    """Return the value of classes that occur nowhere, and the number of all classes; without any segment none."""
    return 0.0, np.where(found > 0, np.maximum(found, n_classes or 0), 0)


def _means_of_groups(
    quotient: Quotient,
    _sums: Sums,
    names: Sequence[Hashable],
    *,
    things: Collection[Hashable] | None = None,
    stuff: Collection[Hashable] | None = None,
) -> dict[str, float]:
    values = {name: value for name, value in zip(names, quotient.values[:, 0].tolist(), strict=True) if value == value}
    return {
        group: math.fsum(values.get(name, 0.0) for name in members) / len(members)
        for group, members in (("things", things), ("stuff", stuff))
        if members and values
    }


_SEGMENTS = Aggregation(
    scan_segments, n_classes=_all_classes, describe=_means_of_groups, group_options=("things", "stuff")
)
_CLASSES = {1: "car", 2: "road"}
_SCANS = (
    LabelArray([1, 1, 1, 2, 2, 2, 2, 0], classes=_CLASSES),
    LabelArray([1, 1, 2, 2, 2, 2, 0, 0], classes=_CLASSES),
)
_NOTES = (
    "An array of one axis is one scan, else the first axis are scans, and segments match within a scan. Points that "
    "are void in the truth are removed. A matched segment counts whatever its size, an unmatched one only with "
    "min_points points (50 in the script of SemanticKITTI, 30 in its class, 15 in nuScenes). n_classes is the number "
    "of classes of the benchmark: those that occur nowhere count 0, as in the scripts; without it they are left out. "
    "things= and stuff= name classes whose means are given in the details. "
)


_scan_quality = partial(metric, citation="behley2021panoptic", statistics=_SEGMENTS)


@_scan_quality(
    symbol=r"\mathrm{PQ}_{\mathrm{LiDAR}}",
    order=130,
    formula=r"\mathrm{PQ} = \frac{1}{|C|}\sum_{c\in C}\frac{\sum_{(t,h)\in TP_c}\mathrm{IoU}(t,h)}"
    r"{|TP_c|+\frac12|FP_c|+\frac12|FN_c|}",
    summary="Panoptic quality of point clouds: as PQ, but unmatched segments of few points do not count.",
    notes=_NOTES,
    examples=(
        Example(*_SCANS, (2 / 3 + 3 / 5) / 2, {"min_points": 1}),
        Example(*_SCANS, (2 / 3 + 3 / 5) / 4, {"min_points": 1, "n_classes": 4}),
    ),
)
def lidar_pq(sums: Sums) -> Quotient:
    return _where_points(sums, panoptic_qualities(sums))


@_scan_quality(
    symbol=r"\mathrm{SQ}_{\mathrm{LiDAR}}",
    formula=r"\mathrm{SQ} = \frac{1}{|C|}\sum_{c\in C}\frac{1}{|TP_c|}\sum_{(t,h)\in TP_c}\mathrm{IoU}(t,h)",
    summary="Segmentation quality of point clouds: the mean IoU of matched segments, averaged over classes.",
    notes=_NOTES + "0 for a class without a match, as in the scripts.",
    examples=(Example(*_SCANS, (2 / 3 + 3 / 5) / 2), Example(_SCANS[0], _SCANS[0], 1)),
)
def lidar_sq(sums: Sums) -> Quotient:
    return _where_points(sums, _ratio_or_0(sums["iou"], sums["matches"]))


@_scan_quality(
    symbol=r"\mathrm{RQ}_{\mathrm{LiDAR}}",
    formula=r"\mathrm{RQ} = \frac{1}{|C|}\sum_{c\in C}\frac{|TP_c|}{|TP_c|+\frac12|FP_c|+\frac12|FN_c|}",
    summary="Recognition quality of point clouds: as RQ, but unmatched segments of few points do not count.",
    notes=_NOTES,
    examples=(Example(*_SCANS, 1), Example(_SCANS[0], LabelArray([0] * 8, classes={}), 0, {"min_points": 1})),
)
def lidar_rq(sums: Sums) -> Quotient:
    return _where_points(sums, _ratio_or_0(sums["matches"], _half_sums(sums)))


@_scan_quality(
    symbol=r"\mathrm{PQ}^\dagger_{\mathrm{LiDAR}}",
    formula=r"\mathrm{PQ}^\dagger = \frac{1}{|C|}\sum_{c\in C}\begin{cases}\mathrm{IoU}_c & c\ \text{stuff}\\ "
    r"\mathrm{PQ}_c & c\ \text{thing}\end{cases}",
    summary="PQ† of point clouds: stuff classes are scored by the IoU of all their points in the data set.",
    notes=_NOTES + "pq_dagger is another number: the IoUs of a stuff class over its segments, as published for images.",
    examples=(Example(*_SCANS, (2 / 3 + 3 / 5) / 2, {"stuff": ["road"]}), Example(_SCANS[0], _SCANS[0], 1)),
)
def lidar_pq_dagger(sums: Sums, *, stuff: Collection[Hashable] | None = None) -> Quotient:
    return _where_points(sums, np.where(sums.marked(stuff or ()), class_ious(sums), panoptic_qualities(sums)))
