"""Match the detections of every frame of a video one-to-one, for HOTA [luiten2021hota] and CLEAR MOT.

HOTA: the sum of track alignment times IoU is largest. The alignment of two tracks is their Jaccard index over all
frames, where each overlap counts as a share of all overlaps of its two detections. CLEAR: pairs that were matched in
the frame before are kept, then the sum of IoUs of at least 1/2 is largest.

The reference decides by floating-point sums in numpy's order of additions and by scipy's choice among equal sums; both
versions here have the same.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from segmetry._base import BoolArray, FloatArray, IndexArray, IntArray
from segmetry.kernels.backend import kernel

CONTINUED = 1000
"""What a match of the frame before is worth in CLEAR; an IoU is at most 1."""
TIE = 1e-9
"""Assignments whose sums differ by less are equally good."""
# Levels are twentieths of IoU: 10 is IoU >= 1/2, the threshold of CLEAR MOT.
HALF_LEVEL = 10
# As in the reference: a sum of overlaps at or below this counts as no overlap.
_EPSILON = np.finfo(float).eps


class FrameCells(NamedTuple):
    """The detections of a class, frame by frame, and the cells: pairs of a frame that overlap.

    Detections of frame ``f`` are ``true_start[f] : true_start[f + 1]`` of ``true_track``, which names their tracks;
    ``row`` and ``column`` are the positions of a cell's detections within their frame, in the order of rows; ``level``
    is the largest k with IoU ≥ k/20.
    """

    true_start: IntArray
    pred_start: IntArray
    cell_start: IntArray
    true_track: IntArray
    pred_track: IntArray
    row: IntArray
    column: IntArray
    iou: FloatArray
    level: IntArray


class TrackMatching(NamedTuple):
    """For every true detection the cell by which it is matched for HOTA and for CLEAR, -1 without one.

    ``higher_ties`` are matched pairs that another assignment of the same sum does without, ``clear_ties`` detections
    with several partners, ``switches`` the changes of a track's partner.
    """

    higher: IntArray
    clear: IntArray
    higher_ties: int
    clear_ties: int
    switches: int


def _match_native(native: ModuleType, cells: FrameCells, n_true: int, n_pred: int) -> TrackMatching:
    columns = [
        np.ascontiguousarray(column, dtype=np.float64 if name == "iou" else np.int64)
        for name, column in zip(cells._fields, cells, strict=True)
    ]
    higher, clear = (np.empty(len(cells.true_track), dtype=np.int64) for _ in range(2))
    counts = np.empty(3, dtype=np.int64)
    native.match_tracks(*columns, n_true, n_pred, higher, clear, counts)
    return TrackMatching(higher, clear, *counts.tolist())


@kernel(_match_native)
def match_tracks(cells: FrameCells, n_true: int, n_pred: int) -> TrackMatching:
    """Match the detections of a class that has so many tracks on both sides."""
    alignment = _track_alignment(cells, n_true, n_pred)
    higher, clear = (np.full(len(cells.true_track), -1, dtype=np.int64) for _ in range(2))
    last, before = (np.full(n_true, -1) for _ in range(2))
    higher_ties = clear_ties = switches = 0
    for at in range(len(cells.true_start) - 1):
        frame = _Frame.of(cells, at)
        if not frame.iou.size:
            continue
        scores = alignment[frame.true[:, None], frame.pred] * frame.iou
        rows, columns = best_assignment(scores)
        higher[cells.true_start[at] + rows] = frame.cell[rows, columns]
        higher_ties += _count_ties(scores, rows, columns, frame.level > 0)
        candidates = frame.level >= HALF_LEVEL
        continued = frame.pred[None, :] == before[frame.true][:, None]
        scores = np.where(candidates, CONTINUED * continued + frame.iou, 0)
        rows, columns = best_assignment(scores)
        kept = candidates[rows, columns]
        rows, columns = rows[kept], columns[kept]
        clear[cells.true_start[at] + rows] = frame.cell[rows, columns]
        clear_ties += int((candidates.sum(axis=0) > 1).sum() + (candidates.sum(axis=1) > 1).sum())
        true, pred = frame.true[rows], frame.pred[columns]
        switches += int(((last[true] >= 0) & (last[true] != pred)).sum())
        last[true] = pred
        # Only the frame directly before counts: a track that pauses is not continued.
        before[:] = -1
        before[true] = pred
    return TrackMatching(higher, clear, higher_ties, clear_ties, switches)


class _Frame(NamedTuple):
    """One frame in dense matrices; ``cell`` is -1 where two detections do not overlap."""

    true: IntArray
    pred: IntArray
    cell: IntArray
    iou: FloatArray
    level: IntArray

    @classmethod
    def of(cls, cells: FrameCells, at: int) -> _Frame:
        true = cells.true_track[cells.true_start[at] : cells.true_start[at + 1]]
        pred = cells.pred_track[cells.pred_start[at] : cells.pred_start[at + 1]]
        own = slice(int(cells.cell_start[at]), int(cells.cell_start[at + 1]))
        shape, place = (true.size, pred.size), (cells.row[own], cells.column[own])
        cell, iou, level = np.full(shape, -1), np.zeros(shape), np.zeros(shape, dtype=np.int64)
        cell[place] = np.arange(own.start, own.stop)
        iou[place], level[place] = cells.iou[own], cells.level[own]
        return cls(true, pred, cell, iou, level)


def _track_alignment(cells: FrameCells, n_true: int, n_pred: int) -> FloatArray:
    together = np.zeros((n_true, n_pred))
    for at in range(len(cells.true_start) - 1):
        frame = _Frame.of(cells, at)
        if frame.iou.size:
            total = frame.iou.sum(0)[None, :] + frame.iou.sum(1)[:, None] - frame.iou
            share = np.divide(frame.iou, total, out=np.zeros(frame.iou.shape), where=total > _EPSILON)
            together[frame.true[:, None], frame.pred] += share
    of_true = np.bincount(cells.true_track, minlength=n_true)
    of_pred = np.bincount(cells.pred_track, minlength=n_pred)
    either = of_true[:, None] + of_pred[None, :] - together
    alignment: FloatArray = np.divide(together, either, out=np.zeros(together.shape), where=either > 0)
    return alignment


def _count_ties(scores: FloatArray, rows: IndexArray, columns: IndexArray, reached: BoolArray) -> int:
    """Return how many chosen pairs that reach a level another assignment of the same sum does without."""
    best, ties = scores[rows, columns].sum(), 0
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if reached[row, column] and scores[row, column] > 0:
            without = scores.copy()
            without[row, column] = 0
            ties += bool(best - without[best_assignment(without)].sum() < TIE)
    return ties


def best_assignment(scores: FloatArray | IntArray) -> tuple[IndexArray, IndexArray]:
    """Return the rows and columns of the one-to-one assignment with the largest sum of scores, in the order of rows."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(scores, maximize=True)
    return rows, columns
