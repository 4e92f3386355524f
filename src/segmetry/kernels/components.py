"""Connected components of equal labels in two and three dimensions.

Neighbours share an edge (4) or at least a corner (8) in an image; a face (6), at least an edge (18) or at least a
corner (26) in a volume. Components of different labels never join, so the components of all classes of a semantic map
are found in one pass. Both versions unite runs of equal labels along the last axis, not elements.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base import range_positions
from segmetry.errors import OptionError
from segmetry.kernels.backend import kernel
from segmetry.kernels.label_arrays import LabelNDArray, as_label_array, id_dtype, unsigned_view

NEIGHBOURS = {4: 2, 8: 2, 6: 3, 18: 3, 26: 3}
"""The number of axes by the number of neighbours of an element."""
_REACHES = {4: (0, None, None), 8: (1, None, None), 6: (0, 0, None), 18: (1, 1, 0), 26: (1, 1, 1)}
"""How far a neighbour is shifted along the last axis: in the row before, in the same row of the plane before, and in
the rows beside that one; None where there is no neighbour."""


class Components(NamedTuple):
    """Components are numbered 1, 2, … in the order of their first elements (C order); 0 is ignored."""

    numbers: NDArray[np.int32]
    """The component of every element."""
    labels: NDArray[Any]
    """The label of every component: int64, or uint64 where the array is uint64."""
    sizes: NDArray[np.int64]
    """The number of elements of every component."""


@kernel(
    lambda native, labels, neighbours, ignored=(0,): _components_native(
        native, _checked_labels(labels, neighbours), neighbours, ignored
    )
)
def label_components(labels: ArrayLike, neighbours: int, ignored: Collection[int] = (0,)) -> Components:
    """Return the connected components of equal labels, except the ignored ones. Any integer type and any strides."""
    array = _checked_labels(labels, neighbours)
    volume = array.reshape((1, *array.shape)) if array.ndim == 2 else array
    planes, rows, length = volume.shape
    lines = np.ascontiguousarray(volume).reshape(planes * rows, length)
    if lines.size == 0:
        empty = np.zeros(0, np.int64)
        return Components(np.zeros(array.shape, np.int32), empty.astype(id_dtype(array)), empty)
    begins = np.ones(lines.shape, bool)
    begins[:, 1:] = lines[:, 1:] != lines[:, :-1]
    starts = np.flatnonzero(begins)
    stops = np.append(starts[1:], lines.size)
    values = lines.ravel()[starts]
    kept = ~np.isin(values, [number for number in ignored if np.can_cast(np.min_scalar_type(number), np.int64)])
    starts, stops, values = starts[kept], stops[kept], values[kept]
    # Runs are in C order, so the least run of a component has its first element.
    parents = np.arange(starts.size)
    pairs = list(_touching_runs(starts, stops, (planes, rows, length), neighbours))
    if pairs:
        first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
        same = values[first] == values[second]
        parents = _union_roots(parents, first[same], second[same])
    roots, numbers = np.unique(parents, return_inverse=True)
    flat = np.zeros(lines.size, np.int32)
    lengths = stops - starts
    flat[range_positions(starts, lengths)] = np.repeat(numbers + 1, lengths)
    sizes = np.bincount(numbers, lengths, roots.size).astype(np.int64)
    return Components(flat.reshape(array.shape), values[roots].astype(id_dtype(array)), sizes)


def _checked_labels(labels: ArrayLike, neighbours: int) -> LabelNDArray:
    array = as_label_array(labels)
    if NEIGHBOURS.get(neighbours) != array.ndim:
        fitting = [str(number) for number, axes in NEIGHBOURS.items() if axes == array.ndim]
        expected = f"expected {', '.join(fitting)}" if fitting else "components need two or three axes"
        raise OptionError(f"components is {neighbours} and the labels have {array.ndim} axes; {expected}")
    return array


def _components_native(
    kernels: ModuleType, labels: LabelNDArray, neighbours: int, ignored: Collection[int]
) -> Components:
    # Neighbourhoods do not depend on the order of the axes: put the smallest stride last, where runs are read.
    order = sorted(range(labels.ndim), key=lambda axis: -abs(labels.strides[axis]))
    view = unsigned_view(labels).transpose(order)
    numbers = np.empty(view.shape, np.int32)
    weights = np.array([math.prod(labels.shape[axis + 1 :]) for axis in order], np.int64)
    wide = (slice(None),) if labels.ndim == 3 else (None,)
    found, sizes, firsts = kernels.label_components(
        view[wide],
        neighbours,
        _unsigned_ids(ignored, labels.dtype),
        weights if labels.ndim == 3 else np.append(0, weights),
        numbers[wide],
    )
    values = found.astype(view.dtype).view(labels.dtype).astype(id_dtype(labels))
    ranks = np.argsort(firsts)
    if order != sorted(order) and (np.diff(firsts) < 0).any():  # numbered in another order of axes
        new = np.zeros(ranks.size + 1, np.int32)
        new[ranks + 1] = np.arange(1, ranks.size + 1)
        numbers = new[numbers]
    return Components(numbers.transpose(np.argsort(order)), values[ranks], sizes[ranks])


def _unsigned_ids(ids: Collection[int], dtype: np.dtype[Any]) -> NDArray[np.uint64]:
    """Return the ids that the type can contain, as :func:`unsigned_view` shows them."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    possible = np.array([number for number in ids if low <= number <= high], dtype=dtype)
    return possible.view(f"u{dtype.itemsize}").astype(np.uint64)


def _touching_runs(
    starts: NDArray[np.intp], stops: NDArray[np.intp], shape: tuple[int, int, int], neighbours: int
) -> Any:
    """Yield the pairs (run, run of an earlier row) that touch, one array of each per earlier row."""
    _, rows, length = shape
    row_before, plane_before, beside = _REACHES[neighbours]
    line = starts // length
    wide = length + 2  # no run touches one of another line by its end
    # Two unused places between lines: a run that ends a line would otherwise touch the first one of the next.
    left, right = starts + 2 * line, stops + 2 * line
    for step_plane, step_row, reach in ((0, 1, row_before), (1, 0, plane_before), (1, 1, beside), (1, -1, beside)):
        if reach is None:
            continue
        other = line - step_plane * rows - step_row
        inside = (line // rows >= step_plane) & (line % rows - step_row >= 0) & (line % rows - step_row < rows)
        shift = (line - other) * wide
        low = np.searchsorted(right, left - shift - reach, side="right")
        high = np.searchsorted(left, right - shift + reach, side="left")
        count = np.where(inside, np.maximum(high - low, 0), 0)
        yield np.repeat(np.arange(starts.size), count), range_positions(low, count)


def _union_roots(parents: NDArray[np.intp], first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the least member of the component of each node of a graph: pointers jump until nothing changes."""
    while True:
        a, b = parents[first], parents[second]
        apart = a != b
        if not apart.any():
            return parents
        first, second, a, b = first[apart], second[apart], a[apart], b[apart]
        # Roots only ever decrease, so the loop ends; .at because several pairs may name one root.
        np.minimum.at(parents, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(parents, parents[parents]):
            parents = parents[parents]
