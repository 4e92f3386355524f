"""One zarr array, version 2 or 3: its metadata, checked, and its chunks, unpacked into no more than they declare.

Read by hand instead of by a library, so that metadata cannot name code to load and a packed chunk cannot grow beyond
its declared size. Read are chunks packed by gzip, zlib, Zstandard or Blosc, or not at all. By the rules of the format
a chunk that is absent is full of the fill value.
"""

from __future__ import annotations

import itertools
import math
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.foreign import library, reading
from segmetry.readers.inside import file_inside
from segmetry.readers.json_fields import field, list_field
from segmetry.readers.options import ReadOptions
from segmetry.readers.strict_json import load_json

_TYPES = {f"{kind}int{bits}": f"{kind or 'i'}{bits // 8}" for kind in ("", "u") for bits in (8, 16, 32, 64)}
_TYPES |= {"bool": "?", "float32": "f4", "float64": "f8"}
_TYPES_2 = frozenset(order + kind for order in "<>|" for kind in (*_TYPES.values(), "b1"))
MOST_CHUNKS = 10**6
_PACKERS = ("gzip", "zlib", "zstd", "blosc")


class ArrayFacts(NamedTuple):
    """What the metadata of an array say."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    packer: str | None
    fill: Any
    order: str
    prefix: str
    separator: str


def read_array(folder: Path, options: ReadOptions) -> NDArray[Any]:
    """All elements of an array."""
    facts = facts_of(folder)
    options.check_size(facts.shape, str(folder))
    options.check_size(facts.chunks, f"{folder}, one chunk")
    try:
        found = np.full(facts.shape, facts.fill, dtype=facts.dtype)
    except (TypeError, ValueError, OverflowError):
        raise FormatError(f"{folder}: fill value {str(facts.fill)[:40]!a} is none of {facts.dtype}") from None
    steps = [range(-(-length // step)) for length, step in zip(facts.shape, facts.chunks, strict=True)]
    if math.prod(map(len, steps)) > MOST_CHUNKS:
        raise FormatError(f"{folder}: {math.prod(map(len, steps))} chunks; expected at most {MOST_CHUNKS}")
    for place in itertools.product(*steps):
        name = facts.prefix + facts.separator.join(map(str, place))
        if not (folder / name).exists():
            continue
        chunk = _chunk(file_inside(folder, name, "the chunk"), facts)
        where = tuple(
            slice(at * step, min((at + 1) * step, length))
            for at, step, length in zip(place, facts.chunks, facts.shape, strict=True)
        )
        found[where] = chunk[tuple(slice(part.stop - part.start) for part in where)]
    return found


def facts_of(folder: Path) -> ArrayFacts:
    """The metadata of the array in a folder."""
    third, second = folder / "zarr.json", folder / ".zarray"
    if third.is_file():
        facts = _third(load_json(third), str(third))
    elif second.is_file():
        facts = _second(load_json(second), str(second))
    else:
        raise FormatError(f"{folder}: no zarr array: neither zarr.json nor .zarray is there")
    if not facts.shape or 0 in facts.shape:
        raise EmptyInputError(f"{folder}: declares shape {facts.shape}; expected at least one element")
    if len(facts.shape) != len(facts.chunks) or len(facts.shape) > 32 or 0 in facts.chunks:
        raise FormatError(f"{folder}: shape {facts.shape} in chunks of {facts.chunks}; expected as many axes in both")
    return facts


def _second(data: Any, where: str) -> ArrayFacts:
    kind = field(data, "dtype", where)
    if not isinstance(kind, str) or kind not in _TYPES_2:
        raise LabelTypeError(f"{where}: dtype is {str(kind)[:40]!a}; expected integers")
    if data.get("filters"):
        raise FormatError(f"{where}: filters {str(data['filters'])[:40]!a}; expected none")
    packer = field(data, "compressor", where)
    name = None if packer is None else _packer(field(packer, "id", where), where)
    order, separator = field(data, "order", where), data.get("dimension_separator", ".")
    if order not in ("C", "F") or separator not in (".", "/"):
        raise FormatError(
            f"{where}: order {str(order)[:9]!a} separated by {str(separator)[:9]!a}; expected C or F, . or /"
        )
    fill = 0 if data.get("fill_value") is None else data["fill_value"]
    shape, chunks = _lengths(data, "shape", where), _lengths(data, "chunks", where)
    return ArrayFacts(shape, chunks, np.dtype(kind), name, fill, order, "", separator)


def _third(data: Any, where: str) -> ArrayFacts:
    kind = field(data, "data_type", where)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise LabelTypeError(f"{where}: data_type is {str(kind)[:40]!a}; expected integers")
    grid = field(data, "chunk_grid", where)
    keys = field(data, "chunk_key_encoding", where)
    style = field(keys, "name", where)
    if field(grid, "name", where) != "regular" or style not in ("default", "v2"):
        raise FormatError(f"{where}: chunks {str(grid)[:40]!a} called {str(style)[:40]!a}; expected a regular grid")
    separator = (keys.get("configuration") or {}).get("separator", "/" if style == "default" else ".")
    if separator not in (".", "/"):
        raise FormatError(f"{where}: separator {str(separator)[:40]!a}; expected . or /")
    dtype, packer = np.dtype(_TYPES[kind]), None
    for at, codec in enumerate(list_field(data, "codecs", where)):
        name = field(codec, "name", where)
        if name == "bytes" and at == 0:
            endian = (codec.get("configuration") or {}).get("endian", "little")
            dtype = dtype.newbyteorder(">" if endian == "big" else "<")
        elif at == 1:
            packer = _packer(name, where)
        else:
            raise FormatError(f"{where}: codec {str(name)[:40]!a}; expected bytes and at most one packer behind it")
    shape = _lengths(data, "shape", where)
    chunks = _lengths(field(grid, "configuration", where), "chunk_shape", where)
    prefix = f"c{separator}" if style == "default" else ""
    return ArrayFacts(shape, chunks, dtype, packer, field(data, "fill_value", where), "C", prefix, separator)


def _packer(name: Any, where: str) -> str:
    if name not in _PACKERS:
        raise FormatError(f"{where}: packed by {str(name)[:40]!a}; expected one of {', '.join(_PACKERS)}")
    return str(name)


def _lengths(data: Any, name: str, where: str) -> tuple[int, ...]:
    found = list_field(data, name, where)
    if not all(type(length) is int and 0 <= length < 2**62 for length in found):
        raise FormatError(f"{where}: {name} is {str(found)[:40]!a}; expected lengths")
    return tuple(found)


def _chunk(file: Path, facts: ArrayFacts) -> NDArray[Any]:
    needed = math.prod(facts.chunks) * facts.dtype.itemsize
    content = _unpacked(file, facts.packer, needed)
    if len(content) != needed:
        raise FormatError(f"{file}: {len(content)} bytes of elements; expected {needed}")
    order: Any = facts.order
    return np.frombuffer(content, dtype=facts.dtype).reshape(facts.chunks, order=order)


def _unpacked(file: Path, packer: str | None, needed: int) -> bytes:
    """The bytes of a chunk, one more than needed at most."""
    with reading(file, "chunk"):
        if packer is None:
            with file.open("rb") as plain:
                return plain.read(needed + 1)
        packed = file.read_bytes()
        if packer in ("gzip", "zlib"):
            machine = zlib.decompressobj(wbits=47)  # either of the two
            found = machine.decompress(packed, needed + 1)
            if not machine.eof and len(found) <= needed:
                raise FormatError(f"{file}: the chunk is cut off")
            return found
        target = bytearray(needed)
        declared = int.from_bytes(packed[4:8], "little") if packer == "blosc" else _zstd_size(packed)
        if declared != needed:
            raise FormatError(f"{file}: declares {declared or 'no number of'} bytes of elements; expected {needed}")
        codecs = library(f"numcodecs.{packer}", f"unpacking zarr chunks of {packer}", "zarr")
        (codecs.Zstd() if packer == "zstd" else codecs.Blosc()).decode(packed, out=target)
        return bytes(target)


def _zstd_size(packed: bytes) -> int | None:
    """How many bytes the first frame of Zstandard says it holds [RFC 8878, 3.1.1.1]; None if it does not say.

    >>> _zstd_size(bytes.fromhex("28b52ffd20040000")), _zstd_size(b"(")
    (4, None)
    """
    if len(packed) < 6 or packed[:4] != b"\x28\xb5\x2f\xfd":
        return None
    single = bool(packed[4] & 0x20)
    width = (int(single), 2, 4, 8)[packed[4] >> 6]
    at = 5 + (not single) + (0, 1, 2, 4)[packed[4] & 3]
    size = int.from_bytes(packed[at : at + width], "little") + (256 if width == 2 else 0)
    return size if width else None
