"""Skeletons: traced neurons as graphs, nodes with positions and edges between them; the labels of a volume at nodes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import FloatArray, IndexArray, IntArray
from segmetry.errors import InputError, OptionError
from segmetry.segmentation.labels import LabelArray
from segmetry.storage import planes


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


Rounding = Literal["nearest", "down"]


def node_labels(
    skeletons: Skeletons,
    volume: Any,
    *,
    spacing: Sequence[float] | float | None = None,
    offset: Sequence[float] | float = 0.0,
    rounding: Rounding = "nearest",
) -> IntArray:
    """Return the label of the voxel of every node.

    Along each axis, a node at position p is in the voxel number (p − offset) / spacing, rounded to the nearest integer
    (halves up) or, with ``rounding="down"``, down: the offset is then the corner of the first voxel, not its centre. A
    node outside the volume is an error.
    """
    if rounding not in ("nearest", "down"):
        raise OptionError(f"rounding is {rounding!r}; expected 'nearest' or 'down'")
    labels = volume if isinstance(volume, LabelArray) else LabelArray(volume, outside=None, allow_negative=True)
    shape = labels.domain
    if skeletons.positions.shape[1] != len(shape):
        raise InputError(
            f"nodes have {skeletons.positions.shape[1]} coordinates and the volume {len(shape)} axes; expected as many"
        )
    steps = np.broadcast_to(np.asarray(labels.spacing if spacing is None else spacing, dtype=float), len(shape))
    if not (steps > 0).all():
        raise OptionError(f"spacing is {steps.tolist()}; expected positive numbers")
    shifted = (skeletons.positions - np.asarray(offset, dtype=float)) / steps
    voxels = np.floor(shifted + 0.5 if rounding == "nearest" else shifted).astype(np.int64)
    wrong = ((voxels < 0) | (voxels >= np.array(shape))).any(axis=1)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(
            f"node {at} at {skeletons.positions[at].tolist()} is in voxel {voxels[at].tolist()}, outside the volume of "
            f"shape {shape}; state spacing and offset in the unit of the skeletons"
        )
    # Chunk by chunk: of a stored volume only the chunks with nodes are read.
    edges = planes(labels.domain) if labels.stored is None else labels.stored.edges
    chunk = np.stack(
        [np.searchsorted(cuts, voxels[:, axis], side="right") - 1 for axis, cuts in enumerate(edges)], axis=1
    )
    sampled = np.zeros(len(voxels), dtype=labels.dtype)
    places, member = np.unique(chunk, axis=0, return_inverse=True)
    for number, place in enumerate(places.tolist()):
        nodes = np.flatnonzero(member.ravel() == number)
        box = tuple(slice(cuts[at], cuts[at + 1]) for cuts, at in zip(edges, place, strict=True))
        part = np.asarray(labels.read(box))
        inside = voxels[nodes] - np.array([cut.start for cut in box])
        sampled[nodes] = part[tuple(inside.T)]
    return sampled
