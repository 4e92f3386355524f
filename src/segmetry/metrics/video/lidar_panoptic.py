r"""Panoptic quality and tracking of point clouds, as SemanticKITTI and Panoptic nuScenes define them.

PQ, SQ, RQ [behley2021panoptic]: points that are void in the truth are removed. Segments of a class match at IoU > 1/2
within a scan; an unmatched one counts only if it has ``min_points`` points. PQ, SQ and RQ of a class follow from its
counts over the data set, then the mean over classes. PQ† takes the IoU of the class over all points in place of the PQ
of stuff.

LSTQ and PAT: a true track is a thing over the scans in which it has more than ``min_points`` points.

Association [aygun2021panoptic]: Σ (shared/|t|) · IoU over predicted things, as in STQ, where the size of a prediction
counts only scans in which it has more than ``min_points`` points.

Tracking quality [fong2022panoptic]: in each scan of a track the prediction of IoU > 1/2 is noted, whatever its class.
With n scans, c_p of them with prediction p, and f_p further scans in which p has more than ``min_points`` points,
TQ = √(Σ_p c_p² / (n + f_p) / n · (1 − switches/(n − 1))); a scan after one without a prediction is a switch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from segmetry._base import Column, FloatArray, IntArray, sum_by
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.video_panoptic_quality import ANY, tables_along_time
from segmetry.overlaps import OverlapTable, count_overlaps
from segmetry.segmentation import LabelArray, SegmentationPair

NO_SEGMENTS = "no segments"
_COUNTS = ("matches", "iou", "missed", "spurious", "shared", "true", "pred")


def scan_tables(true: LabelArray, pred: LabelArray) -> list[OverlapTable]:
    """Return the overlap table of every scan: an array of one axis is one, else the first axis are scans."""
    if true.axes == 1:
        return [count_overlaps(SegmentationPair(true, pred))]
    return tables_along_time(true, pred)


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


class SceneTracks:
    """The tracks of one sequence, scan by scan."""

    def __init__(self, things: Collection[Hashable] | None, min_points: int) -> None:
        self.things, self.min_points = things, min_points
        self.sizes: Counter[int] = Counter()
        self.pred_sizes: Counter[int] = Counter()
        self.shared: Counter[tuple[int, int]] = Counter()
        self.scans_of_pred: Counter[int] = Counter()
        self.matches: dict[int, list[int | None]] = {}

    def add(self, table: OverlapTable) -> None:
        """Add a scan."""
        sizes = (table.pred.sizes - table.pred.void).tolist()
        pred_ids, true_ids = table.pred.ids.tolist(), table.true.ids.tolist()
        pred_things, true_things = (
            self._are_things(table, side.class_codes.tolist()) for side in (table.pred, table.true)
        )
        for number, size, thing in zip(pred_ids, sizes, pred_things, strict=True):
            # The devkit of nuScenes compares with > here, and with ≥ for the unmatched segments of PQ.
            if size > self.min_points:
                self.scans_of_pred[number] += 1
                if thing:
                    self.pred_sizes[number] += size
        true_sizes = table.true.sizes.tolist()
        tracked = [thing and size > self.min_points for thing, size in zip(true_things, true_sizes, strict=True)]
        matched: dict[int, int | None] = {}
        for at, number in enumerate(true_ids):
            if tracked[at]:
                self.sizes[number] += true_sizes[at]
                matched[number] = None
        rows = zip(table.row_true.tolist(), table.row_pred.tolist(), table.shared.tolist(), strict=True)
        for at_true, at_pred, shared in rows:
            if tracked[at_true]:
                self.shared[true_ids[at_true], pred_ids[at_pred]] += shared
                if 2 * shared > true_sizes[at_true] + sizes[at_pred] - shared:
                    matched[true_ids[at_true]] = pred_ids[at_pred]
        for number, partner in matched.items():
            self.matches.setdefault(number, []).append(partner)

    def _are_things(self, table: OverlapTable, codes: list[int]) -> list[bool]:
        if self.things is None or table.class_names is None:
            return [True] * len(codes)
        return [table.class_names[code] in self.things for code in codes]

    def associations(self) -> list[float]:
        """Return the association of every true track."""
        totals = dict.fromkeys(self.sizes, 0.0)
        for (true, pred), shared in self.shared.items():
            if pred in self.pred_sizes:
                totals[true] += shared * shared / (self.sizes[true] + self.pred_sizes[pred] - shared)
        return [total / self.sizes[number] for number, total in totals.items()]

    def tracking_qualities(self) -> list[float]:
        """Return the tracking quality of every true track."""
        return [self._tracking_quality(partners) for partners in self.matches.values()]

    def _tracking_quality(self, partners: Sequence[int | None]) -> float:
        length = len(partners)
        counts: Counter[Any] = Counter(partner for partner in partners if partner is not None)
        association = sum(
            count * count / (length + (self.scans_of_pred[number] - count if number in self.scans_of_pred else 0))
            for number, count in counts.items()
        )
        switches = sum(later != earlier or earlier is None for earlier, later in pairwise(partners))
        steady = 1 - switches / (length - 1) if length > 1 else 1.0
        return math.sqrt(association / length * steady)


NO_TRACKS = "no true track with enough points"


def scene_segments(
    true: LabelArray, pred: LabelArray, *, min_points: int = 0, things: Collection[Hashable] | None = None
) -> dict[str, Column]:
    """Collect the segments and points of each class, and the association and tracking quality of every true track."""
    tracks = SceneTracks(things, min_points)
    for table in scan_tables(true, pred):
        tracks.add(table)
    associations = tracks.associations()
    return {
        **scan_segments(true, pred, min_points=max(min_points, 1)),
        "association": np.array(associations, dtype=np.float64),
        "tracks": np.array([len(associations)]),
        "tracking": np.array(tracks.tracking_qualities(), dtype=np.float64),
    }


def _class_and_track_means(
    sums: Sums, qualities: FloatArray, of_tracks: str, n_classes: int | None
) -> tuple[FloatArray, FloatArray]:
    occurs = (sums["true"] + sums["pred"] > 0).sum(axis=0, keepdims=True)
    of_classes = Quotient(qualities.sum(axis=0, keepdims=True), np.maximum(occurs, n_classes or 0)).values
    return of_classes, Quotient(sums[of_tracks], sums["tracks"]).values


def _track_aggregation(*parts: str) -> Aggregation:
    def describe(quotient: Quotient, _sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
        values = dict(zip(parts, quotient.along[0, 0].tolist(), strict=True))
        return {name: value for name, value in values.items() if not math.isnan(value)}

    return Aggregation(
        scene_segments,
        of_items=("association", "tracking", "tracks"),
        across_classes=True,
        describe=describe,
        group_options=("things",),
    )


_CAR = LabelArray([[1, 1, 0, 0]] * 3)
_SWITCH = LabelArray([[5, 5, 0, 0], [5, 5, 0, 0], [6, 6, 0, 0]])
_TRACK_NOTES = (
    "The first axis are scans, the others points; scans of fewer points are filled with points that are void in the "
    "truth. Labels are tracks, things= names the classes that are tracked (all by default). A true track counts in "
    "scans in which it has more than min_points points, as in the devkit, while an unmatched segment of PQ counts from "
    "min_points on (15 in nuScenes). n_classes is the number of classes of the benchmark, of which those that occur "
    "nowhere count 0. Undefined without a true track. "
)


@metric(
    order=170,
    formula=r"\mathrm{LSTQ} = \sqrt{S_{\mathrm{cls}}\cdot S_{\mathrm{assoc}}},\quad S_{\mathrm{assoc}} = "
    r"\frac{1}{|T|}\sum_{t\in T}\frac{1}{|t|}\sum_{h\in H}|t\cap h|\cdot\mathrm{IoU}(t,h)",
    summary="LiDAR segmentation and tracking quality: the geometric mean of the mean IoU of classes and the "
    "association of the points of true tracks.",
    citation="aygun2021panoptic",
    notes=_TRACK_NOTES + "Association is over points, and predictions of any thing class count.",
    examples=(Example(_CAR, _CAR, 1), Example(_CAR, _SWITCH, math.sqrt((16 / 6 + 4 / 6) / 6))),
    dimensions=(2, 3),
    statistics=_track_aggregation("classification", "association"),
)
def lstq(sums: Sums, *, n_classes: int | None = None) -> Quotient:
    classes, tracks = _class_and_track_means(sums, class_ious(sums), "association", n_classes)
    return Quotient(np.sqrt(classes * tracks), reason=NO_TRACKS, along=np.stack((classes, tracks), axis=-1))


@metric(
    aliases=("panoptic_tracking",),
    formula=r"\mathrm{PAT} = \frac{2\,\mathrm{PQ}\cdot\mathrm{TQ}}{\mathrm{PQ}+\mathrm{TQ}},\quad \mathrm{TQ} = "
    r"\frac{1}{|T|}\sum_{t\in T}\sqrt{\mathrm{AQ}_t\left(1-\frac{\mathrm{IDS}_t}{n_t-1}\right)}",
    summary="Panoptic tracking: the harmonic mean of the panoptic quality of scans and the tracking quality of true "
    "tracks.",
    citation="fong2022panoptic",
    notes=_TRACK_NOTES
    + "TQ is over scans: in each the prediction of IoU > 1/2 is noted whatever its class. Details give PQ "
    "and TQ.",
    examples=(Example(_CAR, _CAR, 1), Example(_CAR, _SWITCH, 2 * math.sqrt(5 / 18) / (1 + math.sqrt(5 / 18)))),
    dimensions=(2, 3),
    statistics=_track_aggregation("pq", "tq"),
)
def pat(sums: Sums, *, n_classes: int | None = None) -> Quotient:
    pq, tq = _class_and_track_means(sums, panoptic_qualities(sums), "tracking", n_classes)
    return Quotient(Quotient(2 * pq * tq, pq + tq).values, reason=NO_TRACKS, along=np.stack((pq, tq), axis=-1))
