"""Masks as runs against pycocotools."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels import run_length_masks as runs
from segmetry.kernels.backend import numpy_twin
from tests.coco_strings import encode_coco_counts

coco_mask = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
pytestmark = pytest.mark.peers

HEIGHT, WIDTH = 90, 130


def smooth_masks(count: int, seed: int) -> NDArray[np.bool_]:
    """Wobbly discs that may overlap, shape (masks, height, width); the last one is empty, the one before is full."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    masks = []
    for _ in range(count):
        dy, dx = y - rng.uniform(0, HEIGHT), x - rng.uniform(0, WIDTH)
        radius = rng.uniform(3, 40) * (1 + 0.3 * np.sin(rng.integers(2, 9) * np.arctan2(dy, dx)))
        masks.append(np.hypot(dy, dx) < radius)
    return np.array([*masks, np.ones((HEIGHT, WIDTH), bool), np.zeros((HEIGHT, WIDTH), bool)])


def encoded(masks: NDArray[np.bool_]) -> list[dict[str, Any]]:
    texts: list[dict[str, Any]] = coco_mask.encode(np.asfortranarray(masks.transpose(1, 2, 0).astype(np.uint8)))
    return texts


def column_major(masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return masks.transpose(0, 2, 1).reshape(len(masks), -1)


@pytest.mark.parametrize("seed", range(3))
def test_strings_areas_intersections_and_unions(seed: int) -> None:
    true, pred = smooth_masks(12, seed), smooth_masks(9, seed + 100)
    true_texts, pred_texts = encoded(true), encoded(pred)
    true_runs = runs.decode_coco_masks([text["counts"] for text in true_texts], HEIGHT * WIDTH)
    pred_runs = runs.decode_coco_masks([text["counts"] for text in pred_texts], HEIGHT * WIDTH)
    for ours, dense in zip(true_runs, runs.run_lengths_from_dense(column_major(true)), strict=True):
        assert np.array_equal(ours, dense)
    assert runs.sizes(true_runs).tolist() == coco_mask.area(true_texts).tolist()

    shared = np.zeros((len(true), len(pred)), np.int64)
    for i, true_text in enumerate(true_texts):
        for j, pred_text in enumerate(pred_texts):
            shared[i, j] = coco_mask.area(coco_mask.merge([true_text, pred_text], intersect=True))
    for intersect in (runs.intersect_run_lengths, numpy_twin(runs.intersect_run_lengths)):
        rows, columns, found = intersect(true_runs, pred_runs)
        assert np.array_equal(found, shared[rows, columns])
        assert len(found) == np.count_nonzero(shared)

    union = coco_mask.merge(true_texts[:-2])
    some = runs.decode_coco_masks([text["counts"] for text in true_texts[:-2]], HEIGHT * WIDTH)
    assert runs.sizes(runs.union_run_lengths(some)).tolist() == [int(coco_mask.area(union))]


def test_strings_are_written_as_pycocotools_writes_them() -> None:
    for text in encoded(smooth_masks(20, 7)):
        counts = runs.decode_coco_counts(text["counts"])
        assert numpy_twin(runs.decode_coco_counts)(text["counts"]).tolist() == counts.tolist()
        assert encode_coco_counts(counts) == text["counts"]
        plain = {"size": [HEIGHT, WIDTH], "counts": counts.tolist()}
        assert coco_mask.frPyObjects(plain, HEIGHT, WIDTH)["counts"] == text["counts"]
