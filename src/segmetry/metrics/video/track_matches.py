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

import math
from typing import NamedTuple

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray, IntArray
from segmetry.kernels.track_matching import HALF_LEVEL, FrameCells, best_assignment, match_tracks
from segmetry.metrics.statistics import Column
from segmetry.metrics.video.tracks import LEVELS, ClassTracks, tracks_by_class, unique_keys
from segmetry.segmentation.labels import LabelArray

ALPHAS = LEVELS - 1
"""The number of thresholds."""


def track_matches(true: LabelArray, pred: LabelArray) -> dict[str, Column]:
    """Collect the matches of a video: a row for every class, and a column for every threshold."""
    rows = {name: _row(of_class) for name, of_class in tracks_by_class(true, pred).items()}
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
        "identity": _identity(tracks, pair),
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


def _identity(tracks: ClassTracks, pair: IndexArray) -> int:
    """Return the largest number of frames in which tracks that are matched one-to-one overlap by IoU ≥ 1/2."""
    shape = tracks.n_true, tracks.n_pred
    together = np.bincount(pair[tracks.cells.level >= HALF_LEVEL], minlength=shape[0] * shape[1]).reshape(shape)
    return int(together[best_assignment(together)].sum())
