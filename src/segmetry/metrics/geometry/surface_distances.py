r"""Distances between the segments of matched pairs: matched by overlap, scored by distance.

Each score is the mean over matched pairs of a distance (or a similarity) between the two segments of a pair; the value
of every pair is in ``MatchedShapes``. The *surface* of a segment are its elements with a
neighbour along an axis (4 in 2-D, 6 in 3-D) that is not in it; elements outside of the image belong to no segment.
Distances are between element centres, in the units of ``spacing``.
"""

from __future__ import annotations

import math
from typing import Literal

from segmetry._base.exact import FloatArray, Threshold
from segmetry.geometry.matched_shapes import MatchedShapes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.labels import LabelArray

NO_PAIR = "no matched pair"
SHAPED = ("labels", "masks", "spans")
_BAR = [[1, 1, 1, 1, 0, 0]], [[1, 1, 1, 0, 0, 0]]
_FINE_BAR = LabelArray(_BAR[0], spacing=(1, 0.5)), LabelArray(_BAR[1], spacing=(1, 0.5))
_OFFSET = [[0, 1, 1, 1, 1], [0, 1, 1, 1, 1]], [[1, 1, 1, 1, 0], [1, 1, 1, 1, 0]]
_MEAN = r"\frac{1}{|TP|}\sum_{(t,h)\in TP}"
_EMPTY = "Undefined without a matched pair: a missed segment has no distance to anything; read it together with recall."


def mean_over_pairs(key: str, values: FloatArray) -> Score:
    """Return the mean of one value per pair, the same in every order."""
    return Score.of(key, math.fsum(values.tolist()), values.size, NO_PAIR)


@metric(
    symbol="HD",
    family="geometry",
    order=30,
    needs="geometry",
    formula=_MEAN + r"\max\left(\max_{a\in\partial t}\min_{b\in\partial h}|a-b|,\ "
    r"\max_{b\in\partial h}\min_{a\in\partial t}|a-b|\right)",
    summary="Hausdorff distance: the largest distance from a surface element of either segment to the other surface, "
    "averaged over matched pairs.",
    citation="huttenlocher1993comparing",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    aggregation=("mean", "pooled"),
    value_if_equal=0,
    kinds=SHAPED,
    notes=f"{_EMPTY} points='all' measures from every element instead of from the surface, so that what both "
    "segments share counts "
    "as distance 0; a hole inside a segment is then never far away.",
    examples=(Example(*_BAR, 1.0), Example(*_FINE_BAR, 0.5), Example(*_OFFSET, 1.0)),
)
def hausdorff(shapes: MatchedShapes, *, points: Literal["surface", "all"] = "surface") -> Score:
    return mean_over_pairs("hausdorff", shapes.hausdorff(points))


@metric(
    symbol=r"\mathrm{HD}_{95}",
    family="geometry",
    order=40,
    needs="geometry",
    formula=_MEAN + r"\max\left(P_{95}\{\min_{b\in\partial h}|a-b| : a\in\partial t\},\ "
    r"P_{95}\{\min_{a\in\partial t}|a-b| : b\in\partial h\}\right)",
    summary="95 % Hausdorff distance: the Hausdorff distance with the 95th percentile instead of the maximum, "
    "robust to a few outliers, averaged over matched pairs.",
    citation="huttenlocher1993comparing",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    aggregation=("mean", "pooled"),
    value_if_equal=0,
    kinds=SHAPED,
    notes=f"{_EMPTY} Packages differ: percentile='directed' takes the larger of the two directed percentiles, "
    "'pooled' the percentile "
    "of all distances together (MedPy). Percentiles are interpolated linearly. points='all' measures from every "
    "element.",
    examples=(Example(*_BAR, 0.85), Example(*_BAR, 0.7, {"percentile": "pooled"})),
)
def hausdorff95(
    shapes: MatchedShapes,
    *,
    percentile: Literal["directed", "pooled"] = "directed",
    points: Literal["surface", "all"] = "surface",
) -> Score:
    return mean_over_pairs("hausdorff95", shapes.hausdorff95(percentile, points))


@metric(
    symbol="ASD",
    family="geometry",
    order=50,
    needs="geometry",
    formula=_MEAN
    + r"\frac{\sum_{a\in\partial t}\min_{b\in\partial h}|a-b|+\sum_{b\in\partial h}\min_{a\in\partial t}|a-b|}"
    r"{|\partial t|+|\partial h|}",
    summary="Average surface distance: the mean distance of the surface elements of both segments to the other "
    "surface, averaged over matched pairs.",
    citation="heimann2009comparison",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    aggregation=("mean", "pooled"),
    value_if_equal=0,
    kinds=SHAPED,
    notes=f"{_EMPTY} average='pooled' weighs every surface element equally, as published; 'directed' is the mean "
    "of the two directed means.",
    examples=(Example(*_BAR, 1 / 7), Example(*_BAR, 0.125, {"average": "directed"})),
)
def average_surface_distance(shapes: MatchedShapes, *, average: Literal["pooled", "directed"] = "pooled") -> Score:
    return mean_over_pairs("average_surface_distance", shapes.average_surface_distance(average))


@metric(
    symbol="NSD",
    family="geometry",
    order=60,
    needs="geometry",
    formula=_MEAN + r"\frac{|\{a\in\partial t : \min_{b\in\partial h}|a-b|\le\tau\}|"
    r"+|\{b\in\partial h : \min_{a\in\partial t}|a-b|\le\tau\}|}"
    r"{|\partial t|+|\partial h|}",
    summary="Surface Dice: the share of both surfaces that is within a tolerance of the other, averaged over matched "
    "pairs.",
    citation="nikolov2021clinically",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("mean", "pooled"),
    value_if_equal=1,
    kinds=SHAPED,
    notes=f"{_EMPTY} The tolerance has no default: it depends on the data. Surface elements are "
    "counted; the published tool "
    "weighs pieces of a triangulated surface by their area, so its values differ a little. A distance equal to the "
    "tolerance is within it, "
    "decided exactly where spacing and tolerance are short decimals.",
    examples=(Example(*_BAR, 6 / 7, {"tolerance": 0}), Example(*_BAR, 1.0, {"tolerance": 1})),
    default_in_family=False,
)
def surface_dice(shapes: MatchedShapes, *, tolerance: Threshold) -> Score:
    return mean_over_pairs("surface_dice", shapes.surface_dice(tolerance))


@metric(
    symbol="CD",
    family="geometry",
    order=70,
    needs="geometry",
    formula=_MEAN + r"\Bigl|\frac{1}{|t|}\sum_{a\in t}a-\frac{1}{|h|}\sum_{b\in h}b\Bigr|",
    summary="Centre distance: the distance between the centres of mass of the two segments, averaged over matched "
    "pairs.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    aggregation=("mean", "pooled"),
    value_if_equal=0,
    kinds=SHAPED,
    notes=f"{_EMPTY} Centres are means over the elements and may be outside of the segment.",
    examples=(Example(*_BAR, 0.5), Example(*_FINE_BAR, 0.25)),
)
def centre_distance(shapes: MatchedShapes) -> Score:
    return mean_over_pairs("centre_distance", shapes.centre_distance())
