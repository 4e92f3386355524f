"""Pair counting: native code against the numpy twin against a dictionary counter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.pairs import PairCounts, PairsOfItems, add_up_items, count_item_pairs, count_pairs

Array = NDArray[Any]
Count = Callable[[Array, Array], PairCounts]

needs_native = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")

DTYPES = [np.dtype(code) for code in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")]
HARD_IDS = [0, 1, 2, 255, 2**16, 2**32, 2**53 + 1, 2**62 + 1, 2**63 - 1, 2**64 - 1, -1, -2, -128, -(2**31), -(2**63)]


def native_count(**tuning: int) -> Count:
    def count(true: Array, pred: Array) -> PairCounts:
        assert native is not None
        return PairCounts(*native.count_pairs(true, pred, **tuning))

    return count


COUNTERS = [
    pytest.param(count_pairs, id="public"),
    pytest.param(numpy_twin(count_pairs), id="numpy"),
    pytest.param(native_count(), id="native", marks=needs_native),
    pytest.param(native_count(spill_after=0, chunk=1 << 16), id="native-sorting", marks=needs_native),
    pytest.param(native_count(spill_after=0, chunk=7), id="native-sorting-chunks-of-7", marks=needs_native),
    pytest.param(native_count(threads=3, slab=1), id="native-3-threads", marks=needs_native),
    pytest.param(native_count(most_cells=1, widest_vectors=16), id="native-hash-narrow-vectors", marks=needs_native),
    pytest.param(native_count(most_cells=64, sort_after=5, chunk=100), id="native-small-table", marks=needs_native),
]


def rows_of(counts: PairCounts) -> list[tuple[int, int, int]]:
    return list(zip(counts.true_labels.tolist(), counts.pred_labels.tolist(), counts.counts.tolist(), strict=True))


def expected_rows(true: Array, pred: Array) -> list[tuple[int, int, int]]:
    return _counted(true.tobytes(), true.dtype, pred.tobytes(), pred.dtype)


@lru_cache(maxsize=2000)
def _counted(
    true: bytes, true_dtype: np.dtype[Any], pred: bytes, pred_dtype: np.dtype[Any]
) -> list[tuple[int, int, int]]:
    """Count the pairs of two arrays in C order; every way of counting is compared with the same."""
    sides = np.frombuffer(true, true_dtype).tolist(), np.frombuffer(pred, pred_dtype).tolist()
    return [(t, p, n) for (t, p), n in sorted(Counter(zip(*sides, strict=True)).items())]


def label_dtype(array: Array) -> np.dtype[Any]:
    return np.dtype(np.uint64 if array.dtype.newbyteorder("=") == np.uint64 else np.int64)


def check(count: Count, true: Array, pred: Array) -> None:
    found = count(true, pred)
    assert rows_of(found) == expected_rows(true, pred)
    assert found.true_labels.dtype == label_dtype(true)
    assert found.pred_labels.dtype == label_dtype(pred)
    assert found.counts.dtype == np.int64


def ids_of(dtype: np.dtype[Any]) -> list[int]:
    if dtype.kind == "b":
        return [0, 1]
    limits = np.iinfo(dtype)
    return [i for i in HARD_IDS if limits.min <= i <= limits.max]


def labels(dtype: np.dtype[Any], shape: tuple[int, ...], mean_run: int, seed: int) -> Array:
    return _labels(dtype, shape, mean_run, seed).copy()


@lru_cache(maxsize=2000)
def _labels(dtype: np.dtype[Any], shape: tuple[int, ...], mean_run: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    size = int(np.prod(shape))
    changes = rng.random(size) < 1 / mean_run
    choices = np.array(ids_of(dtype), dtype)
    values: Array = choices[rng.integers(0, len(choices), size)[np.cumsum(changes) % max(size, 1)]]
    return values.reshape(shape)


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("pred_dtype", DTYPES, ids=str)
@pytest.mark.parametrize("true_dtype", DTYPES, ids=str)
def test_every_pair_of_dtypes(count: Count, true_dtype: np.dtype[Any], pred_dtype: np.dtype[Any]) -> None:
    for mean_run in (1, 9, 200):
        check(count, labels(true_dtype, (417,), mean_run, 1), labels(pred_dtype, (417,), mean_run, 2))


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("true_code", [">i2", ">u4", "<i8", ">u8", "=i4"])
@pytest.mark.parametrize("pred_code", [">i4", "<u2", ">i8"])
def test_both_byte_orders(count: Count, true_code: str, pred_code: str) -> None:
    true = labels(np.dtype(true_code).newbyteorder("="), (301,), 5, 3).astype(true_code)
    pred = labels(np.dtype(pred_code).newbyteorder("="), (301,), 5, 4).astype(pred_code)
    check(count, true, pred)


@pytest.mark.parametrize("count", COUNTERS)
def test_sizes_around_the_vector_width(count: Count) -> None:
    for width in ("u1", "i2", "u4", "i8"):
        for size in [*range(71), 127, 128, 129, 130, 16_383, 16_384, 16_385, 16_449]:
            for mean_run in (1, 30):
                true = labels(np.dtype(width), (size,), mean_run, size)
                check(count, true, labels(np.dtype("i4"), (size,), mean_run, size + 1))


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("width", ["u1", "u2", "u4", "u8"])
def test_a_single_change_is_seen_at_every_position(count: Count, width: str) -> None:
    for size in (65, 129, 140):
        for position in range(size):
            true = np.zeros(size, width)
            true[position] = np.iinfo(width).max
            check(count, true, np.zeros(size, "u2"))
            check(count, np.zeros(size, "u2"), true)


def views(array: Array) -> dict[str, Array]:
    """Views of one (8, 6, 10) shape on arrays of several layouts, with the same values in each."""
    shape = array.shape
    stepped = np.zeros((shape[0] * 2, shape[1] * 3, shape[2] * 2), array.dtype)
    stepped[::2, ::3, 1::2] = array
    record = np.zeros(shape, np.dtype([("pad", "u1"), ("label", array.dtype)]))
    record["label"] = array
    wide = np.zeros((*shape[:2], 40), array.dtype)
    wide[..., 7 : 7 + shape[2]] = array
    read_only = array.copy()
    read_only.flags.writeable = False
    return {
        "c": array,
        "fortran": np.asfortranarray(array),
        "reversed": array[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
        "one axis reversed": array[:, ::-1].copy()[:, ::-1],
        "transposed": np.ascontiguousarray(array.transpose(1, 2, 0)).transpose(2, 0, 1),
        "stepped": stepped[::2, ::3, 1::2],
        "field of a record": record["label"],
        "crop": wide[..., 7 : 7 + shape[2]],
        "read only": read_only,
    }


@pytest.mark.parametrize("count", COUNTERS)
def test_every_layout_with_every_other(count: Count) -> None:
    true, pred = labels(np.dtype("i4"), (8, 6, 10), 4, 5), labels(np.dtype("i8"), (8, 6, 10), 4, 6)
    for true_view in views(true).values():
        for pred_view in views(pred).values():
            check(count, true_view, pred_view)


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("length", [100, 300, 9000])
def test_rows_longer_and_shorter_than_a_block(count: Count, length: int) -> None:
    base = labels(np.dtype("u2"), (5, length + 3), 12, 7)
    other = labels(np.dtype("u2"), (5, length), 12, 8)
    check(count, base[:, 3:], other)
    check(count, base[:, 3:], other[::-1, ::-1])
    check(count, base[:, :length:-1], other[:, : base[:, :length:-1].shape[1]])


@pytest.mark.parametrize("count", COUNTERS)
def test_broadcast_views(count: Count) -> None:
    row = labels(np.dtype("i4"), (40,), 3, 9)
    full = labels(np.dtype("u1"), (30, 40), 3, 10)
    check(count, np.broadcast_to(row, (30, 40)), full)
    check(count, full, np.broadcast_to(np.int16(-5), (30, 40)))
    check(count, np.broadcast_to(row[:30, None], (30, 40)), np.broadcast_to(row, (30, 40)))
    check(count, np.broadcast_to(np.uint64(2**64 - 1), (3, 3)), np.broadcast_to(np.bool_(True), (3, 3)))


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1)])
def test_no_axes_no_elements_one_element(count: Count, shape: tuple[int, ...]) -> None:
    check(count, np.full(shape, 2**64 - 1, np.uint64), np.full(shape, -3, np.int8))


@pytest.mark.parametrize("count", COUNTERS)
def test_unequal_shapes_are_rejected(count: Count) -> None:
    with pytest.raises(ValueError, match="shape"):
        count(np.zeros((2, 3), int), np.zeros((3, 2), int))
    with pytest.raises(ValueError, match="shape"):
        count(np.zeros((6,), int), np.zeros((3, 2), int))


@pytest.mark.parametrize("count", COUNTERS)
@pytest.mark.parametrize("dtype", ["f8", "c16", "O", "U1", "M8[s]"])
def test_other_dtypes_are_rejected(count: Count, dtype: str) -> None:
    with pytest.raises(ValueError, match=r"integer|buffer"):
        count(np.zeros(3, dtype), np.zeros(3, int))
    with pytest.raises(ValueError, match=r"integer|buffer"):
        count(np.zeros(3, int), np.zeros(3, dtype))


@pytest.mark.parametrize("count", COUNTERS)
def test_memory_maps(count: Count, tmp_path: Path) -> None:
    true, pred = labels(np.dtype("u4"), (50, 60), 8, 11), labels(np.dtype("u2"), (50, 60), 8, 12)
    np.save(tmp_path / "true.npy", true)
    check(count, np.load(tmp_path / "true.npy", mmap_mode="r"), pred)


@pytest.mark.parametrize("count", COUNTERS)
def test_bytes_reinterpreted_as_bool_are_true_unless_zero(count: Count) -> None:
    true = np.array([0, 1, 2, 255, 0, 2] * 20, np.uint8).view(bool)
    assert rows_of(count(true, np.zeros(120, int))) == [(0, 0, 40), (1, 0, 80)]


@pytest.mark.parametrize("count", COUNTERS)
def test_many_pairs_without_runs(count: Count) -> None:
    rng = np.random.default_rng(13)
    for spread in (300, 10**6, 2**40):
        true, pred = rng.integers(-spread, spread, (2, 20_000))
        check(count, true, pred)


@needs_native
@pytest.mark.parametrize("chunk", [1, 2, 100, 5_000, 10**6])
@pytest.mark.parametrize("bits", [(0, 50), (50, 0), (25, 25), (3, 40), (64, 0), (0, 64), (30, 30)])
def test_sorted_chunks_of_every_key_width(chunk: int, bits: tuple[int, int]) -> None:
    """At most 50 bits of labels are sorted, more stay in the hash; both with long runs and repeated pairs between."""
    rng = np.random.default_rng(14)
    sides = []
    for side_bits in bits:
        few = rng.integers(0, 2**side_bits - 1, 40, np.uint64, endpoint=True) if side_bits else np.zeros(40, np.uint64)
        some = np.repeat(few[rng.integers(0, 40, 500)], rng.integers(1, 40, 500))[:5000]
        many = rng.integers(0, 2**side_bits - 1, 5000, np.uint64, endpoint=True) if side_bits else some
        sides.append(np.concatenate([many[:2500], some, np.full(40_000, few[0]), many[2500:]]))
    shortest = min(map(len, sides))
    true, pred = sides[0][:shortest], sides[1][:shortest]
    assert native is not None
    for spill_after in (0, 1000):
        found = PairCounts(*native.count_pairs(true, pred, spill_after=spill_after, chunk=chunk))
        assert rows_of(found) == expected_rows(true, pred)


@needs_native
@pytest.mark.parametrize("size", [30, 900, 12_000, 70_000])
@pytest.mark.parametrize("crowd", [1, 40, 3_000])
def test_keys_that_differ_in_low_bits_only(size: int, crowd: int) -> None:
    """Sorting by the highest bits alone leaves crowds of keys in no order; some parts are crowded and some are not."""
    rng = np.random.default_rng(19)
    true = rng.integers(0, 2**17, size)
    crowded = rng.permutation(size) < size // 2
    true[crowded] = true[crowded] // crowd * crowd
    pred = np.where(crowded, rng.permutation(size) % 2**12, rng.integers(0, 2**25, size))
    expected = rows_of(numpy_twin(count_pairs)(true, pred))
    for chunk in (size // 3, 2 * size):
        assert rows_of(native_count(spill_after=0, chunk=chunk)(true, pred)) == expected
    descending = np.arange(size)[::-1] + 2**40
    zero_and_far = np.where(descending % 2 == 0, 0, 2**24)  # and no bits between that differ
    assert rows_of(native_count(spill_after=0)(zero_and_far, descending)) == rows_of(
        numpy_twin(count_pairs)(zero_and_far, descending)
    )


@needs_native
@pytest.mark.parametrize("dtype", ["i1", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("repeats", [1, 10])
def test_sorted_results_own_their_memory(dtype: str, repeats: int) -> None:
    """With few repeated pairs the columns take over the memory of the sort, otherwise they are new."""
    rng = np.random.default_rng(20)
    true = np.tile(rng.integers(0, 100, 9_000).astype(dtype) - np.array(50).astype(dtype), repeats)
    pred = np.tile(rng.permutation(9_000), repeats)
    expected = expected_rows(true, pred)
    count = native_count(spill_after=0)
    first = count(true, pred)
    assert first.true_labels.dtype == label_dtype(true)
    for column in first:
        assert column.flags.writeable and column.flags.c_contiguous and column.shape == (9_000,)
    again = count(true, pred)
    for column in again:
        column[:] = 7
    del again
    count(pred, true)
    assert rows_of(first) == expected


@needs_native
def test_the_same_bits_for_every_number_of_threads() -> None:
    true, pred = labels(np.dtype("i8"), (37, 41, 5), 3, 15), labels(np.dtype("u4"), (37, 41, 5), 3, 16)
    expected = rows_of(numpy_twin(count_pairs)(true, pred))
    for threads in range(1, 5):
        for spill_after in (0, 1 << 20):
            for slab in (1, 1000):
                count = native_count(threads=threads, slab=slab, spill_after=spill_after, chunk=64)
                assert rows_of(count(true, pred)) == expected
                assert rows_of(count(true[:, ::-2], pred[:, ::-2])) == expected_rows(true[:, ::-2], pred[:, ::-2])
    few_true, few_pred = true[0, :2], pred[0, :2]
    assert rows_of(native_count(threads=64, slab=1)(few_true, few_pred)) == expected_rows(few_true, few_pred)


@pytest.mark.parametrize("threads", [0, -1])
def test_less_than_one_thread_is_rejected(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        count_pairs(np.zeros(3, int), np.zeros(3, int), threads=threads)


def test_the_numpy_version_adds_up_while_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segmetry.kernels.pairs._BLOCK", 64)
    monkeypatch.setattr("segmetry.kernels.pairs._FEWEST_PENDING", 50)
    for dtype in ("i4", "u8"):
        true, pred = labels(np.dtype(dtype), (999,), 2, 17), labels(np.dtype("i8"), (999,), 2, 18)
        check(numpy_twin(count_pairs), true, pred)


@st.composite
def label_pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    shape = tuple(draw(st.lists(st.integers(0, 9), min_size=0, max_size=3)))
    sides = []
    for _ in range(2):
        dtype = draw(st.sampled_from(DTYPES))
        ids = draw(st.lists(st.sampled_from(ids_of(dtype)), min_size=1, max_size=4))
        size = int(np.prod(shape))
        picks = draw(st.lists(st.integers(0, len(ids) - 1), min_size=size, max_size=size))
        array = np.array([ids[i] for i in picks], dtype).reshape(shape)
        array = np.asarray(array, order=draw(st.sampled_from(["C", "F"])))
        flips = tuple(slice(None, None, draw(st.sampled_from([1, -1]))) for _ in shape)
        sides.append(array[flips] if shape else array)
    return sides[0], sides[1]


@given(label_pairs(), st.integers(1, 4), st.integers(1, 40))
def test_generated_arrays(pair: tuple[Array, Array], threads: int, chunk: int) -> None:
    true, pred = pair
    expected = expected_rows(true, pred)
    assert rows_of(count_pairs(true, pred, threads=threads)) == expected
    assert rows_of(numpy_twin(count_pairs)(true, pred)) == expected
    if native is not None:
        assert rows_of(native_count(threads=threads, slab=1, spill_after=0, chunk=chunk)(true, pred)) == expected


def test_the_example_of_count_item_pairs() -> None:
    rows = count_item_pairs([np.array([1, 1]), np.array([2])], [np.array([3, 3]), np.array([0])])
    assert (rows.starts.tolist(), rows.true_labels.tolist(), rows.counts.tolist()) == ([0, 1, 2], [1, 2], [2, 1])


def test_the_example_of_add_up_items() -> None:
    rows = PairsOfItems(np.array([0, 3]), np.array([2, 1, 2]), np.array([5, 5, 5]), np.array([1, 2, 4]))
    assert [column.tolist() for column in add_up_items(rows)] == [[0, 2], [1, 2], [5, 5], [2, 5]]
