"""Counting with torch operations gives the rows of the numpy kernels, on any device (here the processor)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.gpu.device_pairs import count_device_categories, count_device_pairs
from segmetry.kernels.pairs import count_category_pairs, count_pairs
from tests.profiles import count

torch = pytest.importorskip("torch")

DTYPES = ("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64")


def labels(rng: np.random.Generator, n: int, dtype: str) -> NDArray[Any]:
    if rng.random() < 0.3 and dtype.endswith("64"):
        ids = rng.integers(0, 2**62, 20).astype(dtype)
        ids[0] = np.iinfo(dtype).max
        return ids[rng.integers(0, 20, n)]
    low = -3 if dtype.startswith("int") else 0
    return np.repeat(rng.integers(low, 2 if dtype == "bool" else 90, n), rng.integers(1, 9, n))[:n].astype(dtype)


def test_rows_are_those_of_the_numpy_kernel() -> None:
    rng = np.random.default_rng(0)
    for _ in range(count(10)):
        items, n = int(rng.choice([1, 3])), int(rng.integers(1, 400))
        true, pred = (labels(rng, items * n, str(rng.choice(DTYPES))).reshape(items, n) for _ in range(2))
        found = count_device_pairs(torch.from_numpy(true), torch.from_numpy(pred), items=items)
        for item, expected in enumerate(map(numpy_twin(count_pairs), true, pred)):
            for column, wanted in zip(found[item], expected, strict=True):
                assert column.dtype == wanted.dtype
                assert column.tolist() == wanted.tolist()


def test_categories_are_counted_whatever_their_size() -> None:
    rng = np.random.default_rng(1)
    for large in (1, 10**12):
        true, pred = rng.integers(-1, 4, (2, 3, 50, 2)) * large
        found = count_device_categories(torch.from_numpy(true), torch.from_numpy(pred))
        expected = numpy_twin(count_category_pairs)(true, pred)
        assert [column.tolist() for column in found] == [column.tolist() for column in expected]


def test_the_examples_of_the_page_run_with_tensors_of_the_processor() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "howto" / "gpu.md").read_text(encoding="utf-8")
    blocks = [
        block for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE) if ">>>" not in block
    ]
    target = torch.tensor([[[[1, 1], [1, 2]], [[7, 0], [7, 0]]]])
    names: dict[str, Any] = {"loader": [(target, target, ["a"])], "model": lambda images: images}
    for block in blocks:
        exec(block.replace('"cuda"', '"cpu"'), names)  # noqa: S102 - the page's own code
    assert len(blocks) == 2
    assert float(names["quality"].compute()) == 1.0
