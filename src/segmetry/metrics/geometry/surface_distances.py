r"""Distances between the segments of matched pairs: matched by overlap, scored by distance.

Each score is the mean over matched pairs of a distance (or a similarity) between the two segments of a pair; the value
of every pair is in ``MatchedShapes``. The *surface* of a segment are its elements with a neighbour along an axis (4 in
2-D, 6 in 3-D) that is not in it; elements outside of the image belong to no segment. Distances are between element
centres, in the units of ``spacing``.

A distance exists between the two segments of a matched pair only, so the mean of distances improves when difficult
segments are missed. ``missing=`` gives every missed and every spurious segment a value, or only an item in which no
pair is matched: the diagonal of the image (ToothFairy), a number (374 mm in the lesion-wise scores of BraTS), or
infinity. The numbers of pairs, missed and spurious segments are always in the details of the score.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from segmetry._base import FloatArray, Threshold, check_choice
from segmetry.errors import OptionError
from segmetry.geometry import ClassShapes, MatchedShapes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import LabelArray

MissingFor = Literal["segment", "item"]
NO_PAIR = "no matched pair"
_FOR = (
    "missing_for='segment' (default) gives this value to every missed and every spurious segment, 'item' only to an "
    "item without a matched pair. details count the pairs, the missed and the spurious segments."
)
MISSING_NOTE = (
    "A missed segment has no distance: missing=None (default) leaves it out, as most packages do, so that the mean is "
    "undefined without a matched pair and must be read together with recall; missing='diagonal' takes the diagonal of "
    f"the image from edge to edge, a number in units of spacing, or 'inf'. {_FOR}"
)
SIMILARITY_NOTE = (
    "missing=None (default) leaves out missed and spurious segments, so that the mean is undefined without a matched "
    "pair "
    f"and must be read together with recall; missing=0 or another number in [0, 1] is their value. {_FOR}"
)


def mean_over_pairs(
    key: str,
    shapes: MatchedShapes,
    values: FloatArray,
    penalty: float | None,
    missing_for: str,
    unit: str | None = None,
) -> Score:
    """Return the mean of one value per pair, and of the penalties, the same in every order; ``unit`` is theirs."""
    check_choice("missing_for", missing_for, MissingFor)
    alignment = shapes.alignment
    missed, spurious = alignment.n_unmatched_true, alignment.n_unmatched_pred
    unpaired = missed + spurious
    if penalty is None or (missing_for == "item" and values.size):
        unpaired = 0
    elif missing_for == "item":
        unpaired = min(unpaired, 1)
    total = math.fsum(values.tolist()) + (unpaired * penalty if penalty is not None and unpaired else 0.0)
    counts = {"pairs": int(values.size), "missed": int(missed), "spurious": int(spurious)}
    return Score.of(key, total, values.size + unpaired, NO_PAIR, **counts, **({} if unit is None else {"unit": unit}))


def missing_distance(shapes: MatchedShapes | ClassShapes, missing: float | str | None) -> float | None:
    """Return the distance of a segment without a partner; None if it is left out."""
    if missing is None:
        return None
    if missing == "diagonal":
        sides = zip(shapes.true.domain, shapes.spacing, strict=True)
        return math.hypot(*(size * step for size, step in sides))
    value = number_or_nan(missing)
    if not value >= 0:
        raise OptionError(f"missing is {missing!r}; expected a distance of at least 0, 'diagonal', 'inf' or None")
    return value


def mean_distance(
    key: str, shapes: MatchedShapes, values: FloatArray, missing: float | str | None, missing_for: str
) -> Score:
    """Return the mean distance of the pairs, in the unit of the shapes."""
    return mean_over_pairs(key, shapes, values, missing_distance(shapes, missing), missing_for, shapes.unit)


def missing_similarity(missing: float | str | None) -> float | None:
    """Return the similarity of a segment without a partner; None if it is left out."""
    if missing is None:
        return None
    value = number_or_nan(missing)
    if not 0 <= value <= 1:
        raise OptionError(f"missing is {missing!r}; expected a number in [0, 1] or None")
    return value


def number_or_nan(text: float | str) -> float:
    try:
        return float(text)
    except (TypeError, ValueError):
        return math.nan


_BAR = [[1, 1, 1, 1, 0, 0]], [[1, 1, 1, 0, 0, 0]]
_FINE_BAR = LabelArray(_BAR[0], spacing=(1, 0.5)), LabelArray(_BAR[1], spacing=(1, 0.5))
_OFFSET = [[0, 1, 1, 1, 1], [0, 1, 1, 1, 1]], [[1, 1, 1, 1, 0], [1, 1, 1, 1, 0]]
_HALF_MISSED = [[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 2]], [[1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
_MEAN = r"\frac{1}{|TP|}\sum_{(t,h)\in TP}"
MissingDistance = float | Literal["diagonal", "inf"] | None
_pair_score = partial(metric, symmetric=True, pooled=True)
_pair_distance = partial(_pair_score, bounds=(0, math.inf), better="lower")


@_pair_distance(
    symbol="HD",
    order=30,
    aliases=("hd", "hausdorff_distance"),
    formula=_MEAN + r"\max\left(\max_{a\in\partial t}\min_{b\in\partial h}|a-b|,\ "
    r"\max_{b\in\partial h}\min_{a\in\partial t}|a-b|\right)",
    summary="Hausdorff distance: the largest distance from a surface element of either segment to the other surface, "
    "averaged over matched pairs.",
    citation="huttenlocher1993comparing",
    notes=f"{MISSING_NOTE} points='all' measures from every element instead of from the surface, so that what both "
    "segments share counts as distance 0; a hole inside a segment is then never far away.",
    examples=(
        Example(*_BAR, 1.0),
        Example(*_FINE_BAR, 0.5),
        Example(*_OFFSET, 1.0),
        Example(*_HALF_MISSED, 1.0),
        Example(*_HALF_MISSED, (1 + 5) / 2, {"missing": "diagonal"}),
        Example(*_HALF_MISSED, (1 + 374) / 2, {"missing": 374}),
    ),
)
def hausdorff(
    shapes: MatchedShapes,
    *,
    points: Literal["surface", "all"] = "surface",
    missing: MissingDistance = None,
    missing_for: MissingFor = "segment",
) -> Score:
    return mean_distance("hausdorff", shapes, shapes.hausdorff(points), missing, missing_for)


@_pair_distance(
    symbol=r"\mathrm{HD}_{95}",
    aliases=("hd95", "hausdorff_distance_95"),
    formula=_MEAN + r"\max\left(P_{95}\{\min_{b\in\partial h}|a-b| : a\in\partial t\},\ "
    r"P_{95}\{\min_{a\in\partial t}|a-b| : b\in\partial h\}\right)",
    summary="95 % Hausdorff distance: the Hausdorff distance with the 95th percentile instead of the maximum, "
    "robust to a few outliers, averaged over matched pairs.",
    citation="huttenlocher1993comparing",
    notes=f"{MISSING_NOTE} Packages differ: percentile='directed' takes the larger of the two directed percentiles, "
    "'pooled' the percentile of all distances together (MedPy). Percentiles are interpolated linearly. points='all' "
    "measures from every element. weights='area' takes 95 % of the length or area of the surface, measured between "
    "corners of elements and without interpolation (surface-distance, BraTS).",
    examples=(
        Example(*_BAR, 0.85),
        Example(*_BAR, 0.7, {"percentile": "pooled"}),
        Example(*_BAR, 1.0, {"weights": "area"}),
    ),
)
def hausdorff95(
    shapes: MatchedShapes,
    *,
    percentile: Literal["directed", "pooled"] = "directed",
    points: Literal["surface", "all"] = "surface",
    weights: Literal["elements", "area"] = "elements",
    missing: MissingDistance = None,
    missing_for: MissingFor = "segment",
) -> Score:
    values = shapes.hausdorff95(percentile, points, weights)
    return mean_distance("hausdorff95", shapes, values, missing, missing_for)


@_pair_distance(
    symbol="ASD",
    aliases={"assd": {}, "asd": {}, "masd": {"average": "directed"}},
    formula=_MEAN
    + r"\frac{\sum_{a\in\partial t}\min_{b\in\partial h}|a-b|+\sum_{b\in\partial h}\min_{a\in\partial t}|a-b|}"
    r"{|\partial t|+|\partial h|}",
    summary="Average surface distance: the mean distance of the surface elements of both segments to the other "
    "surface, averaged over matched pairs.",
    citation="heimann2009comparison",
    notes=f"{MISSING_NOTE} average='pooled' weighs every surface element equally, as published; 'directed' is the mean "
    "of the two directed means.",
    examples=(Example(*_BAR, 1 / 7), Example(*_BAR, 0.125, {"average": "directed"})),
)
def average_surface_distance(
    shapes: MatchedShapes,
    *,
    average: Literal["pooled", "directed"] = "pooled",
    missing: MissingDistance = None,
    missing_for: MissingFor = "segment",
) -> Score:
    values = shapes.average_surface_distance(average)
    return mean_distance("average_surface_distance", shapes, values, missing, missing_for)


@_pair_score(
    symbol="NSD",
    aliases=("nsd", "normalized_surface_dice", "surface_dice_coefficient"),
    formula=_MEAN + r"\frac{|\{a\in\partial t : \min_{b\in\partial h}|a-b|\le\tau\}|"
    r"+|\{b\in\partial h : \min_{a\in\partial t}|a-b|\le\tau\}|}"
    r"{|\partial t|+|\partial h|}",
    summary="Surface Dice: the share of both surfaces that is within a tolerance of the other, averaged over matched "
    "pairs.",
    citation=("nikolov2021clinically", "lorensen1987marching"),
    notes=f"{SIMILARITY_NOTE} The tolerance has no default: it depends on the data. weights='area' (default) weighs "
    "pieces of the surface between elements by their length (2-D) or area (3-D), measured between corners of elements, "
    "as the published tool; weights='elements' counts surface elements, measured between their centres, in any number "
    "of axes. A distance equal to the tolerance is within it, decided exactly where spacing and tolerance are short "
    "decimals.",
    examples=(
        Example(*_BAR, 6 / 7, {"tolerance": 0, "weights": "elements"}),
        Example(*_BAR, (10 + 3 * math.sqrt(2)) / (10 + 4 * math.sqrt(2)), {"tolerance": 0}),
        Example(*_BAR, 1.0, {"tolerance": 1}),
    ),
    default_in_family=False,
)
def surface_dice(
    shapes: MatchedShapes,
    *,
    tolerance: Threshold,
    weights: Literal["area", "elements"] = "area",
    missing: float | None = None,
    missing_for: MissingFor = "segment",
) -> Score:
    values = shapes.surface_dice(tolerance, weights)
    return mean_over_pairs("surface_dice", shapes, values, missing_similarity(missing), missing_for)


@_pair_distance(
    symbol="CD",
    formula=_MEAN + r"\Bigl|\frac{1}{|t|}\sum_{a\in t}a-\frac{1}{|h|}\sum_{b\in h}b\Bigr|",
    summary="Centre distance: the distance between the centres of mass of the two segments, averaged over matched "
    "pairs.",
    citation="maierhein2024metrics",
    notes=f"{MISSING_NOTE} Centres are means over the elements and may be outside of the segment.",
    examples=(Example(*_BAR, 0.5), Example(*_FINE_BAR, 0.25)),
)
def centre_distance(
    shapes: MatchedShapes, *, missing: MissingDistance = None, missing_for: MissingFor = "segment"
) -> Score:
    return mean_distance("centre_distance", shapes, shapes.centre_distance(), missing, missing_for)
