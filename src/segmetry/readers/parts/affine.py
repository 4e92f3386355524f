"""Where the elements of a volume lie in space: two volumes are compared only where they lie in the same place."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from segmetry.errors import InputError

TOLERANCE = 0.01
"""How far apart two volumes may lie, in lengths of the shortest voxel edge: headers hold rounded numbers."""


class GridAffine(NamedTuple):
    """A grid in space: the matrix that takes the indices of a voxel to its place, and the number of voxels per axis."""

    affine: tuple[tuple[float, ...], ...]
    shape: tuple[int, ...]

    def corners(self) -> list[tuple[float, ...]]:
        """The places of the first and last voxels along every axis.

        >>> GridAffine(((2.0, 0.0, 1.0), (0.0, 3.0, 0.0)), (2, 2)).corners()
        [(1.0, 0.0), (1.0, 3.0), (3.0, 0.0), (3.0, 3.0)]
        """
        ends = [(0, length - 1) for length in self.shape]
        return [
            tuple(math.fsum(a * b for a, b in zip(row, (*corner, 1), strict=True)) for row in self.affine)
            for corner in itertools.product(*ends)
        ]

    def shortest_edge(self) -> float:
        """The length of the shortest edge of a voxel."""
        return min(math.hypot(*column) for column in list(zip(*self.affine, strict=True))[:-1])


def check_same_place(name: str, true: GridAffine | None, pred: GridAffine | None) -> None:
    """Refuse two volumes whose corners lie in different places; one that does not say where it lies may lie anywhere.

    Shapes that differ are the pair's own error.
    """
    if true is None or pred is None or true.shape != pred.shape:
        return
    apart = max(math.dist(one, other) for one, other in zip(true.corners(), pred.corners(), strict=True))
    if not apart <= TOLERANCE * true.shortest_edge():
        raise InputError(
            f"item {name}: true and pred lie in different places: their corners are up to {apart:.4g} apart, more than "
            f"{TOLERANCE:g} of the shortest voxel edge {true.shortest_edge():.4g}; compare the affines, and resample "
            "one volume to the grid of the other"
        )
