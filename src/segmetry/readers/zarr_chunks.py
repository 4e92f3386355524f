"""One zarr array, version 2 or 3: its metadata, checked, and its chunks, unpacked into no more than they declare.

Read by hand instead of by a library, so that metadata cannot name code to load and a packed chunk cannot grow beyond
its declared size. Read are chunks packed by gzip, zlib, Zstandard or Blosc, or not at all.

By the rules of the format a chunk that is absent is full of the fill value, and writers leave out chunks that hold
nothing else. A chunk that was lost looks the same. So an absent chunk is accepted where its fill value means outside or
void, is an error where it would make a segment out of nothing, and always with ``--missing-chunks refuse``.
"""

from __future__ import annotations

import itertools
import math
import zlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.readers.buffers import buffer_of
from segmetry.readers.foreign import library, reading
from segmetry.readers.inside import file_inside
from segmetry.readers.json_fields import field, list_field
from segmetry.readers.options import ReadOptions
from segmetry.readers.strict_json import load_json
from segmetry.segmentation.stored import Box, Edges, StoredArray, regular_edges

_TYPES = {f"{kind}int{bits}": f"{kind or 'i'}{bits // 8}" for kind in ("", "u") for bits in (8, 16, 32, 64)}
_TYPES |= {"bool": "?", "float32": "f4", "float64": "f8"}
_TYPES_2 = frozenset(order + kind for order in "<>|" for kind in (*_TYPES.values(), "b1"))
MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Chunks of few elements cost more than they hold: so many are taken for an attack."""
Buffer = bytes | NDArray[np.uint8]
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


@dataclass(frozen=True, eq=False)
class ZarrFolder(StoredArray):
    """A zarr array in a folder. Chunks are unpacked when a part that touches them is read."""

    folder: Path
    facts: ArrayFacts
    holds_nothing: frozenset[int]
    """Labels that mean outside or void: a chunk that is absent may be full of these."""

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """The array in a folder, nothing of it read but its metadata."""
        facts = facts_of(folder)
        options.check_size(facts.shape, str(folder))
        options.check_size(facts.chunks, f"{folder}, one chunk")
        count = math.prod(-(-length // step) for length, step in zip(facts.shape, facts.chunks, strict=True))
        if count > MOST_SMALL_CHUNKS and math.prod(facts.chunks) < SMALL_CHUNK:
            raise FormatError(
                f"{folder}: {count} chunks of {facts.chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
            )
        return cls(folder, facts, frozenset(() if options.missing_chunks == "refuse" else options.nothing))

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The length of every axis."""
        return self.facts.shape

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type of the elements."""
        return self.facts.dtype

    @cached_property
    def edges(self) -> Edges:  # type: ignore[override]
        """Where chunks end."""
        return regular_edges(self.facts.shape, self.facts.chunks)

    def read(self, box: Box) -> NDArray[Any]:
        steps = self.facts.chunks
        touched = [range(part.start // step, -(-part.stop // step)) for part, step in zip(box, steps, strict=True)]
        if all(len(places) == 1 for places in touched):
            return self._part(tuple(places[0] for places in touched), box)
        found = np.empty([part.stop - part.start for part in box], dtype=self.facts.dtype)
        for place in itertools.product(*touched):
            inside = tuple(
                slice(max(part.start, at * step), min(part.stop, (at + 1) * step))
                for part, at, step in zip(box, place, steps, strict=True)
            )
            target = tuple(
                slice(one.start - part.start, one.stop - part.start) for one, part in zip(inside, box, strict=True)
            )
            found[target] = self._part(place, inside)
        return found

    def _part(self, place: tuple[int, ...], inside: Box) -> NDArray[Any]:
        """What lies in a box inside one chunk."""
        facts = self.facts
        name = facts.prefix + facts.separator.join(map(str, place))
        if not (self.folder / name).exists():
            return np.full([part.stop - part.start for part in inside], self._fill(name), dtype=facts.dtype)
        chunk = _chunk(file_inside(self.folder, name, "the chunk"), facts)
        starts = [at * step for at, step in zip(place, facts.chunks, strict=True)]
        return chunk[tuple(slice(p.start - at, p.stop - at) for p, at in zip(inside, starts, strict=True))]

    def _fill(self, name: str) -> Any:
        """What an absent chunk holds: nothing. A segment nobody wrote is an error."""
        fill = self.facts.fill
        if fill is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, and no fill value says what it holds"
            )
        if fill not in self.holds_nothing:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, which would make its elements {fill}; "
                "restore it, or declare that label outside or void (--outside, --void; --missing-chunks fill)"
            )
        return fill


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
    try:
        fill = None if facts.fill is None else np.full((), facts.fill, dtype=facts.dtype)[()]
    except (TypeError, ValueError, OverflowError):
        raise FormatError(f"{folder}: fill value {str(facts.fill)[:40]!a} is none of {facts.dtype}") from None
    return facts._replace(fill=fill)


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
    shape, chunks = _lengths(data, "shape", where), _lengths(data, "chunks", where)
    return ArrayFacts(shape, chunks, np.dtype(kind), name, data.get("fill_value"), order, "", separator)


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


def _unpacked(file: Path, packer: str | None, needed: int) -> Buffer:
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
        declared = int.from_bytes(packed[4:8], "little") if packer == "blosc" else _zstd_size(packed)
        if declared != needed:
            raise FormatError(f"{file}: declares {declared or 'no number of'} bytes of elements; expected {needed}")
        codecs = library(f"numcodecs.{packer}", f"unpacking zarr chunks of {packer}", "zarr")
        target = buffer_of(needed)
        (codecs.Zstd() if packer == "zstd" else codecs.Blosc()).decode(packed, out=target)
        return target


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
