r"""What HOTA, CLEAR MOT and IDF1 need of a video, class by class; all of it adds up over videos.

HOTA [luiten2021hota]: detections are matched in every frame so that Σ A(t, h)·IoU is largest, where A is the Jaccard
index of two tracks over all frames (each overlap counted as a share of all overlaps of its two detections). A matched
pair counts at every threshold α = 0.05, …, 0.95 that its IoU reaches. With n matches of a pair of tracks of lengths a
and b, each of them has the association n / (a + b − n).

CLEAR MOT, of masks [voigtlaender2019mots]: detections are matched at IoU ≥ 1/2, first those that were matched in the
frame before, then by IoU; a match of a true track to another predicted track than its last one is an identity switch.

IDF1 [ristani2016performance]: tracks are matched one-to-one so that the number of frames in which the two overlap by
IoU ≥ 1/2 is largest.

A detection is a segment in one frame, a track the detections of one label in all frames. A detection that is matched to
none (IoU of at least 1/2) and lies to more than half on void elements of the truth, its ignore region, is removed, as
TrackEval does for MOTS [voigtlaender2019mots].
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, Column, FloatArray, IndexArray, IntArray
from segmetry.kernels import HALF_LEVEL, FrameCells, PairCounts, best_assignment, count_pairs, match_tracks
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.video_panoptic_quality import ANY, STEADY, SWAPPED, check_video, read_frames
from segmetry.overlaps import Ids, OverlapTable, Side, table_from_pairs
from segmetry.segmentation import LabelArray

AT_ONCE = 2**22
"""Elements that are counted together, unless a single frame has more."""
_WIDEST = 2**63


def count_frames(true: LabelArray, pred: LabelArray) -> tuple[IndexArray, PairCounts]:
    """Return the label pairs of every frame: the frame, the labels and the count of each, by frame, then label."""
    n_frames, step = true.domain[0], max(1, AT_ONCE // max(1, true.n_elements // max(1, true.domain[0])))
    parts = [
        part
        for first in range(0, n_frames, step)
        for part in _pairs_of_frame(true, pred, first, min(n_frames, first + step))
    ]
    frame = np.concatenate([np.zeros(0, dtype=np.intp), *(part[0] for part in parts)])
    columns = [np.concatenate(column) for column in zip(*(part[1] for part in parts), strict=True)]
    return frame, PairCounts(*columns)


def _pairs_of_frame(
    true: LabelArray, pred: LabelArray, first: int, stop: int
) -> Iterator[tuple[IndexArray, PairCounts]]:
    true_labels, pred_labels = read_frames(true, first, stop), read_frames(pred, first, stop)
    tagged, above = _with_frame(true_labels)
    if tagged is None:
        for at, sides in enumerate(zip(true_labels, pred_labels, strict=True), start=first):
            counts = count_pairs(*sides)
            yield np.full(len(counts.counts), at), counts
        return
    counts = count_pairs(tagged, pred_labels)
    frame, labels = np.divmod(counts.true_labels.astype(np.int64), above)
    yield first + frame, counts._replace(true_labels=labels)


def _with_frame(labels: NDArray[Any]) -> tuple[NDArray[Any] | None, int]:
    """Return the labels plus ``above`` times the number of their frame; None where that is too large."""
    above = int(labels.max(initial=0)) + 1
    largest = above * len(labels)
    if int(labels.min(initial=0)) < 0 or largest >= _WIDEST:
        return None, above
    tagged = labels.astype(np.min_scalar_type(largest))
    tagged += (above * np.arange(len(labels))).astype(tagged.dtype).reshape(-1, *[1] * (labels.ndim - 1))
    return tagged, above


LEVELS = 20
"""IoUs are compared with 1/20, 2/20, …, 19/20."""
MOST_FLAGS = 2**22


@dataclass(frozen=True, eq=False)
class ClassTracks:
    """The detections of one class, and the number of its tracks on both sides."""

    cells: FrameCells
    n_true: int
    n_pred: int


@dataclass(frozen=True, eq=False)
class _Detections:
    """The detections of one side by frame, then label: their frames, tracks (positions of labels) and sizes.

    ``void`` are their elements on void of the other side.
    """

    frame: IndexArray
    track: IndexArray
    size: IntArray
    void: IntArray

    def take(self, kept: BoolArray) -> _Detections:
        return _Detections(self.frame[kept], self.track[kept], self.size[kept], self.void[kept])


@dataclass(frozen=True, eq=False)
class _Video:
    """The detections of both sides, and the cells: positions of two detections, and the elements they share."""

    n_frames: int
    true: _Detections
    pred: _Detections
    at_true: IndexArray
    at_pred: IndexArray
    shared: IntArray


def tracks_by_class(true: LabelArray, pred: LabelArray) -> dict[Hashable, ClassTracks]:
    """Return the tracks of every class that occurs."""
    check_video(true)
    video, table = _count_video(true, pred)
    if table.class_names is None:
        return {ANY: _class_tracks(video)} if video.true.frame.size or video.pred.frame.size else {}
    of_true, of_pred = table.true.class_codes[video.true.track], table.pred.class_codes[video.pred.track]
    tracks = {}
    for code, name in enumerate(table.class_names):
        of_class = _class_tracks(_selected_video(video, of_true == code, of_pred == code))
        if of_class.n_true or of_class.n_pred:
            tracks[name] = of_class
    return tracks


def _count_video(true: LabelArray, pred: LabelArray) -> tuple[_Video, OverlapTable]:
    """Count the label pairs of every frame, and return the detections, and the table of the whole video."""
    frame, columns = count_frames(true, pred)
    true_labels, true_codes = unique_keys(columns.true_labels)
    pred_labels, pred_codes = unique_keys(columns.pred_labels)
    true.check_labels(true_labels, "true")
    pred.check_labels(pred_labels, "pred")
    pairs, of_row = unique_keys(true_codes * max(pred_labels.size, 1) + pred_codes)
    totals = _sums_of(of_row, columns.counts, pairs.size)
    at_true, at_pred = np.divmod(pairs, max(pred_labels.size, 1))
    table = table_from_pairs(true, pred, PairCounts(true_labels[at_true], pred_labels[at_pred], totals))
    on_true = _segment_positions(table.true, true_labels)[true_codes]
    on_pred = _segment_positions(table.pred, pred_labels)[pred_codes]
    true_void, pred_void = np.isin(true_labels, true.void)[true_codes], np.isin(pred_labels, pred.void)[pred_codes]
    true_side, of_true = _detections_of(frame, on_true, len(table.true), columns.counts, pred_void)
    pred_side, of_pred = _detections_of(frame, on_pred, len(table.pred), columns.counts, true_void)
    both = (on_true >= 0) & (on_pred >= 0)
    video = _Video(true.domain[0], true_side, pred_side, of_true[both], of_pred[both], columns.counts[both])
    return video, table


def _segment_positions(side: Side, labels: Ids) -> IndexArray:
    """Return the position of each label among the segments of a side; -1 where it is outside or void."""
    if not len(side):
        return np.full(labels.size, -1)
    at = np.minimum(np.searchsorted(side.ids, labels), len(side) - 1)
    return np.where(side.ids[at] == labels, at, -1)


def _detections_of(
    frame: IndexArray, track: IndexArray, n_tracks: int, counts: IntArray, on_void: BoolArray
) -> tuple[_Detections, IndexArray]:
    """Return the detections of a side, and for every counted pair the position of its detection, -1 without one."""
    inside = track >= 0
    keys, at = unique_keys(frame[inside] * max(n_tracks, 1) + track[inside])
    own = counts[inside]
    size = _sums_of(at, own, keys.size)
    void = _sums_of(at, own * on_void[inside], keys.size) if on_void.any() else np.zeros(keys.size, dtype=np.int64)
    of_pair = np.full(track.size, -1)
    of_pair[inside] = at
    return _Detections(keys // max(n_tracks, 1), keys % max(n_tracks, 1), size, void), of_pair


def unique_keys(keys: NDArray[Any]) -> tuple[NDArray[Any], IndexArray]:
    """Return the keys that occur, in order, and the position of each; flags are faster than sorting small keys."""
    most = int(keys.max(initial=0)) + 1
    if most > MOST_FLAGS or int(keys.min(initial=0)) < 0:
        return np.unique(keys, return_inverse=True)
    occurs = np.zeros(most, dtype=bool)
    occurs[keys] = True
    return np.flatnonzero(occurs).astype(keys.dtype, copy=False), (np.cumsum(occurs) - 1)[keys]


def _sums_of(groups: IndexArray, values: IntArray, n: int) -> IntArray:
    """Return the sum of the values of each group; the elements of a frame are few enough for exact floats."""
    return np.bincount(groups, weights=values, minlength=n).astype(np.int64)


def _selected_video(video: _Video, of_true: BoolArray, of_pred: BoolArray) -> _Video:
    kept = of_true[video.at_true] & of_pred[video.at_pred]
    return replace(
        video,
        true=video.true.take(of_true),
        pred=video.pred.take(of_pred),
        at_true=(np.cumsum(of_true) - 1)[video.at_true[kept]],
        at_pred=(np.cumsum(of_pred) - 1)[video.at_pred[kept]],
        shared=video.shared[kept],
    )


def _class_tracks(video: _Video) -> ClassTracks:
    ignored = 2 * video.pred.void > video.pred.size
    if ignored.any():
        matched = _matched_predictions(_frame_cells(video), ignored)
        video = _selected_video(video, np.ones(video.true.frame.size, dtype=bool), ~ignored | matched)
    cells = _frame_cells(video)
    return ClassTracks(cells, int(cells.true_track.max(initial=-1)) + 1, int(cells.pred_track.max(initial=-1)) + 1)


def _frame_cells(video: _Video) -> FrameCells:
    frames = np.arange(video.n_frames + 1)
    true_start, pred_start = (np.searchsorted(side.frame, frames) for side in (video.true, video.pred))
    cell_frame = video.true.frame[video.at_true]
    union = video.true.size[video.at_true] + video.pred.size[video.at_pred] - video.shared
    return FrameCells(
        true_start=true_start,
        pred_start=pred_start,
        cell_start=np.searchsorted(cell_frame, frames),
        true_track=unique_keys(video.true.track)[1],
        pred_track=unique_keys(video.pred.track)[1],
        row=video.at_true - true_start[cell_frame],
        column=video.at_pred - pred_start[cell_frame],
        iou=video.shared / union,
        level=LEVELS * video.shared // union,
    )


def _matched_predictions(cells: FrameCells, ignored: BoolArray) -> BoolArray:
    """Return which predictions are matched, in frames that have an ignored one.

    The assignment has the largest sum of IoUs among pairs of at least 1/2.
    """
    matched = np.zeros(ignored.size, dtype=bool)
    reached = cells.level >= HALF_LEVEL
    for at in range(len(cells.true_start) - 1):
        preds = slice(int(cells.pred_start[at]), int(cells.pred_start[at + 1]))
        own = slice(int(cells.cell_start[at]), int(cells.cell_start[at + 1]))
        if not ignored[preds].any() or not reached[own].any():
            continue
        # As TrackEval: pairs below 1/2 cost so much that the assignment takes none of them for the sake of another.
        iou = np.full((int(cells.true_start[at + 1] - cells.true_start[at]), preds.stop - preds.start), -10000.0)
        kept = np.flatnonzero(reached[own]) + own.start
        iou[cells.row[kept], cells.column[kept]] = cells.iou[kept]
        rows, columns = best_assignment(iou)
        matched[preds.start + columns[iou[rows, columns] > 0]] = True
    return matched


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
    aliases=("detection_accuracy",),
    formula=r"\mathrm{DetA} = \frac{1}{19}\sum_{\alpha}\frac{|TP_\alpha|}{|TP_\alpha|+|FN_\alpha|+|FP_\alpha|}",
    summary="Detection accuracy of HOTA: matched detections over all detections, averaged over IoU thresholds.",
    notes=NOTES + "Undefined without a track on either side, where TrackEval gives 0.",
    examples=(Example(STEADY, SWAPPED, 1), Example(LabelArray([[[1, 1]]] * 2), LabelArray([[[1, 0]]] * 2), 10 / 19)),
)
def deta(sums: Sums) -> Quotient:
    return _mean_over_thresholds(sums, _detection_accuracy(sums))


@_tracking_score(
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
