"""On a CUDA device the rows are those of the numpy kernels: all types, wide labels, batches, streams, threads."""

from __future__ import annotations

from itertools import product
from threading import Thread
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import DataWarning, DeviceMismatchError
from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.gpu import cuda_classes
from segmetry.kernels.gpu.device_pairs import count_device_categories, count_device_pairs, cuda_kernel_is_usable
from segmetry.kernels.pairs import count_category_pairs, count_pairs

torch = pytest.importorskip("torch")

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")
CASES = 1000


def stretches(rng: np.random.Generator, n: int, dtype: str, labels: int = 90, *, low: int = -2) -> NDArray[Any]:
    drawn = rng.integers(low if dtype.startswith("int") else 0, 2 if dtype == "bool" else labels, n)
    return np.repeat(drawn, rng.integers(1, 15, n))[:n].astype(dtype)


def on_device(labels: NDArray[Any]) -> Any:
    return torch.from_numpy(labels).cuda()


def check(true: NDArray[Any], pred: NDArray[Any], found: Any) -> None:
    for column, wanted in zip(found, numpy_twin(count_pairs)(true, pred), strict=True):
        assert column.dtype == wanted.dtype
        assert np.array_equal(column, wanted)


def test_the_kernel_is_compiled_here() -> None:
    assert cuda_kernel_is_usable()


@pytest.mark.parametrize(("first", "second"), list(product(DTYPES, DTYPES)))
def test_every_pair_of_types(first: str, second: str) -> None:
    rng = np.random.default_rng(0)
    for n in (1, 31, 257, 4099, 300_001):
        true, pred = stretches(rng, n, first), stretches(rng, n, second)
        check(true, pred, count_device_pairs(on_device(true), on_device(pred))[0])


def test_class_maps_are_counted_by_a_table_from_the_second_batch_on() -> None:
    rng = np.random.default_rng(5)
    for first, second in (
        ("int64", "int64"),
        ("uint8", "uint8"),
        ("int32", "uint8"),
        ("int16", "int16"),
        ("uint64", "bool"),
    ):
        for classes, void in ((2, None), (19, 255), (19, -1), (60, 250), (150, 255), (200, None)):
            if void == -1 and first[0] == "u":
                continue
            for items, n in ((1, 1 << 18), (16, 40_003)):
                for batch in range(5):
                    most = 2 if second == "bool" else classes
                    true = np.repeat(rng.integers(0, classes, items * n // 8 + 1), 8)[: items * n].astype(first)
                    pred = rng.integers(0, most, items * n).astype(second)
                    if void is not None:
                        true[: n // 3] = void
                    if batch == 3:
                        true[7 * n // 9] = classes + 77 if classes + 77 <= np.iinfo(first).max else 0
                    true, pred = true.reshape(items, n), pred.reshape(items, n)
                    found = count_device_pairs(on_device(true), on_device(pred), items=items)
                    for item in range(items):
                        check(true[item], pred[item], found[item])
    assert cuda_classes._plans


def test_fuzz_of_layouts_batches_and_wide_labels() -> None:
    rng = np.random.default_rng(1)
    for case in range(CASES):
        items = int(rng.choice([1, 2, 7]))
        n = int(rng.integers(1, 3000))
        first, second = rng.choice(DTYPES[1:], 2)
        true, pred = (stretches(rng, items * n, str(dtype)).reshape(items, n) for dtype in (first, second))
        if first.endswith("64") and case % 2:
            ids = rng.integers(0, 2**62, 100).astype(first)
            ids[3] = np.iinfo(first).max
            true = ids[true.astype(np.int64) % 100]
        if case % 3 == 0:
            true = rng.integers(0, 100, true.shape).astype(first)
        device_true, device_pred = on_device(true), on_device(pred)
        if case % 5 == 0 and n > 4:
            true, pred = true[:, ::2], pred[:, 1::2]
            true, pred = true[:, : pred.shape[1]], pred[:, : true.shape[1]]
            width = min(true.shape[1], pred.shape[1])
            true, pred = true[:, :width], pred[:, :width]
            device_true, device_pred = device_true[:, ::2][:, :width], device_pred[:, 1::2][:, :width]
        found = count_device_pairs(device_true, device_pred, items=items)
        for item in range(items):
            check(true[item], pred[item], found[item])


def test_categories() -> None:
    rng = np.random.default_rng(2)
    for large in (1, 10**9):
        for _ in range(50):
            true, pred = rng.integers(-1, 30, (2, 3, int(rng.integers(1, 900)), 2)) * large
            found = count_device_categories(on_device(true), on_device(pred))
            expected = numpy_twin(count_category_pairs)(true, pred)
            assert all(np.array_equal(column, wanted) for column, wanted in zip(found, expected, strict=True))


def test_more_elements_than_32_bits_count() -> None:
    labels = torch.zeros(5_400_000_000, dtype=torch.uint8, device="cuda")
    labels[5_000_000_000:] = 3
    assert [column.tolist() for column in count_device_pairs(labels, labels)[0]] == [
        [0, 3],
        [0, 3],
        [5_000_000_000, 400_000_000],
    ]


@pytest.mark.parametrize("own_stream", [True, False])
def test_eight_threads(own_stream: bool) -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        with torch.cuda.stream(torch.cuda.Stream() if own_stream else torch.cuda.default_stream()):
            for _ in range(20):
                true, pred = rng.integers(0, 9, (2, 5000)).astype(np.int32)
                found = count_device_pairs(on_device(true), on_device(pred))[0]
                if not all(map(np.array_equal, found, numpy_twin(count_pairs)(true, pred))):
                    wrong.append(seed)

    threads = [Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_metrics_of_tensors_are_those_of_arrays() -> None:
    true, pred = np.random.default_rng(3).integers(0, 9, (2, 4, 64, 64))
    batches = on_device(true), on_device(pred)
    device_true, device_pred = map(sm.LabelArray, batches)
    assert list(sm.overlap(device_true, device_pred).rows()) == list(sm.overlap(true, pred).rows())
    assert [list(table.rows()) for table in sm.overlap_batch(*batches)] == [
        list(table.rows()) for table in sm.overlap_batch(true, pred)
    ]
    for key in ("pq", "rand_index", "variation_of_information"):
        assert float(getattr(sm, key)(device_true, device_pred)) == float(getattr(sm, key)(true, pred))
    with pytest.raises(DeviceMismatchError, match="true is on cuda:0 and pred on this machine"):
        sm.overlap(device_true, pred)
    with pytest.warns(DataWarning, match="copied to this machine"):
        sm.hausdorff(batches[0][0], batches[1][0])


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_arrays_of_cupy_are_counted_where_they_are(dtype: str) -> None:
    cupy = pytest.importorskip("cupy")
    # Labels of segments are not negative: those of arrays on this machine are refused, too.
    true, pred = (stretches(np.random.default_rng(seed), 4096, dtype, low=0).reshape(64, 64) for seed in (1, 2))
    table, expected = sm.overlap(cupy.asarray(true), cupy.asarray(pred)), sm.overlap(true, pred)
    assert np.array_equal(table.shared, expected.shared)
    assert np.array_equal(table.true.ids, expected.true.ids)
    assert sm.pq(cupy.asarray(true), cupy.asarray(pred)) == sm.pq(true, pred)
    with pytest.raises(DeviceMismatchError, match="this machine"):
        sm.overlap(cupy.asarray(true), pred)
