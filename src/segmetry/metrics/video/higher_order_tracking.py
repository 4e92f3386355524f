r"""What HOTA, CLEAR MOT and IDF1 need of a video, class by class; all of it adds up over videos.

HOTA [luiten2021hota]: detections are matched in every frame so that Σ A(t, h)·IoU is largest, where A is the Jaccard
index of two tracks over all frames (each overlap counted as a share of all overlaps of its two detections). A matched
pair counts at every threshold α = 0.05, …, 0.95 that its IoU reaches. With n matches of a pair of tracks of lengths a
and b, each of them has the association n / (a + b − n).

CLEAR MOT, of masks [voigtlaender2019mots]: detections are matched at IoU ≥ 1/2, first those that were matched in the
frame before, then by IoU; a match of a true track to another predicted track than its last one is an identity switch.

IDF1 [ristani2016performance]: tracks are matched one-to-one so that the number of frames in which the two overlap by
IoU ≥ 1/2 is largest.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import Column, FloatArray, IndexArray, IntArray
from segmetry.kernels import HALF_LEVEL, FrameCells, best_assignment, match_tracks
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.tracks import LEVELS, ClassTracks, tracks_by_class, unique_keys
from segmetry.metrics.video.video_panoptic_quality import STEADY, SWAPPED
from segmetry.segmentation import LabelArray

ALPHAS = LEVELS - 1
"""The number of thresholds."""


def track_matches(true: LabelArray, pred: LabelArray) -> dict[str, Column]:
    """Collect the matches of a video: a row for every class, and a column for every threshold."""
    rows = {name: _class_row(of_class) for name, of_class in tracks_by_class(true, pred).items()}
    columns: dict[str, Column] = {"class": list(rows)}
    for name, width in _WIDTHS.items():
        values = [row[name] for row in rows.values()]
        kind = np.float64 if name in _SUMS_OF_RATIOS else np.int64
        columns[name] = np.array(values, dtype=kind).reshape(len(rows), *((width,) if width else ()))
    return columns


_WIDTHS = {
    "true": 0, "pred": 0, "hits": ALPHAS, "localization": ALPHAS, "association": ALPHAS, "matches": 0, "iou": 0,
    "switches": 0, "identity": 0, "ties": 0,
}  # fmt: skip
"""The columns: detections of both sides; by threshold matched detections, the sum of their IoUs, and of their
associations; CLEAR's matches, the sum of their IoUs, and identity switches; IDF1's matched detections; ties."""
_SUMS_OF_RATIOS = ("localization", "association", "iou")


def _class_row(tracks: ClassTracks) -> dict[str, FloatArray | IntArray | float | int]:
    matching = match_tracks(tracks.cells, tracks.n_true, tracks.n_pred)
    higher, clear = (cells[cells >= 0] for cells in (matching.higher, matching.clear))
    pair = _track_pairs(tracks)
    by_threshold = _higher_order(tracks, pair, higher)
    return {
        "true": len(tracks.cells.true_track),
        "pred": len(tracks.cells.pred_track),
        "hits": by_threshold.hits,
        "localization": by_threshold.localization,
        "association": by_threshold.association,
        "matches": clear.size,
        "iou": math.fsum(tracks.cells.iou[clear].tolist()),
        "switches": matching.switches,
        "identity": _identity_matches(tracks, pair),
        "ties": matching.higher_ties + matching.clear_ties,
    }


def _track_pairs(tracks: ClassTracks) -> IndexArray:
    """Return the pair of tracks of every cell, as one number."""
    cells: FrameCells = tracks.cells
    frame = np.repeat(np.arange(len(cells.cell_start) - 1), np.diff(cells.cell_start))
    true = cells.true_track[cells.true_start[frame] + cells.row]
    pairs: IndexArray = true * tracks.n_pred + cells.pred_track[cells.pred_start[frame] + cells.column]
    return pairs


class _HigherOrder(NamedTuple):
    hits: IntArray
    localization: FloatArray
    association: FloatArray


def _higher_order(tracks: ClassTracks, pair: IndexArray, matched: IndexArray) -> _HigherOrder:
    """Return matches, their IoUs and their associations at each threshold, from the level that each match reaches."""
    cells = tracks.cells
    level, iou = cells.level[matched], cells.iou[matched]
    localization = np.bincount(level, weights=iou, minlength=LEVELS + 1)[:0:-1].cumsum()[::-1]
    joint, at = unique_keys(pair[matched])
    counts = np.bincount(at * (LEVELS + 1) + level, minlength=joint.size * (LEVELS + 1)).reshape(-1, LEVELS + 1)
    n = counts[:, :0:-1].cumsum(axis=1)[:, ::-1][:, :ALPHAS]
    lengths = [
        np.bincount(track, minlength=count)
        for track, count in ((cells.true_track, tracks.n_true), (cells.pred_track, tracks.n_pred))
    ]
    both = lengths[0][joint // max(tracks.n_pred, 1)] + lengths[1][joint % max(tracks.n_pred, 1)]
    association = (n * (n / (both[:, None] - n))).sum(axis=0) if joint.size else np.zeros(ALPHAS)
    return _HigherOrder(n.sum(axis=0), localization[:ALPHAS], association)


def _identity_matches(tracks: ClassTracks, pair: IndexArray) -> int:
    """Return the largest number of frames in which tracks that are matched one-to-one overlap by IoU ≥ 1/2."""
    shape = tracks.n_true, tracks.n_pred
    together = np.bincount(pair[tracks.cells.level >= HALF_LEVEL], minlength=shape[0] * shape[1]).reshape(shape)
    return int(together[best_assignment(together)].sum())


NOTES = (
    "Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. In every frame "
    "detections are matched one-to-one so that the sum of track alignment times IoU is largest, as in TrackEval; exact "
    "ties go to the smaller labels and are counted in the details. An unmatched detection that lies to more than half "
    "on void of the truth (an ignore region) is removed. Thresholds are 0.05, 0.10, …, 0.95, and an IoU equal to one "
    "reaches it. Over a data set counts and associations are added up over videos before the formula is taken. "
)
NO_TRACKS = "no tracks"


def _tie_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, int]:
    return {"ties": int(sums["ties"].sum())}


TRACKS = Aggregation(track_matches, describe=_tie_details)
"""Sums over videos by class, a formula for each class, then the mean over classes."""


def _detection_accuracy(sums: Sums) -> FloatArray:
    """TP / (TP + FN + FP) at every threshold."""
    return Quotient(sums["hits"], (sums["true"] + sums["pred"])[..., None] - sums["hits"]).values


def _association_accuracy(sums: Sums) -> FloatArray:
    """The mean association of the matched detections, 0 without any."""
    return Quotient(sums["association"], np.maximum(1, sums["hits"])).values


def _localization_accuracy(sums: Sums) -> FloatArray:
    """The mean IoU of the matched detections, 1 without any, as in TrackEval."""
    means = Quotient(sums["localization"], sums["hits"]).values
    return np.where(np.isnan(means), 1.0, means)


def _mean_over_thresholds(sums: Sums, values: FloatArray) -> Quotient:
    has_tracks = sums["true"] + sums["pred"] > 0
    return Quotient(np.where(has_tracks, values.mean(axis=-1), np.nan), reason=NO_TRACKS)


_tracking_score = partial(metric, citation="luiten2021hota", dimensions=(3, 4), ties_by_id=True, statistics=TRACKS)


@_tracking_score(
    symbol=r"\mathrm{HOTA}",
    order=60,
    aliases=("higher_order_tracking_accuracy",),
    formula=r"\mathrm{HOTA} = \frac{1}{19}\sum_{\alpha}\sqrt{\mathrm{DetA}_\alpha\cdot\mathrm{AssA}_\alpha}",
    summary="Higher order tracking accuracy: the geometric mean of how well objects are detected and how well "
    "detections are associated to tracks, averaged over IoU thresholds.",
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(Example(STEADY, STEADY, 1), Example(STEADY, SWAPPED, np.sqrt(1 / 3))),
)
def hota(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, np.sqrt(_detection_accuracy(sums) * _association_accuracy(sums)))


@_tracking_score(
    symbol=r"\mathrm{DetA}",
    aliases=("detection_accuracy",),
    formula=r"\mathrm{DetA} = \frac{1}{19}\sum_{\alpha}\frac{|TP_\alpha|}{|TP_\alpha|+|FN_\alpha|+|FP_\alpha|}",
    summary="Detection accuracy of HOTA: matched detections over all detections, averaged over IoU thresholds.",
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(Example(STEADY, SWAPPED, 1), Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), 10 / 19)),
)
def deta(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _detection_accuracy(sums))


@_tracking_score(
    symbol=r"\mathrm{AssA}",
    aliases=("association_accuracy",),
    formula=r"\mathrm{AssA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{c\in TP_\alpha}"
    r"\frac{|TPA(c)|}{|TPA(c)|+|FNA(c)|+|FPA(c)|}",
    summary="Association accuracy of HOTA: how much of the two tracks of a matched detection is matched to each other, "
    "averaged over detections and IoU thresholds.",
    notes=NOTES + "0 at thresholds without a match, as in TrackEval.",
    examples=(Example(STEADY, SWAPPED, 1 / 3), Example(STEADY, STEADY, 1)),
)
def assa(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _association_accuracy(sums))


@_tracking_score(
    symbol=r"\mathrm{LocA}",
    aliases=("localization_accuracy",),
    formula=r"\mathrm{LocA} = \frac{1}{19}\sum_{\alpha}\frac{1}{|TP_\alpha|}\sum_{(t,h)\in TP_\alpha}\mathrm{IoU}(t,h)",
    summary="Localization accuracy of HOTA: the mean IoU of matched detections, averaged over IoU thresholds.",
    notes=NOTES + "1 at thresholds without a match, as in TrackEval.",
    examples=(
        Example(STEADY, STEADY, 1),
        Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), (10 / 2 + 9) / 19),
    ),
)
def loca(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _localization_accuracy(sums))


NO_TRUE = "no true tracks"
_NOTES = (
    "Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. Detections "
    "match at an IoU of at least 1/2, those that were matched in the frame before first; a true track that is matched "
    "to another predicted track than at its last match is an identity switch. An unmatched detection that lies to "
    "more than half on void of the truth (an ignore region) is removed. Over a data set counts are summed over videos. "
)
_HALF = LabelArray([[[1, 1, 1, 0]]] * 2), LabelArray([[[1, 1, 0, 2]]] * 2)


def _spurious_and_switches(sums: Sums) -> Any:
    return sums["pred"] - sums["matches"] + sums["switches"]


@_tracking_score(
    symbol=r"\mathrm{sMOTSA}",
    order=100,
    formula=r"\mathrm{sMOTSA} = \frac{\sum_{(t,h)\in TP}\mathrm{IoU}(t,h) - |FP| - |IDS|}{|T|}",
    summary="Soft multi-object tracking and segmentation accuracy: the IoUs of matched detections minus spurious ones "
    "and identity switches, per true detection.",
    citation="voigtlaender2019mots",
    bounds=(-float("inf"), 1),
    is_rate=True,
    notes=_NOTES + "Negative where there is more that is spurious than matched. Undefined without a true detection, "
    "where TrackEval divides by 1.",
    examples=(Example(*_HALF, (2 / 3 - 1)), Example(STEADY, SWAPPED, (8 - 2) / 8)),
)
def smotsa(sums: Sums) -> Quotient:
    return Quotient(sums["iou"] - _spurious_and_switches(sums), sums["true"], NO_TRUE)


@_tracking_score(
    symbol=r"\mathrm{MOTSA}",
    formula=r"\mathrm{MOTSA} = \frac{|TP| - |FP| - |IDS|}{|T|}",
    summary="Multi-object tracking and segmentation accuracy: matched detections minus spurious ones and identity "
    "switches, per true detection.",
    citation="voigtlaender2019mots",
    bounds=(-float("inf"), 1),
    is_rate=True,
    notes=_NOTES + "Negative where there is more that is spurious than matched. Undefined without a true detection, "
    "where TrackEval divides by 1.",
    examples=(Example(*_HALF, 0), Example(STEADY, SWAPPED, (8 - 2) / 8)),
)
def motsa(sums: Sums) -> Quotient:
    return Quotient(sums["matches"] - _spurious_and_switches(sums), sums["true"], NO_TRUE)


@_tracking_score(
    symbol=r"\mathrm{IDF1}",
    aliases=("identity_f1",),
    formula=r"\mathrm{IDF1} = \frac{2\,IDTP}{|T|+|H|}",
    summary="Identity F1: detections whose tracks are matched to each other over the whole video, over the detections "
    "of both sides.",
    citation="ristani2016performance",
    notes="Frames are on the first axis, labels are tracks, and classes are scored one by one, then averaged. Tracks "
    "are matched one-to-one for a whole video so that the number of frames in which they overlap by an IoU of at "
    "least 1/2 is largest. An unmatched detection that lies to more than half on void of the truth is removed. "
    "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(Example(STEADY, SWAPPED, 1 / 2), Example(*_HALF, 2 * 2 / (2 + 4))),
)
def idf1(sums: Sums) -> Quotient:
    return Quotient(2 * sums["identity"], sums["true"] + sums["pred"], NO_TRACKS)
