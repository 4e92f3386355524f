"""The DAVIS protocols against a transcription of davis2017-evaluation: its arithmetic on stacks of boolean masks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = pytest.mark.generated

Video = NDArray[np.uint8]
HEADINGS = ("J&F", "J-Mean", "J-Recall", "J-Decay", "F-Mean", "F-Recall", "F-Decay")


def masks_of(video: Video, count: int) -> NDArray[np.bool_]:
    return np.stack([video == number for number in range(1, count + 1)]) if count else np.zeros((0, *video.shape), bool)


def boundary(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    padded = np.zeros((3, *mask.shape), bool)
    east, south, corner = padded
    east[:, :-1], south[:-1], corner[:-1, :-1] = mask[:, 1:], mask[1:], mask[1:, 1:]
    edge: NDArray[np.bool_] = (mask ^ east) | (mask ^ south) | (mask ^ corner)
    edge[-1], edge[:, -1] = mask[-1] ^ east[-1], mask[:, -1] ^ south[:, -1]
    edge[-1, -1] = False
    return edge


def f_measure(true: NDArray[np.bool_], pred: NDArray[np.bool_]) -> float:
    radius = int(np.ceil(0.008 * np.linalg.norm(true.shape)))
    x, y = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    element = x**2 + y**2 <= radius**2  # skimage.morphology.disk
    t, p = boundary(true), boundary(pred)
    if not (t.any() and p.any()):
        return float(not t.any() and not p.any())
    precision = (p & ndimage.binary_dilation(t, element)).sum() / p.sum()
    recall = (t & ndimage.binary_dilation(p, element)).sum() / t.sum()
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def values(true: NDArray[np.bool_], pred: NDArray[np.bool_], void: NDArray[np.bool_]) -> NDArray[Any]:
    """J and F of every frame."""
    true, pred = true & ~void, pred & ~void
    union = (true | pred).sum(axis=(1, 2))
    j = np.where(union == 0, 1.0, (true & pred).sum(axis=(1, 2)) / np.maximum(union, 1))
    return np.stack((j, [f_measure(*frames) for frames in zip(true, pred, strict=True)]))


def statistics(frames: NDArray[Any]) -> list[float]:
    cuts = (np.round(np.linspace(1, len(frames), 5) + 1e-10) - 1).astype(np.uint8)
    bins = [frames[cuts[at] : cuts[at + 1] + 1] for at in range(4)]
    return [frames.mean(), (frames > 0.5).mean(), bins[0].mean() - bins[3].mean()]


def reference(videos: list[tuple[Video, Video]], *, unsupervised: bool) -> dict[str, float]:
    rows = []
    for true_video, pred_video in videos:
        void = true_video == 255
        objects = masks_of(np.where(void, 0, true_video), int(np.where(void, 0, true_video)[0].max()))
        frames = slice(None) if unsupervised else slice(1, -1)
        proposals = masks_of(pred_video, int(pred_video.max()))
        absent = np.zeros((max(0, len(objects) - len(proposals)), *pred_video.shape), bool)
        proposals = np.concatenate((proposals, absent))
        ignored = void if unsupervised else np.zeros_like(void)
        if unsupervised:
            table = np.array([[values(t, p, ignored) for t in objects] for p in proposals])
            if not len(objects):
                continue
            chosen = table[linear_sum_assignment(-(table[:, :, 0].mean(axis=2) + table[:, :, 1].mean(axis=2)) / 2)]
        else:
            pairs = zip(objects, proposals, strict=False)
            chosen = np.array([values(t[frames], p[frames], ignored[frames]) for t, p in pairs])
        rows += [statistics(j) + statistics(f) for j, f in chosen]
    if not rows:
        return dict.fromkeys(HEADINGS, math.nan)
    means = np.mean(rows, axis=0)
    return dict(zip(HEADINGS, ((means[0] + means[3]) / 2, *means), strict=True))


def video(rng: np.random.Generator, shape: tuple[int, ...], count: int) -> Video:
    small = rng.integers(0, count + 1, (shape[0], 4, 4))
    return np.kron(small, np.ones((1, 4, 4), int))[:, : shape[1], : shape[2]].astype(np.uint8)


def data_set(rng: np.random.Generator) -> list[tuple[Video, Video]]:
    videos = []
    for _ in range(rng.integers(1, 3)):
        shape, count = (int(rng.integers(3, 7)), *rng.integers(1, 15, 2).tolist()), int(rng.integers(0, 4))
        true, other = video(rng, shape, count), video(rng, shape, count)
        pred = np.where(rng.random(shape) < rng.choice([0, 0.1, 0.5, 1]), other, true)
        true[:, rng.random(shape[1:]) < rng.choice([0, 0.1])] = 255
        first = np.unique(true[0][true[0] != 255])
        skipped = set(range(1, int(first.max(initial=0)) + 1)) - set(first.tolist())
        for number in sorted(skipped):  # a named exception
            true[0].flat[int(rng.integers(true[0].size))] = number
        first = np.unique(true[0][true[0] != 255])
        if set(first.tolist()) - {0} != set(range(1, int(first.max(initial=0)) + 1)):
            continue
        pred[pred > first.max(initial=0)] = 0
        videos.append((true, pred))
    return videos


def check(videos: list[tuple[Video, Video]], protocol: str) -> None:
    true, pred = (
        {f"{at}": sm.LabelArray(pair[side], void=255 if side == 0 else None) for at, pair in enumerate(videos)}
        for side in (0, 1)
    )
    run = sm.evaluate(true, pred, protocol=protocol, engine="serial")
    assert run.modified == ()
    (row,) = shown(run).values()
    for heading, expected in reference(videos, unsupervised=protocol != "davis").items():
        assert same(row[heading], expected), (heading, row, expected, videos)


@pytest.mark.parametrize("protocol", ["davis", "davis-unsupervised"])
def test_davis_equals_the_reference(protocol: str) -> None:
    rng = np.random.default_rng(71)
    compared = 0
    while compared < DATA_SETS:
        videos = data_set(rng)
        if videos:
            check(videos, protocol)
            compared += 1


@pytest.mark.parametrize("protocol", ["davis", "davis-unsupervised"])
def test_davis_equals_the_reference_on_degenerate_videos(protocol: str) -> None:
    blank, one, void = np.zeros((3, 2, 3), np.uint8), np.ones((3, 1, 1), np.uint8), np.full((4, 2, 2), 255, np.uint8)
    full, leaves = np.ones((3, 2, 3), np.uint8), np.ones((5, 3, 3), np.uint8)
    leaves[2:] = 0
    for true, pred in [
        (full, blank),
        (blank, full * 0),
        (one, one),
        (one, one * 0),
        (void, void * 0),
        (leaves, leaves),
    ]:
        check([(true, pred)], protocol)


def test_a_label_that_the_first_frame_skips_is_no_object() -> None:
    """The reference counts label 1 as an object that is absent on both sides, in every frame J = F = 1."""
    true = np.full((3, 1, 2), 2, np.uint8)
    pred = np.zeros((3, 1, 2), np.uint8)
    assert reference([(true, pred)], unsupervised=False)["J-Mean"] == 0.5
    run = sm.evaluate({"a": true}, {"a": pred}, protocol="davis", engine="serial")
    assert next(iter(shown(run).values()))["J-Mean"] == 0


def test_decay_of_long_videos_takes_the_last_quarter() -> None:
    """The reference keeps the cuts in 8 bits: of 301 frames, the last quarter is 225 to 300 − 256 = 44, no frame."""
    true = np.ones((303, 1, 1), np.uint8)
    pred = true.copy()
    pred[200:] = 0
    cuts = (np.round(np.linspace(1, 301, 5) + 1e-10) - 1).astype(np.uint8)
    assert cuts[3:].tolist() == [225, 44]
    run = sm.evaluate({"a": true}, {"a": pred}, protocol="davis", engine="serial")
    assert next(iter(shown(run).values()))["J-Decay"] == 1
