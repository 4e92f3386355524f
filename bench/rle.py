"""Masks in compressed COCO strings: all intersections of two sides, against pycocotools."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.cases import Call, Contest, Limit, case, optional
from bench.shapes import discs
from segmetry.kernels.run_length_masks import decode_coco_masks, intersect_run_lengths, sizes
from tests.coco_strings import encode_coco_counts

COCO = "pycocotools.mask.iou"
SHAPE = (1024, 2048)
DISTINCT = 20
"""Images made; 500 images are these in turn, since decoding has no memory of what it read before."""

Side = list[bytes]


def _string(mask: NDArray[np.bool_]) -> bytes:
    flat = mask.ravel(order="F")
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    counts = np.diff(np.concatenate(([0], edges, [flat.size])))
    return encode_coco_counts(np.concatenate(([0], counts)) if flat[0] else counts)


def _sides(masks: list[NDArray[np.bool_]]) -> tuple[Side, Side]:
    moved = [np.roll(mask, (3, 2), (0, 1)) for mask in masks]
    return [_string(mask) for mask in masks], [_string(mask) for mask in moved]


def _ours(images: list[tuple[Side, Side]]) -> Call:
    size = SHAPE[0] * SHAPE[1]

    def call() -> None:
        for true, pred in images:
            true_runs, pred_runs = decode_coco_masks(true, size), decode_coco_masks(pred, size)
            rows, columns, shared = intersect_run_lengths(true_runs, pred_runs, line=SHAPE[0])
            _ = shared / (sizes(true_runs)[rows] + sizes(pred_runs)[columns] - shared)

    return call


def _theirs(images: list[tuple[Side, Side]]) -> Call | None:
    iou = optional("pycocotools.mask", "iou")
    if iou is None:
        return None
    as_coco = [tuple([{"size": list(SHAPE), "counts": text} for text in side] for side in image) for image in images]

    def call() -> None:
        for true, pred in as_coco:
            iou(pred, true, [0] * len(true))

    return call


def _contest(images: list[tuple[Side, Side]]) -> Contest:
    return Contest(_ours(images), {COCO: _theirs(images)})


def _many(*, disjoint: bool) -> list[tuple[Side, Side]]:
    made = [_sides(discs(SHAPE, 17, (20, 250), seed, disjoint=disjoint)) for seed in range(DISTINCT)]
    return [made[i % DISTINCT] for i in range(500)]


@case("500 images, 17 disjoint masks of 1024×2048 a side", Limit(COCO, at_least=2), quick=False)
def images() -> Contest:
    return _contest(_many(disjoint=True))


@case("500 images, 17 masks of 1024×2048 a side that overlap each other", Limit(COCO, at_least=2), quick=False)
def images_overlapping() -> Contest:
    return _contest(_many(disjoint=False))


@case("one image, 300 small masks a side", Limit(COCO, at_least=3))
def small_masks() -> Contest:
    return _contest([_sides(discs(SHAPE, 300, (8, 20), 5, disjoint=True))])
