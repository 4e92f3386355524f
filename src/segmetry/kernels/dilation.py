"""Dilation of a mask by the neighbours that share at least an edge in a volume (18), or a corner in an image (8).

The neighbourhood is the union of the 3 × 3 squares in all planes of two axes, and a square is a step along one axis
after a step along the other: a few shifted unions instead of one for every neighbour.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError


def dilate(mask: NDArray[np.bool_], times: int) -> NDArray[np.bool_]:
    """Return a mask grown by its neighbours, several times; it does not grow beyond the frame.

    >>> dilate(np.array([[False, False, False], [False, False, False], [True, False, False]]), 1).astype(int).tolist()
    [[0, 0, 0], [1, 1, 0], [1, 1, 0]]
    """
    if mask.ndim not in (2, 3):
        raise OptionError(f"dilation needs two or three axes; the mask has {mask.ndim}")
    grown = mask
    for _ in range(times):
        planes = [_along(_along(grown, first), second) for first, second in combinations(range(mask.ndim), 2)]
        grown = reduce(np.logical_or, planes)
    return grown


def _along(mask: NDArray[np.bool_], axis: int) -> NDArray[np.bool_]:
    """Return the mask grown by one step both ways along an axis."""
    grown = mask.copy()
    lines, result = np.moveaxis(mask, axis, 0), np.moveaxis(grown, axis, 0)
    result[1:] |= lines[:-1]
    result[:-1] |= lines[1:]
    return grown
