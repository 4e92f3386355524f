"""Pair counting: the dense table, what lies outside of it, bands of rows and narrow vectors, against the numpy twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.pairs import PairCounts, count_pairs
from tests.kernels.test_pairs import expected_rows, native_count, needs_native, rows_of

pytestmark = needs_native

WAYS: list[dict[str, Any]] = [
    {},
    {"widest_vectors": 32},
    {"widest_vectors": 16},
    {"most_cells": 0},
    {"most_cells": 256, "sort_after": 10, "chunk": 1000},
    {"most_cells": 4096, "spill_after": 0},
    {"most_in_cell": 16_384},
    {"most_in_cell": 40_000, "threads": 3, "slab": 9000},
    {"beyond_caches": 0},
    {"beyond_caches": 0, "widest_vectors": 32},
    {"beyond_caches": 0, "widest_vectors": 32, "most_cells": 256, "most_in_cell": 20_000},
    {"beyond_caches": 0, "most_cells": 256, "most_in_cell": 20_000},
    {"beyond_caches": 0, "threads": 3, "slab": 17_000},
]


def check_every_way(true: NDArray[Any], pred: NDArray[Any]) -> None:
    expected = rows_of(numpy_twin(count_pairs)(true, pred))
    for way in WAYS:
        assert rows_of(native_count(**way)(true, pred)) == expected, way


@pytest.mark.parametrize("code", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_boxes_at_both_ends_of_every_dtype(code: str) -> None:
    """Labels next to the smallest and largest of the dtype, where a box that reaches further would wrap around."""
    rng = np.random.default_rng(1)
    pred = rng.integers(0, 7, 30_000).astype("u1")
    limits = (0, 1) if code == "?" else (np.iinfo(code).min, np.iinfo(code).max)
    offsets = rng.integers(0, 2 if code == "?" else 6, 30_000).astype("u8")
    for end, sign in zip(limits, (1, -1), strict=True):
        true = (np.array(end).astype("u8") + np.uint64(sign % 2**64) * offsets).astype(code)
        assert set(np.unique(true).tolist()) <= {end + sign * k for k in range(6)}
        check_every_way(true, pred)
        check_every_way(pred, np.where(rng.random(30_000) < 0.01, np.array(limits[0]).astype(code), true))


@pytest.mark.parametrize("far", [-1, 255, 10**5, 2**62])
def test_labels_far_from_the_others(far: int) -> None:
    """They are counted in the hash, the others in the table; in runs and alone, often and hardly ever."""
    rng = np.random.default_rng(2)
    for share, run in ((0.3, 50), (0.3, 1), (0.001, 20), (0.7, 3)):
        true, pred = np.repeat(rng.integers(0, 90, (2, 40_000 // run)), run, axis=1)
        true[np.repeat(rng.random(true.size // run) < share, run)] = far
        pred = np.roll(np.where(rng.random(pred.size) < 0.0005, far, pred), 3)
        check_every_way(true.astype("i8"), pred.astype("i8"))


def test_a_label_that_appears_after_the_sample() -> None:
    true = np.zeros(100_000, np.int32)
    true[77_777], true[99_999], true[0] = 5, 2**31 - 1, -(2**31)
    check_every_way(true, np.ones(100_000, np.uint16))


def test_bytes_of_bools_that_are_neither_zero_nor_one() -> None:
    rng = np.random.default_rng(3)
    true = rng.choice(np.array([0, 1, 1, 1, 7, 255], np.uint8), 30_000).view(bool)
    expected = expected_rows(true.view("u1") != 0, true.view("u1") == 0)
    for way in WAYS:
        assert rows_of(native_count(**way)(true, ~(true.view("u1") != 0))) == expected


def test_noise_changes_to_runs_and_back() -> None:
    """Blocks without runs are counted element by element; runs are found again some blocks later."""
    rng = np.random.default_rng(4)
    noise, runs = rng.integers(0, 9, 200_000), np.repeat(rng.integers(0, 9, 4000), 50)
    check_every_way(np.concatenate([noise, runs, noise]), np.concatenate([noise[::-1], runs, runs]).astype("u1"))


@pytest.mark.parametrize("codes", [("u1", "u1"), ("i2", "u1"), ("i4", "i4"), ("i8", "u4")])
@pytest.mark.parametrize("n_ids", [2, 30, 120])
def test_noise_overflows_a_byte(codes: tuple[str, str], n_ids: int) -> None:
    """Elements are counted in bytes, of which some overflow: all, by several tables, and few."""
    rng = np.random.default_rng(6)
    true, pred = (rng.integers(0, n_ids, 150_000).astype(code) for code in codes)
    pred[rng.random(pred.size) < 0.1] = 1
    true[rng.random(true.size) < 0.1] = 1
    check_every_way(true, pred)


def test_more_rows_than_half_a_million() -> None:
    """Every pair of a thousand labels once, and one of them again: columns in memory of their own."""
    labels = np.arange(2**20, dtype=np.int32)
    true, pred = labels // 1024, labels % 1024 - 512
    true[5], pred[5] = 1023, 511
    rows = native_count()(true, pred)
    at = np.delete(np.arange(2**20), 5)
    assert np.array_equal(rows.true_labels, at // 1024) and np.array_equal(rows.pred_labels, at % 1024 - 512)
    assert rows.counts[-1] == 2 and (rows.counts[:-1] == 1).all()


@pytest.mark.parametrize("codes", [("u1", "u1"), ("i4", "i4"), ("u8", "i8")])
@pytest.mark.parametrize("sides", [(1, 8), (2, 9), (60, 3), (5, 7), (16, 17), (3, 200), (120, 60)])
@pytest.mark.parametrize("repeats", [1, 3, 200, 300])
def test_full_tables_become_columns(codes: tuple[str, str], sides: tuple[int, int], repeats: int) -> None:
    """Most pairs of two ranges of labels, also below 0: in bytes and, where a pair is frequent, in longer counts."""
    rng = np.random.default_rng(8)
    pairs = rng.permutation(sides[0] * sides[1])[: max(1, sides[0] * sides[1] * 4 // 5)]
    pairs = rng.permutation(np.repeat(pairs, rng.integers(1, repeats + 1, pairs.size)))
    true, pred = (
        label - (3 if code.startswith("i") else 0) for label, code in zip(divmod(pairs, sides[1]), codes, strict=True)
    )
    check_every_way(true.astype(codes[0]), pred.astype(codes[1]))


@pytest.mark.parametrize("codes", [("u1", "i8"), ("i4", "i4"), (">u2", "u1"), ("u8", ">i4")])
@pytest.mark.parametrize("shape", [(70, 90), (4, 32), (33, 35, 37), (3, 40, 2, 50), (5, 9000)])
def test_one_in_c_order_and_one_in_fortran_order(codes: tuple[str, str], shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    true, pred = (rng.integers(0, 12, shape).astype(code) for code in codes)
    other = np.asfortranarray(pred)
    check_every_way(true, other)
    check_every_way(other, true)
    check_every_way(true[::-1], other[::-1])
    if len(shape) == 3:
        check_every_way(true, np.ascontiguousarray(pred.transpose(1, 2, 0)).transpose(2, 0, 1))


@pytest.mark.parametrize("codes", [("u4", "u4"), ("i4", "u4"), ("i8", "i8"), ("u8", "i8")])
@pytest.mark.parametrize("spread", [1, 40, 900])
def test_counting_while_searching_at_every_edge(codes: tuple[str, str], spread: int) -> None:
    """A change at every place near the edges of vectors, pieces and blocks, and every length of the last vector."""
    edges = (0, 64, 960, 1024, 16_320, 16_384, 17_408, 17_472)
    places = sorted({at + by for at in edges for by in (-2, -1, 0, 1, 2) if at + by >= 0})
    true = (np.cumsum(np.bincount(places, minlength=17_600)) % 7 * spread).astype(codes[0])
    pred = (np.roll(true, 31) + spread).astype(codes[1])
    expected = native_count(most_cells=0)
    for size in (*range(16_385, 16_452), *range(17_400, 17_480), 17_600):
        rows = rows_of(expected(true[:size], pred[:size]))
        for widest in (32, 64):
            count = native_count(beyond_caches=0, widest_vectors=widest)
            assert rows_of(count(true[:size], pred[:size])) == rows, (size, widest)


@pytest.mark.parametrize("codes", [("i4", "i4"), ("i8", "i8")])
@pytest.mark.parametrize("first", [(0, 1_023), (2_047, 5_000)])
def test_counting_while_searching_with_labels_outside(codes: tuple[str, str], first: tuple[int, int]) -> None:
    """Pieces with a label outside of the box come before, between and after others; a stretch reaches across them."""
    rng = np.random.default_rng(7)
    true, pred = (np.repeat(rng.integers(0, 60, 2_000), 40).astype(code) for code in codes)
    for side in (true, pred):
        for at in (*first, 1_500, 16_383, 16_384, 40_000, 79_999):
            side[at] = 2**31 - 1 - at
    true[30_000:34_000], pred[30_500:33_500] = 5, -7
    true[6_000:9_000], pred[6_500:8_500] = 5, -7
    check_every_way(true, pred)
    check_every_way(pred, true)


def test_limits_of_the_table_are_checked() -> None:
    assert native is not None
    labels = np.zeros(3, int)
    for word in ("most_cells", "most_in_cell"):
        with pytest.raises(ValueError, match="must not exceed"):
            native.count_pairs(labels, labels, **{word: 2**40})


@given(
    st.lists(
        st.tuples(st.sampled_from([0, 1, 2**63 - 1, 2**64 - 1]), st.integers(0, 3), st.integers(1, 70)),
        min_size=1,
        max_size=9,
    ),
    st.integers(0, 2**10),
)
def test_generated_stretches(stretches: list[tuple[int, int, int]], most_cells: int) -> None:
    labels, others, lengths = (np.array(column, dtype=np.uint64) for column in zip(*stretches, strict=True))
    true, pred = np.repeat(labels, lengths.astype(int)), np.roll(np.repeat(others, lengths.astype(int)), 5)
    expected = expected_rows(true, pred)
    for widest in (16, 32, 64):
        found = PairCounts(*native.count_pairs(true, pred, most_cells=most_cells, widest_vectors=widest))  # type: ignore[union-attr]
        assert rows_of(found) == expected


@given(
    st.lists(st.tuples(st.integers(-3, 2**20), st.integers(0, 40), st.integers(1, 3_000)), min_size=1, max_size=30),
    st.integers(0, 40),
    st.sampled_from(["i4", "i8", "u4", "u8"]),
    st.integers(1, 4),
)
def test_generated_stretches_counted_while_searching(
    stretches: list[tuple[int, int, int]], moved: int, code: str, repeats: int
) -> None:
    labels, others, lengths = (np.array(column) for column in zip(*(stretches * repeats), strict=True))
    true, pred = np.repeat(labels, lengths), np.repeat(others, lengths)
    size = true.size
    noise = np.arange(2_000) % 3
    true = np.concatenate([np.resize(true, 17_000 + size), noise]).astype(code)
    pred = np.roll(np.concatenate([np.resize(pred, 17_000 + size), noise[::-1]]), moved).astype(code)
    expected = rows_of(numpy_twin(count_pairs)(true, pred))
    for way in ({}, {"most_cells": 1 << 12}, {"most_in_cell": 16_384}, {"threads": 2, "slab": 1}):
        for widest in (32, 64):
            count = native_count(beyond_caches=0, widest_vectors=widest, **way)
            assert rows_of(count(true, pred)) == expected, (way, widest)
