"""Fields of JSON objects with the type they must have; what is missing or of another type is named."""

from __future__ import annotations

from typing import Any

from segmetry.errors import FormatError

_LARGEST = 2**63 - 1


def field(data: Any, name: str, where: str) -> Any:
    """A field that must be there.

    >>> field({"id": 3}, "id", "image 1")
    3
    """
    if not isinstance(data, dict):
        raise FormatError(f"{where} is {_shown(data)}; expected an object with a field {name!r}")
    if name not in data:
        raise FormatError(f"{where} has no field {name!r}")
    return data[name]


def list_field(data: Any, name: str, where: str) -> list[Any]:
    """A field that holds a list."""
    found = field(data, name, where)
    if not isinstance(found, list):
        raise FormatError(f"{where}: {name} is {_shown(found)}; expected a list")
    return found


def whole_field(data: Any, name: str, where: str, *, least: int = 0, most: int = _LARGEST) -> int:
    """A field that holds a whole number in a range."""
    found = field(data, name, where)
    if type(found) is not int or not least <= found <= most:
        raise FormatError(f"{where}: {name} is {_shown(found)}; expected a whole number from {least} to {most}")
    return found


def flag_field(data: Any, name: str, where: str, *, default: int | None = None) -> bool:
    """A field that holds 0, 1, false or true."""
    if default is not None and isinstance(data, dict) and name not in data:
        return bool(default)
    found = field(data, name, where)
    if not isinstance(found, int) or found not in (0, 1):
        raise FormatError(f"{where}: {name} is {_shown(found)}; expected 0 or 1")
    return bool(found)


def id_field(data: Any, name: str, where: str) -> int | str:
    """A field that holds the id of an image: a whole number or a text."""
    found = field(data, name, where)
    if type(found) is not int and not isinstance(found, str):
        raise FormatError(f"{where}: {name} is {_shown(found)}; expected a whole number or a text")
    return found


def _shown(found: Any) -> str:
    return f"{str(found)[:40]!a}"
