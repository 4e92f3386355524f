r"""LSTQ, PAT, and what they need of LiDAR scans: how well points and scans of true tracks are associated.

A true track is a thing over the scans in which it has more than ``min_points`` points; points that are void in the
truth are removed.

Association [aygun2021panoptic]: Σ (shared/|t|) · IoU over predicted things, as in STQ, where the size of a prediction
counts only scans in which it has more than ``min_points`` points.

Tracking quality [fong2022panoptic]: in each scan of a track the prediction of IoU > 1/2 is noted, whatever its class.
With n scans, c_p of them with prediction p, and f_p further scans in which p has more than ``min_points`` points,
TQ = √(Σ_p c_p² / (n + f_p) / n · (1 − switches/(n − 1))); a scan after one without a prediction is a switch.

LSTQ [aygun2021panoptic] and PAT [fong2022panoptic]: panoptic tracking of point clouds, as in nuScenes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from segmetry._base.exact import Column, FloatArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.lidar_panoptic import class_ious, panoptic_qualities, scan_segments, scan_tables
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray


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
        pred_things = self._are_things(table, table.pred.class_codes.tolist())
        for number, size, thing in zip(pred_ids, sizes, pred_things, strict=True):
            if size > self.min_points:
                self.scans_of_pred[number] += 1
                if thing:
                    self.pred_sizes[number] += size
        true_sizes = table.true.sizes.tolist()
        tracked = [
            thing and size > self.min_points
            for thing, size in zip(self._are_things(table, table.true.class_codes.tolist()), true_sizes, strict=True)
        ]
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
    notes=_NOTES + "Association is over points, and predictions of any thing class count.",
    examples=(Example(_CAR, _CAR, 1), Example(_CAR, _SWITCH, math.sqrt((16 / 6 + 4 / 6) / 6))),
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
    notes=_NOTES + "TQ is over scans: in each the prediction of IoU > 1/2 is noted whatever its class. Details give PQ "
    "and TQ.",
    examples=(Example(_CAR, _CAR, 1), Example(_CAR, _SWITCH, 2 * math.sqrt(5 / 18) / (1 + math.sqrt(5 / 18)))),
    dimensions=(2, 3),
    statistics=_tracks("pq", "tq"),
)
def pat(sums: Sums, *, n_classes: int | None = None) -> Quotient:
    pq, tq = _means(sums, panoptic_qualities(sums), "tracking", n_classes)
    return Quotient(Quotient(2 * pq * tq, pq + tq).values, reason=NO_TRACKS, along=np.stack((pq, tq), axis=-1))
