"""Fields of JSON objects, checked for their type; an error names the object, the field and the value found."""

from __future__ import annotations

from typing import Any

from segmetry.errors import FormatError

LARGEST = 2**63 - 1
"""The largest integer of a field unless a reader states another one."""


def field(data: Any, name: str, where: str) -> Any:
    """Return a field that must be present.

    >>> field({"id": 3}, "id", "image 1")
    3
    """
    if not isinstance(data, dict):
        raise FormatError(f"{where} is {_shortened(data)}; expected an object with a field {name!r}")
    if name not in data:
        raise FormatError(f"{where} has no field {name!r}")
    return data[name]


def list_field(data: Any, name: str, where: str) -> list[Any]:
    """Return a field that must be a list."""
    value = field(data, name, where)
    if not isinstance(value, list):
        raise FormatError(f"{where}: {name} is {_shortened(value)}; expected a list")
    return value


def lengths_field(data: Any, name: str, where: str, *, least: int = 0) -> tuple[int, ...]:
    """Return a list of integers, in the order of the file.

    >>> lengths_field({"size": [3, 2]}, "size", "info")
    (3, 2)
    """
    lengths = list_field(data, name, where)
    if not all(type(length) is int and least <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {_shortened(lengths)}; expected lengths")
    return tuple(lengths)


def settings_field(data: Any, name: str, where: str) -> dict[str, Any]:
    """Return a field that must be an object if it is present.

    >>> settings_field({"name": "crc32c"}, "configuration", "codec 1")
    {}
    """
    value = field({name: None, **data} if isinstance(data, dict) else data, name, where)
    if value is not None and not isinstance(value, dict):
        raise FormatError(f"{where}: {name} is {_shortened(value)}; expected an object")
    return value or {}


def integer_field(data: Any, name: str, where: str, *, least: int = 0, most: int = LARGEST) -> int:
    """Return a field that must be an integer in a range."""
    value = field(data, name, where)
    if type(value) is not int or not least <= value <= most:
        raise FormatError(f"{where}: {name} is {_shortened(value)}; expected an integer from {least} to {most}")
    return value


def flag_field(data: Any, name: str, where: str, *, default: int | None = None) -> bool:
    """Return a field that must be 0, 1, false or true."""
    if default is not None and isinstance(data, dict) and name not in data:
        return bool(default)
    value = field(data, name, where)
    if not isinstance(value, int) or value not in (0, 1):
        raise FormatError(f"{where}: {name} is {_shortened(value)}; expected 0 or 1")
    return bool(value)


def id_field(data: Any, name: str, where: str) -> int | str:
    """Return the id of an image: an integer or a string."""
    value = field(data, name, where)
    if type(value) is not int and not isinstance(value, str):
        raise FormatError(f"{where}: {name} is {_shortened(value)}; expected an integer or a string")
    return value


def _shortened(value: Any) -> str:
    return f"{str(value)[:40]!a}"
