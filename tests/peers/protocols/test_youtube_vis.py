"""The protocol youtube-vis against YTVOSeval: COCOeval of pycocotools, with the IoU of tubes in place of masks."""

from __future__ import annotations

import contextlib
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pycocotools import mask as coco_masks
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import segmetry as sm
from tests.protocols.references.table_values import DATA_SETS, same, shown

pytestmark = [pytest.mark.peers, pytest.mark.filterwarnings("ignore")]

HEADINGS = {"AP": 0, "AP50": 1, "AP75": 2, "AR1": 6, "AR10": 7}
DataSet = tuple[dict[str, Any], list[dict[str, Any]]]


def frames_of(tube: NDArray[np.bool_]) -> list[dict[str, Any] | None]:
    encoded = [coco_masks.encode(np.asfortranarray(frame.astype(np.uint8))) for frame in tube]
    return [
        {"size": list(map(int, rle["size"])), "counts": rle["counts"].decode()} if frame.any() else None
        for rle, frame in zip(encoded, tube, strict=True)
    ]


def tube_iou(one: list[Any], other: list[Any]) -> float:
    """Σ intersections over Σ unions of the frames, for a crowd as well (``iou_seq`` of ytvoseval.py, f3f9948)."""
    shared = union = 0.0
    for first, second in zip(one, other, strict=True):
        areas = [0.0 if rle is None else float(coco_masks.area(rle)) for rle in (first, second)]
        both = float(coco_masks.area(coco_masks.merge([first, second], intersect=True))) if first and second else 0.0
        shared, union = shared + both, union + sum(areas) - both
    return shared / union if union else 0.0


class TubeEvaluation(COCOeval):  # type: ignore[misc]
    def computeIoU(self, imgId: int, catId: int) -> Any:  # noqa: N802, N803 - names of the reference
        true, found = self._gts[imgId, catId], self._dts[imgId, catId]
        if not true and not found:
            return []
        found = [found[at] for at in np.argsort([-one["score"] for one in found], kind="mergesort")][:100]
        ious = [[tube_iou(d["tube"], g["tube"]) for g in true] for d in found]
        return np.array(ious).reshape(len(found), len(true))


def reference(data: DataSet) -> dict[str, float]:
    truth, results = data
    annotations = [
        {**one, "image_id": one["video_id"], "tube": one["segmentations"], "area": 1.0} for one in truth["annotations"]
    ]
    found = [
        {**one, "image_id": one["video_id"], "tube": one["segmentations"], "area": 1.0, "id": at, "iscrowd": 0}
        for at, one in enumerate(results, 1)
    ]
    images = [{"id": video["id"]} for video in truth["videos"]]
    sides = []
    with contextlib.redirect_stdout(io.StringIO()):
        for listed in (annotations, found):
            coco = COCO()
            coco.dataset = {"images": images, "categories": truth["categories"], "annotations": listed}
            coco.createIndex()
            sides.append(coco)
        evaluation = TubeEvaluation(*sides, "bbox")
        evaluation.params.areaRng = [[0, 1e10]] * 4
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    stats = evaluation.stats.tolist()
    return {heading: math.nan if stats[at] == -1 else stats[at] for heading, at in HEADINGS.items()}


def random_data_set(rng: np.random.Generator) -> DataSet:
    videos, annotations, results = [], [], []
    for number in range(1, int(rng.integers(2, 4))):
        length, height, width = rng.integers(1, 4, 3).tolist()
        videos.append({"id": number, "length": length, "height": height, "width": 2 * width})
        for _ in range(rng.integers(0, 4)):
            tube = rng.random((length, height, 2 * width)) < 0.5
            common = {"video_id": number, "category_id": int(rng.integers(1, 3))}
            crowd = int(rng.random() < 0.2)
            annotations.append(
                {**common, "id": len(annotations) + 1, "segmentations": frames_of(tube), "iscrowd": crowd}
            )
            for _ in range(rng.integers(0, 3)):
                found = tube ^ (rng.random(tube.shape) < rng.choice([0, 0.1, 0.5]))
                if found.any():
                    score = float(rng.choice([0.1, 0.5, 0.9, rng.random()]))
                    results.append({**common, "segmentations": frames_of(found), "score": score})
    categories = [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    return {"videos": videos, "categories": categories, "annotations": annotations}, results


def write(data: DataSet, folder: Path) -> tuple[Path, Path]:
    folder.mkdir(exist_ok=True)
    paths = folder / "truth.json", folder / "results.json"
    for path, content in zip(paths, data, strict=True):
        path.write_text(json.dumps(content))
    return paths


def test_youtube_vis_equals_the_reference(tmp_path: Path) -> None:
    rng = np.random.default_rng(121)
    compared = 0
    while compared < DATA_SETS:
        data = random_data_set(rng)
        if not data[0]["annotations"] or not data[1]:
            continue
        compared += 1
        run = sm.evaluate(*write(data, tmp_path), engine="serial")
        assert run.modified == ()
        (row,) = shown(run).values()
        for heading, expected in reference(data).items():
            value = row.get(heading)
            assert same(value, expected) or value == pytest.approx(expected, abs=1e-12), (heading, row, expected, data)


def test_a_crowd_overlaps_by_its_iou(tmp_path: Path) -> None:
    """A prediction inside a crowd of eight times its size is a false positive, as the reference compares crowds."""
    crowd, cat, inside = np.zeros((3, 1, 2, 8), dtype=bool)
    crowd[:, :, :4], cat[:, :, 5:], inside[:, 0, 0] = True, True, True
    common = {"video_id": 1, "category_id": 1}
    truth = {
        "videos": [{"id": 1, "length": 1, "height": 2, "width": 8}],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {**common, "id": number, "segmentations": frames_of(tube), "iscrowd": int(tube is crowd)}
            for number, tube in enumerate((crowd, cat), 1)
        ],
    }
    results = [
        {**common, "segmentations": frames_of(tube), "score": score} for tube, score in ((inside, 0.9), (cat, 0.5))
    ]
    assert reference((truth, results))["AP"] == pytest.approx(0.5)
    run = sm.evaluate(*write((truth, results), tmp_path), engine="serial")
    assert next(iter(shown(run).values()))["AP"] == pytest.approx(0.5)
