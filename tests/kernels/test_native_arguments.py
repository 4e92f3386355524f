"""Every native function refuses arrays of a wrong dtype, number of axes, shape or layout, and numbers out of range."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.png_decoding import can_read_files

pytestmark = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")

LABELS = np.arange(24, dtype=np.uint16).reshape(4, 6)
CATEGORIES = np.arange(12).reshape(2, 3, 2)
STACK = LABELS.reshape(2, 3, 4)
SQUARES = np.array([0, 1, 4], np.int32)
MARKS, STEPS = STACK % 13 == 5, np.arange(5.0) ** 2
OFFSETS, STARTS, STOPS = np.array([0, 1, 2]), np.array([0, 3]), np.array([2, 5])
MASKS = {"offsets": OFFSETS, "starts": STARTS, "stops": STOPS}
TWO_SIDES = {f"{name}_{side}": array for side in "ab" for name, array in MASKS.items()}
POINTS = {f"{name}_{side}": array for side in "ab" for name, array in (("offsets", OFFSETS), ("points", STARTS))}
RUN_LENGTHS = {
    "true_stops": np.array([2, 4]),
    "true_labels": np.array([7, 8]),
    "pred_stops": np.array([1, 4]),
    "pred_labels": np.array([5, 6]),
}
PAIRS = {"true_labels": np.array([1, 2]), "pred_labels": np.array([3, 3]), "counts": np.array([4, 5])}
SPECIAL: dict[str, list[int]] = {"true_outside": [], "true_void": [], "pred_outside": [], "pred_void": []}
HUGE = 2**63
COCO_SIDE = (b"52203", np.array([0, 1]), *(np.array([number]) for number in (0, 1, 16, 0, 5)), np.zeros(4))
"""One mask as compressed text: content, starts, numbers, classes, fields, places, lengths, boxes."""
NOT_ASCENDING = [
    np.array(boundaries)
    for boundaries in (
        [3, 1],
        [2, 2],
        [0, HUGE - 1],
        [-HUGE, 0],
        [0, HUGE - 1, 5],
        [0, -HUGE, 5],
        [0, 2**60, 5],
        [step * 2**61 for step in (0, 1, 2, 3, -4, -3, -2, -1, 0)],  # all steps forward, and once around
    )
]
"""Boundaries that do not ascend, or are too far."""


class Kernel(NamedTuple):
    """Arguments that a native function accepts, and values of them that it must refuse with ValueError."""

    arguments: dict[str, Any]
    refused: dict[str, list[Any]]


def kernels() -> dict[str, Kernel]:
    can_read_files()  # loads what png_file_labels needs
    band, band_3d = np.zeros(LABELS.shape, np.uint8), np.zeros(STACK.shape, np.uint8)
    rows = np.zeros(4 * 7, np.uint8)
    bad_squares = [np.array(table, np.int32) for table in ([], [1], [0, 2, 1], [0, 9], [0] * (2**15 + 1))]
    bad_offsets = [np.array(offsets, np.int64) for offsets in ([], [1, 2], [0, 3], [0, 2, 1, 2], [0])]
    bad_masks = {"offsets": bad_offsets, "starts": [STARTS[:1]], "stops": [STOPS[:1], np.array([2, 5, 7])]}
    bad_sides = {f"{name}_{side}": values for side in "ab" for name, values in bad_masks.items()}
    return {
        "count_pairs": Kernel(
            {"true": LABELS, "pred": LABELS}, {"true": [LABELS[:3], LABELS.ravel(), LABELS + 0.5], "pred": [LABELS.T]}
        ),
        "count_item_pairs": Kernel(
            {"true": [LABELS, LABELS], "pred": [LABELS, LABELS], "threads": 2},
            {
                "true": [[LABELS], [LABELS, LABELS[:3]], [LABELS, LABELS + 0.5], [LABELS, LABELS.astype(np.uint64)]],
                "pred": [[LABELS, LABELS.T], LABELS, None],
                "threads": [0, -1],
            },
        ),
        "count_category_pairs": Kernel(
            {"true": CATEGORIES, "pred": CATEGORIES},
            {"true": [CATEGORIES[:1], CATEGORIES[..., :1]], "pred": [CATEGORIES[:, :2]]},
        ),
        "sort_key_rows": Kernel(
            {"keys": STARTS, "counts": STOPS, "true_signed": True, "pred_signed": True},
            {"keys": [STARTS[:1]], "counts": [OFFSETS]},
        ),
        "read_sum": Kernel({"first": LABELS, "second": LABELS}, {}),
        "band_2d": Kernel(
            {"labels": LABELS, "table": np.array([2, 1], np.int16), "farthest": 2, "out": band},
            {
                "table": [np.zeros(0, np.int16), np.array([0, -2], np.int16)],
                "farthest": [-1, 2**15, HUGE // 2],
                "out": [band[:3], np.zeros((6, 4), np.uint8), np.zeros((0, 6), np.uint8)],
            },
        ),
        "band_3d_chessboard": Kernel(
            {"labels": STACK, "d": 1, "out": band_3d}, {"d": [-1], "out": [band_3d[:1], np.zeros((2, 4, 3), np.uint8)]}
        ),
        "band_3d_euclidean": Kernel(
            {
                "labels": STACK,
                **dict.fromkeys(("first", "second", "third"), SQUARES),
                "limit": 4,
                "beyond": 5,
                "out": band_3d,
            },
            {
                **dict.fromkeys(("first", "second", "third"), bad_squares),
                "limit": [-1, 3, 5],
                "beyond": [4, 2**31 - 1],
                "out": [band_3d[:1], np.zeros((3, 2, 4), np.uint8)],
            },
        ),
        "nearest_distances": Kernel(
            {
                "places": MARKS,
                "others": ~MARKS,
                **{axis: STEPS[:size] for axis, size in zip(("first", "second", "third"), MARKS.shape, strict=True)},
                "out": np.zeros(2),
            },
            {
                "others": [MARKS[:1], np.zeros((2, 4, 3), bool), np.zeros((0, 3, 4), bool)],
                "first": [STEPS[:1], STEPS[:0], STEPS[1:3]],
                "third": [STEPS[:3], STEPS, STEPS[1:]],
                "second": [STEPS[1:4], np.array([0.0, 4.0, 1.0]), np.array([0.0, np.nan, 1.0]), STEPS[:2]],
                "out": [np.zeros(1), np.zeros(3), np.zeros(0)],
            },
        ),
        "surface_distances": Kernel(
            {
                "true": MARKS,
                "pred": ~MARKS,
                "axes": 3,
                **{axis: STEPS[:size] for axis, size in zip(("first", "second", "third"), MARKS.shape, strict=True)},
            },
            {
                "pred": [MARKS[:1], np.zeros((2, 4, 3), bool), np.zeros((0, 3, 4), bool)],
                "axes": [0, 4, -1],
                "first": [STEPS[:1], STEPS[:0], STEPS[1:3]],
                "third": [STEPS[:3], STEPS, STEPS[1:]],
                "second": [STEPS[1:4], np.array([0.0, 4.0, 1.0]), np.array([0.0, np.nan, 1.0]), STEPS[:2]],
            },
        ),
        "paint": Kernel(
            {
                "labels": STACK,
                "ids": np.array([1, 2], np.uint64),
                "values": np.array([3, 4], np.uint32),
                "fill": np.zeros(1, np.uint32),
                "out": np.zeros(STACK.shape, np.uint32),
            },
            {
                "ids": [np.arange(3, dtype=np.uint64)],
                "values": [np.zeros(0, np.uint32), np.zeros(3, np.uint32)],
                "fill": [np.zeros(0, np.uint32), np.zeros(2, np.uint32)],
                "out": [np.zeros((1, 3, 4), np.uint32), np.zeros((2, 4, 3), np.uint32)],
            },
        ),
        "match_greedily": Kernel(
            {
                "starts": np.array([0, 2, 3]),
                "truths": np.array([0, 1, 1]),
                "overlaps": np.array([0.5, 0.7, 0.9]),
                "ignored": np.zeros(2, bool),
                "reusable": np.zeros(2, bool),
                "thresholds": np.array([0.5, 0.75]),
                "out": np.zeros((2, 2), np.int32),
            },
            {
                "starts": [np.array([0, 2]), np.array([0, 4, 3]), np.array([1, 2, 3]), np.array([0, 2, 2])],
                "truths": [np.array([0, 1, 2]), np.array([0, -1, 1]), np.array([0, 1])],
                "overlaps": [np.array([0.5])],
                "ignored": [np.zeros(1, bool)],
                "reusable": [np.zeros(3, bool)],
                "thresholds": [np.array([0.5])],
                "out": [np.zeros((3, 2), np.int32), np.zeros((2, 1), np.int32)],
            },
        ),
        "precision_at_recalls": Kernel(
            {
                "outcomes": np.array([[0, 1], [1, 2], [1, 1]], np.uint8),
                "starts": np.array([0, 2, 3]),
                "n_true": np.array([2, 1]),
                "recalls": np.array([0.0, 0.5, 1.0]),
                "precision": np.zeros((2, 2, 3)),
                "recall": np.zeros((2, 2)),
            },
            {
                "outcomes": [np.zeros((2, 2), np.uint8), np.zeros((3, 1), np.uint8)],
                "starts": [np.array([0, 3]), np.array([0, 4, 3])],
                "n_true": [np.array([2, 0]), np.array([1])],
                "recalls": [np.array([1.0, 0.5, 0.0]), np.array([0.0])],
                "precision": [np.zeros((2, 2, 2)), np.zeros((1, 2, 3))],
                "recall": [np.zeros((2, 1))],
            },
        ),
        "resampled_precision": Kernel(
            {
                "outcomes": np.array([[0, 1], [1, 2], [1, 1]], np.uint8),
                "items": np.array([0, 1, 0]),
                "ties": np.array([1, 1, 2]),
                "starts": np.array([0, 2, 3]),
                "times": np.array([[1, 2], [0, 1]]),
                "n_true": np.array([[2, 1], [1, 0]]),
                "recalls": np.array([0.0, 0.5, 1.0]),
                "out": np.zeros((2, 2)),
            },
            {
                "outcomes": [np.zeros((2, 2), np.uint8)],
                "items": [np.array([0, 2, 0]), np.array([0, -1, 0]), np.array([0])],
                "ties": [np.array([0])],
                "starts": [np.array([0, 3]), np.array([0, 4, 3])],
                "times": [np.zeros((3, 2), np.int64), np.zeros((2, 1), np.int64)],
                "n_true": [np.zeros((1, 2), np.int64), np.zeros((2, 3), np.int64)],
                "recalls": [np.array([1.0, 0.5, 0.0])],
                "out": [np.zeros((3, 2)), np.zeros((2, 3))],
            },
        ),
        "count_draws": Kernel(
            {"state": np.zeros(624, np.uint32), "used": 624, "out": np.zeros((5, 3))}, {"used": [-1, 625, HUGE - 1]}
        ),
        "group_order": Kernel(
            {"groups": np.array([1, 0, 1]), "order": np.zeros(3, np.int64), "starts": np.zeros(3, np.int64)},
            {
                "groups": [np.array([1, 0, 2]), np.array([1, -1, 0]), np.array([1, 0])],
                "order": [np.zeros(2, np.int64)],
                "starts": [np.zeros(0, np.int64), np.zeros(2, np.int64)],
            },
        ),
        "exact_sums": Kernel(
            {"values": np.ones(3), "starts": np.array([0, 1, 3]), "out": np.zeros(2)},
            {
                "values": [np.ones(2)],
                "starts": [np.array([0, 1, 4]), np.array([0, 2, 1]), np.array([-1, 1, 2]), np.array([0, 1])],
                "out": [np.zeros(3)],
            },
        ),
        "segment_geometry": Kernel(
            {"labels": STACK, "axes": 3}, {"labels": [], "axes": [0, 1, 2, 4, -1]}
        ),
        "label_components": Kernel(
            {
                "labels": STACK,
                "neighbours": 26,
                "ignored": np.zeros(1, np.uint64),
                "weights": np.array([12, 4, 1]),
                "out": np.zeros(STACK.shape, np.int32),
            },
            {
                "neighbours": [4, 8, 0, 5, -1],
                "weights": [np.zeros(0, int), np.zeros(2, int), np.zeros(4, int)],
                "out": [np.zeros((1, 3, 4), np.int32), np.zeros((2, 4, 3), np.int32)],
            },
        ),
        "label_boundaries": Kernel(
            {"labels": LABELS, "ids": np.array([1, 2], np.uint64)}, {"ids": [np.array([1, 1], np.uint64)]}
        ),
        "count_near": Kernel(
            {**POINTS, "pairs_a": np.array([0, 1]), "pairs_b": np.array([1, 0]), "rows": 2, "length": 3, "radius": 1},
            {
                **{f"offsets_{side}": [OFFSETS[:0], OFFSETS + 1, OFFSETS[::-1].copy(), OFFSETS[:2]] for side in "ab"},
                **{f"points_{side}": [np.array([-1, 2]), np.array([0, 6]), np.array([0])] for side in "ab"},
                **{f"pairs_{side}": [np.array([0, 2]), np.array([-1, 0]), np.array([0])] for side in "ab"},
                "rows": [-1, HUGE - 1],
                "length": [-1, 1, HUGE - 1],
                "radius": [-1, 2**21],
            },
        ),
        "moments": Kernel({"values": np.ones(3)}, {"values": [np.zeros(0)]}),
        "count_up_to": Kernel({"values": np.ones(3), "below": 1.0, "up_to": 1.0}, {}),
        "at_ranks": Kernel(
            {"values": np.arange(4.0), "ranks": [1, 2], "low": -1.0, "high": 9.0},
            {"values": [np.ones(2), np.zeros(0), np.array([1, np.nan, 3, 4])], "ranks": [[2, 1], [4], [HUGE]]},
        ),
        "table_columns": Kernel(
            {**PAIRS, **SPECIAL}, {name: [np.ones(3, int), np.zeros(0, int)] for name in PAIRS}
        ),
        "select_pairs": Kernel(
            {
                **dict.fromkeys(("row_true", "row_pred"), np.array([0, 1])),
                "shared": np.array([2, 1]),
                **dict.fromkeys(("true_sizes", "pred_sizes"), np.array([3, 2])),
                "allowed": np.ones(2, bool),
                "inequalities": np.array([[0, 1, 1, 1, 1]]),
            },
            {
                **{name: [np.array([0, 2]), np.array([-1, 0]), np.array([0])] for name in ("row_true", "row_pred")},
                "shared": [np.array([1]), np.zeros(0, int)],
                **{name: [np.array([3]), np.zeros(0, int)] for name in ("true_sizes", "pred_sizes")},
                "allowed": [np.ones(1, bool), np.ones(3, bool)],
                "inequalities": [np.ones((1, 4), int), np.ones((2, 6), int), np.array([[0, 1, -1, 1, 1]])],
            },
        ),
        "line_overlaps": Kernel(
            {
                **dict.fromkeys(("true_starts", "pred_starts"), np.array([0, 4])),
                **dict.fromkeys(("true_stops", "pred_stops"), np.array([2, 6])),
            },
            {
                **{f"{side}_starts": [np.array([0]), np.array([0, 1]), np.array([-1, 4])] for side in ("true", "pred")},
                **{f"{side}_stops": [np.array([2]), np.array([2, 4]), np.array([5, 6])] for side in ("true", "pred")},
            },
        ),
        "line_window_counts": Kernel(
            {
                "true_boundaries": np.array([1, 3]),
                "pred_boundaries": np.array([2]),
                "start": 0,
                "stop": 4,
                "size": 2,
            },
            {
                **{f"{side}_boundaries": NOT_ASCENDING for side in ("true", "pred")},
                "start": [-HUGE, HUGE - 1],
                "stop": [HUGE - 1, 2**60 - 1],
                "size": [-1, HUGE - 1],
            },
        ),
        "window_counts": Kernel(
            {
                **dict.fromkeys(("true_boundaries", "pred_boundaries"), np.array([1, 3, 2])),
                **dict.fromkeys(("true_offsets", "pred_offsets"), np.array([0, 2, 3])),
                "starts": np.array([0, -1]),
                "stops": np.array([4, 3]),
                "sizes": np.array([2, 2]),
            },
            {
                **{
                    f"{side}_{name}": bad
                    for side in ("true", "pred")
                    for name, bad in (
                        ("boundaries", [np.array([3, 1, 2]), np.array([1, 3]), np.array([1, HUGE - 1, 2])]),
                        ("offsets", [np.array([0, 3]), np.array([1, 2, 3]), np.array([0, 4, 3]), np.array([0, 2, 4])]),
                    )
                },
                "starts": [np.array([0]), np.array([0, -HUGE])],
                "stops": [np.array([4]), np.array([4, HUGE - 1]), np.array([4, 2**60 - 1])],
                "sizes": [np.array([2]), np.array([2, -1]), np.array([2, HUGE - 1])],
            },
        ),
        "count_run_length_pairs": Kernel(
            RUN_LENGTHS,
            {
                "true_stops": [np.array(stops, np.int64) for stops in ([], [4], [4, 2], [0, 4], [2, 2], [2, 5])],
                "true_labels": [np.array([7])],
                "pred_stops": [np.array([1, 5])],
                "pred_labels": [np.zeros(0, int)],
            },
        ),
        "run_length_sizes": Kernel(
            {"stops": RUN_LENGTHS["true_stops"], "labels": RUN_LENGTHS["true_labels"]},
            {
                "stops": [np.array(stops, np.int64) for stops in ([], [4], [4, 2], [0, 4], [2, 2])],
                "labels": [np.array([7])],
            },
        ),
        "png_labels": Kernel(
            {"rows": rows, "labels": np.zeros((4, 6), np.uint8)},
            {"rows": [rows[:-1], np.zeros(29, np.uint8)], "labels": [np.zeros((4, 7), np.uint8)]},
        ),
        "png_run_lengths": Kernel(
            {"rows": rows, "height": 4, "width": 6, "bytes_per_pixel": 1, "most_stretches": 24},
            {
                "rows": [rows[:-1], np.zeros(0, np.uint8)],
                "height": [0, 5, HUGE],
                # Four rows of 1 + 2^62 bytes and 2^62 + 7 would be 4 and 28 bytes in 64 bits.
                "width": [0, 7, 2**62 + 6, 2 * HUGE - 1],
                "bytes_per_pixel": [0, 2, 4, HUGE],
            },
        ),
        "load_libdeflate": Kernel({"module": "absent.so"}, {}),
        "png_file_labels": Kernel(
            {
                "path": b"no such file",
                "colours": 1,
                "most_pixels": 2 * HUGE - 1,
                "least_mean_stretch": 16,
                "follow_links": True,
            },
            {"path": ["text", None], "colours": [-1], "most_pixels": [-1, 2 * HUGE], "least_mean_stretch": [0]},
        ),
        "count_png_pairs": Kernel(
            {
                "true": [b"no such file"],
                "pred": [b"no such file"],
                "true_colours": 1,
                "pred_colours": 1,
                "most_pixels": 2 * HUGE - 1,
                "least_mean_stretch": 16,
                "follow_links": True,
                "threads": 2,
            },
            {
                "true": [[], ["text"], [None], b"file"],
                "true_colours": [-1],
                "most_pixels": [-1, 2 * HUGE],
                "least_mean_stretch": [0],
                "threads": [0, -1],
            },
        ),
        "is_plain_json": Kernel({"content": b"{}"}, {}),
        "scan_integer_lists": Kernel({"content": b"{}"}, {}),
        "scan_turns": Kernel({"content": b""}, {}),
        "scan_tags": Kernel({"content": b"O", "column": 0}, {"column": [-1]}),
        "scan_coco": Kernel({"content": b"[]", "is_results": True}, {}),
        "detection_overlaps": Kernel(
            {"true": COCO_SIDE, "pred": COCO_SIDE, "crowds": np.zeros(1, np.uint8), "shares": np.zeros(1, np.uint8),
             "heights": np.array([4]), "widths": np.array([4]), "least": 0.1, "of_boxes": False, "threads": 2},
            {"true": [(*COCO_SIDE[:1], np.array([0, 2]), *COCO_SIDE[2:]), (*COCO_SIDE[:3], OFFSETS, *COCO_SIDE[4:]),
                      (*COCO_SIDE[:7], np.zeros(3))],
             "crowds": [np.zeros(2, np.uint8)], "shares": [np.zeros(0, np.uint8)],
             "heights": [OFFSETS], "widths": [OFFSETS]},
        ),
        "decode_coco_counts": Kernel({"encoded": b"52203"}, {}),
        "decode_coco_masks": Kernel({"encoded": [b"52203"], "size": 16}, {"size": [-1]}),
        "run_lengths_from_dense": Kernel({"stack": np.ones((2, 3), bool)}, {}),
        "intersect_run_lengths": Kernel({**TWO_SIDES, "line": 3}, {**bad_sides, "line": [-1]}),
        "union_run_lengths": Kernel(MASKS, bad_masks),
        "sizes": Kernel(MASKS, bad_masks),
        "self_overlaps": Kernel(MASKS, bad_masks),
        "stop_threads": Kernel({"threads": [], "stop": False}, {}),
        "expected_divergences": Kernel(
            {"a": np.ones(1), "b": np.ones(1), "n": np.full(1, 4.0), "floor": np.zeros(1), "below": np.full(1, 0.25)},
            {"a": [np.zeros(1), np.ones(2)], "n": [np.array([np.nan]), np.array([1.0])], "floor": [np.array([9.0])]},
        ),
        "match_tracks": Kernel(
            {
                **dict.fromkeys(("true_start", "pred_start", "cell_start"), np.array([0, 1])),
                **dict.fromkeys(("true_track", "pred_track", "row", "column"), np.array([0])),
                "iou": np.array([0.6]),
                "level": np.array([12]),
                "n_true": 1,
                "n_pred": 1,
                "higher": np.array([-1]),
                "clear": np.array([-1]),
                "counts": np.zeros(3, np.int64),
            },
            {
                **{name: [STOPS, STARTS[1:], STARTS] for name in ("true_start", "pred_start", "cell_start")},
                **{name: [STARTS[1:], -STARTS[1:]] for name in ("true_track", "pred_track", "row", "column")},
                **{name: [np.zeros(2, np.int64)] for name in ("higher", "clear", "counts")},
                "iou": [np.zeros(2), *(np.array([iou]) for iou in (np.nan, np.inf, -0.1, 1.1))],
                "n_true": [-1, 0],
                "n_pred": [-1, 0],
            },
        ),
        "number_texts": Kernel({"lines": [["a", "b"], ("a",)]}, {}),
    }  # fmt: skip


def call(name: str, arguments: dict[str, Any]) -> Any:
    return getattr(native, name)(**arguments)


def wrong_types(array: NDArray[Any]) -> Iterator[Any]:
    """The array with another dtype, number of axes or layout, and things that are not arrays."""
    yield array.astype(np.float16)
    yield array.astype(np.complex128)
    yield array[None]
    yield array.reshape(-1)[0]
    yield array.tolist()
    yield None


ARRAYS = [
    (name, argument)
    for name, kernel in kernels().items()
    for argument, value in kernel.arguments.items()
    if isinstance(value, np.ndarray) and name not in ("count_pairs", "read_sum")  # these take arrays of many types
]


def test_every_native_function_is_tested_here() -> None:
    functions = {value.__name__ for value in vars(native).values() if callable(value)}
    assert functions == set(kernels())


@pytest.mark.parametrize("name", kernels())
def test_the_arguments_are_accepted_as_they_are(name: str) -> None:
    call(name, kernels()[name].arguments)


@pytest.mark.parametrize(
    ("name", "argument", "index"),
    [
        (name, argument, index)
        for name, kernel in kernels().items()
        for argument, values in kernel.refused.items()
        for index in range(len(values))
    ],
)
def test_wrong_shapes_lengths_and_numbers_are_rejected(name: str, argument: str, index: int) -> None:
    kernel = kernels()[name]
    with pytest.raises((ValueError, TypeError), match=r"must|have|differ|offsets|an image|incompatible"):
        call(name, {**kernel.arguments, argument: kernel.refused[argument][index]})


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_wrong_dtypes_axes_and_objects_are_rejected(name: str, argument: str) -> None:
    arguments = kernels()[name].arguments
    for value in wrong_types(arguments[argument]):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            call(name, {**arguments, argument: value})


@pytest.mark.parametrize(("name", "argument"), ARRAYS)
def test_arrays_with_gaps_are_rejected_or_read_right(name: str, argument: str) -> None:
    arguments = kernels()[name].arguments
    array = arguments[argument]
    gaps = np.repeat(array, 2, axis=-1)[..., ::2]
    if array.size < 2:
        return
    if argument == "labels" and name in ("paint", "segment_geometry", "label_components"):  # these take any strides
        assert str(call(name, {**arguments, argument: gaps})) == str(call(name, arguments))
        return
    with pytest.raises(TypeError, match="incompatible function arguments"):
        call(name, {**arguments, argument: gaps})


@pytest.mark.parametrize(
    ("name", "argument"),
    [("band_2d", "out"), ("band_3d_chessboard", "out"), ("band_3d_euclidean", "out"), ("paint", "out"),
     ("count_draws", "out"), ("count_draws", "state"), ("png_labels", "labels"), ("match_greedily", "out"),
     ("resampled_precision", "out"), ("group_order", "order"), ("group_order", "starts"), ("exact_sums", "out"),
     ("precision_at_recalls", "precision"), ("precision_at_recalls", "recall")],
)  # fmt: skip
def test_results_are_not_written_into_read_only_arrays(name: str, argument: str) -> None:
    arguments = kernels()[name].arguments
    arguments[argument].flags.writeable = False
    with pytest.raises(TypeError, match="incompatible function arguments"):
        call(name, arguments)


def test_any_number_of_stretches_may_be_allowed() -> None:
    arguments = kernels()["png_run_lengths"].arguments
    arguments["rows"][:] = np.tile([0, 1, 2, 3, 4, 5, 6], 4)
    stops, labels = call("png_run_lengths", {**arguments, "most_stretches": 2 * HUGE - 1})
    assert (stops.tolist(), labels.tolist()) == (list(range(1, 25)), [1, 2, 3, 4, 5, 6] * 4)


@pytest.mark.parametrize("side", [(), (b"",), (b"",) * 9])
def test_a_side_of_detections_has_all_of_its_parts(side: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="a side must be its text, the starts of its items, and six columns"):
        call("detection_overlaps", {**kernels()["detection_overlaps"].arguments, "true": side})
