"""Exact times, and their conversion to integer ticks.

Adding seconds as floats rounds; the decimals written in a file can be added exactly. Times are read as fractions, and
a file's *tick* is the largest power of ten, at most 1, of which every time in it is an integer multiple.
"""

from __future__ import annotations

import re
from fractions import Fraction

from segmetry.errors import FormatError
from segmetry.segmentation.seconds import MOST_DECIMALS, decimals

_NUMBER = re.compile(r"([+-])?(\d{1,30})(\.\d{0,30})?([eE][+-]?\d{1,2})?", re.ASCII)


def parse_time(text: str, where: str) -> Fraction:
    """Return the exact number written in a file.

    >>> parse_time("0.1", "example"), parse_time("2.50", "example")
    (Fraction(1, 10), Fraction(5, 2))
    """
    if len(text) < 18 and text.isdecimal() and text.isascii():
        return Fraction(int(text))
    parts = _NUMBER.fullmatch(text)
    if parts is None:
        raise FormatError(f"{where}: {text[:40]!a} is not a number; expected one such as 12 or 0.25")
    sign, whole, digits, exponent = parts.groups(default="")
    if exponent or sign:
        value = Fraction(text)
    else:  # four times as fast, and times are many
        value = Fraction(int(whole + digits[1:]), 10 ** max(len(digits) - 1, 0))
    if abs(value.numerator) >= value.denominator << 62 or decimals(value.denominator) > MOST_DECIMALS:
        raise FormatError(f"{where}: {text[:40]!a} is out of range; expected less than 2**62")
    return value


def is_number(text: str) -> bool:
    """Return whether a word is a number.

    >>> is_number("0.25"), is_number("nan")
    (True, False)
    """
    return _NUMBER.fullmatch(text) is not None


def in_ticks(time: Fraction, tick: Fraction) -> int:
    """Return the nearest integer number of ticks, half to even; exact for a common tick.

    >>> in_ticks(Fraction(3, 10), Fraction(1, 100))
    30
    """
    if tick.numerator == 1:
        ticks, rest = divmod(time.numerator * tick.denominator, time.denominator)
        if not rest:
            return ticks
    return round(time / tick)


def time_text(position: int, tick: Fraction) -> str:
    """Return a position as an exact decimal.

    >>> time_text(125, Fraction(1, 100)), time_text(3, Fraction(1))
    ('1.25', '3')
    """
    time = position * tick
    count = decimals(time.denominator)
    if count > MOST_DECIMALS:
        raise FormatError(f"the time {time} has no finite decimal; choose a --tick such as 0.01")
    if not count:
        return str(time.numerator)
    digits = str(abs(time.numerator) * 10**count // time.denominator).rjust(count + 1, "0")
    return f"{'-' if time < 0 else ''}{digits[:-count]}.{digits[-count:]}"
