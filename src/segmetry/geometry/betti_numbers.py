r"""Betti numbers of a mask: β₀ connected parts, β₁ holes (in a volume: tunnels), β₂ cavities.

Foreground and background need different neighbourhoods, or a closed curve would not separate its inside: 8 and 4 (or 4
and 8) in an image, 26 and 6 (or 6 and 26) in a volume. Elements as closed squares or cubes are connected by corners (8,
26); elements as points with edges between them by faces (4, 6). The Euler characteristic χ = β₀ − β₁ + β₂ is the
alternating sum of the numbers of cells, and outside of the frame nothing is.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.kernels.components import label_components

DUAL = {4: 8, 8: 4, 6: 26, 26: 6}
"""The neighbours of the background, by those of the foreground."""
# Elements as closed squares or cubes: parts that touch in a corner are one.
DEFAULT = {2: 8, 3: 26}
_CLOSED = (8, 26)


def betti_numbers(mask: NDArray[np.bool_], neighbours: int) -> tuple[int, ...]:
    """Return β₀, β₁ (and β₂ of a volume) of a mask whose elements have this many neighbours.

    >>> ring = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=bool)
    >>> betti_numbers(ring, 4), betti_numbers(~ring, 4), betti_numbers(np.eye(3, dtype=bool), 8)
    ((1, 1), (1, 0), (1, 0))
    """
    # The pad joins all background that reaches the frame into one component, which is not enclosed: hence - 1.
    padded = np.pad(mask, 1)
    parts = int(label_components(padded, neighbours).sizes.size)
    enclosed = int(label_components(~padded, DUAL[neighbours]).sizes.size) - 1
    if mask.ndim == 2:
        return parts, enclosed
    # Tunnels are the only unknown of chi = parts - tunnels + cavities; no labelling finds them.
    return parts, parts + enclosed - euler_characteristic(mask, closed=neighbours in _CLOSED), enclosed


def euler_characteristic(mask: NDArray[np.bool_], *, closed: bool) -> int:
    """Return the alternating sum of the numbers of cells: of closed cubes, or of points, edges, squares and cubes.

    >>> [euler_characteristic(np.eye(2, dtype=bool), closed=closed) for closed in (True, False)]
    [1, 2]
    """
    padded, total = np.pad(mask, 1), 0
    for order in range(mask.ndim + 1):
        for axes in combinations(range(mask.ndim), order):
            cells = int(np.count_nonzero(reduce(_shared_faces if closed else _spanned_edges, axes, padded)))
            total += (-1) ** ((mask.ndim - order) if closed else order) * cells
    return total


def _shared_faces(cells: NDArray[np.bool_], axis: int) -> NDArray[np.bool_]:
    """Return the faces between neighbours along an axis that belong to one of them."""
    lines = np.moveaxis(cells, axis, 0)
    return np.moveaxis(lines[1:] | lines[:-1], 0, axis)


def _spanned_edges(cells: NDArray[np.bool_], axis: int) -> NDArray[np.bool_]:
    """Return the edges between neighbours along an axis that both exist."""
    lines = np.moveaxis(cells, axis, 0)
    return np.moveaxis(lines[1:] & lines[:-1], 0, axis)


def checked_neighbours(connectivity: int | None, axes: int) -> int:
    """Return the neighbours of the foreground: 8 or 4 in an image, 26 or 6 in a volume.

    >>> checked_neighbours(None, 2), checked_neighbours(6, 3)
    (8, 6)
    """
    if connectivity is None:
        return DEFAULT[axes]
    fitting = [number for number in DUAL if (number in (4, 8)) == (axes == 2)]
    if str(connectivity) not in map(str, fitting):
        raise OptionError(
            f"connectivity is {connectivity!r} and the labels have {axes} axes; expected {fitting[0]} or {fitting[1]}"
        )
    return int(connectivity)
