"""Check the codecs that the metadata of a zarr array name: known names, right settings, a possible order."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from segmetry.errors import FormatError
from segmetry.storage.zarr.codecs import ARRAY_STEPS, BYTE_STEPS, Step

_PREFIX = "numcodecs."
_NUMBERS = frozenset(
    order + kind
    for order in ("", "<", ">", "|")
    for kind in ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8", "b1", "?")
) | frozenset((*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "bool", "float32", "float64"))
_MOST_STEPS = 8


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


def _is_type(value: Any) -> bool:
    return isinstance(value, str) and value in _NUMBERS


def _is_type_or_absent(value: Any) -> bool:
    return value is None or _is_type(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_scale(value: Any) -> bool:
    return _is_number(value) and value != 0


def _is_order(value: Any) -> bool:
    return isinstance(value, list) and all(type(axis) is int for axis in value)


def _is_size(value: Any) -> bool:
    return value is None or (type(value) is int and 1 <= value <= 255)


def _is_place(value: Any) -> bool:
    return value in (None, "start", "end")


def _is_endian(value: Any) -> bool:
    return value in (None, "little", "big")


_Check = tuple[Callable[[Any], bool], str]
_TYPE: _Check = (_is_type, "a type of numbers such as <u4")
_SETTINGS: Mapping[str, Mapping[str, _Check]] = {
    "transpose": {"order": (_is_order, "a list of axes")},
    "bytes": {"endian": (_is_endian, "little or big")},
    "delta": {"dtype": _TYPE, "astype": (_is_type_or_absent, _TYPE[1])},
    "fixedscaleoffset": {
        "dtype": _TYPE,
        "astype": (_is_type_or_absent, _TYPE[1]),
        "scale": (_is_scale, "a number other than 0"),
        "offset": (_is_number, "a number"),
    },
    "astype": {"encode_dtype": _TYPE},
    "shuffle": {"elementsize": (_is_size, "a number of bytes")},
    **{name: {"location": (_is_place, "start or end")} for name in ("crc32", "adler32", "crc32c")},
}
