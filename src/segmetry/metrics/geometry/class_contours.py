r"""Agreement of the contours of whole classes: surface Dice [nikolov2021clinically], boundary IoU [cheng2021boundary].

One value for each class of each item, without any matching; the definitions are those of pairs of segments.
"""

from __future__ import annotations

from typing import Literal

from segmetry._base.exact import Threshold
from segmetry.geometry.class_shapes import ClassShapes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.class_values import (
    BAR,
    KINDS,
    NO_PAIR,
    ONE_SIDED,
    ONE_VALUE_PER_CLASS,
    class_values,
    mean_of_class_values,
)
from segmetry.metrics.geometry.missing_segments import missing_similarity
from segmetry.metrics.statistics import Column, Quotient, Sums


def class_surface_dice_values(
    shapes: ClassShapes,
    *,
    tolerance: Threshold,
    weights: Literal["area", "elements"] = "area",
    missing: float | None = 0,
) -> dict[str, Column]:
    """Collect the surface Dice of each class of one item."""
    return class_values(shapes, shapes.surface_dice(tolerance, weights), missing_similarity(missing))


def class_boundary_iou_values(
    shapes: ClassShapes,
    *,
    d: float | Literal["surface"] | None = None,
    metric: Literal["chessboard", "euclidean"] = "chessboard",
    missing: float | None = 0,
) -> dict[str, Column]:
    """Collect the boundary IoU of each class of one item."""
    return class_values(shapes, shapes.boundary_iou(d, metric), missing_similarity(missing))


@metric(
    symbol=r"\mathrm{NSD}_C",
    order=96,
    aliases=("class_nsd",),
    kinds=KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|\{a\in\partial t_c : \min_{b\in\partial p_c}|a-b|\le\tau\}|"
    r"+|\{b\in\partial p_c : \min_{a\in\partial t_c}|a-b|\le\tau\}|}{|\partial t_c|+|\partial p_c|}",
    summary="Surface Dice of classes: the share of both surfaces of a class that is within a tolerance of the other, "
    "averaged over classes.",
    citation=("nikolov2021clinically", "maierhein2024metrics"),
    symmetric=True,
    notes=ONE_VALUE_PER_CLASS
    + "A class on one side only counts 0; missing=None leaves it out. The tolerance has no default: "
    "it depends on the data. weights='area' (default) weighs pieces of the surface by their length or area, as "
    "surface-distance; weights='elements' counts surface elements, as MONAI and MetricsReloaded.",
    examples=(
        Example(*BAR, (6 / 7 + 1) / 2, {"tolerance": 0, "weights": "elements"}),
        Example(*BAR, 1.0, {"tolerance": 1}),
        Example(*ONE_SIDED, 1 / 2, {"tolerance": 1}),
    ),
    default_in_family=False,
    compares_labels=True,
    statistics=mean_of_class_values(class_surface_dice_values),
)
def class_surface_dice(sums: Sums) -> Quotient:
    return Quotient(sums["value"], reason=NO_PAIR)


@metric(
    symbol=r"\mathrm{IoU}_{d,C}",
    kinds=KINDS,
    formula=r"\frac{1}{|C|}\sum_{c\in C}\frac{|t_{c,d}\cap p_{c,d}|}{|t_{c,d}\cup p_{c,d}|}",
    summary="Boundary IoU of classes: the IoU of the bands along the contours of a class, averaged over classes.",
    citation=("cheng2021boundary", "maierhein2024metrics"),
    symmetric=True,
    notes=ONE_VALUE_PER_CLASS
    + "A class on one side only counts 0; missing=None leaves it out. d is 2 % of the diagonal by "
    "default, in steps including diagonal ones; metric='euclidean' measures straight distances, in units of spacing; "
    "d='surface' takes the surface elements themselves (MetricsReloaded).",
    examples=(Example(*BAR, (3 / 4 + 1) / 2), Example(*ONE_SIDED, (2 / 3 + 0) / 2, {"d": "surface"})),
    default_in_family=False,
    compares_labels=True,
    statistics=mean_of_class_values(class_boundary_iou_values),
)
def class_boundary_iou(sums: Sums) -> Quotient:
    return Quotient(sums["value"], reason=NO_PAIR)
