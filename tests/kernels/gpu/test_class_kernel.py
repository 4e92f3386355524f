"""The CUDA kernel for class maps, run on the processor by fibers: exact for types, ignored labels, items, layouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.gpu.cuda_classes import ClassLayout, ClassPairCounts, launch_macros
from segmetry.kernels.gpu.cuda_pairs import Task
from segmetry.kernels.pairs import count_pairs
from tests.kernels.gpu.simulated_kernel import SimulatedClassKernel
from tests.kernels.gpu.test_cuda_kernel import expected, stretches

compiles = pytest.mark.slow  # a compiler is started for every type
TYPES = [("uint8", "uint8"), ("int64", "int64"), ("int32", "uint8"), ("int16", "int16"), ("bool", "uint8")]


@compiles
@pytest.mark.parametrize(("true_type", "pred_type"), TYPES)
def test_class_tables_are_exact_for_every_length_and_place(tmp_path: Path, true_type: str, pred_type: str) -> None:
    classes = 2 if true_type == "bool" else 9
    void = None if true_type == "bool" else 100
    kernel = SimulatedClassKernel(tmp_path, true_type, pred_type, ClassLayout(classes, void))
    for n in (1, 31, 2048, 2049, 4096 * 5 + 3):
        true, pred = stretches(n, classes, 40, true_type, n), stretches(n, classes, 20, pred_type, n + 1)
        if void is not None:
            true[n // 3 : n // 2] = void
        tables = kernel.count(true, pred, seed=n)
        assert tables is not None
        assert list(zip(*(column.tolist() for column in tables.columns()), strict=True)) == expected(true, pred)
    true, pred = true[1:], pred[1:]  # labels that do not begin at a multiple of 16 bytes
    tables = kernel.count(true[: n - 3], pred[: n - 3], items=2)
    assert tables is not None
    rows = list(zip(*(column.tolist() for column in tables.columns()), strict=True))
    assert rows == expected(true[: n - 3], pred[: n - 3], 2)


@compiles
@pytest.mark.parametrize("classes", [9, 128, 200, 256])
def test_bytes_of_any_number_of_classes_are_counted(tmp_path: Path, classes: int) -> None:
    layout = ClassLayout(classes, 255 if classes < 255 else None)
    kernel = SimulatedClassKernel(tmp_path, "uint8", "uint8", layout)
    rng = np.random.default_rng(classes)
    true, pred = rng.integers(0, classes, (2, 9001)).astype(np.uint8)
    if classes < 255:
        true[::7] = 255
    tables = kernel.count(true, pred)
    assert tables is not None
    assert list(zip(*(column.tolist() for column in tables.columns()), strict=True)) == expected(true, pred)


@compiles
@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_counts_of_16_bits_do_not_overflow(tmp_path: Path, dtype: str) -> None:
    kernel = SimulatedClassKernel(tmp_path, dtype, dtype, ClassLayout(200), HALVES=1, LOG_COPIES=0)
    labels = np.full(300_001, 7, dtype)
    labels[::3] = 8
    for start in (0, 1):  # 1: no lane is aligned
        tables = kernel.count(labels[start:], labels[start:])
        assert tables is not None
        assert tables.counts[0, 8, 8] == 100_001 - start
        assert tables.counts.sum() == labels.size - start


@compiles
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64"])
def test_a_label_outside_of_the_table_is_noticed(tmp_path: Path, dtype: str) -> None:
    kernel = SimulatedClassKernel(tmp_path, dtype, dtype, ClassLayout(5, None, 100))
    true, pred = stretches(5000, 5, 9, dtype, 0), stretches(5000, 5, 9, dtype, 1)
    assert kernel.count(true, pred) is not None
    for side, at, label in ((true, 77, 5), (true, 4999, 100), (pred, 0, 101), (pred, 2500, -1)):
        kept = side[at]
        side[at : at + 1] = np.array([label]).astype(dtype)
        assert kernel.count(true, pred) is None
        side[at] = kept
    pred[::5] = 100
    assert kernel.count(true, pred) is not None


@given(st.data())
def test_columns_of_class_tables_are_the_sorted_rows_of_a_count(data: st.DataObject) -> None:
    labels = st.sampled_from([0, 1, 2, 7, data.draw(st.sampled_from([-1, 255, 3]))])
    n = data.draw(st.integers(1, 30))
    true, pred = (np.array(data.draw(st.lists(labels, min_size=n, max_size=n))) for _ in range(2))
    layout = ClassLayout.of_labels(true, pred)
    assert layout is not None
    counts = np.zeros((1, layout.codes, layout.codes), dtype=np.int64)
    codes = (np.where((side >= 0) & (side < layout.classes), side, layout.classes) for side in (true, pred))
    for ignored, side in zip(layout[1:], (true, pred), strict=True):
        outside = side[(side < 0) | (side >= layout.classes)]
        assert set(outside.tolist()) <= {ignored}
    np.add.at(counts[0], tuple(codes), 1)
    _, *found = ClassPairCounts(counts, layout).columns()
    for column, wanted in zip(found, numpy_twin(count_pairs)(true, pred), strict=True):
        assert np.array_equal(column, wanted)


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        (ClassLayout(8), ClassLayout(20, 255), ClassLayout(20, 255)),
        (ClassLayout(8, 20), ClassLayout(32), ClassLayout(32)),
        (ClassLayout(8, 255), ClassLayout(8, -1), None),
        (ClassLayout(8, -1, 255), ClassLayout(20, None, 255), ClassLayout(20, -1, 255)),
    ],
)
def test_layouts_join(first: ClassLayout, second: ClassLayout, joined: ClassLayout | None) -> None:
    assert first.joined(second) == joined
    assert second.joined(first) == joined


def test_every_layout_fits_the_shared_memory_of_its_device() -> None:
    for shared in (48 << 10, 99 << 10, 163 << 10, 227 << 10):
        for dtype in ("uint8", "int16", "int32", "int64"):
            for codes in range(1, 257):
                macros = launch_macros(Task(0, 0, dtype, dtype, 1, 1), codes, shared)
                if macros is None:
                    assert 2 * codes * codes > shared - 1200
                    continue
                table = 2 * codes * codes if macros["HALVES"] else 4 * codes * codes << macros["LOG_COPIES"]
                assert macros["RESIDENT"] * table <= shared
                assert macros["THREADS"] * macros["RESIDENT"] <= 1024
                if macros["HALVES"]:
                    assert macros["THREADS"] * macros["PER_LANE"] * macros["STEPS"] <= 1 << 15


def test_the_example_of_of_labels() -> None:
    assert ClassLayout.of_labels(np.array([0, 18, 255]), np.array([0, 5])) == ClassLayout(
        classes=20, true_ignored=255, pred_ignored=None
    )
    assert ClassLayout.of_labels(np.array([0, 10_000, 20_000]), np.array([0])) is None


def test_the_example_of_columns() -> None:
    tables = ClassPairCounts(np.array([[[1, 0], [2, 3]]]), ClassLayout(1, -1, 255))
    assert [column.tolist() for column in tables.columns()] == [[0, 0, 0], [-1, -1, 0], [0, 255, 0], [2, 3, 1]]
