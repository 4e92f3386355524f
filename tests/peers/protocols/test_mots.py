"""The MOTS protocol against TrackEval: its preprocessing of KITTI MOTS, and HOTA, CLEAR and Identity."""

from __future__ import annotations

import contextlib
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pycocotools import mask as coco_masks

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

with contextlib.redirect_stdout(io.StringIO()):  # it prints which data sets it cannot import
    import trackeval
    from trackeval.datasets.kitti_mots import KittiMOTS

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

CLASSES = {1: "car", 2: "pedestrian"}
IGNORED = 10_000
FIELDS = {"HOTA": "HOTA", "DetA": "DetA", "AssA": "AssA", "LocA": "LocA"}
CLEAR = {"sMOTSA": "sMOTA", "MOTSA": "MOTA"}
Videos = dict[str, tuple[NDArray[Any], NDArray[Any]]]
QUIET = {"PRINT_CONFIG": False}
METRICS = trackeval.metrics.HOTA(), trackeval.metrics.CLEAR(QUIET), trackeval.metrics.Identity(QUIET)
DATA_SET = KittiMOTS.__new__(KittiMOTS)
DATA_SET.class_name_to_class_id = {name: number for number, name in CLASSES.items()}


def detections(frame: NDArray[Any], *, ignored: bool) -> tuple[NDArray[Any], list[dict[str, Any]]]:
    numbers = [number for number in np.unique(frame).tolist() if number and (number == IGNORED) == ignored]
    masks = [coco_masks.encode(np.asfortranarray((frame == number).astype(np.uint8))) for number in numbers]
    return np.array(numbers, dtype=int), masks


