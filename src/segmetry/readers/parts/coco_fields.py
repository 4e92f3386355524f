"""Numbers that COCO annotations and results state beside a mask: scores, areas and boxes, each validated."""

from __future__ import annotations

import math
from typing import Any

from segmetry.errors import FormatError


def number_of(value: Any, name: str, place: str, *, least: float = -math.inf) -> float:
    """Return a finite number.

    >>> number_of(3, "area", "annotation 7", least=0)
    3.0
    """
    number = value if type(value) is float else float_of(value) if type(value) is int else None  # as in JSON
    if number is None:
        raise FormatError(f"{place}: {name} is {str(value)[:40]!a}; expected a number")
    if not least <= number < math.inf:
        expected = "a number" if least == -math.inf else f"a number of at least {least:g}"
        raise FormatError(f"{place}: {name} is {str(value)[:40]!a}; expected {expected}")
    return number


def float_of(value: float) -> float:
    """Return a number as a float; infinity for an integer that is too large for one.

    >>> float_of(10**400)
    inf
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf


def box_of(value: Any, place: str) -> list[float]:
    """Return x, y, width and height of a box.

    >>> box_of([1, 2.5, 3, 4], "result 0")
    [1.0, 2.5, 3.0, 4.0]
    """
    if not isinstance(value, list) or len(value) != 4:
        raise FormatError(f"{place}: bbox is {str(value)[:40]!a}; expected [x, y, width, height]")
    x, y, width, height = value
    return [
        number_of(x, "bbox", place),
        number_of(y, "bbox", place),
        number_of(width, "the size of bbox", place, least=0),
        number_of(height, "the size of bbox", place, least=0),
    ]
