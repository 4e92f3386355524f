"""Objects of other packages that hold what no segmentation has: each is one error of segmetry, never another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import SegmetryError

LABELS = np.array([[1, 1, 2], [0, 2, 2]])


def tensors() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    label = torch.tensor(LABELS)
    return {
        "floats": label.float() / 2,
        "complex numbers": label.to(torch.complex64),
        "a gradient": label.float().requires_grad_(),
        "no storage": label.to("meta"),
        "sparse": label.to_sparse(),
        "no element": label[:0],
        "half": label.to(torch.bfloat16) + 0.5,
        "negative": -label,
    }


def data_arrays() -> dict[str, Any]:
    xarray = pytest.importorskip("xarray")
    return {
        "floats": xarray.DataArray(LABELS / 2),
        "texts": xarray.DataArray(LABELS.astype(str)),
        "times": xarray.DataArray(LABELS.astype("datetime64[s]")),
        "objects": xarray.DataArray(LABELS.astype(object)),
        "coordinates that are no numbers": xarray.DataArray(LABELS, coords={"x": list("abc")}, dims=("y", "x")),
        "coordinates that are not finite": xarray.DataArray(LABELS, coords={"x": [0, np.nan, np.inf]}, dims=("y", "x")),
        "coordinates that go back": xarray.DataArray(LABELS, coords={"x": [0, 5, 1]}, dims=("y", "x")),
    }


def frames() -> dict[str, Any]:
    polars = pytest.importorskip("polars")
    return {
        "texts": polars.Series(["a", "b"]),
        "nothing": polars.Series([None, None]),
        "missing": polars.Series([1, None, 2]),
        "lists": polars.Series([[1], [2, 3]]),
        "a frame": polars.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        "a plan": polars.LazyFrame({"a": [1]}),
    }


@pytest.mark.parametrize("objects", [tensors, data_arrays, frames])
def test_an_object_is_read_or_one_error(objects: Callable[[], dict[str, Any]]) -> None:
    rejected = []
    for name, labels in objects().items():
        try:
            sm.pq(labels, labels)
        except SegmetryError as problem:
            rejected.append((name, str(problem)))
    assert len(rejected) >= 3
    assert all(words.isprintable() for _, words in rejected)
