"""The position of a volume in space: two volumes are compared only if their grids coincide."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

from segmetry.errors import InputError

TOLERANCE = 0.01
"""Largest distance between two grids, in lengths of the shortest voxel edge: headers contain rounded numbers."""


class GridAffine(NamedTuple):
    """A grid in space: the affine matrix from voxel indices to coordinates, and the number of voxels per axis."""

    affine: tuple[tuple[float, ...], ...]
    shape: tuple[int, ...]

    def corners(self) -> list[tuple[float, ...]]:
        """Return the coordinates of the first and last voxels along every axis.

        >>> GridAffine(((2.0, 0.0, 1.0), (0.0, 3.0, 0.0)), (2, 2)).corners()
        [(1.0, 0.0), (1.0, 3.0), (3.0, 0.0), (3.0, 3.0)]
        """
        ends = [(0, length - 1) for length in self.shape]
        return [
            tuple(math.fsum(a * b for a, b in zip(row, (*corner, 1), strict=True)) for row in self.affine)
            for corner in itertools.product(*ends)
        ]

    def shortest_edge(self) -> float:
        """Return the length of the shortest edge of a voxel."""
        return min(math.hypot(*column) for column in list(zip(*self.affine, strict=True))[:-1])


def check_same_place(name: str, true: GridAffine | None, pred: GridAffine | None) -> None:
    """Refuse two volumes whose corners have different coordinates; a volume without an affine fits any other.

    Different shapes are reported when the pair is built.
    """
    if true is None or pred is None or true.shape != pred.shape:
        return
    apart = max(math.dist(a, b) for a, b in zip(true.corners(), pred.corners(), strict=True))
    if not apart <= TOLERANCE * true.shortest_edge():
        raise InputError(
            f"item {name}: true and pred have different positions in space: their corners are up to {apart:.4g} apart, "
            f"more than {TOLERANCE:g} of the shortest voxel edge {true.shortest_edge():.4g}; compare the affines, and "
            "resample one volume to the grid of the other"
        )
