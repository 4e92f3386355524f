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
from typing import Any, Literal, NamedTuple

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
    """A step on the array: the layout after it, and how it is undone."""

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
        return _without_checksum(bytes(content), step, where)
    return _undo_shuffle(content, int(step.settings.get("elementsize", layout.dtype.itemsize)), where)


def _without_checksum(content: bytes, step: Step, where: str) -> bytes:
    """Return bytes without their checksum, which must be right; numcodecs puts that of some codecs first."""
    first = step.settings.get("location", "end" if step.name == "crc32c" else "start") == "start"
    own, rest = (content[:4], content[4:]) if first else (content[-4:], content[:-4])
    if len(own) < 4 or CHECKSUMS[step.name](rest) != int.from_bytes(own, "little"):
        raise FormatError(f"{where}: the chunk does not match its checksum ({step.name}): it is damaged")
    return rest


def _crc32c_of(content: bytes) -> int:
    return int(import_optional("google_crc32c", "checking the CRC-32C of a zarr chunk", "zarr").value(content))


CHECKSUMS: Mapping[str, Callable[[bytes], int]] = MappingProxyType(
    {"crc32": zlib.crc32, "adler32": zlib.adler32, "crc32c": _crc32c_of}
)


def _undo_shuffle(content: Buffer, element: int, where: str) -> Buffer:
    """Undo a shuffle: the first bytes of all elements are stored together, then the second ones, …"""
    plain = np.frombuffer(content, dtype=np.uint8)
    if element < 1 or plain.size % element:
        raise FormatError(f"{where}: {plain.size} bytes are shuffled in elements of {element}")
    return plain.reshape(element, -1).T.reshape(-1)


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


def _undo_bits(array: NDArray[Any], before: ChunkLayout, _settings: CodecSettings) -> NDArray[Any]:
    return np.unpackbits(array[1:], count=math.prod(before.shape)).astype(before.dtype)


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
            lambda layout, _own: ChunkLayout((1 + -(-math.prod(layout.shape) // 8),), np.dtype(np.uint8)), _undo_bits
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
