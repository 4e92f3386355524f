r"""HOTA and its parts: detection, association and localization accuracy of tracks [luiten2021hota]."""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.class_sums import ColumnSums, ratio_or
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.track_scores import track_accumulator
from segmetry.metrics.video.video_panoptic_quality import STEADY, SWAPPED
from segmetry.segmentation.labels import LabelArray

NOTES = (
    "Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. In every frame "
    "detections are matched one-to-one so that the sum of track alignment times IoU is largest, as in TrackEval; exact "
    "ties go to the smaller labels and are counted in the details. An unmatched detection that lies to more than half "
    "on void of the truth (an ignore region) is removed. Thresholds are 0.05, 0.10, …, 0.95, and an IoU equal to one "
    "reaches it. Over a data set counts and associations are added up over videos before the formula is taken. "
)


def _detection(sums: ColumnSums) -> FloatArray:
    """TP / (TP + FN + FP) at every threshold."""
    either = (sums["true"] + sums["pred"])[..., None] - sums["hits"]
    return ratio_or(sums["hits"], either, np.nan)


def _association(sums: ColumnSums) -> FloatArray:
    """The mean association of the matched detections, 0 without any."""
    return sums["association"] / np.maximum(1, sums["hits"])


def _localization(sums: ColumnSums) -> FloatArray:
    """The mean IoU of the matched detections, 1 without any, as in TrackEval."""
    nothing = sums["hits"] == 0
    return np.where(nothing, 1.0, sums["localization"] / np.where(nothing, 1, sums["hits"]))


def _where_tracks(sums: ColumnSums, values: FloatArray) -> FloatArray:
    return np.where(sums["true"] + sums["pred"] > 0, values.mean(axis=-1), np.nan)


_HOTA = track_accumulator("hota", lambda sums: _where_tracks(sums, np.sqrt(_detection(sums) * _association(sums))))
_DETA = track_accumulator("deta", lambda sums: _where_tracks(sums, _detection(sums)))
_ASSA = track_accumulator("assa", lambda sums: _where_tracks(sums, _association(sums)))
_LOCA = track_accumulator("loca", lambda sums: _where_tracks(sums, _localization(sums)))


@metric(
    symbol=r"\mathrm{HOTA}",
    family="video",
    order=60,
    aliases=("higher_order_tracking_accuracy",),
    needs="inputs",
    formula=r"\mathrm{HOTA} = \frac{1}{19}\sum_{\alpha}\sqrt{\mathrm{DetA}_\alpha\cdot\mathrm{AssA}_\alpha}",
    summary="Higher order tracking accuracy: the geometric mean of how well objects are detected and how well "
    "detections are associated to tracks, averaged over IoU thresholds.",
    citation="luiten2021hota",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(
        Example(STEADY, STEADY, 1),
        Example(STEADY, SWAPPED, np.sqrt(1 / 3)),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    accumulator=_HOTA,
)
def hota(true: LabelArray, pred: LabelArray) -> Score:
    return _HOTA.score(true, pred)


@metric(
    symbol=r"\mathrm{DetA}",
    family="video",
    order=70,
    aliases=("detection_accuracy",),
    needs="inputs",
    formula=r"\mathrm{DetA} = \frac{1}{19}\sum_{\alpha}\frac{|TP_\alpha|}{|TP_\alpha|+|FN_\alpha|+|FP_\alpha|}",
    summary="Detection accuracy of HOTA: matched detections over all detections, averaged over IoU thresholds.",
    citation="luiten2021hota",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(
        Example(STEADY, SWAPPED, 1),
        Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), 10 / 19),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    accumulator=_DETA,
)
def deta(true: LabelArray, pred: LabelArray) -> Score:
    return _DETA.score(true, pred)


@metric(
    symbol=r"\mathrm{AssA}",
    family="video",
    order=80,
    aliases=("association_accuracy",),
    needs="inputs",
    formula=r"\mathrm{AssA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{c\in TP_\alpha}"
    r"\frac{|TPA(c)|}{|TPA(c)|+|FNA(c)|+|FPA(c)|}",
    summary="Association accuracy of HOTA: how much of the two tracks of a matched detection is matched to each other, "
    "averaged over detections and IoU thresholds.",
    citation="luiten2021hota",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=NOTES + "0 at thresholds without a match, as in TrackEval.",
    examples=(
        Example(STEADY, SWAPPED, 1 / 3),
        Example(STEADY, STEADY, 1),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    accumulator=_ASSA,
)
def assa(true: LabelArray, pred: LabelArray) -> Score:
    return _ASSA.score(true, pred)


@metric(
    symbol=r"\mathrm{LocA}",
    family="video",
    order=90,
    aliases=("localization_accuracy",),
    needs="inputs",
    formula=r"\mathrm{LocA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{(t,h)\in TP_\alpha}\mathrm{IoU}(t,h)",
    summary="Localization accuracy of HOTA: the mean IoU of matched detections, averaged over IoU thresholds.",
    citation="luiten2021hota",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=NOTES + "1 at thresholds without a match, as in TrackEval.",
    examples=(
        Example(STEADY, STEADY, 1),
        Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), (10 / 2 + 9) / 19),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    accumulator=_LOCA,
)
def loca(true: LabelArray, pred: LabelArray) -> Score:
    return _LOCA.score(true, pred)
