"""Zarr arrays, version 2 and 3, in files: metadata, chunks, shards.

Implemented here instead of by a library, so that metadata cannot name code to load and a compressed chunk cannot grow
beyond its declared size, and because decompressing into pooled buffers takes half the time.

The codecs of a zarr chunk, undone one after the other, each to no more bytes than the chunk's shape needs.

A chunk is encoded by steps: some change the array (transpose, delta, …), one makes bytes of it, some change the bytes
(compressors, shuffles, checksums). Metadata name the steps in this order; they are undone in the opposite one. Names
are looked up in the tables here, so that metadata cannot name code to load.
"""

from __future__ import annotations

import json
import math
import stat
import zlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import field, import_optional, lengths_field, list_field, settings_field, translate_errors
from segmetry.errors import EmptyInputError, FormatError, InputError, LabelTypeError, SegmetryError
from segmetry.storage.decompression import COMPRESSORS, Buffer, buffer_of, decompressed
from segmetry.storage.stored_arrays import ChunkGrid, Region, StoredArray, join_chunks

CodecSettings = Mapping[str, Any]


class Step(NamedTuple):
    """A codec by its plain name, and its settings."""

    name: str
    settings: CodecSettings


class ChunkLayout(NamedTuple):
    """The shape and type of an array between two steps."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


class ArrayStep(NamedTuple):
    """A step on the array: the layout after it, and how it is undone."""

    after: Callable[[ChunkLayout, CodecSettings], ChunkLayout]
    undo: Callable[[NDArray[Any], ChunkLayout, CodecSettings], NDArray[Any]]


def decoded(content: Buffer, steps: Sequence[Step], layout: ChunkLayout, order: str, where: str) -> NDArray[Any]:
    """Return the elements of a chunk whose layout is known."""
    layouts = [layout]
    for step in steps:
        if step.name in ARRAY_STEPS:
            layouts.append(ARRAY_STEPS[step.name].after(layouts[-1], step.settings))
    on_bytes = [step for step in steps if step.name not in ARRAY_STEPS]
    plain: Buffer = content
    for at in range(len(on_bytes) - 1, -1, -1):
        plain = _undo_step(plain, on_bytes[at], on_bytes[:at], layouts[-1], where)
    if len(plain) != layouts[-1].n_bytes:
        raise FormatError(f"{where}: {len(plain)} bytes of elements; expected {layouts[-1].n_bytes}")
    memory_order: Any = order
    array: NDArray[Any] = np.frombuffer(plain, dtype=layouts[-1].dtype).reshape(layouts[-1].shape, order=memory_order)
    on_arrays = [step for step in steps if step.name in ARRAY_STEPS]
    for step, before in zip(reversed(on_arrays), reversed(layouts[:-1]), strict=True):
        array = ARRAY_STEPS[step.name].undo(array, before, step.settings)
        if array.shape != before.shape:  # steps that write elements in a row
            array = array.reshape(before.shape, order=memory_order)
    return array


def most_bytes(steps: Sequence[Step], layout: ChunkLayout) -> int | None:
    """Return how long the file of a chunk is; None where a compressor makes that unknown."""
    for step in steps:
        if step.name in ARRAY_STEPS:
            layout = ARRAY_STEPS[step.name].after(layout, step.settings)
    on_bytes = [step for step in steps if step.name not in ARRAY_STEPS]
    return None if any(step.name in COMPRESSORS for step in on_bytes) else _size_before(on_bytes, layout.n_bytes)


def _size_before(steps: Sequence[Step], n_bytes: int) -> int:
    """Return the size after these codecs; compressed data are not much longer than what they contain."""
    packed = any(step.name in COMPRESSORS for step in steps)
    return n_bytes + 4 * sum(step.name in CHECKSUMS for step in steps) + packed * (n_bytes // 8 + 2**16)


def _undo_step(content: Buffer, step: Step, before: Sequence[Step], layout: ChunkLayout, where: str) -> Buffer:
    """Undo a step on bytes; ``before`` are the steps on bytes that came before it."""
    if step.name in COMPRESSORS:
        exactly = not any(earlier.name in COMPRESSORS for earlier in before)
        most = _size_before(before, layout.n_bytes)
        return decompressed(bytes(content), step.name, most, where, exactly=exactly)
    if step.name in CHECKSUMS:
        # numcodecs puts the checksum of some codecs first.
        first = step.settings.get("location", "end" if step.name == "crc32c" else "start") == "start"
        stored = bytes(content)
        own, rest = (stored[:4], stored[4:]) if first else (stored[-4:], stored[:-4])
        if len(own) < 4 or CHECKSUMS[step.name](rest) != int.from_bytes(own, "little"):
            raise FormatError(f"{where}: the chunk does not match its checksum ({step.name}): it is damaged")
        return rest
    # A shuffle: the first bytes of all elements are stored together, then the second ones, …
    element = int(step.settings.get("elementsize", layout.dtype.itemsize))
    plain = np.frombuffer(content, dtype=np.uint8)
    if element < 1 or plain.size % element:
        raise FormatError(f"{where}: {plain.size} bytes are shuffled in elements of {element}")
    return plain.reshape(element, -1).T.reshape(-1)


def _crc32c_of(content: bytes) -> int:
    return int(import_optional("google_crc32c", "checking the CRC-32C of a zarr chunk", "zarr").value(content))


CHECKSUMS: Mapping[str, Callable[[bytes], int]] = MappingProxyType(
    {"crc32": zlib.crc32, "adler32": zlib.adler32, "crc32c": _crc32c_of}
)


def _setting_type(settings: CodecSettings, *names: str) -> np.dtype[Any]:
    return np.dtype(str(next(settings[name] for name in names if settings.get(name) is not None)))


def _of_type(layout: ChunkLayout, settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout((math.prod(layout.shape),), _setting_type(settings, "astype", "dtype"))


def _undo_scale(array: NDArray[Any], before: ChunkLayout, settings: CodecSettings) -> NDArray[Any]:
    """Undo numcodecs' fixed scale and offset: the stored value is round((value − offset) · scale)."""
    values = array.astype(np.float64) / float(settings["scale"]) + float(settings["offset"])
    return (values if before.dtype.kind == "f" else np.rint(values)).astype(before.dtype)


