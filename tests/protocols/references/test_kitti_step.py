"""The protocols kitti-step and vpq against transcriptions of deeplab2: arrays of class · 2¹⁶ + instance."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

SHIFT, THINGS, STUFF = 16, (11, 13), (0, 1)
CLASSES = (0, 1, 11, 13)
IGNORED = 255 << SHIFT
Videos = list[tuple[NDArray[Any], NDArray[Any]]]


def stq(videos: Videos) -> dict[str, float]:
    tubes: list[float] = []
    confusion: Counter[tuple[int, int]] = Counter()
    for true, pred in videos:
        classes = true >> SHIFT, pred >> SHIFT
        confusion.update(zip(classes[0].ravel().tolist(), classes[1].ravel().tolist(), strict=True))
        crowd = np.isin(classes[0], THINGS) & (true & 0xFFFF == 0)
        label_mask, pred_mask = np.isin(classes[0], THINGS) & ~crowd, np.isin(classes[1], THINGS) & ~crowd
        trues, preds = Counter(true[label_mask].tolist()), Counter(pred[pred_mask].tolist())
        both = label_mask & pred_mask
        shared = Counter(zip(true[both].tolist(), pred[both].tolist(), strict=True))
        for t, size in trues.items():
            inner = sum(n * n / (size + preds[p] - n) for (a, p), n in shared.items() if a == t)
            tubes.append(inner / size)
    unions, shared_of = Counter(), Counter()  # type: ignore[var-annotated]
    for (t, p), n in confusion.items():
        if t != 255:
            for name in {t, p}:
                unions[name] += n
            shared_of[t] += n * (t == p)
    sq = sum(shared_of[c] / unions[c] for c in unions) / len(unions) if unions else math.nan
    aq = sum(tubes) / len(tubes) if tubes else math.nan  # the named exception: the reference gives 0
    return {"STQ": math.sqrt(aq * sq), "AQ": aq, "SQ": sq}


def vpq(videos: Videos, group: tuple[int, ...] = CLASSES) -> dict[str, float]:
    by_length = {}
    for k in (1, 2, 3, 4):
        counts: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0])
        for true, pred in videos:
            for start in range(len(true) - k + 1):
                compare(true[start : start + k], pred[start : start + k], counts)
        values = [2 * iou / (2 * tp + rest) for c, (iou, tp, rest) in counts.items() if tp + rest and c in group]
        by_length[f"k = {k}"] = sum(values) / len(values) if values else math.nan
    defined = [value for value in by_length.values() if not math.isnan(value)]
    longest = max(len(true) for true, _ in videos)
    value = sum(defined) / len(defined) if defined and longest >= 4 else math.nan
    return {"VPQ": value} | (by_length if longest >= 4 and defined else {})


def compare(true: NDArray[Any], pred: NDArray[Any], counts: dict[int, list[float]]) -> None:
    trues, preds = Counter(true.ravel().tolist()), Counter(pred.ravel().tolist())
    shared = Counter(zip(true.ravel().tolist(), pred.ravel().tolist(), strict=True))
    matched = set()
    for (t, p), n in shared.items():
        if t >> SHIFT != p >> SHIFT or p >> SHIFT == 255:
            continue
        union = trues[t] + preds[p] - n - shared[IGNORED, p]
        if 2 * n > union:
            counts[t >> SHIFT][0] += n / union
            counts[t >> SHIFT][1] += 1
            matched |= {(0, t), (1, p)}
    for t in trues:
        counts[t >> SHIFT][2] += (0, t) not in matched and t >> SHIFT != 255
    for p, size in preds.items():
        dropped = 2 * shared[IGNORED, p] > size or p >> SHIFT == 255
        counts[p >> SHIFT][2] += (1, p) not in matched and not dropped


def labels(rng: np.random.Generator, shape: tuple[int, ...], *, crowd: bool) -> NDArray[Any]:
    classes = rng.choice((*CLASSES, 255), shape, p=[0.3, 0.2, 0.2, 0.2, 0.1])
    instance = np.where(np.isin(classes, THINGS), rng.integers(0 if crowd else 1, 3, shape), 0)
    return (classes << SHIFT) + instance


def data_set(rng: np.random.Generator, *, crowd: bool, shortest: int) -> Videos:
    videos = []
    for _ in range(rng.integers(1, 3)):
        shape = (int(rng.integers(shortest, 6)), *rng.integers(1, 4, 2).tolist())
        true = np.repeat(labels(rng, (1, *shape[1:]), crowd=crowd), shape[0], 0) if rng.random() < 0.5 else None
        true = labels(rng, shape, crowd=crowd) if true is None else true
        other = labels(rng, shape, crowd=crowd)
        videos.append((true, np.where(rng.random(shape) < rng.choice([0, 0.3, 1]), other, true)))
    return videos


def rows_of(videos: Videos, protocol: str) -> dict[str, dict[str, float | None]]:
    crowd = [number << SHIFT for number in THINGS] if protocol == "kitti-step" else None
    facts: tuple[dict[str, Any], ...] = (
        {
            "outside": None,
            "void": 255,
            "crowd": crowd,
        },
        {"outside": 255},
    )
    sides = [
        {
            f"{at}": sm.LabelArray.from_classes(pair[side], instances_per_class=1 << SHIFT, **facts[side])
            for at, pair in enumerate(videos)
        }
        for side in (0, 1)
    ]
    groups = {"things": THINGS, "stuff": STUFF} if protocol == "vpq" else None
    run = sm.evaluate(sides[0], sides[1], protocol=protocol, groups=groups, engine="serial")
    return shown(run)


def check(videos: Videos, protocol: str) -> None:
    rows = rows_of(videos, protocol)
    if protocol == "kitti-step":
        expected = {"all videos": stq(videos)}
    else:
        expected = {"All": vpq(videos), "Things": vpq(videos, THINGS), "Stuff": vpq(videos, STUFF)}
    for row, values in expected.items():
        for heading, value in values.items():
            assert same(rows.get(row, {}).get(heading), value), (row, heading, rows, values, videos)


@pytest.mark.parametrize("protocol", ["kitti-step", "vpq"])
def test_deeplab2_is_equalled(protocol: str) -> None:
    rng = np.random.default_rng(91)
    for _ in range(DATA_SETS):
        check(data_set(rng, crowd=protocol == "kitti-step", shortest=1), protocol)


@pytest.mark.parametrize("protocol", ["kitti-step", "vpq"])
def test_deeplab2_is_equalled_on_degenerate_videos(protocol: str) -> None:
    void, road, car = (np.full((4, 1, 2), number << SHIFT) for number in (255, 0, 13))
    one = np.full((4, 1, 1), (13 << SHIFT) + 1)
    for pair in [
        (void, void),
        (void, road),
        (road, void),
        (road, road),
        (car + 1, car + 2),
        (one, one),
        (car + 1, road),
    ]:
        check([pair], protocol)


def test_a_thing_of_instance_0_is_a_crowd_and_not_a_segment() -> None:
    """deeplab2's VPQ counts it as a segment, which nothing matches here: the named exception of vpq."""
    true, pred = np.full((4, 1, 2), 13 << SHIFT), np.full((4, 1, 2), 0)
    assert vpq([(true, pred)])["VPQ"] == 0
    crowd = sm.LabelArray.from_classes(true, instances_per_class=1 << SHIFT, outside=None, crowd=[13 << SHIFT])
    road = sm.LabelArray.from_classes(pred, instances_per_class=1 << SHIFT, outside=255)
    run = sm.evaluate({"a": crowd}, {"a": road}, protocol="vpq", engine="serial")
    assert list(run.summary().parts) == [0]


