"""The protocol semantic-kitti against a transcription of semantic-kitti-api: its script on arrays of points."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.readers.formats.data_sets.point_clouds import LEARNING_MAP
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

Scan = NDArray[np.uint32]
RAW = np.array([0, 1, 10, 13, 252, 257, 30, 40, 60, 50, 70, 99])
THINGS, STUFF = list(range(1, 9)), list(range(9, 20))


def classes_of(scan: Scan) -> NDArray[Any]:
    return np.array([LEARNING_MAP[number] for number in (scan & 0xFFFF).tolist()])


def reference(scans: list[tuple[Scan, Scan]]) -> dict[str, float]:
    tp, fp, fn, iou = (np.zeros(20) for _ in range(4))
    confusion = np.zeros((20, 20))
    for true, pred in scans:
        true_class, pred_class = classes_of(true), classes_of(pred)
        np.add.at(confusion, (pred_class, true_class), 1)
        kept = true_class != 0
        for number in range(1, 20):
            t_in, p_in = kept & (true_class == number), kept & (pred_class == number)
            t_ids, t_sizes = np.unique(true[t_in], return_counts=True)
            p_ids, p_sizes = np.unique(pred[p_in], return_counts=True)
            matched: set[tuple[int, int]] = set()
            for t, t_size in zip(t_ids, t_sizes, strict=True):
                for p, p_size in zip(p_ids, p_sizes, strict=True):
                    shared = int((t_in & p_in & (true == t) & (pred == p)).sum())
                    if shared and shared / (t_size + p_size - shared) > 0.5:
                        tp[number] += 1
                        iou[number] += shared / (t_size + p_size - shared)
                        matched |= {(0, int(t)), (1, int(p))}
            fn[number] += sum(size >= 50 and (0, int(t)) not in matched for t, size in zip(t_ids, t_sizes, strict=True))
            fp[number] += sum(size >= 50 and (1, int(p)) not in matched for p, size in zip(p_ids, p_sizes, strict=True))
    confusion[:, 0] = 0
    shared = confusion.diagonal()
    ious = shared / np.maximum(confusion.sum(axis=0) + confusion.sum(axis=1) - shared, 1e-15)
    sq = iou / np.maximum(tp, 1e-15)
    rq = tp / np.maximum(tp + 0.5 * fp + 0.5 * fn, 1e-15)
    pq = sq * rq
    rows = {"PQ": pq[1:].mean(), "SQ": sq[1:].mean(), "RQ": rq[1:].mean(), "mIoU": ious[1:].mean()}
    rows["PQ†"] = np.mean([*pq[THINGS], *ious[STUFF]])
    for word, values in (("PQ", pq), ("SQ", sq), ("RQ", rq)):
        rows[f"{word}Th"], rows[f"{word}St"] = values[THINGS].mean(), values[STUFF].mean()
    return {name: float(value) for name, value in rows.items()}


def scan(rng: np.random.Generator, like: Scan | None = None) -> Scan:
    """Stretches of points of one label, some longer than 50 points and some shorter."""
    count = int(rng.integers(1, 8)) if like is None else 8
    lengths = rng.integers(1, 120, count)
    raw = rng.choice(RAW, count)
    values = np.repeat(raw | rng.integers(0, 3, count) << 16, lengths).astype(np.uint32)
    if like is None:
        return values
    values = np.resize(values, like.size)
    return np.where(rng.random(like.size) < rng.choice([0, 0.1, 0.4, 1]), values, like).astype(np.uint32)


def write(folder: Path, scans: list[tuple[Scan, Scan]]) -> tuple[Path, Path]:
    for side, kind in ((0, "labels"), (1, "predictions")):
        home = folder / f"{side}" / "sequences" / "08" / kind
        home.mkdir(parents=True)
        for at, pair in enumerate(scans):
            pair[side].astype("<u4").tofile(home / f"{at:06}.label")
    return folder / "0", folder / "1"


def check(scans: list[tuple[Scan, Scan]], folder: Path) -> None:
    run = sm.evaluate(*write(folder, scans), protocol="semantic-kitti", engine="serial")
    assert run.modified == ()
    (row,) = shown(run).values()
    for heading, expected in reference(scans).items():
        assert same(row[heading], expected), (heading, row, expected)


def test_semantic_kitti_equals_the_reference(tmp_path: Path) -> None:
    rng = np.random.default_rng(101)
    for number in range(DATA_SETS):
        scans = []
        for _ in range(rng.integers(1, 3)):
            true = scan(rng)
            true[0] = 10
            scans.append((true, scan(rng, true)))
        check(scans, tmp_path / f"{number}")


def test_semantic_kitti_equals_the_reference_on_degenerate_scans(tmp_path: Path) -> None:
    none, car, road = (np.full(60, number, np.uint32) for number in (0, 10 | 1 << 16, 40))
    few = np.array([10], np.uint32)
    for number, pair in enumerate([(car, none), (car, road), (car, car), (few, few), (few, few * 0), (road, road)]):
        check([pair], tmp_path / f"{number}")


def test_only_unlabelled_points_have_no_value(tmp_path: Path) -> None:
    """The script gives 0, a named exception."""
    none, car = np.zeros(60, np.uint32), np.full(60, 10, np.uint32)
    assert reference([(none, car)])["PQ"] == 0
    run = sm.evaluate(*write(tmp_path, [(none, car)]), protocol="semantic-kitti", engine="serial")
    assert all(value is None or math.isclose(value, 0) for row in shown(run).values() for value in row.values())