def _undo_type(array: NDArray[Any], before: ChunkLayout, _settings: CodecSettings) -> NDArray[Any]:
    return array.astype(before.dtype, copy=False)


_ENDIAN: Mapping[Any, Literal["<", ">"]] = {None: "<", "little": "<", "big": ">"}
ARRAY_STEPS: Mapping[str, ArrayStep] = MappingProxyType(
    {
        "transpose": ArrayStep(
            lambda layout, own: ChunkLayout(tuple(layout.shape[axis] for axis in own["order"]), layout.dtype),
            lambda array, _before, own: array.transpose(np.argsort(own["order"])),
        ),
        "bytes": ArrayStep(
            lambda layout, own: layout._replace(dtype=layout.dtype.newbyteorder(_ENDIAN[own.get("endian")])), _undo_type
        ),
        "delta": ArrayStep(_of_type, lambda array, before, _own: np.cumsum(array, dtype=before.dtype)),
        "fixedscaleoffset": ArrayStep(_of_type, _undo_scale),
        "astype": ArrayStep(lambda layout, own: layout._replace(dtype=_setting_type(own, "encode_dtype")), _undo_type),
        # A first byte says how many bits at the end are padding, which the shape says as well.
        "packbits": ArrayStep(
            lambda layout, _own: ChunkLayout((1 + -(-math.prod(layout.shape) // 8),), np.dtype(np.uint8)),
            lambda array, before, _own: np.unpackbits(array[1:], count=math.prod(before.shape)).astype(before.dtype),
        ),
    }
)
BYTE_STEPS = (*COMPRESSORS, *CHECKSUMS, "shuffle")


_PREFIX = "numcodecs."
_NUMBERS = frozenset(
    order + kind
    for order in ("", "<", ">", "|")
    for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8", "b1", "?")
) | frozenset((*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "bool", "float32", "float64"))
_MOST_STEPS = 8  # each may decompress to the bound of the one before


def checked_step(name: Any, settings: Any, where: str) -> Step:
    """Return a codec of the metadata; one that is not known, or whose settings are wrong, is an error."""
    plain = name.removeprefix(_PREFIX) if isinstance(name, str) else name
    if plain not in (*ARRAY_STEPS, *BYTE_STEPS):
        known = ", ".join((*ARRAY_STEPS, *BYTE_STEPS))
        raise FormatError(f"{where}: unsupported codec {str(name)[:40]!a} (supported: {known})")
    own = settings if isinstance(settings, Mapping) else {}
    for setting, (is_right, words) in _SETTINGS.get(plain, {}).items():
        if not is_right(own.get(setting)):
            raise FormatError(
                f"{where}: {setting} of codec {plain} is {str(own.get(setting))[:40]!a}; expected {words}"
            )
    return Step(plain, own)


def check_steps(steps: Sequence[Step], n_axes: int, where: str) -> None:
    """Raise an error for steps on arrays after steps on bytes, for axes that do not exist, and for too many steps."""
    if len(steps) > _MOST_STEPS:
        raise FormatError(f"{where}: {len(steps)} codecs; expected at most {_MOST_STEPS}")
    on_arrays = [step.name in ARRAY_STEPS for step in steps]
    if on_arrays != sorted(on_arrays, reverse=True):
        raise FormatError(
            f"{where}: codecs {', '.join(step.name for step in steps)}; expected those that change the array first"
        )
    axes = n_axes
    for step in steps:
        if step.name == "transpose" and sorted(step.settings["order"]) != list(range(axes)):
            raise FormatError(f"{where}: transpose to {step.settings['order']}; expected an order of {axes} axes")
        if step.name in ("delta", "fixedscaleoffset", "packbits"):
            axes = 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_Check = tuple[Callable[[Any], bool], str]
_TYPE: _Check = (lambda value: isinstance(value, str) and value in _NUMBERS, "a type of numbers such as <u4")
_TYPE_OR_NONE: _Check = (lambda value: value is None or _TYPE[0](value), _TYPE[1])
_AXES: _Check = (lambda value: isinstance(value, list) and all(type(axis) is int for axis in value), "a list of axes")
_SIZE: _Check = (lambda value: value is None or (type(value) is int and 1 <= value <= 255), "a number of bytes")
_SETTINGS: Mapping[str, Mapping[str, _Check]] = {
    "transpose": {"order": _AXES},
    "bytes": {"endian": (lambda value: value in (None, "little", "big"), "little or big")},
    "delta": {"dtype": _TYPE, "astype": _TYPE_OR_NONE},
    "fixedscaleoffset": {
        "dtype": _TYPE,
        "astype": _TYPE_OR_NONE,
        "scale": (lambda value: _is_number(value) and value != 0, "a number other than 0"),
        "offset": (_is_number, "a number"),
    },
    "astype": {"encode_dtype": _TYPE},
    "shuffle": {"elementsize": _SIZE},
    **{
        name: {"location": (lambda value: value in (None, "start", "end"), "start or end")}
        for name in ("crc32", "adler32", "crc32c")
    },
}

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
    shape, chunks = lengths_field(data, "shape", where), lengths_field(data, "chunks", where)
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
    chunks = lengths_field(field(grid, "configuration", where), "chunk_shape", where)
    if len(codecs) == 1 and field(codecs[0], "name", where) == "sharding_indexed":
        inside = field(codecs[0], "configuration", where)
        shards, codecs = _shard_layout(inside, chunks, where), list_field(inside, "codecs", where)
    shape = lengths_field(data, "shape", where)
    # The settings of version 3 are in an object of their own; one of the steps makes bytes.
    steps = tuple(
        checked_step(field(codec, "name", where), settings_field(codec, "configuration", where), where)
        for codec in codecs
    )
    if [step.name for step in steps].count("bytes") != 1:
        raise FormatError(f"{where}: codecs {str([s.name for s in steps])[:80]!a}; expected one of them to be bytes")
    check_steps(steps, len(shape), where)
    prefix = f"c{separator}" if style == "default" else ""
    fill = field(data, "fill_value", where)
    return ArrayMetadata(shape, chunks, np.dtype(_TYPES[kind]), steps, fill, "C", prefix, separator, shards)


def _shard_layout(data: Any, outer: tuple[int, ...], where: str) -> Shards:
    chunks = lengths_field(data, "chunk_shape", where)
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
    if shards.checked and _crc32c_of(index[:length]) != int.from_bytes(index[length:], "little"):
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
        return self.metadata.shape

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        return self.metadata.dtype

    @property
    def chunks(self) -> tuple[int, ...]:  # type: ignore[override]
        """The lengths of a chunk or, in an array of shards, of a shard."""
        return self.metadata.chunks

    def name_of(self, place: tuple[int, ...]) -> str:
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
