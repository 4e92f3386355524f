"""Zarr arrays, version 2 and 3, in files: metadata, chunks, shards.

Implemented here instead of by a library, so that metadata cannot name code to load and a compressed chunk cannot grow
beyond its declared size, and because decompressing into pooled buffers takes half the time.
"""

from __future__ import annotations

import json
import math
import stat
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.json_fields import field, list_field, settings_field
from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import EmptyInputError, FormatError, InputError, LabelTypeError, SegmetryError
from segmetry.storage.decompression import Buffer, buffer_of
from segmetry.storage.stored_arrays import ChunkGrid, Region, StoredArray, join_chunks
from segmetry.storage.zarr_codecs import ChunkLayout, Step, check_steps, checked_step, decoded, most_bytes

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
        # np.array raises for a number that does not fit; np.full wraps it before numpy 2.1.
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
    shape, chunks = _axis_lengths(data, "shape", where), _axis_lengths(data, "chunks", where)
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
    chunks = _axis_lengths(field(grid, "configuration", where), "chunk_shape", where)
    if len(codecs) == 1 and field(codecs[0], "name", where) == "sharding_indexed":
        inside = field(codecs[0], "configuration", where)
        shards, codecs = _shard_layout(inside, chunks, where), list_field(inside, "codecs", where)
    shape = _axis_lengths(data, "shape", where)
    steps = _version_3_steps(codecs, len(shape), where)
    prefix = f"c{separator}" if style == "default" else ""
    fill = field(data, "fill_value", where)
    return ArrayMetadata(shape, chunks, np.dtype(_TYPES[kind]), steps, fill, "C", prefix, separator, shards)


def _version_3_steps(codecs: list[Any], n_axes: int, where: str) -> tuple[Step, ...]:
    """Return the steps of version 3, whose settings are in an object of their own; one of them makes bytes."""
    steps = tuple(
        checked_step(field(codec, "name", where), settings_field(codec, "configuration", where), where)
        for codec in codecs
    )
    if [step.name for step in steps].count("bytes") != 1:
        raise FormatError(f"{where}: codecs {str([s.name for s in steps])[:80]!a}; expected one of them to be bytes")
    check_steps(steps, n_axes, where)
    return steps


def _shard_layout(data: Any, outer: tuple[int, ...], where: str) -> Shards:
    chunks = _axis_lengths(data, "chunk_shape", where)
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


