"""Random data sets of COCO's form: crowds, empty images, empty classes, equal scores, empty masks, odd areas, boxes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pycocotools import mask as rle

SHAPE = (90, 70)
SIDES = np.array([3, 20, 31, 32, 33, 60])


@dataclass
class DataSet:
    """An annotation file and a results file, as Python data."""

    truth: dict[str, Any]
    results: list[dict[str, Any]] = field(default_factory=list)


def encoded(mask: NDArray[np.bool_]) -> dict[str, Any]:
    drawn = rle.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": list(SHAPE), "counts": drawn["counts"].decode("ascii")}


def rectangle(rng: np.random.Generator) -> tuple[int, int, int, int]:
    height, width = rng.choice(SIDES, 2).tolist()
    return int(rng.integers(0, 40)), int(rng.integers(0, 30)), height, width


def drawn(top: int, left: int, height: int, width: int) -> NDArray[np.bool_]:
    mask = np.zeros(SHAPE, dtype=bool)
    mask[max(top, 0) : top + height, max(left, 0) : left + width] = True
    return mask


def moved(rng: np.random.Generator, place: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    top, left, height, width = place
    return (
        top + int(rng.integers(-2, 3)),
        left + int(rng.integers(-2, 3)),
        max(height + int(rng.integers(-3, 4)), 0),
        width,
    )


def random_data_set(seed: int, *, boxes: bool = False) -> DataSet:
    """One to three images and classes; the masks are rectangles, so that sizes lie on both sides of COCO's limits."""
    rng = np.random.default_rng(seed)
    n_images, n_classes = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    images = rng.permutation(np.arange(1, n_images + 1)).tolist()
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in images:
        places = [rectangle(rng) for _ in range(rng.integers(0, 4))]
        for place in places:
            segment = encoded(drawn(*place))
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": int(rng.integers(1, n_classes + 1)),
                    "segmentation": segment,
                    "area": float(rng.choice([int(rle.area(segment)), 1024, 9216, 9216.5, 0, 50.25])),
                    "bbox": [float(value) for value in rle.toBbox(segment)],
                    "iscrowd": int(rng.random() < 0.2),
                }
            )
        for _ in range(rng.integers(0, 6)):
            place = moved(rng, places[rng.integers(len(places))]) if places and rng.random() < 0.85 else rectangle(rng)
            segment = encoded(drawn(*place))
            result = {
                "image_id": image,
                "category_id": int(rng.integers(1, n_classes + 2)),
                "score": float(rng.choice([0.1, 0.5, 0.5, 0.9, rng.random()])),
            }
            if boxes:
                jitter = rng.choice([0, 0.25, 1 / 3], 4)
                result["bbox"] = (np.array([place[1], place[0], place[3], place[2]]) + jitter).tolist()
            else:
                result["segmentation"] = segment
            results.append(result)
    truth = {
        "images": [{"id": image, "height": SHAPE[0], "width": SHAPE[1]} for image in images],
        "annotations": annotations,
        "categories": [{"id": at + 1, "name": f"class {at + 1}"} for at in range(n_classes)],
    }
    return DataSet(truth, results)
