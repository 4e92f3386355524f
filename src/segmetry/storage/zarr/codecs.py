"""The codecs of a zarr chunk, undone one after the other, each to no more bytes than the chunk's shape needs.

A chunk is encoded by steps: some change the array (transpose, delta, …), one makes bytes of it, some change the bytes
(compressors, shuffles, checksums). Metadata name the steps in this order; they are undone in the opposite one. Names
are looked up in the tables here, so that metadata cannot name code to load.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional
from segmetry.errors import FormatError
from segmetry.storage.decompression import COMPRESSORS, Buffer, decompressed

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
    """A step on the array: the layout it makes of another, and how it is undone."""

    after: Callable[[ChunkLayout, CodecSettings], ChunkLayout]
    undo: Callable[[NDArray[Any], ChunkLayout, CodecSettings], NDArray[Any]]


def decoded(content: Buffer, steps: Sequence[Step], layout: ChunkLayout, order: str, where: str) -> NDArray[Any]:
    """Return the elements of a chunk whose layout is known.

    >>> packed = zlib.compress(np.array([1, 1, 2], dtype="<u2").tobytes())
    >>> steps = [Step("delta", {"dtype": "<u2"}), Step("zlib", {})]
    >>> decoded(packed, steps, ChunkLayout((3,), np.dtype("<u2")), "C", "chunk").tolist()
    [1, 2, 4]
    """
    layouts = [layout]
    for step in steps:
        if step.name in ARRAY_STEPS:
            layouts.append(ARRAY_STEPS[step.name].after(layouts[-1], step.settings))
    on_bytes = [step for step in steps if step.name not in ARRAY_STEPS]
    plain: Buffer = content
    for at in range(len(on_bytes) - 1, -1, -1):
        plain = _undone(plain, on_bytes[at], on_bytes[:at], layouts[-1], where)
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
    """Return how many bytes some steps make of an array; what a compressor makes of it is not much longer."""
    packed = any(step.name in COMPRESSORS for step in steps)
    return n_bytes + 4 * sum(step.name in CHECKSUMS for step in steps) + packed * (n_bytes // 8 + 2**16)


def _undone(content: Buffer, step: Step, before: Sequence[Step], layout: ChunkLayout, where: str) -> Buffer:
    """Undo a step on bytes; ``before`` are the steps on bytes that came before it."""
    if step.name in COMPRESSORS:
        exactly = not any(earlier.name in COMPRESSORS for earlier in before)
        most = _size_before(before, layout.n_bytes)
        return decompressed(bytes(content), step.name, most, where, exactly=exactly)
    if step.name in CHECKSUMS:
        return _checked(bytes(content), step, where)
    return _unshuffled(content, int(step.settings.get("elementsize", layout.dtype.itemsize)), where)


def _checked(content: bytes, step: Step, where: str) -> bytes:
    """Return bytes without their checksum, which must be right; numcodecs puts that of some codecs first."""
    first = step.settings.get("location", "end" if step.name == "crc32c" else "start") == "start"
    own, rest = (content[:4], content[4:]) if first else (content[-4:], content[:-4])
    if len(own) < 4 or CHECKSUMS[step.name](rest) != int.from_bytes(own, "little"):
        raise FormatError(f"{where}: the chunk does not match its checksum ({step.name}): it is damaged")
    return rest


def _crc32c(content: bytes) -> int:
    return int(import_optional("google_crc32c", "checking the CRC-32C of a zarr chunk", "zarr").value(content))


CHECKSUMS: Mapping[str, Callable[[bytes], int]] = MappingProxyType(
    {"crc32": zlib.crc32, "adler32": zlib.adler32, "crc32c": _crc32c}
)


def _unshuffled(content: Buffer, element: int, where: str) -> Buffer:
    """Undo a shuffle: the first bytes of all elements are stored together, then the second ones, …"""
    plain = np.frombuffer(content, dtype=np.uint8)
    if element < 1 or plain.size % element:
        raise FormatError(f"{where}: {plain.size} bytes are shuffled in elements of {element}")
    return plain.reshape(element, -1).T.reshape(-1)


def _typed(settings: CodecSettings, *names: str) -> np.dtype[Any]:
    return np.dtype(str(next(settings[name] for name in names if settings.get(name) is not None)))


def _transposed(layout: ChunkLayout, settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout(tuple(layout.shape[axis] for axis in settings["order"]), layout.dtype)


def _undo_transpose(array: NDArray[Any], _before: ChunkLayout, settings: CodecSettings) -> NDArray[Any]:
    return array.transpose(np.argsort(settings["order"]))


def _of_type(layout: ChunkLayout, settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout((math.prod(layout.shape),), _typed(settings, "astype", "dtype"))


def _undo_delta(array: NDArray[Any], before: ChunkLayout, _settings: CodecSettings) -> NDArray[Any]:
    return np.cumsum(array, dtype=before.dtype)


def _undo_scale(array: NDArray[Any], before: ChunkLayout, settings: CodecSettings) -> NDArray[Any]:
    """Undo numcodecs' fixed scale and offset: the stored value is round((value − offset) · scale)."""
    values = array.astype(np.float64) / float(settings["scale"]) + float(settings["offset"])
    return (values if before.dtype.kind == "f" else np.rint(values)).astype(before.dtype)


def _in_byte_order(layout: ChunkLayout, settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout(layout.shape, layout.dtype.newbyteorder(">" if settings.get("endian") == "big" else "<"))


def _stored_type(layout: ChunkLayout, settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout(layout.shape, _typed(settings, "encode_dtype"))


def _undo_type(array: NDArray[Any], before: ChunkLayout, _settings: CodecSettings) -> NDArray[Any]:
    return array.astype(before.dtype, copy=False)


def _packed_bits(layout: ChunkLayout, _settings: CodecSettings) -> ChunkLayout:
    return ChunkLayout((1 + -(-math.prod(layout.shape) // 8),), np.dtype(np.uint8))


def _undo_bits(array: NDArray[Any], before: ChunkLayout, _settings: CodecSettings) -> NDArray[Any]:
    """The first byte says how many bits at the end are padding, which the shape says as well."""
    return np.unpackbits(array[1:], count=math.prod(before.shape)).astype(before.dtype)


ARRAY_STEPS: Mapping[str, ArrayStep] = MappingProxyType(
    {
        "transpose": ArrayStep(_transposed, _undo_transpose),
        "bytes": ArrayStep(_in_byte_order, _undo_type),
        "delta": ArrayStep(_of_type, _undo_delta),
        "fixedscaleoffset": ArrayStep(_of_type, _undo_scale),
        "astype": ArrayStep(_stored_type, _undo_type),
        "packbits": ArrayStep(_packed_bits, _undo_bits),
    }
)
BYTE_STEPS = (*COMPRESSORS, *CHECKSUMS, "shuffle")
