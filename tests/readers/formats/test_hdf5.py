"""HDF5: arrays come back, nothing outside the file is opened, what was never written is no label."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import FormatError, LabelTypeError, SegmetryError
from segmetry.readers.label_reading import CREMI_LABELS, chosen_arrays
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.labels import LabelArray
from tests.readers.data_sets import SMALL, hdf5

h5py = pytest.importorskip("h5py")


def labels(path: Path) -> dict[str, Any]:
    found = {}
    for item in read_items(path):
        assert isinstance(item.load(), LabelArray)
        found[item.name] = item.load().labels
    return found


@pytest.mark.parametrize("dtype", ["u1", "i2", ">u4", "i8", "u8", "?"])
@pytest.mark.parametrize("chunks", [True, False])
def test_arrays_come_back(dtype: str, chunks: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    array = SMALL.astype(dtype)
    path.write_bytes(hdf5(chunks=chunks, labels=array))
    assert np.array_equal(labels(path)["file"], array)
    path.write_bytes(hdf5(chunks=chunks, a__true=array, b=array))
    assert sorted(labels(path)) == ["a/true", "b"]


def test_links_and_other_files_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.h5").write_bytes(hdf5(labels=SMALL))
    for link in (h5py.ExternalLink("secret.h5", "/labels"), h5py.SoftLink("/elsewhere")):
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["odd"] = link
        with pytest.raises(FormatError, match="'odd' is a link to somewhere else"):
            labels(tmp_path / "a.h5")
    (tmp_path / "raw").write_bytes(bytes(6))
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("x", shape=(6,), dtype="u1", external=[("raw", 0, 6)])
    with pytest.raises(FormatError, match="its elements are stored in other files"):
        labels(tmp_path / "b.h5")


def test_traps_are_named(tmp_path: Path) -> None:
    for name, settings, words in (
        ("big", {"shape": (2**30, 2**30), "dtype": "u1", "chunks": (2**10, 2**10)}, "more than the budget"),
        ("holes", {"shape": (4, 4), "dtype": "u1", "chunks": (2, 2)}, "0 of 4 chunks were written"),
        ("never", {"shape": (4, 4), "dtype": "u1"}, "never written"),
        ("lzf", {"data": SMALL, "compression": "lzf"}, "unsupported filter 32000"),
        ("text", {"data": np.array([b"x"])}, "contains no array of integers"),
    ):
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            file.create_dataset("x", **settings)
        with pytest.raises(SegmetryError, match=words):
            labels(tmp_path / f"{name}.h5")
    with h5py.File(tmp_path / "float.h5", "w") as file:
        file["x"] = SMALL.astype(float)
    with pytest.raises(LabelTypeError, match="dtype float64"):
        labels(tmp_path / "float.h5")
    with h5py.File(tmp_path / "circle.h5", "w") as file:
        file["a/b"] = SMALL
        file["a/a"] = file["a"]
    with pytest.raises(FormatError, match="or in a cycle"):
        labels(tmp_path / "circle.h5")


@pytest.mark.parametrize(
    "filters", [{}, {"shuffle": True}, {"fletcher32": True}, {"shuffle": True, "fletcher32": True}]
)
def test_packed_chunks_hold_what_they_declare(filters: dict[str, bool], tmp_path: Path) -> None:
    """Data that were written as they are, behind a mask that says so, are read, too."""
    array = np.arange(24, dtype="u2").reshape(4, 6)
    path = tmp_path / "file.h5"
    with h5py.File(path, "w") as file:
        found = file.create_dataset("x", data=array, chunks=(2, 4), compression="gzip", **filters)
        found.id.write_direct_chunk((0, 0), np.ascontiguousarray(array[:2, :4]).tobytes(), filter_mask=0b111)
    assert np.array_equal(labels(path)["file"], array)
    for size, words in ((15, "decompresses to 15 bytes; expected 16"), (17, "decompresses to more bytes; expected 16")):
        with h5py.File(path, "w") as file:
            found = file.create_dataset("x", data=array, chunks=(2, 4), compression="gzip", **filters)
            masked = {"filter_mask": 0b110} if filters.get("fletcher32") and not filters.get("shuffle") else {}
            masked = {"filter_mask": 0b100} if len(filters) == 2 else masked
            found.id.write_direct_chunk((2, 4), zlib.compress(bytes(size)), **masked)
        with pytest.raises(FormatError, match=words):
            labels(path)


def test_the_example_of_chosen_arrays() -> None:
    assert chosen_arrays(["volumes/raw", CREMI_LABELS], ReadOptions(), "a.h5") == ["volumes/labels/neuron_ids"]
