"""Objects of other packages that hold what no segmentation has: each is one error of segmetry, never another one."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, SegmetryError

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


class CuPyArray:
    """What ``cupy.ndarray`` offers to other packages; its device is the memory of this machine.

    It is never converted, as CuPy's are not, and says which stream it was asked to wait for.
    """

    def __init__(self, array: Any, problem: Exception | None = None) -> None:
        self._array, self._problem, self.streams = np.asarray(array), problem, list[int | None]()
        self.shape, self.dtype, self.ndim, self.size = (
            getattr(self._array, fact) for fact in ("shape", "dtype", "ndim", "size")
        )

    def __len__(self) -> int:
        return len(self._array)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        self.streams.append(stream)
        if self._problem is not None:
            raise self._problem
        return self._array.__dlpack__()


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch asks for the stream of a device that is not there."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _device: SimpleNamespace(cuda_stream=0))


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64"])
def test_arrays_of_cupy_are_counted_where_they_are(dtype: str) -> None:
    rng = np.random.default_rng(4)
    true, pred = (rng.integers(0, 9, (64, 64)).repeat(5, axis=1).astype(dtype) for _ in range(2))
    sides = CuPyArray(true), CuPyArray(pred)
    table, expected = sm.overlap(*sides), sm.overlap(true, pred)
    assert list(table.rows()) == list(expected.rows())
    assert sm.pq(*sides) == sm.pq(true, pred)
    # The elements are read behind the work that waits on CuPy's stream: 1 is the one that waits for all others.
    assert {*sides[0].streams, *sides[1].streams} == {1}
    with pytest.raises(SegmetryError, match="true is on cuda:0 and pred on this machine"):
        sm.overlap(sides[0], pred)
    with pytest.warns(DataWarning, match="on cuda:0 are copied to this machine"):
        distance = sm.hausdorff(*(CuPyArray(side > 0) for side in (true, pred)))
    assert distance == sm.hausdorff(true > 0, pred > 0)


@pytest.mark.usefixtures("streams")
@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (CuPyArray(LABELS / 2), "labels on cuda:0 have dtype float64; expected integers or bool"),
        (CuPyArray(LABELS + 1j), "labels on cuda:0 have dtype complex128; expected integers or bool"),
        (CuPyArray(-LABELS), "label -2 is negative"),
        (CuPyArray(LABELS[:0]), "expected at least one element"),
        (CuPyArray(LABELS, BufferError("it is used by others")), "a CuPyArray that cannot be read: it is used by"),
        (CuPyArray(LABELS, RuntimeError("cudaErrorIllegalAddress")), "cannot be read: cudaErrorIllegalAddress"),
    ],
)
def test_an_array_of_cupy_is_read_or_one_error(labels: CuPyArray, words: str) -> None:
    with pytest.raises(SegmetryError, match=words):
        sm.pq(labels, labels)


class DeletedArray:
    """An array of jax whose memory was given to a result (``donate_argnums``): it has lost its buffers."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Array has been deleted with shape=int32[1,1].")

    def __dlpack_device__(self) -> tuple[int, int]:
        raise TypeError("object of type 'NoneType' has no len()")


def test_a_deleted_array_of_jax_is_one_error() -> None:
    with pytest.raises(SegmetryError, match="a DeletedArray that cannot be read"):
        sm.pq(DeletedArray(), DeletedArray())  # type: ignore[arg-type]


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
