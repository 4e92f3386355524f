"""Parse and check the metadata of one zarr array, version 2 or 3.

Implemented here instead of by a library, so that metadata cannot name code to load.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from segmetry._base.json_fields import field, list_field, settings_field
from segmetry.errors import EmptyInputError, FormatError, LabelTypeError
from segmetry.storage.zarr.codec_checks import check_steps, checked_step
from segmetry.storage.zarr.codecs import Step

_TYPES = {f"{kind}int{bits}": f"{kind or 'i'}{bits // 8}" for kind in ("", "u") for bits in (8, 16, 32, 64)}
_TYPES |= {"bool": "?", "float32": "f4", "float64": "f8"}
_TYPES_2 = frozenset(order + kind for order in "<>|" for kind in (*_TYPES.values(), "b1"))


class Shards(NamedTuple):
    """The layout of a file with many chunks (a shard): an index of offsets and lengths at one of its ends."""

    chunks: tuple[int, ...]
    index_first: bool
    checked: bool


class ArrayMetadata(NamedTuple):
    """The metadata of an array; ``chunks`` is the shape of the chunk or shard in one file, ``steps`` encode a chunk."""

    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    dtype: np.dtype[Any]
    steps: tuple[Step, ...]
    fill: Any
    order: str
    prefix: str
    separator: str
    shards: Shards | None = None


def parse_metadata(document: Any, where: Path, name: str) -> ArrayMetadata:
    """Return the metadata of an array from the document ``zarr.json`` or ``.zarray`` of the folder ``where``."""
    metadata = (_version_3 if name == "zarr.json" else _version_2)(document, str(where / name))
    if not metadata.shape or 0 in metadata.shape:
        raise EmptyInputError(f"{where}: declares shape {metadata.shape}; expected at least one element")
    if len(metadata.shape) != len(metadata.chunks) or len(metadata.shape) > 32 or 0 in metadata.chunks:
        raise FormatError(
            f"{where}: shape {metadata.shape} in chunks of {metadata.chunks}; expected as many axes in both"
        )
    try:
        # np.array refuses a number that does not fit; np.full wraps it before numpy 2.1.
        fill = None if metadata.fill is None else np.array(metadata.fill, dtype=metadata.dtype).reshape(())[()]
    except (TypeError, ValueError, OverflowError):
        raise FormatError(
            f"{where}: fill value {str(metadata.fill)[:40]!a} does not fit dtype {metadata.dtype}"
        ) from None
    return metadata._replace(fill=fill)


def _version_2(data: Any, where: str) -> ArrayMetadata:
    kind = field(data, "dtype", where)
    if not isinstance(kind, str) or kind not in _TYPES_2:
        raise LabelTypeError(f"{where}: dtype is {str(kind)[:40]!a}; expected integers")
    filters = list_field(data, "filters", where) if data.get("filters") else []
    compressor = field(data, "compressor", where)
    codecs = filters if compressor is None else [*filters, compressor]
    steps = tuple(checked_step(field(codec, "id", where), codec, where) for codec in codecs)
    order, separator = field(data, "order", where), data.get("dimension_separator", ".")
    if order not in ("C", "F") or separator not in (".", "/"):
        raise FormatError(
            f"{where}: order {str(order)[:9]!a} separated by {str(separator)[:9]!a}; expected C or F, . or /"
        )
    shape, chunks = _lengths(data, "shape", where), _lengths(data, "chunks", where)
    check_steps(steps, len(shape), where)
    return ArrayMetadata(shape, chunks, np.dtype(kind), steps, data.get("fill_value"), order, "", separator)


def _version_3(data: Any, where: str) -> ArrayMetadata:
    kind = field(data, "data_type", where)
    if not isinstance(kind, str) or kind not in _TYPES:
        raise LabelTypeError(f"{where}: data_type is {str(kind)[:40]!a}; expected integers")
    grid = field(data, "chunk_grid", where)
    keys = field(data, "chunk_key_encoding", where)
    style = field(keys, "name", where)
    if field(grid, "name", where) != "regular" or style not in ("default", "v2"):
        raise FormatError(f"{where}: chunks {str(grid)[:40]!a} called {str(style)[:40]!a}; expected a regular grid")
    separator = settings_field(keys, "configuration", where).get("separator", "/" if style == "default" else ".")
    if separator not in (".", "/"):
        raise FormatError(f"{where}: separator {str(separator)[:40]!a}; expected . or /")
    codecs, shards = list_field(data, "codecs", where), None
    chunks = _lengths(field(grid, "configuration", where), "chunk_shape", where)
    if len(codecs) == 1 and field(codecs[0], "name", where) == "sharding_indexed":
        inside = field(codecs[0], "configuration", where)
        shards, codecs = _shards(inside, chunks, where), list_field(inside, "codecs", where)
    shape = _lengths(data, "shape", where)
    steps = _steps(codecs, len(shape), where)
    prefix = f"c{separator}" if style == "default" else ""
    fill = field(data, "fill_value", where)
    return ArrayMetadata(shape, chunks, np.dtype(_TYPES[kind]), steps, fill, "C", prefix, separator, shards)


def _steps(codecs: list[Any], n_axes: int, where: str) -> tuple[Step, ...]:
    """Return the steps of version 3, whose settings are in an object of their own; one of them makes bytes."""
    steps = tuple(
        checked_step(field(codec, "name", where), settings_field(codec, "configuration", where), where)
        for codec in codecs
    )
    if [step.name for step in steps].count("bytes") != 1:
        raise FormatError(f"{where}: codecs {str([s.name for s in steps])[:80]!a}; expected one of them to be bytes")
    check_steps(steps, n_axes, where)
    return steps


def _shards(data: Any, outer: tuple[int, ...], where: str) -> Shards:
    chunks = _lengths(data, "chunk_shape", where)
    if (
        len(chunks) != len(outer)
        or 0 in chunks
        or any(outer_length % length for outer_length, length in zip(outer, chunks, strict=True))
    ):
        raise FormatError(f"{where}: shards of {outer} in chunks of {chunks}; expected an integer number of chunks")
    names = [field(codec, "name", where) for codec in list_field(data, "index_codecs", where)]
    index = data["index_codecs"][0] if names else {}
    endian = settings_field(index, "configuration", where).get("endian", "little")
    place = data.get("index_location", "end")
    if names not in (["bytes"], ["bytes", "crc32c"]) or endian != "little" or place not in ("start", "end"):
        raise FormatError(
            f"{where}: shard index codecs {str(names)[:60]!a}; expected little-endian bytes, optionally crc32c"
        )
    return Shards(chunks, place == "start", len(names) == 2)


def _lengths(data: Any, name: str, where: str) -> tuple[int, ...]:
    lengths = list_field(data, name, where)
    if not all(type(length) is int and 0 <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {str(lengths)[:40]!a}; expected lengths")
    return tuple(lengths)
