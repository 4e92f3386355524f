"""The labels of a volume at the nodes of skeletons; of a stored volume, only the chunks with nodes are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.errors import InputError, OptionError
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.skeletons.skeleton_graphs import Skeletons
from segmetry.storage.stored_arrays import planes

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

    >>> traced = Skeletons([[0, 0], [0, 14]], [[0, 1]], ["a", "a"])
    >>> node_labels(traced, [[5, 6, 7]], spacing=(1, 10)).tolist()
    [5, 6]
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
    return _sampled(labels, voxels)


def _sampled(labels: LabelArray, voxels: IntArray) -> IntArray:
    """Return the labels of voxels, chunk by chunk."""
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
