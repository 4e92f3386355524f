"""Skeletons: traced neurons as graphs, nodes with positions and edges between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.errors import InputError


@dataclass(frozen=True, eq=False, init=False)
class Skeletons:
    """Nodes and edges of one or more skeletons.

    Parameters
    ----------
    positions : array of float, shape (nodes, axes)
        Where each node is, in the order of the axes of a volume (z, y, x) and in its unit of length.
    edges : array of int, shape (edges, 2)
        The two nodes of each edge; both belong to the same skeleton.
    skeletons : sequence
        The name of the skeleton of each node.

    Examples
    --------
    >>> traced = Skeletons([[0, 0, 0], [0, 0, 3], [0, 4, 3]], [[0, 1], [1, 2]], ["axon"] * 3)
    >>> traced.names, traced.lengths.tolist()
    (('axon',), [7.0])
    """

    positions: FloatArray
    edges: IndexArray
    names: tuple[Hashable, ...]
    skeleton_of: IndexArray

    def __init__(self, positions: ArrayLike, edges: ArrayLike, skeletons: Sequence[Hashable]) -> None:
        places = np.asarray(positions, dtype=np.float64)
        pairs: NDArray[Any] = np.asarray(edges)
        pairs = np.zeros((0, 2), dtype=np.intp) if pairs.size == 0 else pairs
        if places.ndim != 2 or not np.isfinite(places).all():
            raise InputError(f"positions have shape {places.shape}; expected finite numbers of shape (nodes, axes)")
        if len(skeletons) != len(places):
            raise InputError(f"{len(skeletons)} names of skeletons for {len(places)} nodes; expected one for each")
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise InputError(f"edges have shape {pairs.shape} and dtype {pairs.dtype}; expected integers (edges, 2)")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= len(places)):
            raise InputError(f"an edge names node {int(pairs.max())}; expected nodes from 0 to {len(places) - 1}")
        names = tuple(dict.fromkeys(skeletons))
        number = {name: at for at, name in enumerate(names)}
        of = np.array([number[name] for name in skeletons], dtype=np.intp)
        first, second = of[pairs[:, 0]], of[pairs[:, 1]]
        if (first != second).any():
            at = int(np.argmax(first != second))
            raise InputError(
                f"edge {at} joins the skeletons {names[first[at]]!r} and {names[second[at]]!r}; expected nodes of one"
            )
        self.__dict__.update(  # the dataclass is frozen
            positions=places, edges=pairs.astype(np.intp), names=names, skeleton_of=of
        )

    @cached_property
    def edge_lengths(self) -> FloatArray:
        """The length of every edge."""
        ends = self.positions[self.edges]
        lengths: FloatArray = np.sqrt(((ends[:, 0] - ends[:, 1]) ** 2).sum(axis=1))
        return lengths

    @cached_property
    def lengths(self) -> FloatArray:
        """The length of every skeleton."""
        of_edges = self.skeleton_of[self.edges[:, 0]] if len(self.edges) else np.zeros(0, dtype=np.intp)
        return np.bincount(of_edges, weights=self.edge_lengths, minlength=len(self.names)).astype(np.float64)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeletons({len(self.names)} skeletons, {len(self.positions)} nodes, {len(self.edges)} edges)"
