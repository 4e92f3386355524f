"""The protocols kitti-step and vpq against transcriptions of deeplab2: arrays of class · 2¹⁶ + instance."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

SHIFT, THINGS, CLASSES = 16, (11, 13), (0, 1, 11, 13)
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
    if not tubes:
        return dict.fromkeys(("STQ", "AQ", "SQ"), math.nan)
    unions, shared_of = Counter(), Counter()  # type: ignore[var-annotated]
    for (t, p), n in confusion.items():
        if t != 255:
            for name in {t, p}:
                unions[name] += n
            shared_of[t] += n * (t == p)
    aq, sq = sum(tubes) / len(tubes), sum(shared_of[c] / unions[c] for c in unions) / len(unions)
    return {"STQ": math.sqrt(aq * sq), "AQ": aq, "SQ": sq}


def vpq(videos: Videos) -> dict[str, float]:
    by_length = {}
    for k in (1, 2, 3, 4):
        counts: dict[int, list[float]] = defaultdict(lambda: [0, 0, 0])
        for true, pred in videos:
            for start in range(len(true) - k + 1):
                compare(true[start : start + k], pred[start : start + k], counts)
        values = [2 * iou / (2 * tp + rest) for iou, tp, rest in counts.values() if tp + rest]
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


def row_of(videos: Videos, protocol: str) -> dict[str, float | None]:
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
    run = sm.evaluate(sides[0], sides[1], protocol=protocol, engine="serial")
    assert run.modified == ()
    return next(iter(shown(run).values()), {})


def check(videos: Videos, protocol: str) -> None:
    row = row_of(videos, protocol)
    for heading, expected in (stq if protocol == "kitti-step" else vpq)(videos).items():
        assert same(row.get(heading), expected), (heading, row, expected, videos)


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
