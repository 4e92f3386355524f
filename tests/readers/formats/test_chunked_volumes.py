"""N5 and Neuroglancer's precomputed volumes, written here as their specifications say."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.readers.formats.arrays.chunked_volumes import spacing_field
from segmetry.readers.formats.arrays.precomputed import Sharding, decode_segmentation, morton_code, murmur_hash
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.labels import LabelArray
from tests.profiles import examples
from tests.readers.data_sets import N5, PRECOMPUTED, n5_block

VOLUME = (np.arange(7 * 9 * 5).reshape(7, 9, 5) // 11 % 4).astype(np.uint32)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "raw": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}


def only(path: Path, **options: Any) -> LabelArray:
    (item,) = read_items(path, options=ReadOptions(**options))
    labels = item.load()
    assert isinstance(labels, LabelArray)
    return labels


def write_n5(folder: Path, volume: NDArray[Any], steps: tuple[int, ...], packer: str = "gzip", **facts: Any) -> Path:
    """Blocks of x, y, z in folders x/y/z; a block of zeros is left out."""
    folder.mkdir(parents=True)
    attributes = {
        "dimensions": volume.shape[::-1],
        "blockSize": steps[::-1],
        "dataType": str(volume.dtype),
        "compression": {"type": packer},
        **facts,
    }
    (folder / "attributes.json").write_text(json.dumps(attributes))
    for place in np.ndindex(*(-(-length // step) for length, step in zip(volume.shape, steps, strict=True))):
        block = volume[tuple(slice(at * step, (at + 1) * step) for at, step in zip(place, steps, strict=True))]
        if block.any():
            file = folder.joinpath(*map(str, place[::-1]))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(n5_block(block, PACKERS[packer]))
    return folder


@pytest.mark.parametrize("packer", PACKERS)
def test_n5_comes_back(packer: str, tmp_path: Path) -> None:
    volume = VOLUME.copy()
    volume[:4, :4, :2] = 0
    path = write_n5(tmp_path / "a.n5", volume, (4, 4, 2), packer, resolution=[4, 4, 40], units=["nm"] * 3)
    labels = only(path)
    assert np.array_equal(labels.labels, volume) and labels.spacing == (40, 4, 4) and labels.spacing.unit == "nm"
    assert not (path / "0" / "0" / "0").exists()
    with pytest.raises(SegmetryError, match="the block 0/0/0 is missing from the store; restore it"):
        only(path, missing_chunks="refuse").labels.sum()


def test_the_finest_scale_of_an_n5_group(tmp_path: Path) -> None:
    write_n5(tmp_path / "a.n5" / "s0", VOLUME, (4, 4, 4))
    assert np.array_equal(only(tmp_path / "a.n5").labels, VOLUME)
    (tmp_path / "b.n5").mkdir()
    (tmp_path / "b.n5" / "attributes.json").write_text('{"n5": "4.0.0"}')
    with pytest.raises(SegmetryError, match="an N5 group without a data set s0; expected the folder of a data set"):
        only(tmp_path / "b.n5")


def lz4_stream(content: bytes) -> bytes:
    """As lz4-java writes it: blocks of at most 64 bytes here, one of them stored as it is."""
    numcodecs = pytest.importorskip("numcodecs")
    parts = []
    for at in range(0, len(content), 64):
        plain = content[at : at + 64]
        packed = plain if at == 64 else bytes(numcodecs.LZ4().encode(plain))[4:]
        parts.append(b"LZ4Block" + bytes([0x10 if at == 64 else 0x20]))
        parts.append(struct.pack("<III", len(packed), len(plain), 0) + packed)
    return b"".join(parts) + b"LZ4Block" + bytes([0x10]) + bytes(12)


def test_n5_with_the_streams_of_lz4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKERS, "lz4", lz4_stream)
    path = write_n5(tmp_path / "a.n5", VOLUME, (4, 4, 4), "lz4")
    assert np.array_equal(only(path).labels, VOLUME)
    (path / "0" / "0" / "0").write_bytes((path / "0" / "0" / "0").read_bytes()[:60])
    with pytest.raises(SegmetryError, match="LZ4 block"):
        only(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\0\0", "cut off"),
        (struct.pack(">HHII", 1, 2, 3, 2), "a block of mode 1 with 2 axes; expected mode 0 with 2"),
        (struct.pack(">HHII", 0, 3, 3, 2), "mode 0 with 3 axes"),
        (
            struct.pack(">HHII", 0, 2, 2, 2) + gzip.compress(bytes(8), mtime=0),
            r"a block of \(2, 2\); expected \(2, 3\)",
        ),
        (struct.pack(">HHII", 0, 2, 3, 2) + gzip.compress(bytes(8), mtime=0), "8 bytes of elements; expected 12"),
        (struct.pack(">HHII", 0, 2, 3, 2) + gzip.compress(bytes(12), mtime=0)[:-9], "cut off"),
        (struct.pack(">HHII", 0, 2, 3, 2) + b"nonsense", "damaged block"),
    ],
)
def test_damaged_blocks_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.n5" / "0").mkdir(parents=True)
    (tmp_path / "a.n5" / "attributes.json").write_text(json.dumps(N5))
    (tmp_path / "a.n5" / "0" / "0").write_bytes(content)
    with pytest.raises(SegmetryError, match=words) as caught:
        only(tmp_path / "a.n5")
    assert "a.n5" in str(caught.value)


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"blockSize": [3]}, "expected as many axes in both"),
        ({"dimensions": [0, 2]}, "expected at least one element"),
        ({"dimensions": [3, -2]}, "expected lengths"),
        ({"compression": {"type": "pickle"}}, "unsupported compression 'pickle'"),
        ({"pixelResolution": [1]}, "expected 2 positive numbers"),
    ],
)
def test_wrong_attributes_are_named(facts: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "a.n5").mkdir()
    (tmp_path / "a.n5" / "attributes.json").write_text(json.dumps({**N5, **facts}))
    with pytest.raises(SegmetryError, match=words):
        only(tmp_path / "a.n5")


def encode_segmentation(labels: NDArray[Any], block: tuple[int, ...]) -> bytes:
    """Compressed segmentation of one channel, block by block."""
    grid = [-(-length // step) for length, step in zip(labels.shape, block, strict=True)]
    padded = np.zeros([g * b for g, b in zip(grid, block, strict=True)], dtype=labels.dtype)
    padded[tuple(map(slice, labels.shape))] = labels
    heads, words = [], []
    start = 2 * math.prod(grid)
    for place in np.ndindex(*grid):
        part = padded[tuple(slice(at * step, (at + 1) * step) for at, step in zip(place, block, strict=True))].reshape(
            -1
        )
        table, index = np.unique(part, return_inverse=True)
        bits = next(bits for bits in (0, 1, 2, 4, 8, 16, 32) if table.size <= 2**bits)
        per_word = 32 // bits if bits else 1
        packed = [
            sum(int(value) << (bits * at) for at, value in enumerate(index[first : first + per_word]))
            for first in (range(0, index.size, per_word) if bits else ())
        ]
        heads += [(start + len(words) + len(packed)) | bits << 24, start + len(words)]
        words += [*packed, *table.astype(labels.dtype.newbyteorder("<")).view("<u4").tolist()]
    return np.array([1, *heads, *words], dtype="<u4").tobytes()


@examples(2)
@given(
    st.tuples(*[st.integers(1, 9)] * 3),
    st.tuples(*[st.sampled_from([1, 2, 4, 8])] * 3),
    st.sampled_from(["<u4", "<u8"]),
    st.sampled_from([1, 2, 3, 5, 20, 300]),
    st.integers(0, 99),
)
def test_compressed_segmentation_comes_back(
    shape: tuple[int, ...], block: tuple[int, ...], dtype: str, n_labels: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    high = np.array(2**40 if dtype == "<u8" else 1, dtype=dtype)
    labels = rng.integers(0, n_labels, shape).astype(dtype) * high
    found = decode_segmentation(encode_segmentation(labels, block), shape, block, np.dtype(dtype), "chunk")
    assert found.dtype == labels.dtype and np.array_equal(found, labels)


def write_precomputed(
    folder: Path, volume: NDArray[Any], steps: tuple[int, ...], encoding: str, offset: tuple[int, ...], packed: bool
) -> Path:
    """Chunks named by where they begin and end along x, y and z."""
    (folder / "finest").mkdir(parents=True)
    scale = {
        **PRECOMPUTED["scales"][0],
        "size": volume.shape[::-1],
        "chunk_sizes": [steps[::-1]],
        "voxel_offset": offset[::-1],
        "encoding": encoding,
        "compressed_segmentation_block_size": [4, 4, 2],
    }
    (folder / "info").write_text(json.dumps({**PRECOMPUTED, "data_type": str(volume.dtype), "scales": [scale]}))
    for place in np.ndindex(*(-(-length // step) for length, step in zip(volume.shape, steps, strict=True))):
        ends = [(at * step, min(n, (at + 1) * step)) for at, step, n in zip(place, steps, volume.shape, strict=True)]
        chunk = volume[tuple(slice(*end) for end in ends)]
        name = "_".join(f"{low + o}-{high + o}" for (low, high), o in zip(ends[::-1], offset[::-1], strict=True))
        content = encode_segmentation(chunk, (2, 4, 4)) if encoding != "raw" else chunk.tobytes()
        file = folder / "finest" / (f"{name}.gz" if packed else name)
        file.write_bytes(gzip.compress(content) if packed else content)
    return folder


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("encoding", ["raw", "compressed_segmentation"])
@pytest.mark.parametrize("offset", [(0, 0, 0), (100, 20, 3)])
def test_precomputed_comes_back(encoding: str, packed: bool, offset: tuple[int, ...], tmp_path: Path) -> None:
    path = write_precomputed(tmp_path / "a", VOLUME, (4, 4, 4), encoding, offset, packed)
    labels = only(path)
    assert np.array_equal(labels.labels, VOLUME) and labels.spacing == (40, 4, 4) and labels.spacing.unit == "nm"


SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "hash": "identity",
    "preshift_bits": 1,
    "minishard_bits": 1,
    "shard_bits": 1,
}


def write_shards(folder: Path, volume: NDArray[Any], packed: bool) -> Path:
    """Chunks of 4³ in two shards of two minishards: the code of a chunk is interleaved from its place bit by bit."""
    write_precomputed(folder, volume, (4, 4, 4), "raw", (0, 0, 0), packed=False)
    info = json.loads((folder / "info").read_text())
    encodings = dict.fromkeys(("data_encoding", "minishard_index_encoding"), "gzip" if packed else "raw")
    info["scales"][0]["sharding"] = {**SHARDING, **encodings}
    (folder / "info").write_text(json.dumps(info))
    pack = gzip.compress if packed else bytes
    minishards: dict[int, list[tuple[int, bytes]]] = {}
    for z, y, x in np.ndindex(2, 3, 2):  # the grid of 7 × 9 × 5 in chunks of 4
        code = x & 1 | (y & 1) << 1 | (z & 1) << 2 | (y >> 1) << 3
        ends = (f"{4 * at}-{min(4 * at + 4, n)}" for at, n in zip((x, y, z), volume.shape[::-1], strict=True))
        file = folder / "finest" / "_".join(ends)
        minishards.setdefault(code >> 1 & 3, []).append((code, pack(file.read_bytes())))
        file.unlink()
    for shard in (0, 1):
        head, body = b"", b""
        for minishard in (0, 1):
            rows, end = [], 0
            previous = 0
            for code, content in sorted(minishards.get(shard << 1 | minishard, [])):
                rows.append((code - previous, len(body) - end, len(content)))
                body, previous = body + content, code
                end = len(body)
            index = pack(np.array(rows, dtype="<u8").T.tobytes())
            head += struct.pack("<QQ", len(body), len(body) + len(index))
            body += index
        (folder / "finest" / f"{shard}.shard").write_bytes(head + body)
    return folder


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_shards_come_back(packed: bool, tmp_path: Path) -> None:
    path = write_shards(tmp_path / "a", VOLUME, packed)
    assert np.array_equal(only(path).labels, VOLUME)
    shard = path / "finest" / "1.shard"
    content = shard.read_bytes()
    for damaged, words in ((content[:20], "its index alone needs 32"), (content[:-9], "damaged")):
        shard.write_bytes(damaged)
        with pytest.raises(SegmetryError, match=words):
            only(path)
    shard.unlink()
    with pytest.raises(SegmetryError, match="is missing from the store"):
        only(path, missing_chunks="refuse")


def test_a_volume_is_scored_against_another_format(tmp_path: Path) -> None:
    """z, y, x is the order of all formats, so a volume can be compared with the same one as an array."""
    path = write_precomputed(tmp_path / "a", VOLUME, (4, 4, 4), "compressed_segmentation", (0, 0, 0), packed=False)
    np.save(tmp_path / "a.npy", VOLUME)
    other = write_n5(tmp_path / "b" / "a.n5", VOLUME, (4, 4, 2))
    for pred in (tmp_path / "a.npy", other):
        assert sm.evaluate(path, pred, metrics="pq").summary()["pq"].usual.value == 1


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"sharding": {"@type": "neuroglancer_uint64_sharded_v1"}}, "hash"),
        ({"sharding": {**SHARDING, "hash": "sha1"}}, "hash is 'sha1'; expected identity or murmurhash3_x86_128"),
        ({"sharding": {**SHARDING, "data_encoding": "br"}}, "data_encoding is 'br'; expected raw or gzip"),
        ({"sharding": {**SHARDING, "minishard_bits": 40}}, "expected at most 64, 20 and 64"),
        ({"sharding": 3}, "sharding: '3'; expected an object"),
        ({"encoding": "jpeg"}, "encoding is 'jpeg'; expected raw or compressed_segmentation"),
        ({"encoding": "compressed_segmentation"}, "compressed segmentation of uint16; expected uint32 or uint64"),
        ({"size": [3, 2]}, "expected x, y and z"),
        ({"chunk_sizes": []}, "chunk_sizes"),
        ({"resolution": [0, 1, 1]}, "expected 3 positive numbers"),
        ({"voxel_offset": [0]}, "expected x, y and z"),
    ],
)
def test_wrong_info_is_named(facts: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "info").write_text(json.dumps({**PRECOMPUTED, "scales": [{**PRECOMPUTED["scales"][0], **facts}]}))
    with pytest.raises(SegmetryError, match=words):
        only(tmp_path / "a")


def test_no_damage_leads_outside_the_chunk() -> None:
    content = encode_segmentation(VOLUME, (4, 4, 4))
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        damaged[int(rng.integers(len(content)))] = int(rng.integers(256))
        try:
            found = decode_segmentation(bytes(damaged), VOLUME.shape, (4, 4, 4), np.dtype("<u4"), "chunk")
        except SegmetryError:
            refused += 1
        else:
            assert found.shape == VOLUME.shape
    assert refused > 10


def test_the_example_of_spacing_field() -> None:
    assert repr(spacing_field({"resolution": [4, 4, 40]}, "resolution", 3, "nm", "info")) == "(40.0, 4.0, 4.0)"


def test_the_example_of_place_of() -> None:
    assert Sharding(0, "identity", 1, 5, False, False).place_of(0b101011) == ("15.shard", 1)


def test_the_example_of_morton_code() -> None:
    assert (morton_code((2, 1, 0), (4, 2, 1)), morton_code((3, 1, 0), (4, 2, 1))) == (6, 7)


def test_the_example_of_murmur_hash() -> None:
    assert (hex(murmur_hash(0)), hex(murmur_hash(1))) == ("0x4772b084e028ae41", "0xe8bd67d616d4ce9a")
