"""The protocol ``action`` against ms-tcn's evaluation, transcribed from its definition: frames in, percentages out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Video = tuple[list[str], list[str]]
ACTIONS = ["background", "pour", "stir", "cut", "SIL"]


def frames(rng: np.random.Generator, n: int) -> list[str]:
    runs = rng.integers(1, 7, n)
    labels = rng.choice(ACTIONS[: rng.integers(1, 6)], n)
    return [str(label) for label, length in zip(labels, runs, strict=True) for _ in range(length)][:n]


def random_videos(seed: int) -> Iterator[list[Video]]:
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        videos = []
        for _ in range(rng.integers(1, 5)):
            n = int(rng.integers(1, 40))
            true, pred = frames(rng, n), frames(rng, n)
            if rng.random() < 0.7:
                copied = rng.random(n) < rng.choice([0.5, 0.9])
                pred = [t if same_frame else p for t, p, same_frame in zip(true, pred, copied, strict=True)]
            videos.append((true, pred))
        yield videos
    yield from (
        [(["background"], ["background"])],
        [(["pour"], ["pour"])],
        [(["pour"], ["background"])],
        [(["background"], ["pour"])],
        [(["background"] * 3, ["background"] * 3), (["pour"] * 3, ["stir"] * 3)],
    )


def segments(labels: list[str], *, early: bool) -> list[tuple[str, int, int]]:
    """Runs of labels but background; ``early``: the run at the end stops before the last frame, as in MS-TCN++."""
    edges = [0, *(at for at in range(1, len(labels)) if labels[at] != labels[at - 1]), len(labels)]
    runs = [(labels[start], start, stop) for start, stop in pairwise(edges)]
    if early:
        label, start, stop = runs[-1]
        runs[-1] = label, start, stop - 1
    return [run for run in runs if run[0] != "background"]


def distance(first: list[str], second: list[str]) -> int:
    table = {(i, 0): i for i in range(len(first) + 1)} | {(0, j): j for j in range(len(second) + 1)}
    for i in range(1, len(first) + 1):
        for j in range(1, len(second) + 1):
            replaced = table[i - 1, j - 1] + (first[i - 1] != second[j - 1])
            table[i, j] = min(replaced, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[len(first), len(second)]


def hits(true: list[tuple[str, int, int]], pred: list[tuple[str, int, int]], overlap: float) -> tuple[int, int, int]:
    taken: set[int] = set()
    spurious = 0
    for label, start, stop in pred:
        best, at = -math.inf, -1
        for number, (other, first, last) in enumerate(true):
            union = max(stop, last) - min(start, first)
            iou = (min(stop, last) - max(start, first)) / union if union else math.nan
            weighed = iou * (label == other)
            if weighed > best or math.isnan(weighed):
                best, at = weighed, number
                if math.isnan(weighed):
                    break
        if best >= overlap and at not in taken:
            taken.add(at)
        else:
            spurious += 1
    return len(taken), spurious, len(true) - len(taken)


def reference(videos: list[Video], *, early: bool = False) -> dict[str, float]:
    right = sum(t == p for true, pred in videos for t, p in zip(true, pred, strict=True))
    values = {"Acc": right / sum(len(true) for true, _ in videos), "videos": float(len(videos))}
    sides = [tuple(segments(labels, early=early) for labels in video) for video in videos]
    edits = []
    for true, pred in sides:
        labels = [label for label, *_ in pred], [label for label, *_ in true]
        if any(labels):
            edits.append(1 - distance(*labels) / max(map(len, labels)))
    values["Edit"] = sum(edits) / len(edits) if edits else math.nan
    for name, overlap in (("F1@10", 0.1), ("F1@25", 0.25), ("F1@50", 0.5)):
        tp, fp, fn = map(sum, zip(*(hits(true, pred, overlap) for true, pred in sides), strict=True))
        values[name] = 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan
    return values


def evaluated(videos: list[Video], **options: object) -> dict[str, float | None]:
    true, pred = (
        {str(at): sm.Spans.from_frame_labels(video[side], outside="background") for at, video in enumerate(videos)}
        for side in (0, 1)
    )
    run = sm.evaluate(true, pred, protocol="action", engine="serial", **options)
    (row,) = shown(run).values()
    return row


def test_action_equals_the_reference() -> None:
    for videos in random_videos(24):
        values = evaluated(videos)
        for heading, expected in reference(videos).items():
            assert same(values.get(heading), expected), (heading, values, expected, videos)


def test_the_last_action_may_end_early_as_in_its_successor() -> None:
    """MS-TCN++ and its descendants cut the last frame: the difference is a named exception of the protocol."""
    differing = 0
    for videos in random_videos(25):
        values = evaluated(videos, options={"segmental_f1": {"ends": "ms-tcn2"}})
        whole = reference(videos)
        for heading, expected in reference(videos, early=True).items():
            assert same(values.get(heading), expected), (heading, values, expected, videos)
            differing += not same(whole[heading], expected)
    assert differing
