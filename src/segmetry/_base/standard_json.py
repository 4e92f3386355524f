"""JSON: text of data that may contain infinite numbers, and fields of objects, checked for their type.

An error names the object, the field and the value found.
"""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

from segmetry.errors import FormatError

_INFINITE = {math.inf: "\0inf", -math.inf: "\0-inf"}


def json_text(data: Any, **options: Any) -> str:
    """Return JSON without NaN; an infinite number is written as 1e999, which every parser reads as infinite."""
    try:
        return json.dumps(data, allow_nan=False, **options)
    except ValueError:
        text = json.dumps(_mark_undefined(data), allow_nan=False, **options)
        return text.replace(r'"\u0000inf"', "1e999").replace(r'"\u0000-inf"', "-1e999")


def _mark_undefined(data: Any) -> Any:
    """Return the data with a text that no other text of theirs equals in place of infinite numbers."""
    if isinstance(data, float):
        return None if math.isnan(data) else _INFINITE.get(data, data)  # of infinite numbers, as their difference
    if isinstance(data, dict):
        return {key: _mark_undefined(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_mark_undefined(value) for value in data]
    return data


def to_json(value: Any) -> Any:
    """Return a result as plain data, for ``json.dumps(value, default=sm.to_json)``.

    Parameters
    ----------
    value
        Any result of segmetry that has ``to_dict`` (scores, summaries, intervals, comparisons …), a fraction, or a
        number or array of numpy.

    Returns
    -------
    dict, list, str, int or float
        The data of ``to_dict``, where an undefined value is ``null`` with its reason; a fraction as text, ``"1/3"``.

    Notes
    -----
    A single :class:`~segmetry.Score` is a float, which JSON writes as a number without asking; an undefined one
    becomes ``NaN``, as every undefined float does in Python's JSON. ``score.to_dict()`` has the reason.

    Examples
    --------
    >>> import json
    >>> import segmetry as sm
    >>> json.dumps(sm.pq([[1, 1, 2, 2]], [[1, 1, 2, 2]]))
    '1.0'
    >>> json.dumps(sm.score([[1, 1, 2, 2]], [[1, 1, 2, 2]], "n_matched"), default=sm.to_json)
    '{"rule": ..., "scores": {"n_matched": {"value": 2.0...}}}'
    """
    to_dict = getattr(value, "to_dict", None)
    if callable(to_dict):
        return to_dict()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a result of segmetry; expected one that has to_dict()")


LARGEST = 2**63 - 1
"""The largest integer of a field unless a reader states another one."""


def field(data: Any, name: str, where: str) -> Any:
    """Return a field that must be present."""
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
    """Return a list of integers, in the order of the file."""
    lengths = list_field(data, name, where)
    if not all(type(length) is int and least <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {_shortened(lengths)}; expected lengths")
    return tuple(lengths)


def settings_field(data: Any, name: str, where: str) -> dict[str, Any]:
    """Return a field that must be an object if it is present."""
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
