"""How ids, classes, numbers and scores are written into a run file and read back as the same values."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from operator import index
from typing import Any

from segmetry._base import Number
from segmetry.errors import ClassesError

MOST_INTEGER = 2**63 - 1
"""The largest integer of SQLite; larger ids are kept as decimal text."""

ScoreRow = tuple[float | None, str | None, str | None, str | None, str | None]


def stored_id(segment: int) -> int | str:
    """Return an id as SQLite can store it."""
    return segment if segment <= MOST_INTEGER else str(segment)


def stored_text(name: str) -> str:
    """Return the name of a class; one that is no text (half of a surrogate pair) is an error."""
    if name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name):
        return name
    raise ClassesError(f"class {name[:80]!a} cannot be kept in a run file; expected a name that is text")


def stored_class(name: Hashable) -> int | str | float:
    """Return a class as SQLite can store it: integers stay integers, text stays text."""
    if isinstance(name, str):
        return stored_text(name)
    if isinstance(name, float) and math.isfinite(name):
        return name
    try:
        number = index(name)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not -MOST_INTEGER - 1 <= number <= MOST_INTEGER:
        raise ClassesError(f"class {name!r} cannot be kept in a run file; expected text or a 64-bit integer")
    return number


def stored_classes(names: Sequence[Hashable]) -> list[int | str | float]:
    """Return classes as SQLite can store them."""
    listed: list[Any] = list(names)
    if set(map(type, listed)) == {int} and min(listed) >= -MOST_INTEGER and max(listed) <= MOST_INTEGER:
        return listed
    return [stored_class(name) for name in names]


def details_text(details: Mapping[str, Any]) -> str:
    """Return details as JSON; most are a few integers, for which a general encoder takes several times as long."""
    if all(type(value) is int and name.isidentifier() and name.isascii() for name, value in details.items()):
        return "{" + ", ".join([f'"{name}": {value}' for name, value in details.items()]) + "}"
    return json.dumps(dict(details))


def number_text(number: Number | None) -> str | None:
    """Return integers as digits, fractions with a slash, floats so that they are read back with the same bits."""
    if type(number) is int:
        return str(number)
    if number is None:
        return None
    if isinstance(number, Fraction):
        return f"{number.numerator}/{number.denominator}"
    return repr(float(number)) if isinstance(number, float) else str(int(number))


def json_of_text(text: str | bytes) -> Any:
    """Return the JSON of a run file; a number that is not finite is a ValueError."""
    return json.loads(text, parse_float=_finite, parse_constant=_finite)


def _finite(text: str | float) -> float:
    """Return a finite number; any other is a ValueError."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def number_of_text(text: str | None) -> Number | None:
    """Return the number that :func:`number_text` wrote; text that is no number is a ValueError."""
    if text is None:
        return None
    if text == "inf":  # what a missed segment may cost; "1e999" is nothing that was written
        return math.inf
    top, slash, bottom = text.partition("/")
    if slash:
        return Fraction(int(top), int(bottom))  # in half the time that Fraction needs for a text
    return int(text) if text.lstrip("-").isdigit() else _finite(text)
