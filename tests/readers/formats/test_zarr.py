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
from segmetry.readers.formats.arrays.chunked_volumes import ZarrFolder
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.labels import LabelArray
from tests.readers.data_sets import DATA_SETS, SMALL, ZARR


def only(path: Path) -> LabelArray:
    (item,) = read_items(path)
    assert isinstance(item.load(), LabelArray)
    return item.load()


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
        ({"fill_value": "x"}, "fill value 'x' does not fit dtype uint16"),
        ({"fill_value": -1}, "fill value '-1' does not fit dtype uint16"),
        ({"codecs": [{"name": "sharding_indexed"}]}, "configuration"),
        ({"codecs": [{"name": "bytes"}, {"name": "zstd"}, {"name": "sharding_indexed"}]}, "codec 'sharding_indexed'"),
        ({"codecs": [{"name": "zstd"}]}, "expected one of them to be bytes"),
        ({"codecs": [{"name": "bytes"}] + [{"name": "crc32c"}] * 8}, "9 codecs; expected at most 8"),
        ({"codecs": [{"name": "zstd"}, {"name": "bytes"}]}, "expected those that change the array first"),
        ({"codecs": [{"name": "transpose", "configuration": {"order": [0, 0]}}, {"name": "bytes"}]}, "order of 2 axes"),
        ({"codecs": [{"name": "transpose", "configuration": {"order": "C"}}, {"name": "bytes"}]}, "a list of axes"),
        ({"codecs": [{"name": "numcodecs.delta", "configuration": {"dtype": "O"}}, {"name": "bytes"}]}, "type of numb"),
        ({"codecs": [{"name": "bytes"}, {"name": "pickle"}]}, "unsupported codec 'pickle'"),
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
def test_packed_bombs_are_rejected(packer: str, tmp_path: Path) -> None:
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
    with pytest.raises(SegmetryError, match=r"leads out of|control character|is not a folder inside it|not the name"):
        only(path)
    (path / "zarr.json").write_bytes(DATA_SETS["zarr"].files["a.zarr/zarr.json"])
    (path / "n" / "0" / "c" / "0" / "0").unlink()
    (tmp_path / "secret" / "x").write_bytes(DATA_SETS["zarr"].files["a.zarr/n/0/c/0/0"])
    (path / "n" / "0" / "c" / "0" / "0").symlink_to(tmp_path / "secret" / "x")
    with pytest.raises(SegmetryError, match="leads out of"):
        only(path)


def sharded(folder: Path, **facts: Any) -> tuple[Path, Any]:
    zarr = pytest.importorskip("zarr")
    array = (np.arange(14 * 9).reshape(14, 9) // 5 % 7).astype(np.uint32)
    array[4:8, 4:8] = 0  # a chunk that is left out of its shard
    found = zarr.create_array(
        folder / "s.zarr", shape=array.shape, chunks=(4, 4), shards=(8, 8), dtype=array.dtype, **facts
    )
    found[...] = array
    return folder / "s.zarr", array


@pytest.mark.parametrize("facts", [{}, {"compressors": None}], ids=["packed", "plain"])
def test_shards_the_package_writes_come_back(facts: dict[str, Any], tmp_path: Path) -> None:
    path, array = sharded(tmp_path, **facts)
    assert np.array_equal(only(path).labels, array)
    stored = ZarrFolder.of(path, ReadOptions())
    for box in [(slice(3, 5), slice(2, 9)), (slice(9, 14), slice(0, 1)), (slice(4, 8), slice(4, 8))]:
        assert np.array_equal(stored.read(box), array[box])
    assert stored.edges == ((0, 8, 14), (0, 8, 9))


def test_an_index_at_the_start_is_found(tmp_path: Path) -> None:
    path, array = sharded(tmp_path)
    facts = json.loads((path / "zarr.json").read_text())
    (codec,) = facts["codecs"]
    codec["configuration"]["index_location"] = "start"
    (path / "zarr.json").write_text(json.dumps(facts))
    for file in (file for file in (path / "c").rglob("*") if file.is_file()):
        content = file.read_bytes()
        chunks, index = content[:-68], np.frombuffer(content[-68:-4], "<u8").reshape(4, 2).copy()
        index[index[:, 0] != 2**64 - 1, 0] += 68
        checksum = pytest.importorskip("google_crc32c").value(index.tobytes())
        file.write_bytes(index.tobytes() + int(checksum).to_bytes(4, "little") + chunks)
    assert np.array_equal(only(path).labels, array)


def test_a_chunk_missing_from_a_shard_is_named(tmp_path: Path) -> None:
    path, _ = sharded(tmp_path)
    (item,) = read_items(path, options=ReadOptions(missing_chunks="refuse"))
    with pytest.raises(SegmetryError, match=r"the chunk c/0/0, chunk 1/1 is missing from the store"):
        _ = item.load()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda content: content[:50], "the shard is cut off"),
        (lambda content: content[:-1] + b"x", "does not match its checksum"),
        (lambda content: content[:-20] + b"x" + content[-19:], "does not match its checksum"),
        (lambda content: b"x" * 20 + content[20:], r"chunk \(0, 0\)"),
    ],
)
def test_damaged_shards_are_named(damage: Any, words: str, tmp_path: Path) -> None:
    path, _ = sharded(tmp_path)
    file = path / "c" / "0" / "0"
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(SegmetryError, match=words):
        only(path)


def test_an_index_that_points_outside_its_shard_is_rejected(tmp_path: Path) -> None:
    path, _ = sharded(tmp_path)
    file = path / "c" / "0" / "0"
    content = file.read_bytes()
    index = np.frombuffer(content[-68:-4], "<u8").copy()
    index[1] = 2**63
    checksum = int(pytest.importorskip("google_crc32c").value(index.tobytes())).to_bytes(4, "little")
    file.write_bytes(content[:-68] + index.tobytes() + checksum)
    with pytest.raises(SegmetryError, match=r"the chunk \(0, 0\) is at bytes 0 to 9223372036854775808 of"):
        only(path)
