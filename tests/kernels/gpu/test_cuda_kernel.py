"""The CUDA kernel, run on the processor by fibers: exact for types, ends of tiles, wide labels, items, full tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.gpu.cuda_pairs import CATEGORY, FULL, TOO_WIDE
from tests.kernels.gpu.simulated_kernel import Rows, SimulatedKernel

pytestmark = pytest.mark.slow  # a compiler is started for every type

LENGTHS = (1, 31, 32, 127, 128, 129, 255, 256, 257, 1000, 5003)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., SimulatedKernel]:
    folder, built = tmp_path_factory.mktemp("kernels"), {}

    def build(true_type: str, pred_type: str, **options: Any) -> SimulatedKernel:
        key = (true_type, pred_type, *options.items())
        if key not in built:
            built[key] = SimulatedKernel(folder, true_type, pred_type, **options)
        return built[key]

    return build


def stretches(n: int, labels: int, mean: int, dtype: str, seed: int) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    return np.repeat(rng.integers(0, labels, n), rng.integers(1, 2 * mean, n))[:n].astype(dtype)


def expected(true: NDArray[Any], pred: NDArray[Any], items: int = 1) -> Rows:
    counts: Counter[tuple[int, int, int]] = Counter()
    for item, (first, second) in enumerate(zip(true.reshape(items, -1), pred.reshape(items, -1), strict=True)):
        counts.update((item, t, p) for t, p in zip(first.tolist(), second.tolist(), strict=True))
    return sorted((*key, count) for key, count in counts.items())


@pytest.mark.parametrize(("dtype", "per_lane"), [("int32", 4), ("uint8", 8), ("int8", 16)])
def test_every_length_is_exact(kernel: Callable[..., SimulatedKernel], dtype: str, per_lane: int) -> None:
    compiled = kernel(dtype, dtype, per_lane=per_lane)
    for n in LENGTHS:
        true, pred = stretches(n, 5, 9, dtype, n), stretches(n, 5, 7, dtype, n + 1)
        assert compiled.count(true, pred, seed=n) == expected(true, pred)


def test_arrays_need_not_be_aligned(kernel: Callable[..., SimulatedKernel]) -> None:
    true, pred = stretches(5003, 5, 9, "int32", 0)[1:], stretches(5002, 5, 7, "int32", 1)
    assert kernel("int32", "int32").count(true, pred) == expected(true, pred)


def test_pair_of_all_ones_has_its_own_slot(kernel: Callable[..., SimulatedKernel]) -> None:
    true, pred = stretches(900, 3, 5, "int32", 2) - 1, stretches(900, 3, 5, "int32", 3) - 1
    assert kernel("int32", "int32").count(true, pred) == expected(true, pred)


def test_items_have_tables_of_their_own(kernel: Callable[..., SimulatedKernel]) -> None:
    true, pred = stretches(3000, 9, 5, "int32", 4), stretches(3000, 9, 5, "int32", 5)
    assert kernel("int32", "int32").count(true, pred, items=3) == expected(true, pred, 3)


def test_full_table_is_reported_and_a_larger_one_counts_labels_without_stretches(
    kernel: Callable[..., SimulatedKernel],
) -> None:
    rng = np.random.default_rng(6)
    true, pred = rng.integers(0, 60, (2, 3000)).astype(np.int32)
    assert kernel("int32", "int32").count(true, pred, slots=128) == FULL
    assert kernel("int32", "int32").count(true, pred, slots=8192) == expected(true, pred)


def test_labels_beyond_32_bits_are_reported_and_counted_wide(kernel: Callable[..., SimulatedKernel]) -> None:
    labels = np.random.default_rng(7).integers(-(2**62), 2**62, 9)
    labels[2] = -1
    true, pred = labels[stretches(3000, 9, 5, "int64", 8)], labels[stretches(3000, 9, 5, "int64", 9)]
    narrow = kernel("int64", "int64").count(true, pred)
    assert isinstance(narrow, int)
    assert narrow & TOO_WIDE
    assert kernel("int64", "int64", wide=True).count(true, pred) == expected(true, pred)


def test_categories_are_packed_and_large_instances_reported(kernel: Callable[..., SimulatedKernel]) -> None:
    pairs = [
        np.stack((stretches(700, 4, 9, "int64", s) - 1, stretches(700, 3, 6, "int64", s + 1)), -1) for s in (10, 12)
    ]
    compiled = kernel(CATEGORY, CATEGORY, per_lane=2)
    codes = [((pair[:, 0] + 1) << 20) | pair[:, 1] for pair in pairs]
    assert compiled.count(*pairs) == expected(*codes)
    pairs[0][5, 1] = 1 << 20
    assert compiled.count(*pairs) == TOO_WIDE
