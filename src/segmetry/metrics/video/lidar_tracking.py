r"""LSTQ [aygun2021panoptic] and PAT [fong2022panoptic]: panoptic tracking of point clouds, as in nuScenes."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.class_sums import ColumnSums, ratio_or, sums_by_class
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.lidar_panoptic import scan_segments, scan_tables
from segmetry.metrics.video.scene_tracks import SceneTracks
from segmetry.segmentation.labels import LabelArray

NO_TRACKS = "no true track with enough points"


def scene_segments(
    true: LabelArray, pred: LabelArray, *, min_points: int = 0, things: Collection[Hashable] | None = None
) -> dict[str, Column]:
    """Collect the segments and points of each class, and the association and tracking quality of every true track."""
    tracks = SceneTracks(things, min_points)
    for table in scan_tables(true, pred):
        tracks.add(table)
    return {
        **scan_segments(true, pred, min_points=max(min_points, 1)),
        "association": np.array(tracks.associations(), dtype=np.float64),
        "tracking": np.array(tracks.tracking_qualities(), dtype=np.float64),
    }


def _class_sums(collected: Collected, times: IntArray) -> ColumnSums:
    names = [name for name in collected.columns if name not in ("association", "tracking")]
    classes = Collected(
        {name: collected.columns[name] for name in names},
        {name: collected.starts[name] for name in names},
        collected.labels,
        collected.times,
        collected.memo,
    )
    return sums_by_class(classes, times)


def _mean_over_classes(sums: ColumnSums, values: FloatArray, n_classes: int | None) -> FloatArray:
    occurs = (sums["true"] + sums["pred"] > 0).sum(axis=0)
    return ratio_or(values.sum(axis=0), np.maximum(occurs, n_classes or 0), math.nan)


def _mean_over_tracks(collected: Collected, times: IntArray, name: str) -> FloatArray:
    weights = times[collected.item_of(name)]
    return ratio_or(collected.columns[name] @ weights, weights.sum(axis=0), math.nan)


def _parts(collected: Collected, times: IntArray, key: str, n_classes: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the quality of classes and that of tracks, for every sample."""
    sums = _class_sums(collected, times)
    if key == "lstq":
        ious = ratio_or(sums["shared"], sums["true"] + sums["pred"] - sums["shared"], 0)
        return _mean_over_classes(sums, ious, n_classes), _mean_over_tracks(collected, times, "association")
    halves = sums["matches"] + 0.5 * sums["spurious"] + 0.5 * sums["missed"]
    qualities = ratio_or(sums["iou"], halves, 0)
    return _mean_over_classes(sums, qualities, n_classes), _mean_over_tracks(collected, times, "tracking")


def _joined(key: str, classes: FloatArray, tracks: FloatArray) -> FloatArray:
    if key == "lstq":
        return np.sqrt(classes * tracks)
    return ratio_or(2 * classes * tracks, classes + tracks, math.nan)


_DETAILS = {"lstq": ("classification", "association"), "pat": ("pq", "tq")}


def _accumulator(key: str) -> Accumulator:
    def combine(collected: Collected, *, n_classes: int | None = None) -> Combined:
        parts = _parts(collected, collected.times[:, None], key, n_classes)
        value = float(_joined(key, *parts)[0])
        details = {
            name: float(part[0]) for name, part in zip(_DETAILS[key], parts, strict=True) if not math.isnan(part[0])
        }
        if math.isnan(value):
            return Combined(Score.undefined(key, NO_TRACKS, **details))
        return Combined(Score.number(key, value, **details))

    def resampled(collected: Collected, times: IntArray, *, n_classes: int | None = None) -> FloatArray:
        return _joined(key, *_parts(collected, times, key, n_classes))

    return Accumulator(scene_segments, combine, classes_by_item=False, group_options=("things",), resampled=resampled)


_LSTQ, _PAT = _accumulator("lstq"), _accumulator("pat")
_CAR = LabelArray([[1, 1, 0, 0]] * 3)
_SWITCH = LabelArray([[5, 5, 0, 0], [5, 5, 0, 0], [6, 6, 0, 0]])
_NOTES = (
    "The first axis are scans, the others points; scans of fewer points are filled with points that are void in the "
    "truth. Labels are tracks, things= names the classes that are tracked (all by default). A true track counts in "
    "scans in which it has more than min_points points, as in the devkit, while an unmatched segment of PQ counts from "
    "min_points on (15 in nuScenes). n_classes is the number of classes of the benchmark, of which those that occur "
    "nowhere count 0. Undefined without a true track. "
)


@metric(
    symbol=r"\mathrm{LSTQ}",
    family="video",
    order=170,
    needs="inputs",
    formula=r"\mathrm{LSTQ} = \sqrt{S_{\mathrm{cls}}\cdot S_{\mathrm{assoc}}},\quad S_{\mathrm{assoc}} = "
    r"\frac{1}{|T|}\sum_{t\in T}\frac{1}{|t|}\sum_{h\in H}|t\cap h|\cdot\mathrm{IoU}(t,h)",
    summary="LiDAR segmentation and tracking quality: the geometric mean of the mean IoU of classes and the "
    "association of the points of true tracks.",
    citation="aygun2021panoptic",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=_NOTES + "Association is over points, and predictions of any thing class count.",
    examples=(
        Example(_CAR, _CAR, 1),
        Example(_CAR, _SWITCH, math.sqrt((16 / 6 + 4 / 6) / 6)),
    ),
    dimensions=(2, 3),
    accumulator=_LSTQ,
)
def lstq(
    true: LabelArray,
    pred: LabelArray,
    *,
    min_points: int = 0,
    n_classes: int | None = None,
    things: Collection[Hashable] | None = None,
) -> Score:
    return _LSTQ.score(true, pred, min_points=min_points, n_classes=n_classes, things=things)


@metric(
    symbol=r"\mathrm{PAT}",
    family="video",
    order=180,
    aliases=("panoptic_tracking",),
    needs="inputs",
    formula=r"\mathrm{PAT} = \frac{2\,\mathrm{PQ}\cdot\mathrm{TQ}}{\mathrm{PQ}+\mathrm{TQ}},\quad \mathrm{TQ} = "
    r"\frac{1}{|T|}\sum_{t\in T}\sqrt{\mathrm{AQ}_t\left(1-\frac{\mathrm{IDS}_t}{n_t-1}\right)}",
    summary="Panoptic tracking: the harmonic mean of the panoptic quality of scans and the tracking quality of true "
    "tracks.",
    citation="fong2022panoptic",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=_NOTES + "TQ is over scans: in each the prediction of IoU > 1/2 is noted whatever its class. Details give PQ "
    "and TQ.",
    examples=(
        Example(_CAR, _CAR, 1),
        Example(_CAR, _SWITCH, 2 * math.sqrt(5 / 18) / (1 + math.sqrt(5 / 18))),
    ),
    dimensions=(2, 3),
    accumulator=_PAT,
)
def pat(
    true: LabelArray,
    pred: LabelArray,
    *,
    min_points: int = 0,
    n_classes: int | None = None,
    things: Collection[Hashable] | None = None,
) -> Score:
    return _PAT.score(true, pred, min_points=min_points, n_classes=n_classes, things=things)
