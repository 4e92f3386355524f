r"""Distances between whole classes: the surface of a label in the truth and in the prediction, without any matching.

One value for each class of each item; the definitions are those of :mod:`segmetry.geometry.surface_statistics`. This is
how medical images are scored, where a label is an organ or a structure: by nnU-Net users, MONAI, surface-distance and
MetricsReloaded [maierhein2024metrics]; likewise surface Dice [nikolov2021clinically] and boundary IoU
[cheng2021boundary] of classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np

from segmetry._base import Column, FloatArray, Threshold
from segmetry.errors import OptionError
from segmetry.geometry import ClassShapes
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS, value_without_class
from segmetry.metrics.declare import Example, Metric, metric
from segmetry.metrics.geometry.surface_distances import MissingDistance, missing_distance, missing_similarity
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import LabelArray

KINDS = ("labels", "masks")
NO_PAIR = "no class occurs on both sides"
ONE_VALUE_PER_CLASS = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
)
BAR = [[1, 1, 1, 1, 0, 2]], [[1, 1, 1, 0, 0, 2]]
ONE_SIDED = [[1, 1, 1], [0, 0, 0], [0, 0, 2], [0, 0, 0]], [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def class_values(
    shapes: ClassShapes, values: FloatArray, penalty: float | None, unit: str | None = None
) -> dict[str, Column]:
    """Return the columns of an item: classes, their values (else the penalty, or NaN), their sides, and the unit."""
    if penalty is not None:
        values = np.where(np.isnan(values), penalty, values)
    sides = zip(("in_true", "in_pred"), shapes.sides_of_names, strict=True)
    return {"class": list(shapes.names), "value": values, **dict(sides), "unit": [] if unit is None else [unit]}


def _class_details(_quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, Any]:
    """Return how many classes are on both sides, in the truth only and in the prediction only, and the unit."""
    both = int((sums["in_true"] * sums["in_pred"]).sum())
    counts = {"missed": int(sums["in_true"].sum()) - both, "spurious": int(sums["in_pred"].sum()) - both}
    units = sums.labels.get("unit", ())
    return {"pairs": both, **counts, **({"unit": " or ".join(map(str, units))} if units else {})}


def harmonic_mean(pred: tuple[Any, Any], true: tuple[Any, Any], reason: str) -> Quotient:
    """Return 2ab/(aB + bA), the harmonic mean of two quotients of counts a/A and b/B; 0 if both are 0 or undefined."""
    (a, n_pred), (b, n_true) = pred, true
    denominator = a * n_true + b * n_pred
    return Quotient(2 * a * b, np.where(denominator > 0, denominator, 1), reason)


_DISTANCE = ONE_VALUE_PER_CLASS + (
    "A class on one side only has no distance: missing=None (default) leaves it out, so that the mean must be read "
    "together with Dice; missing='diagonal' takes the diagonal of the image from edge to edge, a number in units of "
    "spacing, or 'inf'. details count the classes on both sides, missed and spurious. "
)
_FINE = LabelArray([[1, 1, 1, 0]], spacing=(1, 0.5)), LabelArray([[1, 0, 0, 0]], spacing=(1, 0.5))


def _value_without_class(*, both_empty: float | None = None, missing: MissingDistance = None) -> float | None:
    """Return the value of items without a class. It must not stand for a class that is missed, the worst result."""
    if both_empty is not None and missing is None:
        raise OptionError(
            f"both_empty is {both_empty!r}, but missing is None; expected also the distance of a class that is on one "
            "side only, such as missing='diagonal' or missing=374"
        )
    return value_without_class(both_empty=both_empty)


def class_metric(**facts: Any) -> Callable[[Callable[..., dict[str, Column]]], Metric]:
    """Declare the mean of the values that a function collects from the classes of an item: that of ``KEY_values``."""
    absent = facts.pop("absent", None)

    def declare(collect: Callable[..., dict[str, Column]]) -> Metric:
        def finish(sums: Sums) -> Quotient:
            return Quotient(sums["value"], reason=NO_PAIR)

        finish.__name__ = finish.__qualname__ = collect.__name__.removesuffix("_values")
        finish.__module__ = collect.__module__
        aggregation = Aggregation(collect, average=BY_CLASS_OF_ITEMS, describe=_class_details, absent=absent)
        return metric(**facts, statistics=aggregation)(finish)

    return declare


_class_score = partial(class_metric, symmetric=True, default_in_family=False, compares_labels=True)
_class_distance = partial(_class_score, bounds=(0, math.inf), better="lower")


@_class_distance(
    symbol=r"\mathrm{HD}_C",
    order=90,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\max\left(\max_{a\in\partial t_c}\min_{b\in\partial p_c}|a-b|,\ "
    r"\max_{b\in\partial p_c}\min_{a\in\partial t_c}|a-b|\right)",
    summary="Hausdorff distance of classes: the largest distance from a surface element of a class on either side to "
    "its other surface, averaged over classes.",
    citation=("huttenlocher1993comparing", "maierhein2024metrics"),
    notes=_DISTANCE,
    examples=(
        Example(*BAR, (1 + 0) / 2),
        Example(*_FINE, 1.0),
        Example(*ONE_SIDED, 1.0),
        Example(*ONE_SIDED, (1 + 5) / 2, {"missing": "diagonal"}),
    ),
)
def class_hausdorff_values(shapes: ClassShapes, *, missing: MissingDistance = None) -> dict[str, Column]:
    return class_values(shapes, shapes.hausdorff(), missing_distance(shapes, missing), shapes.unit)


@_class_distance(
    symbol=r"\mathrm{HD}_{95,C}",
    aliases=("class_hd95",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\max\left(P_{95}\{\min_{b\in\partial p_c}|a-b| : a\in\partial t_c\},\ "
    r"P_{95}\{\min_{a\in\partial t_c}|a-b| : b\in\partial p_c\}\right)",
    summary="95 % Hausdorff distance of classes: the 95th percentile instead of the maximum, averaged over classes.",
    citation=("huttenlocher1993comparing", "maierhein2024metrics"),
    notes=_DISTANCE + "percentile='directed' takes the larger of the two directed percentiles (MONAI, "
    "MetricsReloaded), 'pooled' that of all distances together (MedPy); weights='area' 95 % of the length or area of "
    "the surface (surface-distance). both_empty is the value of an item without a class that others have (BraTS: 0), "
    "and needs missing.",
    examples=(Example(*BAR, 0.85 / 2), Example(*BAR, 0.7 / 2, {"percentile": "pooled"})),
    absent=_value_without_class,
)
def class_hausdorff95_values(
    shapes: ClassShapes,
    *,
    percentile: Literal["directed", "pooled"] = "directed",
    weights: Literal["elements", "area"] = "elements",
    missing: MissingDistance = None,
) -> dict[str, Column]:
    return class_values(
        shapes, shapes.hausdorff95(percentile, weights=weights), missing_distance(shapes, missing), shapes.unit
    )


@_class_distance(
    symbol=r"\mathrm{ASD}_C",
    aliases=("class_assd",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{\sum_{a\in\partial t_c}\min_{b\in\partial p_c}|a-b|+"
    r"\sum_{b\in\partial p_c}\min_{a\in\partial t_c}|a-b|}{|\partial t_c|+|\partial p_c|}",
    summary="Average surface distance of classes: the mean distance of the surface elements of a class on both sides "
    "to its other surface, averaged over classes.",
    citation=("heimann2009comparison", "maierhein2024metrics"),
    notes=_DISTANCE + "average='pooled' (ASSD) weighs every surface element equally; 'pred_to_true' measures from the "
    "prediction only (MONAI's default), so that it depends on which side is which.",
    examples=(Example(*BAR, 1 / 7 / 2), Example(*BAR, 0, {"average": "pred_to_true"})),
)
def class_surface_distance_values(
    shapes: ClassShapes, *, average: Literal["pooled", "pred_to_true"] = "pooled", missing: MissingDistance = None
) -> dict[str, Column]:
    return class_values(shapes, shapes.surface_distance(average), missing_distance(shapes, missing), shapes.unit)


@_class_distance(
    symbol=r"\mathrm{MASD}_C",
    aliases=("class_masd",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac12\left(\frac{\sum_{a\in\partial t_c}\min_{b\in\partial p_c}|a-b|}"
    r"{|\partial t_c|}+\frac{\sum_{b\in\partial p_c}\min_{a\in\partial t_c}|a-b|}{|\partial p_c|}\right)",
    summary="Mean average surface distance of classes: the mean of the two directed mean distances between the "
    "surfaces of a class, averaged over classes.",
    citation="maierhein2024metrics",
    notes=_DISTANCE + "A small surface counts as much as a large one; class_surface_distance weighs elements equally.",
    examples=(Example(*BAR, 0.125 / 2),),
)
def class_mean_surface_distance_values(shapes: ClassShapes, *, missing: MissingDistance = None) -> dict[str, Column]:
    return class_values(shapes, shapes.surface_distance("directed"), missing_distance(shapes, missing), shapes.unit)


@_class_score(
    symbol=r"\mathrm{NSD}_C",
    order=96,
    aliases=("class_nsd",),
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|\{a\in\partial t_c : \min_{b\in\partial p_c}|a-b|\le\tau\}|"
    r"+|\{b\in\partial p_c : \min_{a\in\partial t_c}|a-b|\le\tau\}|}{|\partial t_c|+|\partial p_c|}",
    summary="Surface Dice of classes: the share of both surfaces of a class that is within a tolerance of the other, "
    "averaged over classes.",
    citation=("nikolov2021clinically", "maierhein2024metrics"),
    notes=f"{ONE_VALUE_PER_CLASS}A class on one side only counts 0; missing=None leaves it out. The tolerance has no "
    "default: it depends on the data. weights='area' (default) weighs pieces of the surface by their length or area, "
    "as surface-distance; weights='elements' counts surface elements, as MONAI and MetricsReloaded.",
    examples=(
        Example(*BAR, (6 / 7 + 1) / 2, {"tolerance": 0, "weights": "elements"}),
        Example(*BAR, 1.0, {"tolerance": 1}),
        Example(*ONE_SIDED, 1 / 2, {"tolerance": 1}),
    ),
)
def class_surface_dice_values(
    shapes: ClassShapes,
    *,
    tolerance: Threshold,
    weights: Literal["area", "elements"] = "area",
    missing: float | None = 0,
) -> dict[str, Column]:
    return class_values(shapes, shapes.surface_dice(tolerance, weights), missing_similarity(missing))


@_class_score(
    symbol=r"\mathrm{IoU}_{d,C}",
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|t_{c,d}\cap p_{c,d}|}{|t_{c,d}\cup p_{c,d}|}",
    summary="Boundary IoU of classes: the IoU of the bands along the contours of a class, averaged over classes.",
    citation=("cheng2021boundary", "maierhein2024metrics"),
    notes=f"{ONE_VALUE_PER_CLASS}A class on one side only counts 0; missing=None leaves it out. d is 2 % of the "
    "diagonal by default, in steps including diagonal ones; metric='euclidean' measures straight distances, in units "
    "of spacing; d='surface' takes the surface elements themselves (MetricsReloaded).",
    examples=(Example(*BAR, (3 / 4 + 1) / 2), Example(*ONE_SIDED, (2 / 3 + 0) / 2, {"d": "surface"})),
)
def class_boundary_iou_values(
    shapes: ClassShapes,
    *,
    d: float | Literal["surface"] | None = None,
    metric: Literal["chessboard", "euclidean"] = "chessboard",
    missing: float | None = 0,
) -> dict[str, Column]:
    return class_values(shapes, shapes.boundary_iou(d, metric), missing_similarity(missing))
