r"""Distances between whole classes: the surface of a label in the truth and in the prediction, without any matching.

One value for each class of each item; the definitions are those of :mod:`segmetry.geometry.surface_statistics`. This is
how medical images are scored, where a label is an organ or a structure: by nnU-Net users, MONAI, surface-distance and
MetricsReloaded [maierhein2024metrics].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import FloatArray, IntArray, Threshold
from segmetry.geometry.class_shapes import ClassShapes
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.missing_segments import missing_distance, missing_similarity
from segmetry.metrics.geometry.surface_distances import MissingDistance
from segmetry.metrics.item_class_means import mean_by_class, means_of_samples
from segmetry.metrics.score import Score
from segmetry.segmentation.labels import LabelArray

NO_PAIR = "no class occurs on both sides"
_KINDS = ("labels", "masks")
_ON_ONE_SIDE = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
)
_DISTANCE = _ON_ONE_SIDE + (
    "A class on one side only has no distance: missing=None (default) leaves it out, so that the mean must be read "
    "together with Dice; missing='diagonal' takes the diagonal of the image from edge to edge, a number in units of "
    "spacing, or 'inf'. details count the classes on both sides, missed and spurious. "
)
_BAR = [[1, 1, 1, 1, 0, 2]], [[1, 1, 1, 0, 0, 2]]
_FINE = LabelArray([[1, 1, 1, 0]], spacing=(1, 0.5)), LabelArray([[1, 0, 0, 0]], spacing=(1, 0.5))
_ONE_SIDED = [[1, 1, 1], [0, 0, 0], [0, 0, 2], [0, 0, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def _columns(shapes: ClassShapes, values: FloatArray, penalty: float | None) -> dict[str, Column]:
    """Return the columns of an item: its classes, and a value of each, NaN where it is left out."""
    if penalty is not None:
        values = np.where(np.isnan(values), penalty, values)
    return {"class": list(shapes.names), "value": values}


def class_hausdorff_values(shapes: ClassShapes, *, missing: MissingDistance = None) -> dict[str, Column]:
    """Collect the Hausdorff distance of each class of one item."""
    return _columns(shapes, shapes.hausdorff(), missing_distance(shapes, missing))


def class_hausdorff95_values(
    shapes: ClassShapes, *, percentile: str = "directed", weights: str = "elements", missing: MissingDistance = None
) -> dict[str, Column]:
    """Collect the 95 % Hausdorff distance of each class of one item."""
    return _columns(shapes, shapes.hausdorff95(percentile, weights), missing_distance(shapes, missing))


def class_surface_distance_values(
    shapes: ClassShapes, *, average: str = "pooled", missing: MissingDistance = None
) -> dict[str, Column]:
    """Collect the average surface distance of each class of one item."""
    return _columns(shapes, shapes.surface_distance(average), missing_distance(shapes, missing))


def class_surface_dice_values(
    shapes: ClassShapes, *, tolerance: Threshold, weights: str = "area", missing: float | None = 0
) -> dict[str, Column]:
    """Collect the surface Dice of each class of one item."""
    return _columns(shapes, shapes.surface_dice(tolerance, weights), missing_similarity(missing))


def _accumulator(key: str, collect: Callable[..., dict[str, Column]]) -> Accumulator:
    def combine(collected: Collected) -> Combined:
        return mean_by_class(key, collected, collected.columns["value"], NO_PAIR)

    def resampled(collected: Collected, times: IntArray) -> FloatArray:
        return means_of_samples(collected, times, collected.columns["value"])

    return Accumulator(collect, combine, mean_over_classes=True, resampled=resampled)


_HD = _accumulator("class_hausdorff", class_hausdorff_values)
_HD95 = _accumulator("class_hausdorff95", class_hausdorff95_values)
_ASD = _accumulator("class_surface_distance", class_surface_distance_values)
_NSD = _accumulator("class_surface_dice", class_surface_dice_values)


def _score(accumulator: Accumulator, shapes: ClassShapes, unit: str | None, **options: Any) -> Score:
    """Return the value of an item, with the numbers of its classes and the unit."""
    score = accumulator.score(shapes, **options)
    return replace(score, details={**score.details, **shapes.counts, **({} if unit is None else {"unit": unit})})


@metric(
    symbol=r"\mathrm{HD}_C",
    family="geometry",
    order=90,
    needs="classes",
    kinds=_KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\max\left(\max_{a\in\partial t_c}\min_{b\in\partial p_c}|a-b|,\ "
    r"\max_{b\in\partial p_c}\min_{a\in\partial t_c}|a-b|\right)",
    summary="Hausdorff distance of classes: the largest distance from a surface element of a class on either side to "
    "its other surface, averaged over classes.",
    citation=("huttenlocher1993comparing", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    value_if_equal=0,
    notes=_DISTANCE,
    examples=(
        Example(*_BAR, (1 + 0) / 2),
        Example(*_FINE, 1.0),
        Example(*_ONE_SIDED, 1.0),
        Example(*_ONE_SIDED, (1 + 5) / 2, {"missing": "diagonal"}),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=_HD,
)
def class_hausdorff(shapes: ClassShapes, *, missing: MissingDistance = None) -> Score:
    return _score(_HD, shapes, shapes.unit, missing=missing)


@metric(
    symbol=r"\mathrm{HD}_{95,C}",
    family="geometry",
    order=92,
    aliases=("class_hd95",),
    needs="classes",
    kinds=_KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\max\left(P_{95}\{\min_{b\in\partial p_c}|a-b| : a\in\partial t_c\},\ "
    r"P_{95}\{\min_{a\in\partial t_c}|a-b| : b\in\partial p_c\}\right)",
    summary="95 % Hausdorff distance of classes: the 95th percentile instead of the maximum, averaged over classes.",
    citation=("huttenlocher1993comparing", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    value_if_equal=0,
    notes=_DISTANCE + "percentile='directed' takes the larger of the two directed percentiles (MONAI, "
    "MetricsReloaded), 'pooled' that of all distances together (MedPy); weights='area' 95 % of the length or area of "
    "the surface (surface-distance).",
    examples=(Example(*_BAR, 0.85 / 2), Example(*_BAR, 0.7 / 2, {"percentile": "pooled"})),
    default_in_family=False,
    compares_labels=True,
    accumulator=_HD95,
)
def class_hausdorff95(
    shapes: ClassShapes,
    *,
    percentile: Literal["directed", "pooled"] = "directed",
    weights: Literal["elements", "area"] = "elements",
    missing: MissingDistance = None,
) -> Score:
    return _score(_HD95, shapes, shapes.unit, percentile=percentile, weights=weights, missing=missing)


@metric(
    symbol=r"\mathrm{ASD}_C",
    family="geometry",
    order=94,
    aliases={"class_assd": {}, "class_masd": {"average": "directed"}},
    needs="classes",
    kinds=_KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{\sum_{a\in\partial t_c}\min_{b\in\partial p_c}|a-b|+"
    r"\sum_{b\in\partial p_c}\min_{a\in\partial t_c}|a-b|}{|\partial t_c|+|\partial p_c|}",
    summary="Average surface distance of classes: the mean distance of the surface elements of a class on both sides "
    "to its other surface, averaged over classes.",
    citation=("heimann2009comparison", "maierhein2024metrics"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    value_if_equal=0,
    notes=_DISTANCE + "average='pooled' (ASSD) weighs every surface element equally, 'directed' (MASD) is the mean of "
    "the two directed means, 'pred_to_true' measures from the prediction only (MONAI's default), so that it depends on "
    "which side is which.",
    examples=(Example(*_BAR, 1 / 7 / 2), Example(*_BAR, 0.125 / 2, {"average": "directed"})),
    default_in_family=False,
    compares_labels=True,
    accumulator=_ASD,
)
def class_surface_distance(
    shapes: ClassShapes,
    *,
    average: Literal["pooled", "directed", "pred_to_true"] = "pooled",
    missing: MissingDistance = None,
) -> Score:
    return _score(_ASD, shapes, shapes.unit, average=average, missing=missing)


@metric(
    symbol=r"\mathrm{NSD}_C",
    family="geometry",
    order=96,
    aliases=("class_nsd",),
    needs="classes",
    kinds=_KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|\{a\in\partial t_c : \min_{b\in\partial p_c}|a-b|\le\tau\}|"
    r"+|\{b\in\partial p_c : \min_{a\in\partial t_c}|a-b|\le\tau\}|}{|\partial t_c|+|\partial p_c|}",
    summary="Surface Dice of classes: the share of both surfaces of a class that is within a tolerance of the other, "
    "averaged over classes.",
    citation=("nikolov2021clinically", "maierhein2024metrics"),
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=_ON_ONE_SIDE + "A class on one side only counts 0; missing=None leaves it out. The tolerance has no default: "
    "it depends on the data. weights='area' (default) weighs pieces of the surface by their length or area, as "
    "surface-distance; weights='elements' counts surface elements, as MONAI and MetricsReloaded.",
    examples=(
        Example(*_BAR, (6 / 7 + 1) / 2, {"tolerance": 0, "weights": "elements"}),
        Example(*_BAR, 1.0, {"tolerance": 1}),
        Example(*_ONE_SIDED, 1 / 2, {"tolerance": 1}),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=_NSD,
)
def class_surface_dice(
    shapes: ClassShapes,
    *,
    tolerance: Threshold,
    weights: Literal["area", "elements"] = "area",
    missing: float | None = 0,
) -> Score:
    return _score(_NSD, shapes, None, tolerance=tolerance, weights=weights, missing=missing)
