"""The protocol panoptic-nuscenes against a transcription of nuscenes-devkit, over arrays of points."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.readers.formats.data_sets.point_clouds import CHALLENGE_CLASSES
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Scene = list[tuple[NDArray[Any], NDArray[Any]]]
"""The labels of the points of each scan: general classes in the truth, those of the challenge in the prediction."""
LEAST = 15
GENERAL = {number: general for general, number in CHALLENGE_CLASSES.items()}


def challenge(values: NDArray[Any]) -> NDArray[Any]:
    return np.array([CHALLENGE_CLASSES.get(value // 1000, 0) for value in values.tolist()])


def counted(values: NDArray[Any]) -> dict[int, int]:
    numbers, counts = np.unique(values, return_counts=True)
    return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def reference(scenes: list[Scene]) -> dict[str, float]:  # noqa: C901, PLR0912 - one loop, as in the devkit
    tp, fp, fn, iou = (np.zeros(17) for _ in range(4))
    confusion = np.zeros((17, 17))
    associations: list[float] = []
    tracking: list[float] = []
    for scene in scenes:
        preds: dict[int, int] = defaultdict(int)
        trues: dict[int, int] = defaultdict(int)
        shared_points: dict[tuple[int, int], int] = defaultdict(int)
        frames_of: dict[int, int] = defaultdict(int)
        partners: dict[int, list[int]] = defaultdict(list)
        for true, pred in scene:
            np.add.at(confusion, (pred // 1000, challenge(true)), 1)
            kept = challenge(true) != 0
            t, p = true[kept], pred[kept]
            t_class, p_class = challenge(t), p // 1000
            for number, count in counted(p).items():
                frames_of[number] += count > LEAST
            for cl in range(1, 17):
                t_sizes, p_sizes = counted(t[t_class == cl]), counted(p[p_class == cl])
                matched: set[tuple[int, int]] = set()
                for a, a_size in t_sizes.items():
                    for b, b_size in p_sizes.items():
                        n = int(((t == a) & (p == b)).sum())
                        if 2 * n > a_size + b_size - n:
                            tp[cl] += 1
                            iou[cl] += n / (a_size + b_size - n)
                            matched |= {(0, a), (1, b)}
                fn[cl] += sum(size >= LEAST and (0, a) not in matched for a, size in t_sizes.items())
                fp[cl] += sum(size >= LEAST and (1, b) not in matched for b, size in p_sizes.items())
                if cl > 10:
                    continue
                for b, size in p_sizes.items():
                    if size > LEAST:
                        preds[b] += size
                for a, size in t_sizes.items():
                    if size <= LEAST:
                        continue
                    trues[a] += size
                    found = 1
                    for b, b_size in counted(p).items():
                        n = int(((t == a) & (p == b)).sum())
                        shared_points[a, b] += n
                        if 2 * n > size + b_size - n and b:
                            found = b + 1
                    partners[a].append(found)
        for a, size in trues.items():
            inner = sum(
                shared_points[a, b] ** 2 / (size + b_size - shared_points[a, b])
                for b, b_size in preds.items()
                if shared_points[a, b]
            )
            associations.append(inner / size)
        tracking += [tracking_quality(listed, frames_of) for listed in partners.values()]
    confusion[:, 0] = 0
    diagonal = confusion.diagonal()
    ious = diagonal / np.maximum(confusion.sum(axis=0) + confusion.sum(axis=1) - diagonal, 1e-15)
    sq, rq = iou / np.maximum(tp, 1e-15), tp / np.maximum(tp + fp / 2 + fn / 2, 1e-15)
    pq, mean_iou = (sq * rq)[1:].mean(), ious[1:].mean()
    tq = float(np.mean(tracking)) if tracking else math.nan
    assoc = float(np.mean(associations)) if associations else math.nan
    return {
        "PAT": 2 * pq * tq / (pq + tq) if pq + tq else math.nan,
        "LSTQ": math.sqrt(assoc * mean_iou) if tracking else math.nan,
        "PQ": float(pq),
        "PQ†": float(np.mean([*(sq * rq)[1:11], *ious[11:]])),
        "SQ": float(sq[1:].mean()),
        "RQ": float(rq[1:].mean()),
        "TQ": tq,
        "S_assoc": assoc,
        "mIoU": float(mean_iou),
    }


def tracking_quality(partners: list[int], frames_of: dict[int, int]) -> float:
    length = len(partners)
    numbers, counts = np.unique([number for number in partners if number != 1], return_counts=True)
    frames = np.array([frames_of[number - 1] for number in numbers.tolist()])
    spurious = np.where(frames > 0, frames - counts, 0) if len(numbers) else counts
    association = float(np.sum(counts**2 / (length + spurious))) / length if len(numbers) else 0.0
    switches, last = 0, -1
    for number in partners:
        switches += last != -1 and (number != last or last == 1)
        last = number
    return math.sqrt(association * (1 - switches / (length - 1) if length > 1 else 1.0))


def scene(rng: np.random.Generator) -> Scene:
    scans = []
    points = int(rng.integers(20, 150))
    things, stuff = rng.integers(1, 11, 3), rng.integers(11, 17, 2)
    for _ in range(rng.integers(1, 5)):
        cuts = np.sort(rng.integers(0, points, 4))
        classes = np.array([*things, *stuff])
        instance = np.array([1, 2, 1 + int(rng.random() < 0.3), 0, 0])
        place = np.searchsorted(cuts, np.arange(points), side="right")
        truth = np.array([GENERAL[number] for number in classes.tolist()])[place] * 1000 + instance[place]
        truth[rng.random(points) < 0.05] = 0
        switched = np.where(rng.random(5) < 0.2, 7, 0) * (instance > 0)
        wrong = rng.integers(0, 17, points) * 1000
        wrong += np.where(wrong // 1000 % 17 < 11, 1, 0) * (wrong > 0)
        pred = classes[place] * 1000 + instance[place] + switched[place]
        scans.append((truth, np.where(rng.random(points) < rng.choice([0, 0.2, 0.7]), wrong, pred)))
    return scans


def arrays(scenes: list[Scene]) -> list[dict[str, sm.LabelArray]]:
    sides: list[dict[str, sm.LabelArray]] = [{}, {}]
    for at, scans in enumerate(scenes):
        for side in (0, 1):
            values = np.stack([pair[side] for pair in scans])
            numbers = np.unique(values)
            of = challenge(numbers) if side == 0 else numbers // 1000
            classes = {n: c for n, c in zip(numbers.tolist(), of.tolist(), strict=True) if c}
            ignored = [n for n in numbers.tolist() if n not in classes]
            facts: dict[str, Any] = {"outside": None, "void": ignored} if side == 0 else {"outside": ignored}
            sides[side][f"{at}"] = sm.LabelArray(values, classes=classes, **facts)
    return sides


def check(scenes: list[Scene], *sides: Any) -> None:
    run = sm.evaluate(*(sides or arrays(scenes)), protocol="panoptic-nuscenes", engine="serial")
    assert run.modified == ()
    (row,) = shown(run).values()
    for heading, expected in reference(scenes).items():
        if heading in ("TQ", "S_assoc") and math.isnan(expected):
            continue
        assert same(row[heading], expected), (heading, row, expected)


def test_panoptic_nuscenes_equals_the_reference() -> None:
    rng = np.random.default_rng(111)
    for _ in range(DATA_SETS):
        check([scene(rng) for _ in range(rng.integers(1, 3))])


def test_panoptic_nuscenes_equals_the_reference_on_degenerate_scenes() -> None:
    car, none, road = np.full(20, 17_001), np.zeros(20, int), np.full(20, 24_000)
    for true, pred in [
        (car, none),
        (car, car // 17 * 4),
        (road, none),
        (car[:1], car[:1] // 17 * 4),
        (car, none + 11_000),
    ]:
        check([[(true, pred)] * 2])


def test_files_give_the_same_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    scenes = [scene(rng), scene(rng)]
    scenes[0][0] = tuple(side[:-3] for side in scenes[0][0])  # type: ignore[assignment]
    tokens = {f"scene-{at}": [f"token{at}{number}" for number in range(len(scans))] for at, scans in enumerate(scenes)}
    for side, folder in ((0, "true"), (1, "pred")):
        (tmp_path / folder).mkdir()
        for scans, names in zip(scenes, tokens.values(), strict=True):
            for pair, token in zip(scans, names, strict=True):
                np.savez_compressed(tmp_path / folder / f"{token}_panoptic.npz", data=pair[side].astype(np.uint16))
    (tmp_path / "scenes.json").write_text(json.dumps(tokens))
    scenes_file = {"scenes": str(tmp_path / "scenes.json")}
    run = sm.evaluate(
        tmp_path / "true", tmp_path / "pred", read=scenes_file, protocol="panoptic-nuscenes", engine="serial"
    )
    (row,) = shown(run).values()
    assert all(same(row[heading], expected) for heading, expected in reference(scenes).items())
    short = scenes[0][0][1][:-1].astype(np.uint16)
    np.savez_compressed(tmp_path / "pred" / "token00_panoptic.npz", data=short)
    with pytest.raises(SegmetryError, match="token00 of"):
        sm.evaluate(tmp_path / "true", tmp_path / "pred", read=scenes_file, protocol="panoptic-nuscenes")
