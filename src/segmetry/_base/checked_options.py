"""Options that take one of a few words, or an integer, from Python or from the command line."""

from __future__ import annotations

from operator import index
from typing import Any, get_args

from segmetry.errors import OptionError


def check_choice(name: str, value: Any, choices: Any) -> None:
    """Raise if an option has none of its values: a tuple, or the ``Literal`` that is the type of the option."""
    known = get_args(choices) or tuple(choices)
    if value not in known:
        expected = " or ".join(map(repr, known)) if len(known) == 2 else f"one of {', '.join(known)}"
        raise OptionError(f"{name} is {value!r}; expected {expected}")


def checked_integer(name: str, value: Any, least: int, expected: str) -> int:
    """Return an option as an integer; a bool, a fraction, or less than ``least`` is an error."""
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise OptionError(f"{name} is {value!r}; expected an integer {expected}")
    return number


def whole_number(name: str, value: Any, least: int, unit: str) -> int:
    """Return an option as an integer, from a whole float or its text, too; anything less than ``least`` is an error."""
    try:
        number = int(value)
        if number == float(value) and number >= least:
            return number
    except (TypeError, ValueError, OverflowError):
        pass
    raise OptionError(f"{name} is {value!r}; expected a number of {unit}, {least} or more")
