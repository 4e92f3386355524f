r"""Expected run length of traced neurons in a segmentation [januszewski2018high].

The edges of skeleton s whose two nodes lie in one segment g, which no other skeleton has, form a run of length l_sg.
With the length L_s of a skeleton, the run length that is expected from a random place of all skeletons is

    ERL = Σ_s (L_s / ΣL) · Σ_g l_sg² / L_s = Σ_s Σ_g l_sg² / ΣL,        NERL = ERL / (Σ_s L_s² / ΣL)

where NERL divides by the value of a perfect segmentation. A segment merges if at least two skeletons have
``merge_threshold`` nodes or more in it; its runs are worth nothing. Nodes outside all segments are omitted.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IndexArray, IntArray
from segmetry.errors import InputError, OptionError
from segmetry.metrics.score import Score
from segmetry.results import ColumnType, Table, Tabular, shortest
from segmetry.segmentation import Rounding, Skeletons, as_ids, node_labels

NO_LENGTH = "the skeletons have no length"
ROW_TYPES: dict[str, ColumnType] = {
    "skeleton": "text",
    "length": "number",
    "correct": "number",
    "split": "number",
    "merged": "number",
    "omitted": "number",
    "n_segments": "integer",
    "run_length": "number",
}


@dataclass(frozen=True, eq=False)
class RunLengths(Tabular):
    """The expected run length of some skeletons, and of each of them.

    ``merging`` are the segments that merge, each with the names of its skeletons.
    """

    erl: Score
    nerl: Score
    merging: dict[int, tuple[Any, ...]]
    table: Table

    def rows(self) -> Table:
        """Return one row per skeleton: its length, and how much of it is correct, split, merged and omitted."""
        return self.table

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "erl": self.erl.to_dict(),
            "nerl": self.nerl.to_dict(),
            "merging": {str(segment): [str(name) for name in names] for segment, names in self.merging.items()},
            "rows": list(self.table),
        }

    def __repr__(self) -> str:
        return (
            f"RunLengths(ERL {shortest(self.erl.value)}, NERL {shortest(self.nerl.value)}, {len(self.table)} skeletons)"
        )


def expected_run_length(
    skeletons: Skeletons,
    volume: Any,
    *,
    spacing: Sequence[float] | float | None = None,
    offset: Sequence[float] | float = 0.0,
    rounding: Rounding = "nearest",
    merge_threshold: int = 1,
    outside: int | Collection[int] | None = 0,
) -> RunLengths:
    """Measure how far skeletons can be followed in a segmentation without an error.

    Parameters
    ----------
    skeletons : Skeletons
        The traced neurons, from :func:`segmetry.read_skeletons` or made of nodes and edges.
    volume : array or LabelArray
        The predicted segments; of a stored volume (zarr, HDF5, npy) only the chunks with nodes are read.
    spacing : float or sequence of float, optional
        The size of a voxel along each axis, in the unit of the skeletons; by default that of the volume, else 1.
    offset : float or sequence of float, default 0
        The position of the first voxel.
    rounding : {'nearest', 'down'}, default 'nearest'
        ``'nearest'``: positions are those of the centres of voxels; ``'down'``: of their corners.
    merge_threshold : int, default 1
        How many nodes each of two skeletons must have in a segment for it to merge them; a larger number forgives
        single nodes that are placed across a boundary.
    outside : int, collection of int or None, default 0
        The labels of voxels in no segment; an edge with such a node is omitted.

    Returns
    -------
    RunLengths
        ``erl`` in the unit of the skeletons, ``nerl`` from 0 to 1, and a row for each skeleton.

    Examples
    --------
    >>> import segmetry as sm
    >>> traced = sm.Skeletons([[0, x] for x in range(5)], [[x, x + 1] for x in range(4)], ["axon"] * 5)
    >>> lengths = sm.expected_run_length(traced, [[1, 1, 1, 2, 2]])
    >>> lengths.erl.value, lengths.nerl.value, lengths.rows()[0]["split"]
    (1.25, 0.3125, 1.0)
    """
    if merge_threshold < 1:
        raise OptionError(f"merge_threshold is {merge_threshold}; expected at least 1 node")
    labels = node_labels(skeletons, volume, spacing=spacing, offset=offset, rounding=rounding)
    return run_lengths(skeletons, labels, merge_threshold=merge_threshold, outside=outside)


def run_lengths(
    skeletons: Skeletons, labels: IntArray, *, merge_threshold: int = 1, outside: int | Collection[int] | None = 0
) -> RunLengths:
    """Return the run lengths from the label of every node."""
    if len(labels) != len(skeletons.positions):
        raise InputError(f"{len(labels)} labels for {len(skeletons.positions)} nodes; expected one for each")
    segments, segment_of = np.unique(labels, return_inverse=True)
    is_outside = np.isin(segments, np.array(as_ids(outside, "outside"), dtype=segments.dtype))
    merging = _merging_segments(skeletons, is_outside, segment_of, merge_threshold)
    first, second = skeletons.edges.T if len(skeletons.edges) else np.zeros((2, 0), dtype=np.intp)
    ends = segment_of[first], segment_of[second]
    merges = np.zeros(segments.size, dtype=np.bool_)
    merges[list(merging)] = True
    omitted = is_outside[ends[0]] | is_outside[ends[1]]
    merged = ~omitted & (merges[ends[0]] | merges[ends[1]])
    split = ~omitted & ~merged & (ends[0] != ends[1])
    correct = ~(omitted | merged | split)
    skeleton = skeletons.skeleton_of[first]
    runs = _run_lengths(skeleton[correct], ends[0][correct], skeletons.edge_lengths[correct], segments.size)
    squares, lengths = _sum_by(runs[0], runs[1] ** 2, len(skeletons)), skeletons.lengths
    total = math.fsum(lengths.tolist())
    perfect = math.fsum((lengths**2).tolist())
    kinds = {"correct": correct, "split": split, "merged": merged, "omitted": omitted}
    sums = {name: _sum_by(skeleton[kind], skeletons.edge_lengths[kind], len(skeletons)) for name, kind in kinds.items()}
    number = np.bincount(runs[0], minlength=len(skeletons))
    rows = [
        {
            "skeleton": str(name),
            "length": float(lengths[at]),
            **{kind: float(column[at]) for kind, column in sums.items()},
            "n_segments": int(number[at]),
            "run_length": float(squares[at] / lengths[at]) if lengths[at] else 0.0,
        }
        for at, name in enumerate(skeletons.names)
    ]
    expected = math.fsum(squares.tolist())
    return RunLengths(
        erl=Score.of("erl", expected, total, NO_LENGTH),
        nerl=Score.of("nerl", expected, perfect, NO_LENGTH),
        merging={int(segments[at]): names for at, names in merging.items()},
        table=Table("skeletons", rows, ROW_TYPES),
    )


def _merging_segments(
    skeletons: Skeletons, is_outside: NDArray[np.bool_], segment_of: IndexArray, threshold: int
) -> dict[int, tuple[Any, ...]]:
    """Return the positions of the segments that merge, with the names of the skeletons in them."""
    pairs, counts = np.unique(np.stack((segment_of.ravel(), skeletons.skeleton_of)), axis=1, return_counts=True)
    found: dict[int, list[Any]] = {}
    # A single stray node would merge two neurons: em_erl has such a threshold too.
    for segment, skeleton in pairs[:, counts >= threshold].T.tolist():
        if not is_outside[segment]:
            found.setdefault(segment, []).append(skeletons.names[skeleton])
    return {segment: tuple(names) for segment, names in found.items() if len(names) > 1}


def _run_lengths(
    skeleton: IndexArray, segment: IndexArray, lengths: FloatArray, n_segments: int
) -> tuple[IndexArray, FloatArray]:
    """Return the skeleton and the length of every run."""
    keys, run = np.unique(skeleton * max(n_segments, 1) + segment, return_inverse=True)
    return keys // max(n_segments, 1), _sum_by(run.ravel(), lengths, keys.size)


def _sum_by(groups: IndexArray, values: FloatArray, n: int) -> FloatArray:
    return np.bincount(groups, weights=values, minlength=n).astype(np.float64)