def write_video(folder: Path, frames: NDArray[Any]) -> None:
    """PNG frames of KITTI-STEP: red the class, green and blue the instance."""
    folder.mkdir(parents=True)
    for at, frame in enumerate(frames):
        colours = np.stack([frame >> SHIFT, frame >> 8 & 255, frame & 255], axis=-1).astype(np.uint8)
        Image.fromarray(colours).save(folder / f"{at:06}.png")


@pytest.mark.parametrize("protocol", ["kitti-step", "vpq"])
def test_folders_of_frames_are_scored_as_the_arrays_are(protocol: str, tmp_path: Path) -> None:
    """A class in a short video only, and a video without true tubes."""
    rng = np.random.default_rng(4)
    videos = [
        (np.full((5, 2, 3), 13 << SHIFT) + 1, np.full((5, 2, 3), 13 << SHIFT) + 2),
        (np.full((1, 2, 3), (11 << SHIFT) + 1), np.full((1, 2, 3), (11 << SHIFT) + 1)),
        (np.zeros((4, 2, 3), int), labels(rng, (4, 2, 3), crowd=False)),
    ]
    for name, chosen in {"all": videos, "long": videos[::2], "stuff": videos[2:]}.items():
        for at, pair in enumerate(chosen):
            for side, frames in zip(("true", "pred"), pair, strict=True):
                write_video(tmp_path / name / side / f"{at:04}", frames)
        run = sm.evaluate(tmp_path / name / "true", tmp_path / name / "pred", protocol=protocol, engine="serial")
        assert run.modified == ()
        rows = shown(run)
        if protocol == "kitti-step":
            expected = {"all videos": stq(chosen)}
        else:
            expected = {"All": vpq(chosen), "Things": vpq(chosen, THINGS), "Stuff": vpq(chosen, STUFF)}
        for row, values in expected.items():
            for heading, value in values.items():
                assert same(rows.get(row, {}).get(heading), value), (name, row, heading, rows, values)


def test_classes_are_averaged_before_lengths() -> None:
    """A pedestrian found in a video of one frame, and a car missed in a longer one: 1/2 for k = 1, then 0."""
    found = np.full((1, 1, 2), (11 << SHIFT) + 1)
    car, road = np.full((4, 1, 2), (13 << SHIFT) + 1), np.zeros((4, 1, 2), int)
    assert rows_of([(found, found), (car, road)], "vpq")["Things"]["VPQ"] == 0.125
