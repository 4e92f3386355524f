"""Arguments of native functions with which a call takes long enough for another thread to change them meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.coco_detections import scan_coco

N = 20_000
"""Elements, about."""

Arguments = dict[str, Any]
LARGE: dict[str, Callable[[], Arguments]] = {}
"""By the name of the function and, after a blank, what is special."""


def large(make: Callable[[], Arguments]) -> Callable[[], Arguments]:
    """Add arguments of the function that is named like this one; two underscores become a blank."""
    LARGE[make.__name__.replace("__", " ")] = make
    return make


def numbers(below: int, size: int = N) -> NDArray[np.int64]:
    return np.random.default_rng(below).integers(0, below, size)


def image(planes: int = 1) -> NDArray[np.uint16]:
    return (np.arange(N).reshape(planes, -1, 100) // 7 % 3000).astype(np.uint16)


def steps(shape: tuple[int, ...]) -> Arguments:
    axes = ("first", "second", "third")
    return {axis: np.arange(float(size)) ** 2 for axis, size in zip(axes, shape, strict=True)}


def masks(n: int = N) -> Arguments:
    starts = np.arange(n) * 3
    return {"offsets": np.arange(0, n + 1, 10), "starts": starts, "stops": starts + 2}


def two_sides(n: int = N) -> Arguments:
    return {f"{name}_{side}": array for side in "ab" for name, array in masks(n).items()}


@large
def count_pairs() -> Arguments:
    return {"true": image()[0], "pred": image()[0].T.reshape(image()[0].shape)}


@large
def count_pairs__sorted() -> Arguments:
    return {**count_pairs(), "spill_after": 0, "sort_after": 0, "chunk": 1 << 10}


@large
def count_item_pairs() -> Arguments:
    return {side: [labels, labels[::-1].copy()] for side, labels in count_pairs().items()} | {"threads": 2}


@large
def count_category_pairs() -> Arguments:
    return {side: numbers(50).reshape(10, -1, 2) for side in ("true", "pred")}


@large
def sort_key_rows() -> Arguments:
    return {"keys": numbers(2**62), "counts": numbers(2**63 - 1), "true_signed": True, "pred_signed": False}


@large
def sort_key_rows__packed() -> Arguments:
    return {"keys": numbers(1000), "counts": numbers(1000), "true_signed": False, "pred_signed": False}


@large
def band_2d() -> Arguments:
    labels = image()[0]
    return {
        "labels": labels, "table": np.array([5, 4, 3, 0], np.int32), "farthest": 5, "out": np.zeros(labels.shape, "u1")
    }  # fmt: skip


@large
def band_3d_chessboard() -> Arguments:
    labels = image(10)
    return {"labels": labels, "d": 2, "out": np.zeros(labels.shape, np.uint8)}


@large
def band_3d_euclidean() -> Arguments:
    labels, squares = image(10), np.array([0, 1, 4], np.int32)
    tables = dict.fromkeys(("first", "second", "third"), squares)
    return {"labels": labels, **tables, "limit": 4, "beyond": 5, "out": np.zeros(labels.shape, np.uint8)}


@large
def nearest_distances() -> Arguments:
    places = image(10) % 97 == 5
    return {"places": places, "others": ~places, **steps(places.shape), "out": np.zeros(int(places.sum()))}


@large
def surface_distances() -> Arguments:
    places = image(10) % 97 < 50
    return {"true": places, "pred": np.roll(places, 3), "axes": 3, **steps(places.shape)}


@large
def paint() -> Arguments:
    labels, ids = image(), np.arange(3000, dtype=np.uint64)
    return {
        "labels": labels, "ids": ids, "values": ids.astype(np.uint32), "fill": np.zeros(1, np.uint32),
        "out": np.zeros(labels.shape, np.uint32)
    }  # fmt: skip


@large
def match_greedily() -> Arguments:
    return {
        "starts": np.arange(N + 1), "truths": numbers(N), "overlaps": np.ones(N), "ignored": np.zeros(N, bool),
        "reusable": np.zeros(N, bool), "thresholds": np.array([0.5, 0.75]), "out": np.zeros((N, 2), np.int32)
    }  # fmt: skip


@large
def precision_at_recalls() -> Arguments:
    classes = N // 20
    return {
        "outcomes": np.ones((N, 2), np.uint8), "starts": np.arange(0, N + 1, 20), "n_true": np.full(classes, 20),
        "recalls": np.linspace(0, 1, 3), "precision": np.zeros((classes, 2, 3)), "recall": np.zeros((classes, 2))
    }  # fmt: skip


@large
def resampled_precision() -> Arguments:
    return {
        "outcomes": np.ones((N, 2), np.uint8), "items": numbers(50), "ties": np.arange(N),
        "starts": np.arange(0, N + 1, N // 10), "times": np.ones((4, 50), np.int64),
        "n_true": np.ones((4, 10), np.int64), "recalls": np.linspace(0, 1, 3), "out": np.zeros((4, 10))
    }  # fmt: skip


@large
def count_draws() -> Arguments:
    return {"state": numbers(2**32, 624).astype(np.uint32), "used": 624, "out": np.zeros((500, 40))}


@large
def group_order() -> Arguments:
    return {"groups": numbers(100), "order": np.zeros(N, np.int64), "starts": np.zeros(101, np.int64)}


@large
def exact_sums() -> Arguments:
    return {"values": np.ones(N), "starts": np.arange(0, N + 1, 10), "out": np.zeros(N // 10)}


@large
def segment_geometry() -> Arguments:
    return {"labels": image(10), "axes": 3}


@large
def label_components() -> Arguments:
    labels = image(10)
    return {
        "labels": labels, "neighbours": 26, "ignored": np.arange(9, dtype=np.uint64),
        "weights": np.array([100, 10, 1]), "out": np.zeros(labels.shape, np.int32)
    }  # fmt: skip


@large
def label_boundaries() -> Arguments:
    return {"labels": image()[0], "ids": np.arange(3000, dtype=np.uint64)}


@large
def count_near() -> Arguments:
    points = {f"points_{side}": np.arange(N) for side in "ab"}
    offsets = {f"offsets_{side}": np.arange(0, N + 1, 200) for side in "ab"}
    pairs = {f"pairs_{side}": np.arange(100) for side in "ab"}
    return {**points, **offsets, **pairs, "rows": N // 100, "length": 100, "radius": 3}


@large
def moments() -> Arguments:
    return {"values": np.arange(float(N))}


@large
def count_up_to() -> Arguments:
    return {"values": np.arange(float(N)), "below": 5.0, "up_to": 9.0}


@large
def at_ranks() -> Arguments:
    return {"values": np.arange(float(N)), "ranks": [10, N // 2, N - 9], "low": 100.0, "high": N - 100.0}


@large
def table_columns() -> Arguments:
    sides = {f"{side}_{kind}": [1] for side in ("true", "pred") for kind in ("outside", "void")}
    return {"true_labels": numbers(500), "pred_labels": numbers(700), "counts": np.ones(N, np.int64), **sides}


@large
def select_pairs() -> Arguments:
    sizes = dict.fromkeys(("true_sizes", "pred_sizes"), np.full(100, 9))
    return {
        "row_true": numbers(100), "row_pred": numbers(99), "shared": np.full(N, 5), **sizes,
        "allowed": np.ones(N, bool), "inequalities": np.array([[0, 1, 1, 1, 1]])
    }  # fmt: skip


@large
def line_overlaps() -> Arguments:
    starts = np.arange(N) * 3
    return {
        "true_starts": starts, "true_stops": starts + 2, "pred_starts": starts + 1, "pred_stops": starts + 3
    }  # fmt: skip


@large
def line_window_counts() -> Arguments:
    return {
        "true_boundaries": np.arange(N) * 3, "pred_boundaries": np.arange(N) * 3 + 1, "start": 0, "stop": 3 * N,
        "size": 7
    }  # fmt: skip


@large
def window_counts() -> Arguments:
    lines = N // 10
    boundaries = {f"{side}_boundaries": np.tile(np.arange(10), lines) for side in ("true", "pred")}
    offsets = {f"{side}_offsets": np.arange(0, N + 1, 10) for side in ("true", "pred")}
    windows = {"starts": np.zeros(lines, np.int64), "stops": np.full(lines, 12), "sizes": np.full(lines, 2)}
    return {**boundaries, **offsets, **windows}


@large
def count_run_length_pairs() -> Arguments:
    stops, labels = np.arange(1, N + 1) * 2, np.arange(N) % 99
    return {"true_stops": stops, "true_labels": labels, "pred_stops": stops.copy(), "pred_labels": labels.copy()}


@large
def run_length_sizes() -> Arguments:
    return {"stops": np.arange(1, N + 1) * 2, "labels": np.arange(N) % 99}


@large
def png_labels() -> Arguments:
    return {"rows": np.tile(np.arange(101, dtype=np.uint8) % 4, N // 100), "labels": np.zeros((N // 100, 100), "u1")}


@large
def png_run_lengths() -> Arguments:
    return {"rows": png_labels()["rows"], "height": N // 100, "width": 100, "bytes_per_pixel": 1, "most_stretches": N}


@large
def run_lengths_from_dense() -> Arguments:
    return {"stack": numbers(2).astype(bool).reshape(10, -1)}


@large
def intersect_run_lengths() -> Arguments:
    return {**two_sides(), "line": 30}


@large
def intersect_run_lengths__by_sweep() -> Arguments:
    """Fewer, for any bits make stretches that overlap all others."""
    return {**two_sides(N // 20), "steps_per_stretch": 0}


@large
def union_run_lengths() -> Arguments:
    return masks()


@large
def sizes() -> Arguments:
    return masks()


@large
def self_overlaps() -> Arguments:
    return masks()


@large
def expected_divergences() -> Arguments:
    ones = np.ones(N // 10)
    return {"a": ones, "b": ones.copy(), "n": 4 * ones, "floor": 0 * ones, "below": ones / 4}


@large
def match_tracks() -> Arguments:
    frames, n = N // 20, 4
    starts = dict.fromkeys(("true_start", "pred_start"), np.arange(frames + 1) * n)
    tracks = dict.fromkeys(("true_track", "pred_track"), np.tile(np.arange(n), frames))
    return {
        **starts, "cell_start": np.arange(frames + 1) * n, **tracks, "row": np.tile(np.arange(n), frames),
        "column": np.tile(np.arange(n), frames), "iou": np.full(frames * n, 0.6), "level": np.full(frames * n, 12),
        "n_true": n, "n_pred": n, "higher": np.zeros(frames * n, np.int64), "clear": np.zeros(frames * n, np.int64),
        "counts": np.zeros(3, np.int64)
    }  # fmt: skip


@large
def read_sum() -> Arguments:
    return {"first": image(), "second": image()}


def coco_side(n: int, items: int) -> tuple[Any, ...]:
    """A side of ``detection_overlaps``: one mask of an image of 20 × 30, as compressed text and as a polygon."""
    masks = ['{"size": [20, 30], "counts": "Y36>00000000000000000W9"}', "[[5, 5, 15, 5, 15, 11, 5, 11]]"]
    row = '{{"image_id": 1, "category_id": {0}, "score": 0.5, "bbox": [5, 5, 10, 6], "segmentation": {1}}}'
    text = f"[{', '.join(row.format(at % 3, masks[at % 2]) for at in range(n))}]".encode()
    scanned = scan_coco(text, is_results=True)
    assert scanned is not None
    own = scanned.columns
    starts = np.arange(items + 1) * (n // items)
    return text, starts, np.arange(n), own.category, own.fields, own.place, own.length, own.boxes.ravel()


@large
def detection_overlaps() -> Arguments:
    n, items = N // 100, 10
    return {
        "true": coco_side(n, items), "pred": coco_side(n, items), "crowds": np.zeros(n, np.uint8),
        "shares": np.zeros(n, np.uint8), "heights": np.full(items, 20), "widths": np.full(items, 30), "least": 0.5,
        "of_boxes": False, "threads": 2,
    }  # fmt: skip
