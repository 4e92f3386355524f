"""Options that take one of a few words, or an integer, from Python or from the command line."""

from __future__ import annotations

from operator import index
from typing import Any, get_args

from segmetry.errors import OptionError


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if an option has none of its values: a tuple, or the ``Literal`` that is the type of the option.

    >>> check_choice("over", "lines", ("elements", "pairs"))
    Traceback (most recent call last):
    segmetry.errors.OptionError: over is 'lines'; expected 'elements' or 'pairs'
    """
    known = get_args(choices) or tuple(choices)
    if value not in known:
        expected = " or ".join(map(repr, known)) if len(known) == 2 else f"one of {', '.join(known)}"
        raise OptionError(f"{name} is {value!r}; expected {expected}")


def checked_integer(name: str, value: Any, least: int, expected: str) -> int:
    """Return an option as an integer; a bool, a fraction, or less than ``least`` is an error.

    >>> checked_integer("margin", 2.5, 0, "number of elements, 0 or more")
    Traceback (most recent call last):
    segmetry.errors.OptionError: margin is 2.5; expected an integer number of elements, 0 or more
    """
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise OptionError(f"{name} is {value!r}; expected an integer {expected}")
    return number


def whole_number(name: str, value: Any, least: int, unit: str) -> int:
    """Return an option as an integer, from a whole float or its text, too; anything less than ``least`` is an error.

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
