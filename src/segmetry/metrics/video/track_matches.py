"""What HOTA, CLEAR MOT and IDF1 need of a video, class by class; all of it adds up over videos.

HOTA [luiten2021hota]: detections are matched in every frame so that Σ A(t, h)·IoU is largest, where A is the Jaccard
index of two tracks over all frames (each overlap counted as a share of all overlaps of its two detections). A matched
pair counts at every threshold α = 0.05, …, 0.95 that its IoU reaches. With n matches of a pair of tracks of lengths a
and b, each of them has the association n / (a + b − n).

CLEAR MOT: detections are matched at IoU ≥ 1/2, first those that were matched in the frame before, then by IoU; a match
of a true track to another predicted track than its last one is an identity switch.

IDF1 [ristani2016performance]: tracks are matched one-to-one so that the number of frames in which the two overlap by
IoU ≥ 1/2 is largest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Column
from segmetry.metrics.video.best_assignment import best_assignment
from segmetry.metrics.video.tracks import HALF, LEVELS, ClassTracks, FrameDetections, count_ties, tracks_by_class
from segmetry.metrics.video.tubes import frame_tables
from segmetry.segmentation.labels import LabelArray

ALPHAS = LEVELS - 1
"""The number of thresholds."""
CONTINUED = 1000
"""What a match of the frame before is worth; an IoU is at most 1."""
_EPSILON = np.finfo(float).eps


def track_matches(true: LabelArray, pred: LabelArray) -> dict[str, Column]:
    """Collect the matches of a video: a row for every class, and a column for every threshold."""
    tracks = tracks_by_class(frame_tables(true, pred))
    rows = {name: _row(of_class) for name, of_class in tracks.items()}
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


def _row(tracks: ClassTracks) -> dict[str, FloatArray | IntArray | float | int]:
    of_true, of_pred = tracks.lengths()
    clear = _clear(tracks)
    higher = _higher_order(tracks, of_true, of_pred)
    return {
        "true": int(of_true.sum()),
        "pred": int(of_pred.sum()),
        "hits": higher.hits,
        "localization": higher.localization,
        "association": higher.association,
        "matches": clear.matches,
        "iou": clear.iou,
        "switches": clear.switches,
        "identity": _identity(tracks),
        "ties": higher.ties + clear.ties,
    }


class _HigherOrder(NamedTuple):
    hits: IntArray
    localization: FloatArray
    association: FloatArray
    ties: int


def _higher_order(tracks: ClassTracks, of_true: IntArray, of_pred: IntArray) -> _HigherOrder:
    alignment = _track_alignment(tracks, of_true, of_pred)
    pairs, ious, levels, ties = [], [], [], 0
    for frame in tracks.frames:
        if not frame.iou.size:
            continue
        scores = alignment[frame.true[:, None], frame.pred] * frame.iou
        rows, columns = frame.assign(scores)
        ties += _ties(frame, scores, rows, columns)
        pairs.append(frame.true[rows] * len(of_pred) + frame.pred[columns])
        ious.append(frame.iou[rows, columns])
        levels.append(frame.level[rows, columns])
    pair, iou, level = (
        np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64) for parts in (pairs, ious, levels)
    )
    hits, localization, association = np.zeros(ALPHAS, dtype=np.int64), np.zeros(ALPHAS), np.zeros(ALPHAS)
    for alpha in range(1, LEVELS):
        reached = level >= alpha
        hits[alpha - 1] = np.count_nonzero(reached)
        localization[alpha - 1] = iou[reached].sum()
        joint, n = np.unique(pair[reached], return_counts=True)
        together = of_true[joint // max(len(of_pred), 1)] + of_pred[joint % max(len(of_pred), 1)] - n
        association[alpha - 1] = (n * (n / together)).sum()
    return _HigherOrder(hits, localization, association, ties)


def _track_alignment(tracks: ClassTracks, of_true: IntArray, of_pred: IntArray) -> FloatArray:
    """Return the Jaccard index of all pairs of tracks; floats as in TrackEval, since they decide the matching."""
    together = np.zeros(tracks.shape)
    for frame in tracks.frames:
        total = frame.iou.sum(0)[None, :] + frame.iou.sum(1)[:, None] - frame.iou
        share = np.divide(frame.iou, total, out=np.zeros(frame.iou.shape), where=total > _EPSILON)
        together[frame.true[:, None], frame.pred] += share
    alignment: FloatArray = together / (of_true[:, None] + of_pred[None, :] - together)
    return alignment


def _ties(frame: FrameDetections, scores: FloatArray, rows: IntArray, columns: IntArray) -> int:
    chosen = np.zeros(scores.shape, dtype=bool)
    chosen[rows, columns] = True
    return count_ties(scores, chosen & (frame.level > 0))


class _Clear(NamedTuple):
    matches: int
    iou: float
    switches: int
    ties: int


def _clear(tracks: ClassTracks) -> _Clear:
    last, before = (np.full(tracks.shape[0], -1) for _ in range(2))
    matches, switches, ties, ious = 0, 0, 0, []
    for frame in tracks.frames:
        if not frame.iou.size:
            continue
        candidates = frame.level >= HALF
        scores = np.where(candidates, CONTINUED * (frame.pred[None, :] == before[frame.true][:, None]) + frame.iou, 0)
        rows, columns = frame.assign(scores)
        kept = candidates[rows, columns]
        rows, columns = rows[kept], columns[kept]
        ties += int((candidates.sum(axis=0) > 1).sum() + (candidates.sum(axis=1) > 1).sum())
        true, pred = frame.true[rows], frame.pred[columns]
        switches += int(((last[true] >= 0) & (last[true] != pred)).sum())
        last[true] = pred
        before[:] = -1
        before[true] = pred
        matches += rows.size
        ious.append(float(frame.iou[rows, columns].sum()))
    return _Clear(matches, float(sum(ious)), switches, ties)


def _identity(tracks: ClassTracks) -> int:
    """Return the largest number of frames in which tracks that are matched one-to-one overlap by IoU ≥ 1/2."""
    together = np.zeros(tracks.shape, dtype=np.int64)
    for frame in tracks.frames:
        together[frame.true[:, None], frame.pred] += frame.level >= HALF
    return int(together[best_assignment(together)].sum())
