"""Tasks for engines, in a module of their own: every process that runs one imports it, and this one is quick."""

from __future__ import annotations

import os
import warnings

from segmetry.errors import DataWarning, InputError, MissingExtraError


def square(number: int) -> int:
    if number == 13:
        raise InputError("thirteen")
    return number * number


def needs_an_extra(_: int) -> int:
    raise MissingExtraError("reading zarr", "zarr")


def dies(_: int) -> int:
    os._exit(9)


def warns(number: int) -> int:
    warnings.warn(f"about {number}", DataWarning, stacklevel=1)
    return number


def divides(number: int) -> float:
    return 1 / number
