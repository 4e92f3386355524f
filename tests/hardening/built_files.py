"""Hostile files made from nothing: TIFF of arbitrary tags, HDF5 of anything h5py writes, chunked volumes of any codec.

Damage to a small sample reaches only what the sample has. Here the writer chooses: types, counts and places of tags,
links, filters and layouts of HDF5, codecs in codecs, shards with indices whose checksums are right.
"""

from __future__ import annotations

import gzip
import io
import random
import struct
import tempfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.hardening.mutations import damaged, mutated
from tests.hardening.structures import json_tree
from tests.readers.formats.test_chunked_volumes import (
    PACKERS,
    VOLUME,
    lz4_stream,
    write_n5,
    write_precomputed,
    write_shards,
)

Files = dict[str, bytes]
LABELS = (np.arange(64).reshape(8, 8) // 9 % 4).astype(np.uint8)
NUMBERS = (0, 1, 2, 3, 7, 8, 9, 16, 64, 255, 256, 2**15, 2**16 - 1, 2**28, 2**31 - 1, 2**31, 2**32 - 1)
_WIDTHS = {1: "B", 2: "B", 3: "H", 4: "I", 6: "b", 7: "B", 8: "h", 9: "i", 11: "f", 12: "d", 13: "I", 16: "Q", 17: "q"}
_TAGS = (
    254, 255, 256, 257, 258, 259, 262, 266, 269, 270, 271, 273, 274, 277, 278, 279, 280, 282, 283, 284, 292, 296, 305,
    317, 320, 322, 323, 324, 325, 330, 338, 339, 340, 347, 513, 514, 530, 532, 700, 32932, 32995, 32996, 32997, 32998,
    33628, 34118, 34361, 34377, 34412, 34665, 42112, 42113, 50838, 50839, 51023, 65000,
)  # fmt: skip
_TEXTS = (
    b"ImageJ=1\nimages=99999999999\nslices=9\nunit=um\nspacing=1e999\n",
    b'<OME xmlns="x"><Image><Pixels SizeX="9999999999" PhysicalSizeX="-1" PhysicalSizeXUnit="\xff"/></Image></OME>',
    b'{"shape": [99999, 99999]}', b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><OME>&b;</OME>", b"\x1b[31m",
)  # fmt: skip


def tiff(chance: random.Random) -> Files:
    """A TIFF or BigTIFF of one to three pages, of which some tags have another type, count, place or value."""
    order, big = chance.choice("<>"), chance.random() < 1 / 3
    link, head = ("Q", 16) if big else ("I", 8)
    compression = chance.choice((1, 1, 8, 8, 5, 32773, 50000))
    strip = zlib.compress(LABELS.tobytes()) if compression == 8 else LABELS.tobytes()
    strip = (
        strip if chance.random() < 3 / 4 else chance.choice((zlib.compress(bytes(10**6)), b"\x80\x00\x3f", strip[:9]))
    )
    content = bytearray(head) + strip
    starts, last = list[int](), struct.calcsize(link)
    content[:head] = struct.pack(f"{order}2sHHHQ" if big else f"{order}2sHI", b"II" if order == "<" else b"MM",
                                 *((43, 8, 0, 0) if big else (42, 0)))  # fmt: skip
    patch = head - last
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        tags: dict[int, tuple[int, tuple[Any, ...]]] = {
            256: (4, (8,)), 257: (4, (8,)), 258: (3, (8,)), 259: (3, (compression,)),
            262: (3, (1,)), 273: (4, (head,)), 277: (3, (1,)), 278: (4, (8,)), 279: (4, (len(strip),)),
        }  # fmt: skip
        if chance.random() < 1 / 4:
            tags |= {322: (4, (8,)), 323: (4, (8,)), 324: tags.pop(273), 325: tags.pop(279)}
        for _ in range(chance.choice((0, 1, 1, 2, 4))):
            tag, kind = chance.choice((*tags, *_TAGS)), chance.choice((3, 4, *range(20)))
            n = chance.choice((0, 1, 1, 2, 3, 100))
            tags[tag] = (kind, tuple(chance.choice(NUMBERS) for _ in range(n)))
            if chance.random() < 1 / 6:
                tags[270] = (2, tuple(chance.choice(_TEXTS)))
            elif chance.random() < 1 / 10:
                tags.pop(chance.choice([*tags]))
        place = len(content) if chance.random() < 9 / 10 else chance.choice((head, 0, 2**31, *starts))
        content[patch : patch + last] = struct.pack(order + link, place)
        starts.append(len(content))
        entry = 20 if big else 12
        behind = len(content) + (8 if big else 2) + entry * len(tags) + last
        rows, data = b"", b""
        for tag, (kind, values) in sorted(tags.items()):
            code = _WIDTHS.get(kind, "I")
            body = b"".join(_packed(order + code, value) for value in values)
            count = len(values) if chance.random() < 19 / 20 else chance.choice(NUMBERS)
            where = body.ljust(last, b"\0")
            if len(body) > last:
                where = struct.pack(order + link, behind + len(data) if chance.random() < 19 / 20 else 2**31)
                data += body
            rows += struct.pack(f"{order}HH{link}", tag, kind, count) + where
        content += struct.pack(order + ("Q" if big else "H"), len(tags)) + rows + bytes(last) + data
        patch = behind - last
    return {"a.tif": bytes(content)}


def _packed(code: str, value: int) -> bytes:
    try:
        return struct.pack(code, value)
    except struct.error:
        return struct.pack(code, value % 128)


_TYPES: tuple[Any, ...] = (
    "u1", "u1", "u1", "i2", ">u4", "u8", "i8", "f2", "f4", "f8", "c8", "?", "S3", "V5", [("a", "u1"), ("b", "f4")],
    ("u1", (2, 2)), "U",
)  # fmt: skip


def hdf5(chance: random.Random) -> Files:
    """An HDF5 file of some groups, data sets and links; about half are damaged in their bytes, too."""
    import h5py

    target = io.BytesIO()
    settings: dict[str, Any] = {"libver": chance.choice(("earliest", "latest"))}
    settings |= {"userblock_size": 512} if chance.random() < 1 / 10 else {}
    with h5py.File(target, "w", **settings) as file:
        for at in range(chance.choice((1, 1, 2, 3))):
            with suppress(Exception):  # what h5py does not write, which it says in any way
                chance.choice((_data_set, _data_set, _data_set, _chunks, _link, _other))(h5py, file, f"d{at}", chance)
    content = target.getvalue()
    return {"a.h5": damaged(content, chance) if chance.random() < 1 / 2 else content}


def _data_set(h5py: Any, file: Any, name: str, chance: random.Random) -> None:
    kind = chance.choice(_TYPES)
    kind = h5py.string_dtype() if kind == "U" else kind
    special = chance.random()
    if special < 1 / 10:
        kind = h5py.enum_dtype({"a": 0, "b": 1}) if special < 1 / 20 else h5py.vlen_dtype(np.uint8)
    shape = chance.choice(((8, 8), (8, 8), (), (0,), (0, 4), (2**20, 2**20), (1,) * 20, (2, 3, 4), (2**33,)))
    facts: dict[str, Any] = {"shape": shape, "dtype": kind}
    if shape and chance.random() < 1 / 2:
        facts["chunks"] = tuple(max(1, min(length, chance.choice((1, 4, 8, 2**12)))) for length in shape)
        facts["maxshape"] = chance.choice((None, (None,) * len(shape)))
        facts["compression"] = chance.choice((None, "gzip", "lzf"))
        facts["shuffle"], facts["fletcher32"] = chance.random() < 1 / 3, chance.random() < 1 / 3
        facts["scaleoffset"] = chance.choice((None, None, None, 0, 7))
    elif chance.random() < 1 / 6:
        facts["external"] = [("/etc/passwd", 0, 64), ("../x", 2**40, h5py.h5f.UNLIMITED)][: chance.randrange(1, 3)]
    facts["fillvalue"] = chance.choice((None, 0, 7))
    found = file.create_dataset(name, **{key: value for key, value in facts.items() if value is not None})
    if found.size and found.size < 10**4 and chance.random() < 4 / 5:
        found[...] = np.ones(found.shape, found.dtype) if found.dtype.kind in "biufc" else found[...]
    if chance.random() < 1 / 5:
        found.attrs["resolution"] = chance.choice((1, "x", np.array([1.0, np.nan, -1]), b"\xff", np.zeros(0)))


def _chunks(h5py: Any, file: Any, name: str, chance: random.Random) -> None:
    """Chunks whose bytes and masks are not what the filters write."""
    packing = {"compression": "gzip", "shuffle": chance.random() < 1 / 2, "fletcher32": chance.random() < 1 / 3}
    found = file.create_dataset(name, shape=(8, 8), dtype="u1", chunks=(4, 8), **packing)
    for place in ((0, 0), (4, 0)):
        plain = chance.choice((bytes(32), bytes(31), bytes(33), b"", bytes(10**6), bytes(range(32))))
        chunk = chance.choice(
            (zlib.compress(plain), zlib.compress(plain) + bytes(4), plain, damaged(bytes(64), chance))
        )
        found.id.write_direct_chunk(place, chunk, filter_mask=chance.choice((0, 0, 0, 1, 2, 7, 2**31)))


def _link(h5py: Any, file: Any, name: str, chance: random.Random) -> None:
    kind = chance.randrange(5)
    if kind == 0:
        file[name] = h5py.SoftLink(chance.choice(("/", "/nowhere", name, "/d0", "../..")))
    elif kind == 1:
        file[name] = h5py.ExternalLink(chance.choice(("/etc/passwd", "a.h5", "../secret")), "/")
    elif kind == 2:
        file.require_group("g")[name] = file["/"]  # a cycle
    elif kind == 3:
        file.create_dataset("/".join("ab" * chance.choice((1, 20, 200))) + f"/{name}", data=LABELS)
    else:
        file.create_dataset(chance.choice(("\x1b[31m", "n" * 3000, "é", "a\nb", " ")), data=LABELS)


def _other(h5py: Any, file: Any, name: str, chance: random.Random) -> None:
    kind = chance.randrange(4)
    if kind == 0:
        layout = h5py.VirtualLayout(shape=(8, 8), dtype="u1")
        layout[:4] = h5py.VirtualSource(chance.choice((".", "/etc/passwd")), "d0", shape=(4, 8))
        file.create_virtual_dataset(name, layout)
    elif kind == 1:
        file[name] = np.dtype("u4")  # a type with a name
    elif kind == 2:
        settings = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        settings.set_chunk((4, 4))
        number = chance.choice((4, 5, 6, 305, 32001, 32004, 32015))
        settings.set_filter(number, h5py.h5z.FLAG_OPTIONAL, tuple(chance.choice(NUMBERS) for _ in range(4)))
        space = h5py.h5s.create_simple((8, 8))
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.STD_U8LE, space, settings)
    else:
        file.create_dataset(name, data=np.array([file.ref], dtype=h5py.ref_dtype))


def _tree(write: Callable[[Path], object]) -> Files:
    """The files that a function writes into the folder ``a``."""
    with tempfile.TemporaryDirectory() as home:
        write(Path(home, "a"))
        return {
            str(file.relative_to(home)): file.read_bytes() for file in sorted(Path(home).rglob("*")) if file.is_file()
        }


@cache
def _n5_folders() -> list[tuple[Files, Any]]:
    import numcodecs

    packers = PACKERS | {"lz4": lz4_stream, "zstd": numcodecs.Zstd().encode, "blosc": numcodecs.Blosc().encode}
    PACKERS.update(packers)
    return [(_tree(lambda path, name=name: write_n5(path, VOLUME, (4, 5, 4), name)), PACKERS[name]) for name in packers]


@cache
def _precomputed_folders() -> list[Files]:
    ways = [(encoding, packed) for encoding in ("raw", "compressed_segmentation") for packed in (False, True)]
    plain = [
        _tree(lambda path, way=way: write_precomputed(path, VOLUME, (4, 4, 4), way[0], (0, 0, 0), way[1]))
        for way in ways
    ]
    return plain + [_tree(lambda path, packed=packed: write_shards(path, VOLUME, packed)) for packed in (False, True)]


@cache
def _zarr_folders() -> list[Files]:
    import numcodecs
    import zarr
    from zarr.codecs import BloscCodec, GzipCodec, TransposeCodec, ZstdCodec

    third: list[dict[str, Any]] = [
        {"compressors": codecs, "shards": shards, "filters": filters}
        for codecs in (None, GzipCodec(), ZstdCodec(), BloscCodec(cname="lz4"), (ZstdCodec(), GzipCodec()))
        for shards in (None, (8, 8))
        for filters in ((), (TransposeCodec(order=(1, 0)),))
    ]
    second: list[dict[str, Any]] = [
        {"zarr_format": 2, "compressors": codec, "filters": filters, "order": order}
        for codec in (None, numcodecs.Zlib(), numcodecs.LZ4(), numcodecs.Blosc("zstd"), numcodecs.LZMA())
        for filters, order in ((None, "C"), (None, "F"), ([numcodecs.Delta("u1")], "C"))
    ]

    def write(path: Path, facts: dict[str, Any]) -> None:
        array = zarr.create_array(path, shape=(8, 8), chunks=(4, 4), dtype="u1", **facts)
        array[:] = LABELS

    return [_tree(lambda path, facts=facts: write(path, facts)) for facts in (*third, *second)]


def _chunked(files: Files, chance: random.Random, pack: Callable[[bytes], bytes] | None = None) -> Files:
    """A folder with one or two changes: of metadata, of what is packed in a chunk, of a shard's index, of a name."""
    files = dict(files)
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice([*files])
        content, kind = files.pop(name), chance.randrange(8)
        if name.endswith(("json", ".zarray", ".zgroup", ".zattrs", "info")):
            files[name] = json_tree(content, chance) if content else content
        elif kind == 0:
            files[name + chance.choice((".gz", "/0", "0"))] = content
        elif kind == 1 and pack is not None:
            length = 4 + 4 * VOLUME.ndim
            plain = bytes(chance.choice((0, 1, 319, 320, 321, 10**6)))
            files[name] = mutated(content[:length], chance) + pack(plain)
        elif kind == 2:
            files[name] = chance.choice((zlib.compress, gzip.compress))(bytes(chance.choice((0, 16, 10**7))))
        elif kind <= 5 and len(content) > 20:
            files[name] = _indexed(content, chance)
        else:
            files[name] = mutated(content, chance) if content else content
    return files


def _indexed(content: bytes, chance: random.Random) -> bytes:
    """A shard with a place or a length of its index replaced, at the end with its checksum or at the beginning."""
    import google_crc32c

    number = chance.choice((0, 1, 16, len(content), len(content) - 1, 2**31, 2**32, 2**63, 2**64 - 1)).to_bytes(
        8, "little"
    )
    if chance.random() < 1 / 3:
        at = 8 * chance.randrange(max(1, min(8, len(content) // 8)))
        return content[:at] + number + content[at + 8 :]
    index = bytearray(content[-68:-4])
    at = 8 * chance.randrange(max(1, len(index) // 8))
    index[at : at + 8] = number
    return content[:-68] + bytes(index) + google_crc32c.value(bytes(index)).to_bytes(4, "little")


def n5(chance: random.Random) -> Files:
    """An N5 data set of any compression, changed."""
    files, pack = chance.choice(_n5_folders())
    return _chunked(files, chance, pack)


BUILT: Mapping[str, tuple[Callable[[random.Random], Files], str]] = {
    "tiff, built": (tiff, "a.tif"),
    "hdf5, built": (hdf5, "a.h5"),
    "n5, built": (n5, "a"),
    "precomputed, built": (lambda chance: _chunked(chance.choice(_precomputed_folders()), chance), "a"),
    "zarr, built": (lambda chance: _chunked(chance.choice(_zarr_folders()), chance), "a"),
}
"""By format: what makes the files, and the one to read."""
