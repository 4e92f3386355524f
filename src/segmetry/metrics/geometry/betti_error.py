r"""Betti numbers of a mask: β₀ connected parts, β₁ holes (in a volume: tunnels), β₂ cavities.

Foreground and background need different neighbourhoods, or a closed curve would not separate its inside: 8 and 4 (or 4
and 8) in an image, 26 and 6 (or 6 and 26) in a volume. Elements as closed squares or cubes are connected by corners (8,
26); elements as points with edges between them by faces (4, 6). The Euler characteristic χ = β₀ − β₁ + β₂ is the
alternating sum of the numbers of cells, and outside of the frame nothing is.

The Betti-number error [hu2019topology]: do both sides have as many parts, holes and cavities?

|β_k(P) − β_k(T)| for one dimension k, or the sum over all of them; of the whole image, or the mean over patches, which
tells where the topology is wrong as well.

clDice [shit2021cldice]: does the other side cover the centrelines of tubes, such as vessels, roads and neurons?

With V_L and V_P the elements of a class in the truth and in the prediction, and S_L and S_P their skeletons:
Tprec = |S_P ∩ V_L| / |S_P|, Tsens = |S_L ∩ V_P| / |S_L|, clDice = 2 Tprec Tsens / (Tprec + Tsens).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial, reduce
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, whole_number
from segmetry.errors import OptionError
from segmetry.geometry import Mask, class_masks, skeleton
from segmetry.kernels import label_components
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.class_distances import KINDS, harmonic_mean
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import Segmentation

DUAL = {4: 8, 8: 4, 6: 26, 26: 6}
"""The neighbours of the background, by those of the foreground."""
# Elements as closed squares or cubes: parts that touch in a corner are one.
DEFAULT = {2: 8, 3: 26}
_CLOSED = (8, 26)


def betti_numbers(mask: NDArray[np.bool_], neighbours: int) -> tuple[int, ...]:
    """Return β₀, β₁ (and β₂ of a volume) of a mask whose elements have this many neighbours."""
    # The pad joins all background that reaches the frame into one component, which is not enclosed: hence - 1.
    padded = np.pad(mask, 1)
    parts = int(label_components(padded, neighbours).sizes.size)
    enclosed = int(label_components(~padded, DUAL[neighbours]).sizes.size) - 1
    if mask.ndim == 2:
        return parts, enclosed
    # Tunnels are the only unknown of chi = parts - tunnels + cavities; no labelling finds them.
    return parts, parts + enclosed - euler_characteristic(mask, closed=neighbours in _CLOSED), enclosed


def euler_characteristic(mask: NDArray[np.bool_], *, closed: bool) -> int:
    """Return the alternating sum of the numbers of cells: of closed cubes, or of points, edges, squares and cubes."""
    padded, total = np.pad(mask, 1), 0
    for order in range(mask.ndim + 1):
        for axes in combinations(range(mask.ndim), order):
            # Faces belong to one of two neighbours; edges join two that both exist.
            joined = reduce(partial(_joined_along, join=np.logical_or if closed else np.logical_and), axes, padded)
            cells = int(np.count_nonzero(joined))
            total += (-1) ** ((mask.ndim - order) if closed else order) * cells
    return total


def _joined_along(cells: NDArray[np.bool_], axis: int, *, join: np.ufunc) -> NDArray[np.bool_]:
    lines = np.moveaxis(cells, axis, 0)
    return np.moveaxis(join(lines[1:], lines[:-1]), 0, axis)


def checked_neighbours(connectivity: int | None, axes: int) -> int:
    """Return the neighbours of the foreground: 8 or 4 in an image, 26 or 6 in a volume."""
    if connectivity is None:
        return DEFAULT[axes]
    fitting = [number for number in DUAL if (number in (4, 8)) == (axes == 2)]
    if str(connectivity) not in map(str, fitting):
        raise OptionError(
            f"connectivity is {connectivity!r} and the labels have {axes} axes; expected {fitting[0]} or {fitting[1]}"
        )
    return int(connectivity)


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
    errors = {name: _class_error(a, b, neighbours, counted, side) for name, a, b in class_masks(true, pred)}
    return {"class": list(errors), "error": np.array(list(errors.values()), dtype=np.float64)}


def _checked_dimension(dimension: int | None, axes: int) -> int | None:
    number = None if dimension is None else whole_number("dimension", dimension, 0, "axes")
    if number is not None and number >= axes:
        raise OptionError(f"dimension is {dimension} and the labels have {axes} axes; expected 0 to {axes - 1}")
    return number


def _class_error(true: Mask, pred: Mask, neighbours: int, dimension: int | None, patch: int | None) -> float:
    errors = []
    for first, second in _tiled_patches(true, pred, patch):
        numbers = zip(betti_numbers(first, neighbours), betti_numbers(second, neighbours), strict=True)
        differences = [abs(a - b) for a, b in numbers]
        errors.append(sum(differences) if dimension is None else differences[dimension])
    return sum(errors) / len(errors)


def _tiled_patches(true: Mask, pred: Mask, patch: int | None) -> Iterator[tuple[Mask, Mask]]:
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


NO_SKELETON = "no skeleton on either side"
_COUNTS = ("covered_true", "n_true", "covered_pred", "n_pred")
_NOTES = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
    "Skeletons are those of scikit-image (the extra skeleton): Zhang's thinning in 2-D, Lee's in 3-D; another thinning "
    "gives another number, and so does the soft skeleton of the loss function. Elements that are void on a side are "
    "removed from both. "
)


def skeleton_counts(true: Segmentation, pred: Segmentation) -> dict[str, Column]:
    """Collect the elements of both skeletons of each class, and how many of them the other side covers."""
    names, rows = [], []
    for name, of_true, of_pred in class_masks(true, pred):
        line_true, line_pred = skeleton(of_true), skeleton(of_pred)
        counts = [
            int(np.count_nonzero(part)) for part in (line_true & of_pred, line_true, line_pred & of_true, line_pred)
        ]
        if counts[1] or counts[3]:
            names.append(name)
            rows.append(counts)
    columns = np.array(rows, dtype=np.int64).reshape(-1, len(_COUNTS)).T
    return {"class": names, **dict(zip(_COUNTS, columns, strict=True))}


_TUBES = [[1, 1, 1, 1, 1]], [[0, 1, 1, 1, 1]]
_NOTHING = [[0, 0]], [[0, 0]]
_ONE_SIDE = [[1, 1]], [[0, 0]]
_skeleton_score = partial(
    metric,
    kinds=KINDS,
    dimensions=(2, 3),
    citation="shit2021cldice",
    default_in_family=False,
    compares_labels=True,
    statistics=Aggregation(skeleton_counts, average=BY_CLASS_OF_ITEMS, degree=2),
)


@_skeleton_score(
    order=110,
    aliases=("centerline_dice", "centreline_dice", "cldsc"),
    formula=r"\mathrm{clDice} = \frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{Tprec}_c\,\mathrm{Tsens}_c}"
    r"{\mathrm{Tprec}_c+\mathrm{Tsens}_c}",
    summary="Centreline Dice: the harmonic mean of the shares of both skeletons of a class that the other side covers, "
    "averaged over classes.",
    citation=("shit2021cldice", "zhang1984fast", "lee1994building"),
    symmetric=True,
    notes=_NOTES + "A class with a skeleton on one side only counts 0; without one on either side it is undefined. The "
    "published program divides by zero in both cases.",
    examples=(Example(*_TUBES, 2 * 0.8 / 1.8), Example(*_ONE_SIDE, 0), Example(*_NOTHING, None)),
)
def cldice(sums: Sums) -> Quotient:
    return harmonic_mean((sums["covered_pred"], sums["n_pred"]), (sums["covered_true"], sums["n_true"]), NO_SKELETON)


@_skeleton_score(
    aliases=("topology_precision",),
    formula=r"\mathrm{Tprec} = \frac{1}{|C|}\sum_{c\in C}\frac{|S_P^c\cap V_L^c|}{|S_P^c|}",
    summary="Topology precision of clDice: the share of the predicted skeleton of a class that the truth covers, "
    "averaged over classes.",
    swaps_with="cldice_sensitivity",
    notes=_NOTES + "A class without a predicted skeleton is left out.",
    examples=(Example(*_TUBES, 1),),
)
def cldice_precision(sums: Sums) -> Quotient:
    return Quotient(sums["covered_pred"], sums["n_pred"], "no predicted skeleton")


@_skeleton_score(
    aliases=("topology_sensitivity",),
    formula=r"\mathrm{Tsens} = \frac{1}{|C|}\sum_{c\in C}\frac{|S_L^c\cap V_P^c|}{|S_L^c|}",
    summary="Topology sensitivity of clDice: the share of the true skeleton of a class that the prediction covers, "
    "averaged over classes.",
    notes=_NOTES + "A class without a true skeleton is left out.",
    examples=(Example(*_TUBES, 4 / 5),),
)
def cldice_sensitivity(sums: Sums) -> Quotient:
    return Quotient(sums["covered_true"], sums["n_true"], "no true skeleton")
