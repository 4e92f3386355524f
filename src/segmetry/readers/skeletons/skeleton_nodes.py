"""Nodes and edges of skeletons while files are read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from segmetry.errors import FormatError
from segmetry.segmentation.skeletons.skeleton_graphs import Skeletons


@dataclass
class SkeletonNodes:
    """Nodes by skeleton and by their number in its file; positions are (z, y, x)."""

    positions: list[tuple[float, float, float]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    numbers: dict[tuple[str, int], int] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Return whether a skeleton of this name has been read."""
        return name in self.names

    def add(self, name: str, number: int, position: tuple[float, float, float], where: str) -> None:
        """Add a node; two of one number in a skeleton are an error."""
        if (name, number) in self.numbers:
            raise FormatError(f"{where}: node {number} occurs twice in the skeleton {name[:80]!a}")
        if not all(map(math.isfinite, position)):
            raise FormatError(f"{where}: node {number} is at {position}; expected finite numbers")
        self.numbers[name, number] = len(self.positions)
        self.positions.append(position)
        self.names.append(name)

    def join(self, name: str, first: int, second: int, where: str) -> None:
        """Add an edge between two nodes of a skeleton."""
        for number in (first, second):
            if (name, number) not in self.numbers:
                raise FormatError(
                    f"{where}: an edge names node {number}, which the skeleton {name[:80]!a} does not have"
                )
        self.edges.append((self.numbers[name, first], self.numbers[name, second]))

    def skeletons(self) -> Skeletons:
        """Return what has been read."""
        return Skeletons(self.positions, self.edges, self.names)
