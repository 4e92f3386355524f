r"""LSTQ [aygun2021panoptic] and PAT [fong2022panoptic]: panoptic tracking of point clouds, as in nuScenes."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.video.lidar_panoptic import class_ious, panoptic_qualities, scan_segments, scan_tables
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
    associations = tracks.associations()
    return {
        **scan_segments(true, pred, min_points=max(min_points, 1)),
        "association": np.array(associations, dtype=np.float64),
        "tracks": np.array([len(associations)]),
        "tracking": np.array(tracks.tracking_qualities(), dtype=np.float64),
    }


def _means(sums: Sums, qualities: FloatArray, of_tracks: str, n_classes: int | None) -> tuple[FloatArray, FloatArray]:
    """Return the mean quality of classes and that of tracks, for every sample."""
    occurs = (sums["true"] + sums["pred"] > 0).sum(axis=0, keepdims=True)
    of_classes = Quotient(qualities.sum(axis=0, keepdims=True), np.maximum(occurs, n_classes or 0)).values
    return of_classes, Quotient(sums[of_tracks], sums["tracks"]).values


def _tracks(*parts: str) -> Aggregation:
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
_NOTES = (
    "The first axis are scans, the others points; scans of fewer points are filled with points that are void in the "
    "truth. Labels are tracks, things= names the classes that are tracked (all by default). A true track counts in "
    "scans in which it has more than min_points points, as in the devkit, while an unmatched segment of PQ counts from "
    "min_points on (15 in nuScenes). n_classes is the number of classes of the benchmark, of which those that occur "
    "nowhere count 0. Undefined without a true track. "
)


@metric(
    symbol=r"\mathrm{LSTQ}",
    order=170,
    formula=r"\mathrm{LSTQ} = \sqrt{S_{\mathrm{cls}}\cdot S_{\mathrm{assoc}}},\quad S_{\mathrm{assoc}} = "
    r"\frac{1}{|T|}\sum_{t\in T}\frac{1}{|t|}\sum_{h\in H}|t\cap h|\cdot\mathrm{IoU}(t,h)",
    summary="LiDAR segmentation and tracking quality: the geometric mean of the mean IoU of classes and the "
    "association of the points of true tracks.",
    citation="aygun2021panoptic",
    kinds=("labels",),
    notes=_NOTES + "Association is over points, and predictions of any thing class count.",
    examples=(
        Example(_CAR, _CAR, 1),
        Example(_CAR, _SWITCH, math.sqrt((16 / 6 + 4 / 6) / 6)),
    ),
    dimensions=(2, 3),
    statistics=_tracks("classification", "association"),
)
def lstq(sums: Sums, *, n_classes: int | None = None) -> Quotient:
    classes, tracks = _means(sums, class_ious(sums), "association", n_classes)
    return Quotient(np.sqrt(classes * tracks), reason=NO_TRACKS, along=np.stack((classes, tracks), axis=-1))


@metric(
    symbol=r"\mathrm{PAT}",
    aliases=("panoptic_tracking",),
    formula=r"\mathrm{PAT} = \frac{2\,\mathrm{PQ}\cdot\mathrm{TQ}}{\mathrm{PQ}+\mathrm{TQ}},\quad \mathrm{TQ} = "
    r"\frac{1}{|T|}\sum_{t\in T}\sqrt{\mathrm{AQ}_t\left(1-\frac{\mathrm{IDS}_t}{n_t-1}\right)}",
    summary="Panoptic tracking: the harmonic mean of the panoptic quality of scans and the tracking quality of true "
    "tracks.",
    citation="fong2022panoptic",
    kinds=("labels",),
    notes=_NOTES + "TQ is over scans: in each the prediction of IoU > 1/2 is noted whatever its class. Details give PQ "
    "and TQ.",
    examples=(
        Example(_CAR, _CAR, 1),
        Example(_CAR, _SWITCH, 2 * math.sqrt(5 / 18) / (1 + math.sqrt(5 / 18))),
    ),
    dimensions=(2, 3),
    statistics=_tracks("pq", "tq"),
)
def pat(sums: Sums, *, n_classes: int | None = None) -> Quotient:
    pq, tq = _means(sums, panoptic_qualities(sums), "tracking", n_classes)
    return Quotient(Quotient(2 * pq * tq, pq + tq).values, reason=NO_TRACKS, along=np.stack((pq, tq), axis=-1))
