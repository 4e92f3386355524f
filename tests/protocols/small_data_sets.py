"""One small data set for every protocol: three items on which its headline is defined and differs between averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.protocols.protocol import PROTOCOLS

Sides = tuple[dict[str, Any], dict[str, Any]]
SECONDS = "0.5"


def _blocks(rng: np.random.Generator, shape: tuple[int, ...], largest: int, size: int) -> Any:
    coarse = rng.integers(0, largest + 1, shape)
    return np.kron(coarse, np.ones((size,) * len(shape), dtype=int)).astype(np.uint8)


def _both(make: Callable[[np.random.Generator], tuple[Any, Any]], items: int = 3) -> Sides:
    rng = np.random.default_rng(20)
    pairs = {f"item {at}": make(rng) for at in range(items)}
    return {name: pair[0] for name, pair in pairs.items()}, {name: pair[1] for name, pair in pairs.items()}


def _damaged(rng: np.random.Generator, true: Any, other: Any, share: float = 0.2) -> Any:
    return np.where(rng.random(true.shape) < share, other, true)


def labels(
    largest: int = 5, shape: tuple[int, ...] = (4, 5), size: int = 6, least: int = 0, share: float = 0.2
) -> Sides:
    """Blocks of labels, and the same with some elements of another array."""

    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, other = (np.maximum(_blocks(rng, shape, largest, size), least) for _ in range(2))
        return true, _damaged(rng, true, other, share)

    return _both(pair)


def cells() -> Sides:
    """Squares that do not touch the border, each with a label of its own."""

    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true = np.pad(np.kron(np.arange(1, 10).reshape(3, 3), np.ones((6, 6), dtype=int)), 4)
        kept = rng.permutation(10) * (rng.random(10) < 0.8)
        return true, np.roll(kept[true] * (true > 0), 1, axis=1)

    return _both(pair)


def labels_of_classes(names: tuple[Any, ...]) -> Sides:
    classes = {at + 1: names[at % len(names)] for at in range(6)}
    true, pred = labels(largest=6)
    return tuple(  # type: ignore[return-value]
        {name: sm.LabelArray(array, classes=classes) for name, array in side.items()} for side in (true, pred)
    )


def videos(void: int | None = 255) -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, other = (_blocks(rng, (4, 3, 4), 3, 4)[:4] for _ in range(2))
        true[0].flat[:3] = (1, 2, 3)
        return sm.LabelArray(true, void=void), sm.LabelArray(_damaged(rng, true, other))

    return _both(pair)


def panoptic_videos(shift: int = 16) -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, other = ((rng.choice([0, 11, 13], (4, 6, 6)) << shift) + rng.integers(1, 3, (4, 6, 6)) for _ in range(2))
        facts: list[dict[str, Any]] = [{"outside": None, "void": 255}, {"outside": 255}]
        sides = true, _damaged(rng, true, other, 0.1)
        first, second = (
            sm.LabelArray.from_classes(side, instances_per_class=1 << shift, **own)
            for side, own in zip(sides, facts, strict=True)
        )
        return first, second

    return _both(pair)


def tracks() -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, other = (rng.choice([0, 1001, 1002, 2001], (4, 2, 3)).repeat(3, 1).repeat(3, 2) for _ in range(2))
        classes = {1001: 1, 1002: 1, 2001: 2}
        pred = sm.LabelArray(_damaged(rng, true, other), classes=classes)
        return sm.LabelArray(true, classes=classes, void=10000), pred

    return _both(pair)


def lidar_scans() -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, other = (rng.choice([1001, 1002, 4001, 12000, 14000], (3, 6)).repeat(60, 1) for _ in range(2))
        classes = {number: number // 1000 for number in (1001, 1002, 4001, 12000, 14000)}
        pred = sm.LabelArray(_damaged(rng, true, other, 0.1), classes=classes, outside=[0])
        return sm.LabelArray(true, classes=classes, outside=None, void=[0]), pred

    return _both(pair)


def scored_masks(dimensions: int = 2) -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        shape = (3, *(12,) * dimensions) if dimensions == 2 else (3, 2, 12, 12)
        true = rng.random(shape) < 0.4
        pred = np.concatenate((true[:2] & (rng.random((2, *shape[1:])) < 0.9), rng.random((1, *shape[1:])) < 0.3))
        classes = [str(name) for name in rng.choice(["cat", "dog"], 3)]
        found = sm.Masks.from_dense(pred, classes=classes, scores=rng.random(3).round(3))
        return sm.Masks.from_dense(true, classes=classes), found

    return _both(pair)


def texts() -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true, pred = (sorted(rng.choice(np.arange(1, 30), 6, replace=False).tolist()) for _ in range(2))
        return tuple(  # type: ignore[return-value]
            sm.Spans.from_boundaries(sorted({*side, *true[:3]}), 30) for side in (true, pred)
        )

    return _both(pair)


def frames() -> Sides:
    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        names = np.array(["background", "pour", "stir", "cut"])
        true = names[rng.integers(0, 4, 8)].repeat(5)
        pred = _damaged(rng, true, names[rng.integers(0, 4, 8)].repeat(5), 0.4)
        return tuple(  # type: ignore[return-value]
            sm.Spans.from_frame_labels(side.tolist(), outside=["background"]) for side in (true, pred)
        )

    return _both(pair)


def entities() -> Sides:
    """Sentences with entities of two types."""

    def tags(rng: np.random.Generator) -> list[str]:
        return [str(tag) for tag in rng.choice(["O", "B-PER", "B-LOC", "I-LOC"], 12)]

    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        true = tags(rng)
        pred = [a if rng.random() < 0.8 else b for a, b in zip(true, tags(rng), strict=True)]
        first, second = (sm.Spans.from_tags(side, malformed="drop") for side in (true, pred))
        return first, second

    return _both(pair)


def intervals(*, tracks: int = 1, gaps: bool = True, move: int = 1) -> Sides:
    """Intervals with labels; those of a prediction end a little later, and some have another label."""

    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        rows: list[list[tuple[int, int, str, int]]] = [[], []]
        for track in range(tracks):
            edges = [0, *np.cumsum(rng.integers(2, 6, 6 + 2 * track)).tolist()]
            moved = [0, *(edge + int(rng.integers(0, move + 1)) for edge in edges[1:-1]), edges[-1]]
            names = [str(name) for name in rng.choice(["a", "b", "c"], len(edges) - 1)]
            others = [name if rng.random() < 0.7 else "a" for name in names]
            for side, (ends, called) in enumerate(((edges, names), (moved, others))):
                listed = zip(ends[:-1], ends[1:], called, strict=True)
                rows[side] += [(*row, track) for at, row in enumerate(listed) if not gaps or at % 3]
        n = max(row[1] for side in rows for row in side)
        made = []
        for side in rows:
            starts, stops, names, depths = (list(column) for column in zip(*side, strict=True))
            facts: dict[str, Any] = {"tracks": depths} if tracks > 1 else {}
            made.append(sm.TimeIntervals(starts, stops, n, classes=names, tick=SECONDS, **facts))
        return made[0], made[1]

    return _both(pair)


def sections() -> Sides:
    """Parts of a piece of music."""

    def pair(rng: np.random.Generator) -> tuple[Any, Any]:
        edges, names = np.arange(0, 41, 5), [str(name) for name in rng.choice(["a", "b", "c"], 8)]
        moved = np.array([0, *(edges[1:-1] + rng.integers(0, 3, 7)), 40])
        first, second = (
            sm.Spans(ends[:-1], ends[1:], 40, classes=called, tick=SECONDS)
            for ends, called in ((edges, names), (moved, [*names[:5], "a", "a", "b"]))
        )
        return first, second

    return _both(pair)


def change_points() -> Sides:
    true, pred = texts()
    return tuple(  # type: ignore[return-value]
        {name: sm.TimeIntervals.of_spans(side) for name, side in sides.items()} for sides in (true, pred)
    )


_OF_THEIR_OWN: dict[str, Callable[[], Sides]] = {
    "action": frames,
    "ade20k": lambda: labels(least=1),
    "brats": lambda: labels(3, (2, 3, 3), 4),
    "brats-men": lambda: labels(3, (2, 3, 3), 4),
    "brats-met": lambda: labels(3, (2, 3, 3), 4),
    "change-points": change_points,
    "coco-instances": scored_masks,
    "coco-panoptic": lambda: labels_of_classes(("car", "sky")),
    "conic": lambda: labels_of_classes(("epithelial", "lymphocyte")),
    "davis": videos,
    "davis-unsupervised": videos,
    "diarization": intervals,
    "kitti-step": panoptic_videos,
    "lvis": scored_masks,
    "mots": tracks,
    "cityscapes-semantic": lambda: labels_of_classes((7, 26)),
    "music": sections,
    "neurips-cellseg": cells,
    "music-hierarchy": lambda: intervals(tracks=2, gaps=False),
    "ner": entities,
    "page-streams": texts,
    "pannuke": lambda: labels_of_classes(("Neoplastic", "Dead")),
    "panoptic-nuscenes": lidar_scans,
    "panoptica": lambda: labels(share=0.05),
    "semantic-kitti": lidar_scans,
    "semeval13": entities,
    "sound-events": intervals,
    "text": texts,
    "vpq": panoptic_videos,
    "youtube-vis": lambda: scored_masks(3),
}


def small_data_set(name: str) -> Sides:
    """Return truth and prediction for a protocol; most take arrays of labels."""
    assert name in PROTOCOLS
    return _OF_THEIR_OWN.get(name, labels)()
