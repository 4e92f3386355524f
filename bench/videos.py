"""Videos: J&F of DAVIS and HOTA of tracks, against the arithmetic of their references."""

from __future__ import annotations

import contextlib
import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Contest, Limit, call_of, case, optional

Labels = NDArray[Any]
DAVIS = "davis2017-evaluation, transcribed (cv2.dilate, else scipy)"
TRACKEVAL = "TrackEval: IoUs of pycocotools, HOTA.eval_sequence"
FRAMES, HEIGHT, WIDTH = 12, 480, 854
"""DAVIS has 70 frames of this size in a video; the ratio does not depend on their number."""


def moving_disks(seed: int, frames: int, height: int, width: int, count: int, jitter: int) -> Labels:
    """Disks of labels 1, 2, … that move along their rows; ``jitter`` moves and resizes them in every frame."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:height, :width]
    places = np.random.default_rng(1).integers((height // 4, width // 4), (3 * height // 4, 3 * width // 4), (count, 2))
    video = np.zeros((frames, height, width), np.uint8)
    for at in range(frames):
        for number, (row, column) in enumerate(places.tolist(), 1):
            shift, grow = rng.integers(-jitter, jitter + 1, 2) if jitter else (0, 0)
            radius = height // (4 + count) + grow
            video[at][(rows - row) ** 2 + (columns - column - 2 * at - shift) ** 2 < radius**2] = number
    return video


def _boundary(mask: Labels) -> Labels:
    east, south, corner = np.zeros_like(mask), np.zeros_like(mask), np.zeros_like(mask)
    east[:, :-1], south[:-1], corner[:-1, :-1] = mask[:, 1:], mask[1:], mask[1:, 1:]
    edge: Labels = (mask ^ east) | (mask ^ south) | (mask ^ corner)
    edge[-1], edge[:, -1] = mask[-1] ^ east[-1], mask[:, -1] ^ south[:, -1]
    edge[-1, -1] = False
    return edge


def reference_j_and_f(true: Labels, pred: Labels) -> float:
    """The arithmetic of davis2017-evaluation, object by object and frame by frame."""
    dilate = optional("cv2", "dilate")
    binary_dilation = optional("scipy.ndimage", "binary_dilation")
    radius = math.ceil(0.008 * float(np.linalg.norm(true.shape[1:])))
    rows, columns = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    disk = (rows**2 + columns**2 <= radius**2).astype(np.uint8)

    def dilated(mask: Labels) -> Labels:
        wide: Labels = dilate(mask.view(np.uint8), disk) if dilate is not None else binary_dilation(mask, disk)
        return wide

    values = []
    for number in range(1, int(true[0].max()) + 1):
        for t, p in zip(true[1:-1] == number, pred[1:-1] == number, strict=True):
            union = (t | p).sum()
            j = (t & p).sum() / union if union else 1.0
            t_edge, p_edge = _boundary(t), _boundary(p)
            precision = (p_edge * dilated(t_edge)).sum() / p_edge.sum()
            recall = (t_edge * dilated(p_edge)).sum() / t_edge.sum()
            values.append((j + 2 * precision * recall / (precision + recall)) / 2)
    return float(np.mean(values))


@case(f"J&F of a DAVIS video: {FRAMES} frames of 480×854, 3 objects", Limit(DAVIS, at_least=20), quick=False)
def davis() -> Contest:
    true, pred = (moving_disks(seed, FRAMES, HEIGHT, WIDTH, 3, jitter) for seed, jitter in ((0, 0), (2, 6)))
    ours = call_of(sm.j_and_f, true, pred)
    assert ours is not None
    assert math.isclose(ours(), reference_j_and_f(true, pred)), "both must compute the same number"
    return Contest(ours, {DAVIS: call_of(reference_j_and_f, true, pred)})


def trackeval_data(true: Labels, pred: Labels) -> dict[str, Any]:
    """The input of TrackEval's metrics: ids and IoUs of every frame."""
    data: dict[str, Any] = {"gt_ids": [], "tracker_ids": [], "similarity_scores": []}
    for t, p in zip(true, pred, strict=True):
        table = sm.overlap(t, p)
        ious = np.zeros((len(table.true), len(table.pred)))
        union = table.true.sizes[table.row_true] + table.pred.sizes[table.row_pred] - table.shared
        ious[table.row_true, table.row_pred] = table.shared / union
        data["gt_ids"].append(table.true.ids.astype(int) - 1)
        data["tracker_ids"].append(table.pred.ids.astype(int) - 1)
        data["similarity_scores"].append(ious)
    for side in ("gt", "tracker"):
        ids = data[f"{side}_ids"]
        data[f"num_{side}_dets"] = sum(map(len, ids))
        data[f"num_{side}_ids"] = 1 + max(int(part.max(initial=-1)) for part in ids)
    return data


def encoded_frames(video: Labels) -> list[list[Any]]:
    """The masks of every frame as run lengths, as TrackEval reads them from MOTS files."""
    encode = optional("pycocotools.mask", "encode")
    frames = []
    for frame in video if encode is not None else ():
        numbers = np.unique(frame[frame > 0])
        frames.append([encode(np.asfortranarray(frame == number, dtype=np.uint8)) for number in numbers])
    return frames


@case("HOTA of 300 frames of 24×320, 12 tracks, from the masks", Limit(TRACKEVAL, at_least=10), quick=False)
def hota() -> Contest:
    rng = np.random.default_rng(0)
    lanes = np.repeat(np.arange(1, 13), 20)
    true = np.zeros((300, 24, 320), np.uint8)
    true[:, 4:20, 40:280] = lanes
    pred = np.where(rng.random((300, 1, 320)) < 0.1, 0, np.roll(true, 3, axis=2)).astype(np.uint8)
    with contextlib.redirect_stdout(io.StringIO()):  # it prints which data sets it cannot import
        metric = optional("trackeval.metrics", "HOTA")
    data, frames = trackeval_data(true, pred), [encoded_frames(side) for side in (true, pred)]
    iou = optional("pycocotools.mask", "iou")

    def peer() -> float:
        data["similarity_scores"] = [iou(p, t, [False] * len(t)).T for t, p in zip(*frames, strict=True)]
        return float(np.mean(metric().eval_sequence(data)["HOTA"]))

    def ours() -> float:
        return sm.hota(true, pred).value

    is_installed = metric is not None and iou is not None
    if is_installed:
        assert math.isclose(ours(), peer()), "both must compute the same number"
    return Contest(ours, {TRACKEVAL: peer if is_installed else None})
