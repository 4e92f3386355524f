r"""Distances between the segments of matched pairs: matched by overlap, scored by distance.

Each score is the mean over matched pairs of a distance (or a similarity) between the two segments of a pair; the value
of every pair is in ``MatchedShapes``. The *surface* of a segment are its elements with a
neighbour along an axis (4 in 2-D, 6 in 3-D) that is not in it; elements outside of the image belong to no segment.
Distances are between element centres, in the units of ``spacing``.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Literal

from segmetry._base.exact import Threshold
from segmetry.geometry.matched_shapes import MatchedShapes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.missing_segments import (
    MISSING_NOTE,
    SIMILARITY_NOTE,
    MissingFor,
    mean_over_pairs,
    missing_distance,
    missing_similarity,
)
from segmetry.metrics.score import Score
from segmetry.segmentation.labels import LabelArray

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
    return mean_over_pairs(
        "hausdorff", shapes, shapes.hausdorff(points), missing_distance(shapes, missing), missing_for, shapes.unit
    )


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
    return mean_over_pairs("hausdorff95", shapes, values, missing_distance(shapes, missing), missing_for, shapes.unit)


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
    return mean_over_pairs(
        "average_surface_distance", shapes, values, missing_distance(shapes, missing), missing_for, shapes.unit
    )


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
    values = shapes.centre_distance()
    return mean_over_pairs(
        "centre_distance", shapes, values, missing_distance(shapes, missing), missing_for, shapes.unit
    )
