r"""HOTA and its parts: detection, association and localization accuracy of tracks [luiten2021hota]."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.track_matches import track_matches
from segmetry.metrics.video.video_panoptic_quality import STEADY, SWAPPED
from segmetry.segmentation.labels import LabelArray

NOTES = (
    "Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. In every frame "
    "detections are matched one-to-one so that the sum of track alignment times IoU is largest, as in TrackEval; exact "
    "ties go to the smaller labels and are counted in the details. An unmatched detection that lies to more than half "
    "on void of the truth (an ignore region) is removed. Thresholds are 0.05, 0.10, …, 0.95, and an IoU equal to one "
    "reaches it. Over a data set counts and associations are added up over videos before the formula is taken. "
)


NO_TRACKS = "no tracks"


def _ties(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, int]:
    return {"ties": int(sums["ties"].sum())}


TRACKS = Aggregation(track_matches, describe=_ties)
"""Sums over videos by class, a formula for each class, then the mean over classes."""


def _detection(sums: Sums) -> FloatArray:
    """TP / (TP + FN + FP) at every threshold."""
    return Quotient(sums["hits"], (sums["true"] + sums["pred"])[..., None] - sums["hits"]).values


def _association(sums: Sums) -> FloatArray:
    """The mean association of the matched detections, 0 without any."""
    return Quotient(sums["association"], np.maximum(1, sums["hits"])).values


def _localization(sums: Sums) -> FloatArray:
    """The mean IoU of the matched detections, 1 without any, as in TrackEval."""
    means = Quotient(sums["localization"], sums["hits"]).values
    return np.where(np.isnan(means), 1.0, means)


def _mean_over_thresholds(sums: Sums, values: FloatArray) -> Quotient:
    has_tracks = sums["true"] + sums["pred"] > 0
    return Quotient(np.where(has_tracks, values.mean(axis=-1), np.nan), reason=NO_TRACKS)


@metric(
    symbol=r"\mathrm{HOTA}",
    order=60,
    aliases=("higher_order_tracking_accuracy",),
    formula=r"\mathrm{HOTA} = \frac{1}{19}\sum_{\alpha}\sqrt{\mathrm{DetA}_\alpha\cdot\mathrm{AssA}_\alpha}",
    summary="Higher order tracking accuracy: the geometric mean of how well objects are detected and how well "
    "detections are associated to tracks, averaged over IoU thresholds.",
    citation="luiten2021hota",
    kinds=("labels",),
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(
        Example(STEADY, STEADY, 1),
        Example(STEADY, SWAPPED, np.sqrt(1 / 3)),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def hota(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, np.sqrt(_detection(sums) * _association(sums)))


@metric(
    symbol=r"\mathrm{DetA}",
    aliases=("detection_accuracy",),
    formula=r"\mathrm{DetA} = \frac{1}{19}\sum_{\alpha}\frac{|TP_\alpha|}{|TP_\alpha|+|FN_\alpha|+|FP_\alpha|}",
    summary="Detection accuracy of HOTA: matched detections over all detections, averaged over IoU thresholds.",
    citation="luiten2021hota",
    kinds=("labels",),
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(
        Example(STEADY, SWAPPED, 1),
        Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), 10 / 19),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def deta(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _detection(sums))


@metric(
    symbol=r"\mathrm{AssA}",
    aliases=("association_accuracy",),
    formula=r"\mathrm{AssA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{c\in TP_\alpha}"
    r"\frac{|TPA(c)|}{|TPA(c)|+|FNA(c)|+|FPA(c)|}",
    summary="Association accuracy of HOTA: how much of the two tracks of a matched detection is matched to each other, "
    "averaged over detections and IoU thresholds.",
    citation="luiten2021hota",
    kinds=("labels",),
    notes=NOTES + "0 at thresholds without a match, as in TrackEval.",
    examples=(
        Example(STEADY, SWAPPED, 1 / 3),
        Example(STEADY, STEADY, 1),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def assa(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _association(sums))


@metric(
    symbol=r"\mathrm{LocA}",
    aliases=("localization_accuracy",),
    formula=r"\mathrm{LocA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{(t,h)\in TP_\alpha}\mathrm{IoU}(t,h)",
    summary="Localization accuracy of HOTA: the mean IoU of matched detections, averaged over IoU thresholds.",
    citation="luiten2021hota",
    kinds=("labels",),
    notes=NOTES + "1 at thresholds without a match, as in TrackEval.",
    examples=(
        Example(STEADY, STEADY, 1),
        Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), (10 / 2 + 9) / 19),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def loca(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _localization(sums))
