r"""MOTSA and sMOTSA, the CLEAR MOT scores of masks [voigtlaender2019mots], and IDF1 [ristani2016performance]."""

from __future__ import annotations

from typing import Any

from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.higher_order_tracking import NO_TRACKS, TRACKS
from segmetry.metrics.video.video_panoptic_quality import STEADY, SWAPPED
from segmetry.segmentation.labels import LabelArray

NO_TRUE = "no true tracks"
_NOTES = (
    "Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. Detections "
    "match at an IoU of at least 1/2, those that were matched in the frame before first; a true track that is matched "
    "to another predicted track than at its last match is an identity switch. An unmatched detection that lies to "
    "more than half on void of the truth (an ignore region) is removed. Over a data set counts are summed over videos. "
)


_HALF = LabelArray([[[1, 1, 1, 0]]] * 2), LabelArray([[[1, 1, 0, 2]]] * 2)


def _penalty(sums: Sums) -> Any:
    """Spurious detections and identity switches."""
    return sums["pred"] - sums["matches"] + sums["switches"]


@metric(
    symbol=r"\mathrm{sMOTSA}",
    order=100,
    formula=r"\mathrm{sMOTSA} = \frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h) - |FP| - |IDS|}{|T|}",
    summary="Soft multi-object tracking and segmentation accuracy: the IoUs of matched detections minus spurious ones "
    "and identity switches, per true detection.",
    citation="voigtlaender2019mots",
    bounds=(-float("inf"), 1),
    is_rate=True,
    kinds=("labels",),
    notes=_NOTES + "Negative where there is more that is spurious than matched. Undefined without a true detection, "
    "where TrackEval divides by 1.",
    examples=(
        Example(*_HALF, (2 / 3 - 1)),
        Example(STEADY, SWAPPED, (8 - 2) / 8),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def smotsa(sums: Sums) -> Quotient:
    return Quotient(sums["iou"] - _penalty(sums), sums["true"], NO_TRUE)


@metric(
    symbol=r"\mathrm{MOTSA}",
    formula=r"\mathrm{MOTSA} = \frac{|TP| - |FP| - |IDS|}{|T|}",
    summary="Multi-object tracking and segmentation accuracy: matched detections minus spurious ones and identity "
    "switches, per true detection.",
    citation="voigtlaender2019mots",
    bounds=(-float("inf"), 1),
    is_rate=True,
    kinds=("labels",),
    notes=_NOTES + "Negative where there is more that is spurious than matched. Undefined without a true detection, "
    "where TrackEval divides by 1.",
    examples=(
        Example(*_HALF, 0),
        Example(STEADY, SWAPPED, (8 - 2) / 8),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def motsa(sums: Sums) -> Quotient:
    return Quotient(sums["matches"] - _penalty(sums), sums["true"], NO_TRUE)


@metric(
    symbol=r"\mathrm{IDF1}",
    aliases=("identity_f1",),
    formula=r"\mathrm{IDF1} = \frac{2\,IDTP}{|T|+|H|}",
    summary="Identity F1: detections whose tracks are matched to each other over the whole video, over the detections "
    "of both sides.",
    citation="ristani2016performance",
    kinds=("labels",),
    notes="Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. Tracks "
    "are matched one-to-one for a whole video so that the number of frames in which they overlap by an IoU of at "
    "least 1/2 is largest. An unmatched detection that lies to more than half on void of the truth is removed. "
    "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(
        Example(STEADY, SWAPPED, 1 / 2),
        Example(*_HALF, 2 * 2 / (2 + 4)),
    ),
    dimensions=(3, 4),
    ties_by_id=True,
    statistics=TRACKS,
)
def idf1(sums: Sums) -> Quotient:
    return Quotient(2 * sums["identity"], sums["true"] + sums["pred"], NO_TRACKS)
