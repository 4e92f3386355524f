"""Panoptic PNG files, from the files to the score: against the reference algorithm, on one core."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from bench.shapes import cells, shifted

N_PAIRS, SHAPE, N_SEGMENTS, N_CLASSES = 200, (480, 640), 12, 20
DISTINCT = 20
"""Pairs made; the 200 pairs are these in turn, in files of their own."""

HOTCOCO = "hotcoco PanopticEval"
REFERENCE = "PIL and np.unique, as the reference code does it"


def _image(ids: NDArray[Any]) -> Image.Image:
    wide = ids.astype(np.uint32)
    return Image.fromarray(np.stack([wide & 255, wide >> 8 & 255, wide >> 16 & 255], axis=-1).astype(np.uint8))


def _annotation(name: str, ids: NDArray[Any], classes: dict[int, int]) -> dict[str, Any]:
    numbers, areas = np.unique(ids, return_counts=True)
    segments = [
        {"id": number, "category_id": classes[number], "iscrowd": 0, "area": area}
        for number, area in zip(numbers.tolist(), areas.tolist(), strict=True)
        if number
    ]
    return {"image_id": int(name), "file_name": f"{name}.png", "segments_info": segments}


@cache
def data_set() -> tuple[Path, Path]:
    """Two JSON files with their folders of images: irregular cells with colours as ids, and the same cells moved."""
    folder = Path(tempfile.mkdtemp())
    sides: dict[str, list[dict[str, Any]]] = {"true": [], "pred": []}
    for side in sides:
        (folder / side).mkdir()
    for at in range(N_PAIRS):
        seed = at % DISTINCT
        numbers = np.random.default_rng(seed)
        colours = np.concatenate(([0], numbers.choice(2**24 - 1, N_SEGMENTS - 1, replace=False) + 1))
        classes = {int(colour): int(numbers.integers(N_CLASSES)) + 1 for colour in colours}
        true = colours[cells(SHAPE, N_SEGMENTS, seed)]
        for side, ids in (("true", true), ("pred", shifted(true, 5))):
            _image(ids).save(folder / side / f"{at:06}.png")
            sides[side].append(_annotation(f"{at:06}", ids, classes))
    categories = [
        {"id": number + 1, "name": f"class {number + 1}", "isthing": number % 2} for number in range(N_CLASSES)
    ]
    for side, listed in sides.items():
        content = {"annotations": listed, "categories": categories}
        (folder / f"{side}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder / "true.json", folder / "pred.json"


def _ids(file: Path) -> NDArray[np.uint32]:
    colours = np.array(Image.open(file), dtype=np.uint32)
    return colours[..., 0] + 256 * colours[..., 1] + 65536 * colours[..., 2]


def _matches(
    true: NDArray[np.uint32], pred: NDArray[np.uint32], true_info: dict[str, Any], pred_info: dict[str, Any]
) -> list[tuple[int, float]]:
    """(class, IoU) of the matched pairs of one image: IoU above one half, of equal class, without void.

    As in the reference code the sizes of true segments are taken from the file, those of predicted ones are counted.
    """
    true_sizes = {segment["id"]: segment["area"] for segment in true_info["segments_info"]}
    pred_sizes = dict(zip(*(column.tolist() for column in np.unique(pred, return_counts=True)), strict=True))
    true_classes, pred_classes = (
        {segment["id"]: segment["category_id"] for segment in info["segments_info"]} for info in (true_info, pred_info)
    )
    keys, counts = np.unique(true.astype(np.uint64) * 2**24 + pred.astype(np.uint64), return_counts=True)
    shared = {divmod(key, 2**24): n for key, n in zip(keys.tolist(), counts.tolist(), strict=True)}
    matches = []
    for (first, second), n in shared.items():
        if not first or not second or true_classes[first] != pred_classes[second]:
            continue
        iou = n / (true_sizes[first] + pred_sizes[second] - n - shared.get((0, second), 0))
        if iou > 0.5:
            matches.append((true_classes[first], iou))
    return matches


def reference() -> dict[int, float]:
    """Return the panoptic quality of every class, by the reference algorithm."""
    files = data_set()
    sides = [json.loads(file.read_text(encoding="utf-8"))["annotations"] for file in files]
    n_segments = dict.fromkeys(range(1, N_CLASSES + 1), 0)
    ious: dict[int, list[float]] = {number: [] for number in n_segments}
    for pair in zip(*sides, strict=True):
        true, pred = (_ids(file.with_suffix("") / info["file_name"]) for file, info in zip(files, pair, strict=True))
        for number, iou in _matches(true, pred, *pair):
            ious[number].append(iou)
        for info in pair:
            for segment in info["segments_info"]:
                n_segments[segment["category_id"]] += 1
    return {number: 2 * sum(ious[number]) / n for number, n in n_segments.items() if n}


def ours(**options: Any) -> dict[Any, float]:
    """Return the panoptic quality of every class, by segmetry."""
    summary = sm.evaluate(*data_set(), **{"metrics": "pq", "engine": "serial", **options}).summary()
    return {number: row["pq"]["pooled"].value for number, row in summary.parts.items()}


def _contest(call: Callable[[], dict[Any, float]]) -> Contest:
    values, expected = call(), reference()
    if values.keys() != expected.keys() or any(abs(values[number] - expected[number]) > 1e-12 for number in values):
        raise AssertionError(f"evaluate gives {values}, the reference {expected}")
    return Contest(call, {REFERENCE: reference})


@case(
    "200 COCO panoptic pairs of 640×480, from the files to PQ by class", Limit(REFERENCE, at_least=17), from_files=True
)
def coco() -> Contest:
    """Without groups of classes: PQ†, which is computed with the group of stuff, is not part of the reference."""
    return _contest(partial(ours, groups={}))


@case(
    "the same pairs, PQ† and the means of things and of stuff beside PQ", Limit(REFERENCE, at_least=17), from_files=True
)
def coco_dagger() -> Contest:
    """With the groups of classes that the files declare, the default for users."""
    return _contest(ours)


def _hotcoco() -> Call | None:
    evaluation = optional("hotcoco.panoptic", "PanopticEval")
    if evaluation is None:
        return None

    def call() -> float:
        with contextlib.redirect_stdout(io.StringIO()):
            run = evaluation(*map(str, data_set()))
            run.run()
        return float(run.results()["All"]["pq"])

    return call


@case("the same pairs, the table of COCO", Limit(HOTCOCO, at_least=2), from_files=True)
def coco_table() -> Contest:
    """Processor time of all threads of both, which are as many as there are cores."""
    peer = _hotcoco()
    value = sm.evaluate(*data_set()).value("PQ")
    if peer is not None and (value is None or abs(peer() - value.value) > 1e-9):
        raise AssertionError(f"evaluate gives {value}, hotcoco {peer()}")
    return Contest(lambda: str(sm.evaluate(*data_set()).protocol_table()), {HOTCOCO: peer})


@case("the same pairs with the default metrics: PQ, SQ, RQ, counts, ARI and VI", Limit(REFERENCE), from_files=True)
def coco_default() -> Contest:
    """The reference computes PQ alone."""
    return _contest(partial(ours, metrics=None))
