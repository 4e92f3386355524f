r"""The Betti-number error [hu2019topology]: do both sides have as many parts, holes and cavities?

|β_k(P) − β_k(T)| for one dimension k, or the sum over all of them; of the whole image, or the mean over patches, which
tells where the topology is wrong as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from segmetry.errors import OptionError
from segmetry.geometry.betti_numbers import betti_numbers, checked_neighbours
from segmetry.geometry.class_masks import class_masks
from segmetry.geometry.segment_shapes import Mask
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.whole_numbers import whole_number
from segmetry.segmentation.base import Segmentation

NO_CLASS = "no class on either side"


def betti_errors(
    true: Segmentation,
    pred: Segmentation,
    *,
    dimension: int | None = None,
    patch: int | None = None,
    connectivity: int | None = None,
) -> dict[str, Column]:
    """Collect the error of each class of one item."""
    neighbours = checked_neighbours(connectivity, len(true.domain))
    counted = _checked_dimension(dimension, len(true.domain))
    side = None if patch is None else whole_number("patch", patch, 1, "elements")
    rows = [
        (name, _error(of_true, of_pred, neighbours, counted, side))
        for name, of_true, of_pred in class_masks(true, pred)
    ]
    return {"class": [name for name, _ in rows], "error": np.array([error for _, error in rows], dtype=np.float64)}


def _checked_dimension(dimension: int | None, axes: int) -> int | None:
    number = None if dimension is None else whole_number("dimension", dimension, 0, "axes")
    if number is not None and number >= axes:
        raise OptionError(f"dimension is {dimension} and the labels have {axes} axes; expected 0 to {axes - 1}")
    return number


def _error(true: Mask, pred: Mask, neighbours: int, dimension: int | None, patch: int | None) -> float:
    errors = []
    for first, second in _patches(true, pred, patch):
        numbers = zip(betti_numbers(first, neighbours), betti_numbers(second, neighbours), strict=True)
        differences = [abs(a - b) for a, b in numbers]
        errors.append(sum(differences) if dimension is None else differences[dimension])
    return sum(errors) / len(errors)


def _patches(true: Mask, pred: Mask, patch: int | None) -> Iterator[tuple[Mask, Mask]]:
    """Yield the parts of a regular tiling; those at the end may be smaller."""
    if patch is None:
        yield true, pred
        return
    for corner in product(*(range(0, size, patch) for size in true.shape)):
        place = tuple(slice(start, start + patch) for start in corner)
        yield true[place], pred[place]


_RING = [[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 0]], [[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 1, 0]]
_BROKEN = [[1, 1, 1, 1, 1]], [[1, 0, 1, 0, 1]]


@metric(
    symbol=r"\beta_{\mathrm{error}}",
    order=120,
    aliases={
        "betti_number_error": {},
        "betti_0_error": {"dimension": 0},
        "betti_1_error": {"dimension": 1},
        "betti_2_error": {"dimension": 2},
    },
    kinds=("labels", "masks"),
    dimensions=(2, 3),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\sum_k|\beta_k(p_c)-\beta_k(t_c)|",
    summary="Betti-number error: by how many connected parts, holes and cavities the two sides of a class differ, "
    "averaged over classes.",
    citation="hu2019topology",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    value_if_equal=0,
    notes="dimension=0 counts connected parts, 1 holes (tunnels in a volume), 2 cavities; None (default) adds all of "
    "them. patch=64 is the mean over the 64 × 64 (× 64) patches of a regular tiling, beyond whose frame nothing is; "
    "the publication draws patches at random. By default foreground elements are connected by corners (8, 26) and "
    "background elements by faces (4, 6), as in a complex of closed squares or cubes; connectivity=4 or 6 exchanges "
    "them. Equal numbers may belong to different places: two masks without a common element can have error 0. Where "
    "segments carry no classes, equal labels are the same class. Elements that are void on a side are removed from "
    "both.",
    examples=(
        Example(*_RING, 1),
        Example(*_RING, 1, {"dimension": 1}),
        Example(*_BROKEN, 2, {"dimension": 0}),
        Example(*_BROKEN, (1 + 0) / 2, {"patch": 3}),
    ),
    default_in_family=False,
    compares_labels=True,
    statistics=Aggregation(betti_errors, average=BY_CLASS_OF_ITEMS),
)
def betti_error(sums: Sums) -> Quotient:
    return Quotient(sums["error"], reason=NO_CLASS)