def raw_data(true: NDArray[Any], pred: NDArray[Any]) -> dict[str, Any]:
    """What TrackEval makes of the files of a video."""
    data: dict[str, Any] = {"num_timesteps": len(true), "seq": "a", "similarity_scores": [], "gt_ignore_region": []}
    for side, video in (("gt", true), ("tracker", pred)):
        found = [detections(frame, ignored=False) for frame in video]
        data[f"{side}_ids"] = [numbers for numbers, _ in found]
        data[f"{side}_classes"] = [numbers // 1000 for numbers, _ in found]
        data[f"{side}_dets"] = [masks for _, masks in found]
    for at, frame in enumerate(true):
        pairs = data["gt_dets"][at], data["tracker_dets"][at]
        data["similarity_scores"].append(DATA_SET._calculate_similarities(*pairs))
        data["gt_ignore_region"].append(coco_masks.merge(detections(frame, ignored=True)[1], intersect=False))
    return data


def reference(videos: Videos) -> dict[str, dict[str, float]]:
    raw = {name: raw_data(*sides) for name, sides in videos.items()}
    rows = {}
    for cls in CLASSES.values():
        data = {name: DATA_SET.get_preprocessed_seq_data(one, cls) for name, one in raw.items()}
        true, pred = (sum(one[f"num_{side}_dets"] for one in data.values()) for side in ("gt", "tracker"))
        combined = [
            metric.combine_sequences({name: metric.eval_sequence(one) for name, one in data.items()})
            for metric in METRICS
        ]
        if true + pred:
            rows[cls] = {heading: float(np.mean(combined[0][field])) for heading, field in FIELDS.items()}
            rows[cls] |= {heading: float(combined[1][field]) if true else math.nan for heading, field in CLEAR.items()}
            rows[cls]["IDF1"] = float(combined[2]["IDF1"])
    return rows


def check(videos: Videos) -> None:
    sides: list[dict[str, sm.LabelArray]] = [{}, {}]
    for name, pair in videos.items():
        for at, (side, labels) in enumerate(zip(sides, pair, strict=True)):
            classes = {number: number // 1000 for number in np.unique(labels).tolist() if number % IGNORED}
            void = {"void": IGNORED} if at == 0 else {}
            side[name] = sm.LabelArray(labels, classes=classes, **void)
    run = sm.evaluate(*sides, protocol="mots", engine="serial")
    assert run.modified == ()
    rows = shown(run)
    for cls, row in reference(videos).items():
        number = next(number for number, name in CLASSES.items() if name == cls)
        for heading, expected in row.items():
            assert same(rows[str(number)][heading], expected), (cls, heading, rows, expected, videos)


def video(rng: np.random.Generator, frames: int, length: int) -> NDArray[Any]:
    """Objects that move along a line of pixels: later ones cover earlier ones, so that masks are disjoint."""
    labels = np.zeros((frames, 1, length), dtype=np.int64)
    if rng.random() < 0.3:
        labels[:, :, : int(rng.integers(length))] = IGNORED
    for number in range(int(rng.integers(0, 6))):
        start, size, step = rng.integers(0, length), rng.integers(1, 12), rng.integers(-2, 3)
        for at in range(frames):
            if rng.random() < 0.8:
                labels[at, 0, max(0, start + at * step) : max(0, start + at * step + size)] = (
                    1 + number % 2
                ) * 1000 + number
    return labels


def predicted(rng: np.random.Generator, true: NDArray[Any]) -> NDArray[Any]:
    pred = np.where(true == IGNORED, 0, true)
    other = video(rng, true.shape[0], true.shape[2])
    other[other == IGNORED] = 0
    pred = np.where(rng.random(true.shape) < rng.choice([0, 0.05, 0.2, 0.6]), other, pred)
    switched = rng.integers(true.shape[0] + 1)
    pred[switched:] = np.where(pred[switched:] % 2, pred[switched:] + 100, pred[switched:])
    return pred


def test_mots_equals_trackeval() -> None:
    rng = np.random.default_rng(81)
    compared = 0
    while compared < DATA_SETS:
        videos = {}
        for name in ("a", "b")[: 1 + (rng.random() < 0.3)]:
            true = video(rng, int(rng.integers(1, 5)), int(rng.integers(10, 60)))
            videos[name] = true, predicted(rng, true)
        if not has_tie(videos):
            check(videos)
            compared += 1


def has_tie(videos: Videos) -> bool:
    """Exact ties are a named exception."""
    return any(sm.hota(*pair).details.get("ties") for pair in _arrays(videos))


def _arrays(videos: Videos) -> Iterator[tuple[sm.LabelArray, sm.LabelArray]]:
    for true, pred in videos.values():
        classes = {n: n // 1000 for labels in (true, pred) for n in np.unique(labels).tolist() if n % IGNORED}
        yield sm.LabelArray(true, void=IGNORED, classes=classes), sm.LabelArray(pred, classes=classes)


def test_mots_equals_trackeval_on_degenerate_videos() -> None:
    blank, one = np.zeros((3, 1, 5), int), np.full((1, 1, 1), 1000)
    car, void = np.tile(np.array([[[1001, 1001, 0, 0, 0]]]), (3, 1, 1)), np.full((3, 1, 5), IGNORED)
    pairs = [(car, blank), (blank, car), (one, one), (void, car), (car, car), (car, car + 1000 * (car > 0))]
    for true, pred in pairs:
        check({"a": (true, pred)})
    check({f"{at}": pair for at, pair in enumerate(pairs)})


def test_files_are_read_as_trackeval_reads_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    true = np.tile(np.kron(rng.integers(0, 3, (4, 4)), np.ones((3, 3), int)) * 1000, (3, 1, 1))
    pred = np.where(rng.random(true.shape) < 0.2, 0, true)
    for side, labels in (("true", true), ("pred", pred)):
        (tmp_path / side).mkdir()
        lines = [
            f"{at} {number} {number // 1000} 12 12 {mask['counts'].decode()}\n"
            for at, frame in enumerate(labels)
            for number, mask in zip(*detections(frame, ignored=False), strict=True)
        ]
        (tmp_path / side / "0001.txt").write_text("".join(lines))
    rows = shown(sm.evaluate(tmp_path / "true", tmp_path / "pred", engine="serial"))
    for cls, row in reference({"0001": (true, pred)}).items():
        assert all(same(rows[cls][heading], expected) for heading, expected in row.items())
