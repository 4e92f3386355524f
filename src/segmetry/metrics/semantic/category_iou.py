"""IoU of categories of classes [cordts2016cityscapes]: a confusion within a category is no error.

With C the classes of a category, n_ij elements of true class i predicted as j: IoU = Σ_{i,j∈C} n_ij over the elements
whose class is in C on either side; then the mean over the categories that occur.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.overlaps.class_table import OUTSIDE
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

Categories = Mapping[str, Collection[Hashable]]


def category_of_class(categories: Categories | None) -> dict[Hashable, str] | None:
    """Return the category of each class, None where each class is its own; a class may be in one category only.

    >>> category_of_class({"flat": ["road"], "vehicle": ["car", "bus"]})
    {'road': 'flat', 'car': 'vehicle', 'bus': 'vehicle'}
    """
    if categories is None:
        return None
    if any(isinstance(names, str) for names in categories.values()):
        raise OptionError(f"categories is {categories!r}; expected classes by category, such as {{'flat': [7, 8]}}")
    named: dict[Hashable, str] = {}
    for category, names in categories.items():
        for name in names:
            if name in named:
                raise OptionError(f"categories name class {name!r} twice, in {named[name]} and {category}")
            named[name] = category
    return named


def category_counts(table: OverlapTable, *, categories: Categories | None = None) -> dict[str, Column]:
    """Collect the elements of each category of one item: on both sides, in the truth, and in the prediction."""
    if table.class_names is None:
        nothing = np.zeros(0, dtype=np.int64)
        return {"class": [], "shared": nothing, "true": nothing, "pred": nothing}
    of_class = category_of_class(categories)
    classes = table.by_class()
    names = [*classes.names, OUTSIDE]
    category = [None if name == OUTSIDE else name if of_class is None else of_class.get(name) for name in names]
    cells = classes.matrix()[:-1, :-1].tolist()
    counts: dict[Hashable, list[int]] = {name: [0, 0, 0] for name in category if name is not None}
    for true, row in zip(category, cells, strict=True):
        for pred, count in zip(category, row, strict=True):
            if true is not None:
                counts[true][0] += count if true == pred else 0
                counts[true][1] += count
            if pred is not None:
                counts[pred][2] += count
    columns = np.array(list(counts.values()), dtype=np.int64).reshape(-1, 3)
    return {"class": list(counts), "shared": columns[:, 0], "true": columns[:, 1], "pred": columns[:, 2]}


def _ious(sums: Sums) -> Quotient:
    return Quotient(sums["shared"], sums["true"] + sums["pred"] - sums["shared"])


def mean_over_categories(ious: Quotient, reason: str) -> Quotient:
    """Return the mean over the categories that have a value."""
    defined = ~np.isnan(ious.values)
    total = np.where(defined, ious.values, 0.0).sum(axis=0, keepdims=True)
    return Quotient(total, defined.sum(axis=0, keepdims=True), reason)


def category_values(names: Sequence[Hashable], ious: Quotient) -> dict[str, Any]:
    """Return the value of each category that has one, as details."""
    values = zip(names, ious.values[:, 0].tolist(), strict=True)
    return {"categories": {str(name): value for name, value in values if not np.isnan(value)}}


def _details(_mean: Quotient, sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
    return category_values(names, _ious(sums))


_STREET = {1: "car", 2: "bus", 3: "road"}
_EXAMPLE = (
    LabelArray([[1, 1, 2, 2, 3, 3]], classes=_STREET),
    LabelArray([[1, 2, 2, 2, 3, 1]], classes=_STREET),
)


@metric(
    symbol=r"\mathrm{IoU}_{\mathrm{category}}",
    order=50,
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\sum_{i,j\in C}n_{ij}}{t_C + p_C - \sum_{i,j\in C}n_{ij}}",
    summary="Mean IoU of categories of classes: a class that is taken for another one of its category is right.",
    citation="cordts2016cityscapes",
    symmetric=True,
    notes="categories names the classes of each category; a class in none of them counts as outside. Without it every "
    "class is a category, and the value is mean_iou. Over a data set, elements are counted before the quotient of each "
    "category is taken. Details give the value of each category. Undefined where segments carry no classes.",
    examples=(
        Example(*_EXAMPLE, (4 / 5 + 1 / 2) / 2, {"categories": {"vehicle": ["car", "bus"], "flat": ["road"]}}),
        Example(*_EXAMPLE, (1 / 3 + 2 / 3 + 1 / 2) / 3),
    ),
    default_in_family=False,
    statistics=Aggregation(category_counts, across_classes=True, describe=_details),
)
def category_iou(sums: Sums) -> Quotient:
    return mean_over_categories(_ious(sums), NO_CLASSES)
