"""Numbers in the text headers of volumes: sizes, steps, vectors, and the grid in space that they define."""

from __future__ import annotations

import math
from collections.abc import Sequence

from segmetry.errors import EmptyInputError, FormatError
from segmetry.readers.parts.affine import GridAffine

MOST_AXES = 8


def integers(text: str, what: str, least: int = 0) -> tuple[int, ...]:
    """Return integers separated by blanks.

    >>> integers("4 5 6", "sizes")
    (4, 5, 6)
    """
    words = text.split()
    if not words or not all(word.isascii() and word.isdecimal() and len(word) < 19 for word in words):
        raise FormatError(f"{what} is {text[:40]!a}; expected integers")
    numbers = tuple(map(int, words))
    if min(numbers) < least:
        raise FormatError(f"{what} is {text[:40]!a}; expected integers of at least {least}")
    return numbers


def floats(text: str, what: str, count: int) -> tuple[float, ...]:
    """Return finite numbers separated by blanks.

    >>> floats("1.5 2", "spacing", 2)
    (1.5, 2.0)
    """
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)) or len(numbers) != count:
        raise FormatError(f"{what} is {text[:60]!a}; expected {count} numbers")
    return numbers


def checked_shape(shape: Sequence[int], axes: int, where: str) -> tuple[int, ...]:
    """Return the shape of a volume, without an axis of length 0."""
    if len(shape) != axes or axes > MOST_AXES:
        raise FormatError(
            f"{where}: declares {axes} axes and sizes {tuple(shape)[:MOST_AXES]}; expected a size for each"
        )
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {tuple(shape)}; expected at least one voxel")
    return tuple(shape)


def checked_steps(steps: Sequence[float], where: str) -> tuple[float, ...]:
    """Return the spacing of a volume: positive lengths."""
    if not all(step > 0 for step in steps):
        raise FormatError(f"{where}: declares voxels of size {tuple(steps)}; expected positive lengths")
    return tuple(steps)


def grid(
    shape: Sequence[int], vectors: Sequence[Sequence[float]], origin: Sequence[float], signs: Sequence[int]
) -> GridAffine | None:
    """Return the grid of a volume or an image in coordinates from left to right, posterior to anterior, inferior to
    superior, from the vector of each axis and the position of the first voxel; None beyond three axes.

    ``signs`` are -1 for each coordinate that grows the other way.

    >>> grid((2, 3), [(0.5, 0), (0, 1)], (7, 0), (-1, -1)).affine
    ((-0.5, 0.0, 0.0, -7.0), (0.0, -1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    """
    if not 2 <= len(shape) <= 3 or len(origin) != len(shape):
        return None
    whole = (*shape, *(1,) * (3 - len(shape)))
    padded = [(*vector, *(0.0,) * (3 - len(vector))) for vector in vectors]
    padded += [(0.0, 0.0, 1.0)] * (3 - len(padded))
    start = (*origin, *(0.0,) * (3 - len(origin)))
    turn = (*signs, 1, 1)[:3]
    rows = tuple(
        tuple(turn[row] * value + 0.0 for value in (*(vector[row] for vector in padded), start[row]))
        for row in range(3)
    )
    return GridAffine(rows, whole)
