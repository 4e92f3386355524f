"""Options that are whole numbers, from Python or from the command line."""

from __future__ import annotations

from typing import Any

from segmetry.errors import OptionError


def whole_number(name: str, value: Any, least: int, unit: str) -> int:
    """Return an option as an integer; anything else, or less than ``least``, is an error.

    >>> whole_number("radius", 2.0, 0, "elements")
    2
    >>> whole_number("radius", "far", 0, "elements")
    Traceback (most recent call last):
    segmetry.errors.OptionError: radius is 'far'; expected a number of elements, 0 or more
    """
    try:
        number = int(value)
        if number == float(value) and number >= least:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise OptionError(f"{name} is {value!r}; expected a number of {unit}, {least} or more")
