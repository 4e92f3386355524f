"""IoU of categories of classes [cordts2016cityscapes]: a confusion within a category is no error.

With C the classes of a category, n_ij elements of true class i predicted as j: IoU = Σ_{i,j∈C} n_ij over the elements
whose class is in C on either side; then the mean over the categories that occur.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
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
        return {"category": [], "shared": nothing, "true": nothing, "pred": nothing}
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
    return {"category": list(counts), "shared": columns[:, 0], "true": columns[:, 1], "pred": columns[:, 2]}


def _by_item(collected: Collected) -> tuple[IntArray, IntArray]:
    """Return the elements on both sides and on either side, by category and item."""
    if "categories × items" not in collected.memo:
        place = collected.columns["category"], collected.item_of("category")
        tables = []
        for name in ("shared", "true", "pred"):
            table = np.zeros((len(collected.labels["category"]), collected.n_items), dtype=np.int64)
            np.add.at(table, place, collected.columns[name])
            tables.append(table)
        collected.memo["categories × items"] = (tables[0], tables[1] + tables[2] - tables[0])
    both: tuple[IntArray, IntArray] = collected.memo["categories × items"]
    return both


def _category_iou(collected: Collected) -> Combined:
    shared, union = (table @ collected.times for table in _by_item(collected))
    values = {
        str(name): top / bottom
        for name, top, bottom in zip(collected.labels["category"], shared.tolist(), union.tolist(), strict=True)
        if bottom
    }
    total = math.fsum(values.values())
    return Combined(Score.of("category_iou", total, len(values), NO_CLASSES, categories=values))


def _category_ious(collected: Collected, times: IntArray) -> FloatArray:
    """The same for many samples at once."""
    shared, union = (table @ times for table in _by_item(collected))
    ious = np.where(union > 0, shared / np.maximum(union, 1), 0.0)
    number = (union > 0).sum(axis=0)
    return np.where(number > 0, ious.sum(axis=0) / np.maximum(number, 1), math.nan)


_CATEGORIES = Accumulator(category_counts, _category_iou, classes_by_item=False, resampled=_category_ious)
_STREET = {1: "car", 2: "bus", 3: "road"}
_EXAMPLE = (
    LabelArray([[1, 1, 2, 2, 3, 3]], classes=_STREET),
    LabelArray([[1, 2, 2, 2, 3, 1]], classes=_STREET),
)


@metric(
    symbol=r"\mathrm{IoU}_{\mathrm{category}}",
    family="semantic",
    order=50,
    needs="table",
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\sum_{i,j\in C}n_{ij}}{t_C + p_C - \sum_{i,j\in C}n_{ij}}",
    summary="Mean IoU of categories of classes: a class that is taken for another one of its category is right.",
    citation="cordts2016cityscapes",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes="categories names the classes of each category; a class in none of them counts as outside. Without it every "
    "class is a category, and the value is mean_iou. Over a data set, elements are counted before the quotient of each "
    "category is taken. Details give the value of each category. Undefined where segments carry no classes.",
    examples=(
        Example(*_EXAMPLE, (4 / 5 + 1 / 2) / 2, {"categories": {"vehicle": ["car", "bus"], "flat": ["road"]}}),
        Example(*_EXAMPLE, (1 / 3 + 2 / 3 + 1 / 2) / 3),
    ),
    default_in_family=False,
    accumulator=_CATEGORIES,
)
def category_iou(table: OverlapTable, *, categories: Categories | None = None) -> Score:
    return _CATEGORIES.score(table, categories=categories)