def _axis_lengths(data: Any, name: str, where: str) -> tuple[int, ...]:
    lengths = list_field(data, name, where)
    if not all(type(length) is int and 0 <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {str(lengths)[:40]!a}; expected lengths")
    return tuple(lengths)


_ABSENT = 2**64 - 1
_SUM = 4  # bytes of a checksum


def _shard_index(content: IO[bytes], size: int, count: int, shards: Shards, where: str) -> NDArray[Any]:
    """Return offset and length of every chunk of a shard, all ones where it is absent; a CRC-32C may follow them.

    [zarr specification, sharding codec, version 1.0]
    """
    length = 16 * count
    n_bytes = length + _SUM * shards.checked
    if n_bytes > size:
        raise FormatError(f"{where}: {size} bytes; its index alone needs {n_bytes}: the shard is cut off")
    content.seek(0 if shards.index_first else size - n_bytes)
    index = content.read(n_bytes)
    if shards.checked:
        checksum = import_optional("google_crc32c", "checking the index of a zarr shard", "zarr").value(index[:length])
        if checksum != int.from_bytes(index[length:], "little"):
            raise FormatError(f"{where}: the index of the shard does not match its checksum: the file is damaged")
    return np.frombuffer(index[:length], dtype="<u8").reshape(count, 2)


@dataclass(frozen=True, eq=False)
class ZarrChunks(ChunkGrid):
    """A zarr array in files. Chunks are decompressed when a part that overlaps them is read."""

    metadata: ArrayMetadata

    @abstractmethod
    def file_of(self, name: str) -> Path | None:
        """Return the file of a chunk or shard; None if it is absent."""

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The length of every axis."""
        return self.metadata.shape

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type of the elements."""
        return self.metadata.dtype

    @property
    def chunks(self) -> tuple[int, ...]:  # type: ignore[override]
        """The lengths of a chunk or, in an array of shards, of a shard."""
        return self.metadata.chunks

    def name_of(self, place: tuple[int, ...]) -> str:
        """Return the name of a chunk or shard."""
        return self.metadata.prefix + self.metadata.separator.join(map(str, place))

    def part(self, place: tuple[int, ...], box: Region) -> NDArray[Any] | None:
        name = self.name_of(place)
        file = self.file_of(name)
        if file is None:
            return None
        return self._whole_chunk(file)[box] if self.metadata.shards is None else self._of_shard(file, name, box)

    def _whole_chunk(self, file: Path) -> NDArray[Any]:
        with translate_errors(file, "chunk"):
            length = most_bytes(self.metadata.steps, ChunkLayout(self.metadata.chunks, self.metadata.dtype))
            with file.open("rb") as content:
                stored = content.read() if length is None else _read_most(content, length)
            return self._decode_chunk(stored, self.metadata.chunks, str(file))

    def _of_shard(self, file: Path, name: str, box: Region) -> NDArray[Any]:
        """Return a box of one shard from the chunks it overlaps."""
        assert self.metadata.shards is not None  # noqa: S101 - for the types
        shards, size = self.metadata.shards, file.stat().st_size
        counts = [outer // inner for outer, inner in zip(self.chunks, shards.chunks, strict=True)]
        with translate_errors(file, "shard"), file.open("rb") as content:
            index = _shard_index(content, size, math.prod(counts), shards, str(file))

            def part(place: tuple[int, ...], here: Region) -> NDArray[Any] | None:
                offset, length = (int(number) for number in index[int(np.ravel_multi_index(place, counts))])
                if offset == length == _ABSENT:
                    return None
                if offset + length > size:
                    raise FormatError(f"{file}: the chunk {place} is at bytes {offset} to {offset + length} of {size}")
                content.seek(offset)
                return self._decode_chunk(content.read(length), shards.chunks, f"{file}: chunk {place}")[here]

            def fill(place: tuple[int, ...]) -> Any:
                return self.fill_of(f"{name}, chunk {'/'.join(map(str, place))}")

            return join_chunks(box, shards.chunks, self.metadata.dtype, part, fill)

    def _decode_chunk(self, compressed: Buffer, shape: tuple[int, ...], where: str) -> NDArray[Any]:
        metadata = self.metadata
        return decoded(compressed, metadata.steps, ChunkLayout(shape, metadata.dtype), metadata.order, where)


def _read_most(content: IO[bytes], n_bytes: int) -> Buffer:
    """Return the bytes of a file, up to one more than expected, in a pooled buffer."""
    if not hasattr(content, "readinto"):
        return content.read(n_bytes + 1)
    buffer = buffer_of(n_bytes)
    length = content.readinto(buffer.data)
    more = content.read(1)
    return buffer.tobytes() + more if more else buffer[:length]


@dataclass(frozen=True, eq=False)
class ZarrFiles(ZarrChunks):
    """A zarr array opened by the zarr package; ``otherwise`` is the same array read by zarr.

    Zarr passes every chunk through the tasks of an event loop; reading the files directly takes less than half the
    time. The metadata are those of the array object, not those on disk, which may have changed. Anything unsupported
    here (a codec, a store, a damaged or unusual chunk) is read by zarr.
    """

    folder: Path
    otherwise: StoredArray

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The dtype of the elements as zarr returns them; in the files their byte order may differ."""
        return self.otherwise.dtype

    def read(self, box: Region) -> NDArray[Any]:
        try:
            return super().read(box).astype(self.dtype, copy=False)
        except (SegmetryError, OSError):
            return self.otherwise.read(box)

    def file_of(self, name: str) -> Path | None:
        """Return the file, following links as zarr does; zarr does not take a folder of that name for a chunk."""
        file = self.folder / name
        try:
            return None if stat.S_ISDIR(file.stat().st_mode) else file
        except (FileNotFoundError, NotADirectoryError):
            check_folder(self.folder)
            return None

    def fill_of(self, name: str) -> Any:  # noqa: ARG002 - the same for every absent chunk
        return self.metadata.fill


def chunks_in_files(array: Any, otherwise: StoredArray) -> ZarrFiles | None:
    """Return an array of zarr as the files of its chunks; None if it must be read by zarr itself.

    A subclass of zarr's may read in its own way, so only zarr's own class is accepted; and zarr itself reads an array
    configured to raise for absent chunks.
    """
    try:
        from zarr import Array
    except ImportError:  # an older package
        return None
    if type(array) is not Array:
        return None
    config = getattr(array, "config", None)  # older versions have none
    if not getattr(config, "read_missing_chunks", True):
        return None
    folder = folder_of(array)
    if folder is None:
        return None
    try:
        return ZarrFiles(_written_metadata(array.metadata, folder), folder, otherwise)
    except SegmetryError:
        return None


def folder_of(array: Any) -> Path | None:
    """Return the absolute folder of an array whose chunks are files; None for an array in another store."""
    try:
        from zarr.storage import LocalStore
    except ImportError:  # an older package
        return None
    store_path = getattr(array, "store_path", None)
    return (
        (store_path.store.root / store_path.path).absolute()
        if store_path and type(store_path.store) is LocalStore
        else None
    )


def check_folder(folder: Path) -> None:
    """Raise if the folder of an array is missing on this machine: all of its chunks would be taken for absent."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder on this machine; expected the chunks of a zarr array there")


def _written_metadata(metadata: Any, folder: Path) -> ArrayMetadata:
    """Return the metadata of an array object as they would be written, with the fill value zarr uses."""
    written = {name: value for name, value in metadata.to_dict().items() if name != "attributes"}
    document = json.loads(json.dumps(written))  # tuples become lists, as in a file
    parsed = parse_metadata(document, folder, "zarr.json" if metadata.zarr_format == 3 else ".zarray")
    fill = metadata.fill_value
    return parsed._replace(fill=np.zeros((), parsed.dtype)[()] if fill is None else fill)
