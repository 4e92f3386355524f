"""The tracks of a video, class by class: which detections each frame has, and how much those of both sides overlap.

A detection is a segment in one frame, a track the detections of one label in all frames. A detection that is matched to
none (IoU of at least 1/2) and lies to more than half on void elements of the truth, its ignore region, is removed, as
TrackEval does for MOTS [voigtlaender2019mots].
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray, FloatArray, IndexArray, IntArray
from segmetry.metrics.video.best_assignment import best_assignment
from segmetry.metrics.video.tubes import ANY
from segmetry.overlaps.table import OverlapTable

LEVELS = 20
"""IoUs are compared with 1/20, 2/20, …, 19/20."""
HALF = LEVELS // 2


@dataclass(frozen=True, eq=False)
class FrameDetections:
    """The detections of a class in one frame: the positions of their tracks, and the IoUs of all pairs.

    ``level`` is the largest k with IoU ≥ k/20, from integers.
    """

    true: IndexArray
    pred: IndexArray
    iou: FloatArray
    level: IntArray

    def assign(self, scores: FloatArray) -> tuple[IndexArray, IndexArray]:
        """Return the rows and columns of the assignment with the largest sum of scores."""
        rows, columns = best_assignment(scores)
        return rows, columns


@dataclass(eq=False)
class ClassTracks:
    """The tracks of one class: their labels on both sides, and the frames that have a detection."""

    true_ids: dict[int, int] = field(default_factory=dict)
    pred_ids: dict[int, int] = field(default_factory=dict)
    frames: list[FrameDetections] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of tracks on both sides."""
        return len(self.true_ids), len(self.pred_ids)

    def lengths(self) -> tuple[IntArray, IntArray]:
        """Return the number of detections of each track of both sides."""
        sides = ([frame.true for frame in self.frames], [frame.pred for frame in self.frames])
        true, pred = (
            np.bincount(np.concatenate([np.zeros(0, np.intp), *parts]), minlength=count).astype(np.int64)
            for parts, count in zip(sides, self.shape, strict=True)
        )
        return true, pred


def tracks_by_class(tables: Sequence[OverlapTable]) -> dict[Hashable, ClassTracks]:
    """Return the tracks of every class that occurs, from the overlap tables of the frames."""
    tracks: dict[Hashable, ClassTracks] = {}
    for table in tables:
        names = (ANY,) if table.class_names is None else table.class_names
        of_true, of_pred = table.true.class_codes, table.pred.class_codes
        union = table.true.sizes[table.row_true] + table.pred.sizes[table.row_pred] - table.shared
        for code, name in enumerate(names):
            at_true, at_pred = np.flatnonzero(of_true == code), np.flatnonzero(of_pred == code)
            if not at_true.size and not at_pred.size:
                continue
            shape = at_true.size, at_pred.size
            iou, level = np.zeros(shape), np.zeros(shape, dtype=np.int64)
            rows = np.flatnonzero((of_true[table.row_true] == code) & (of_pred[table.row_pred] == code))
            if rows.size:
                place = (
                    np.searchsorted(at_true, table.row_true[rows]),
                    np.searchsorted(at_pred, table.row_pred[rows]),
                )
                iou[place] = table.shared[rows] / union[rows]
                level[place] = LEVELS * table.shared[rows] // union[rows]
            ignored = 2 * table.pred.void[at_pred] > table.pred.sizes[at_pred]
            if ignored.any():
                kept = ~ignored | _matched(iou, level)
                at_pred, iou, level = at_pred[kept], iou[:, kept], level[:, kept]
            _add(tracks.setdefault(name, ClassTracks()), table, at_true, at_pred, iou, level)
    return tracks


def _add(
    tracks: ClassTracks, table: OverlapTable, at_true: IndexArray, at_pred: IndexArray, iou: FloatArray, level: IntArray
) -> None:
    if not at_true.size and not at_pred.size:
        return
    true, pred = (
        np.array([known.setdefault(label, len(known)) for label in ids.tolist()], dtype=np.intp)
        for known, ids in ((tracks.true_ids, table.true.ids[at_true]), (tracks.pred_ids, table.pred.ids[at_pred]))
    )
    tracks.frames.append(FrameDetections(true, pred, iou, level))


def _matched(iou: FloatArray, level: IntArray) -> BoolArray:
    """Return which predictions are matched: the assignment with the largest sum of IoUs among those of at least 1/2."""
    matched = np.zeros(iou.shape[1], dtype=bool)
    candidates = level >= HALF
    if candidates.any():
        rows, columns = best_assignment(np.where(candidates, iou, -10000))
        matched[columns[candidates[rows, columns]]] = True
    return matched


def count_ties(scores: FloatArray, chosen: NDArray[np.bool_]) -> int:
    """Return how many chosen pairs another assignment of the same sum of scores does without."""
    positive = scores > 0
    rival = (positive.sum(axis=0) > 1)[None, :] | (positive.sum(axis=1) > 1)[:, None]
    disputed = np.argwhere(chosen & positive & rival)
    if not len(disputed):
        return 0
    best, ties = scores[chosen].sum(), 0
    for row, column in disputed.tolist():
        without = scores.copy()
        without[row, column] = 0
        ties += bool(best - without[best_assignment(without)].sum() < 1e-9)
    return ties
