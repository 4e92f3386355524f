"""The twelve numbers of COCO from parsed files: masks decoded, matched and ranked, against the references.

500 images with 7 true masks and 100 predictions each: a tenth of the validation set of COCO with as many predictions as
its rules allow.
"""

from __future__ import annotations

import contextlib
import copy
import io
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Call, Contest, Limit, case, optional
from segmetry.kernels.run_length_masks import encode_coco_counts
from segmetry.metrics.declare import METRICS
from segmetry.metrics.detection.detections import detections
from segmetry.metrics.statistics import Statistics
from segmetry.protocols.instances.coco_instances import VALUES
from segmetry.readers.formats.data_sets.coco_masks import _annotated_items, _Image, _predicted_masks
from segmetry.readers.reader import ReadOptions

PYCOCOTOOLS, FASTER = "pycocotools COCOeval", "faster-coco-eval"
SHAPE = (480, 640)
N_IMAGES, N_TRUE, N_PRED, N_CLASSES = 500, 7, 100, 80
Ellipse = NDArray[np.float64]
"""x, y and both radii."""


def _segment(ellipse: Ellipse) -> tuple[dict[str, Any], int, list[float]]:
    """Return an ellipse with rough edges as a compressed string, its area and its box."""
    x, y, a, b = ellipse.tolist()
    left, right = max(int(x - a), 0), min(int(x + a) + 2, SHAPE[1])
    columns = np.arange(left, right)
    half = b * np.sqrt(np.maximum(1 - ((columns - x) / a) ** 2, 0)) + (columns % 3)
    top = np.clip(np.ceil(y - half), 0, SHAPE[0] - 1).astype(int)
    bottom = np.clip(np.floor(y + half) + 1, top + 1, SHAPE[0])
    edges = np.stack((columns * SHAPE[0] + top, columns * SHAPE[0] + bottom), axis=1).ravel()
    counts = np.diff(np.concatenate(([0], edges, [SHAPE[0] * SHAPE[1]])))
    area = int((bottom - top).sum())
    box = [float(left), float(top.min()), float(right - left), float(bottom.max() - top.min())]
    return {"size": list(SHAPE), "counts": encode_coco_counts(counts).decode()}, area, box


@cache
def _files() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    rng = np.random.default_rng(0)
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, N_IMAGES + 1):
        images.append({"id": image, "height": SHAPE[0], "width": SHAPE[1]})
        radii = np.exp(rng.uniform(1.5, 5, (N_TRUE, 2)))
        trues = np.concatenate((rng.uniform((20, 20), (620, 460), (N_TRUE, 2)), radii), axis=1)
        classes = rng.integers(1, N_CLASSES + 1, N_TRUE)
        for ellipse, name in zip(trues, classes.tolist(), strict=True):
            segment, area, box = _segment(ellipse)
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": name,
                    "segmentation": segment,
                    "area": area,
                    "bbox": box,
                    "iscrowd": int(rng.random() < 0.02),
                }
            )
        for _ in range(N_PRED):
            at = int(rng.integers(N_TRUE))
            ellipse = trues[at] * np.exp(rng.normal(0, 0.08, 4))
            name = int(classes[at]) if rng.random() < 0.7 else int(rng.integers(1, N_CLASSES + 1))
            segment, _, _ = _segment(np.clip(ellipse, (5, 5, 4, 4), (634, 474, 300, 300)))
            score = round(float(rng.random()), 6)
            results.append({"image_id": image, "category_id": name, "segmentation": segment, "score": score})
    categories = [{"id": at + 1, "name": f"class {at + 1}"} for at in range(N_CLASSES)]
    return {"images": images, "annotations": annotations, "categories": categories}, results


def _ours() -> list[float]:
    truth, results = _files()
    images = {image["id"]: _Image(SHAPE) for image in truth["images"]}
    categories = {category["id"]: None for category in truth["categories"]}
    by_image: dict[str, list[Any]] = {}
    for at, result in enumerate(results):
        by_image.setdefault(str(result["image_id"]), []).append((at, result))
    facts = [
        detections(item.load(), _predicted_masks(by_image[item.name], ReadOptions()))  # type: ignore[arg-type]
        for item in _annotated_items(truth, "truth", images, categories, None, ReadOptions())
    ]
    statistics = Statistics.of(facts)
    scores = (METRICS[key].statistics.score(key, statistics, {}) for key in VALUES.values())  # type: ignore[union-attr]
    return [score.value for score in scores]


def _theirs(module: str, name: str, evaluation: str) -> Call | None:
    modules = ("pycocotools.coco", "pycocotools.cocoeval") if module == "pycocotools" else (module, module)
    coco, evaluator = optional(modules[0], name), optional(modules[1], evaluation)
    if coco is None or evaluator is None:
        return None
    truth, results = copy.deepcopy(_files())

    def call() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            loaded = coco()
            loaded.dataset = truth
            loaded.createIndex()
            own = [dict(result) for result in results]  # it writes into them
            run = evaluator(loaded, loaded.loadRes(own), "segm")
            run.evaluate()
            run.accumulate()
            run.summarize()

    return call


@case(
    "500 images of COCO, 7 true masks and 100 predictions each: the twelve numbers",
    Limit(PYCOCOTOOLS, at_least=15),
    Limit(FASTER, at_least=3),
    quick=False,
)
def twelve_numbers() -> Contest:
    peers = {
        PYCOCOTOOLS: _theirs("pycocotools", "COCO", "COCOeval"),
        FASTER: _theirs("faster_coco_eval", "COCO", "COCOeval_faster"),
    }
    return Contest(_ours, peers)
