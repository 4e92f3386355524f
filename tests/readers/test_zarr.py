"""Zarr: what the zarr package writes comes back, chunks unpack into what they declare, names stay inside."""

from __future__ import annotations

import copy
import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import SegmetryError
from segmetry.readers.reader import read_items
from segmetry.segmentation import LabelArray
from tests.readers.data_sets import DATA_SETS, SMALL, ZARR


def only(path: Path) -> LabelArray:
    (item,) = read_items(path)
    assert isinstance(item.segmentation, LabelArray)
    return item.segmentation


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("packer", ["none", "gzip", "zstd", "blosc", "default"])
@pytest.mark.parametrize("dtype", ["u1", "i4", "u8"])
@pytest.mark.filterwarnings("ignore")
def test_what_the_package_writes_comes_back(version: int, packer: str, dtype: str, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    numcodecs = pytest.importorskip("numcodecs")
    array = (np.arange(7 * 9).reshape(7, 9) // 5 * 3).astype(dtype)
    packers: dict[str, Any] = (
        {"gzip": zarr.codecs.GzipCodec(), "zstd": zarr.codecs.ZstdCodec(), "blosc": zarr.codecs.BloscCodec()}
        if version == 3
        else {"gzip": numcodecs.GZip(), "zstd": numcodecs.Zstd(), "blosc": numcodecs.Blosc()}
    )
    chosen = {} if packer == "default" else {"compressors": packers.get(packer)}
    found = zarr.create_array(
        tmp_path / "a.zarr", shape=(7, 9), chunks=(4, 4), dtype=array.dtype, zarr_format=version, **chosen
    )
    found[...] = array
    assert np.array_equal(only(tmp_path / "a.zarr").labels, array)


def test_labels_of_an_image_are_its_items(tmp_path: Path) -> None:
    path = DATA_SETS["zarr"].write(tmp_path)
    (item,) = read_items(path)
    assert item.name == "n" and item.named
    assert np.array_equal(only(path).labels, SMALL) and only(path).spacing == (2, 0.5)
    image = tmp_path / "image.zarr"
    image.mkdir()
    (image / "zarr.json").write_text('{"node_type": "group", "attributes": {"ome": {"multiscales": []}}}')
    path.rename(image / "labels")
    assert np.array_equal(only(image).labels, SMALL)
    assert np.array_equal(only(image / "labels" / "n").labels, SMALL)
    assert np.array_equal(only(image / "labels" / "n" / "0").labels, SMALL)


def change(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps({**copy.deepcopy(ZARR), **fields}))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"shape": [2**20, 2**20]}, "more than the budget"),
        ({"shape": [2**15, 99], "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 1]}}}, "chunks"),
        ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2**20, 2**20]}}}, "one chunk: declares"),
        ({"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}}}, "expected as many axes"),
        ({"shape": [0, 3]}, "expected at least one element"),
        ({"shape": [2, -3]}, "expected lengths"),
        ({"data_type": "string"}, "data_type is 'string'; expected integers"),
        ({"fill_value": "x"}, "fill value 'x' is none of uint16"),
        ({"fill_value": -1}, "fill value '-1' is none of uint16"),
        ({"codecs": [{"name": "sharding_indexed"}]}, "codec 'sharding_indexed'"),
        ({"codecs": [{"name": "bytes"}, {"name": "pickle"}]}, "packed by 'pickle'"),
    ],
)  # fmt: skip
def test_traps_are_named(fields: dict[str, Any], words: str, tmp_path: Path) -> None:
    path = DATA_SETS["zarr"].write(tmp_path)
    change(path / "n" / "0" / "zarr.json", **fields)
    with pytest.raises(SegmetryError, match=words):
        only(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(bytes(10**6), mtime=0), "13 bytes of elements; expected 12"),
        (zlib.compress(bytes(4)), "4 bytes of elements; expected 12"),
        (gzip.compress(bytes(12), mtime=0)[:-12], "cut off"),
        (b"nonsense", "damaged chunk"),
    ],
)
def test_chunks_hold_what_they_declare(content: bytes, words: str, tmp_path: Path) -> None:
    path = DATA_SETS["zarr"].write(tmp_path)
    (path / "n" / "0" / "c" / "0" / "0").write_bytes(content)
    with pytest.raises(SegmetryError, match=words):
        only(path)


@pytest.mark.parametrize("packer", ["zstd", "blosc"])
def test_packed_bombs_are_refused(packer: str, tmp_path: Path) -> None:
    numcodecs = pytest.importorskip("numcodecs")
    path = DATA_SETS["zarr"].write(tmp_path)
    change(path / "n" / "0" / "zarr.json", codecs=[{"name": "bytes"}, {"name": packer}])
    machine = numcodecs.Zstd() if packer == "zstd" else numcodecs.Blosc()
    for size in (10**7, 4):
        (path / "n" / "0" / "c" / "0" / "0").write_bytes(bytes(machine.encode(bytes(size))))
        with pytest.raises(SegmetryError, match=r"bytes of elements; expected 12"):
            only(path)


@pytest.mark.parametrize("name", ["../secret", "/etc", "n\0", "none", 3])
def test_names_stay_inside(name: Any, tmp_path: Path) -> None:
    path = DATA_SETS["zarr"].write(tmp_path)
    (tmp_path / "secret").mkdir()
    (path / "zarr.json").write_text(json.dumps({"node_type": "group", "attributes": {"ome": {"labels": [name]}}}))
    with pytest.raises(SegmetryError, match=r"leads out of|control character|is no folder inside it|no name"):
        only(path)
    (path / "zarr.json").write_bytes(DATA_SETS["zarr"].files["a.zarr/zarr.json"])
    (path / "n" / "0" / "c" / "0" / "0").unlink()
    (tmp_path / "secret" / "x").write_bytes(DATA_SETS["zarr"].files["a.zarr/n/0/c/0/0"])
    (path / "n" / "0" / "c" / "0" / "0").symlink_to(tmp_path / "secret" / "x")
    with pytest.raises(SegmetryError, match="leads out of"):
        only(path)
