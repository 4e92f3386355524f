"""IoU of categories of classes, and iIoU [cordts2016cityscapes].

In a category, a confusion of its classes is no error: n_ij elements of true class i predicted as j are right where both
are of the category.

In iIoU every instance of a class weighs the same, whatever its size. With m_c the mean size of the instances of class
c, a true instance s of it, and h_s its elements that are predicted as c: iTP = Σ_s (m_c/|s|) h_s,
iFN = Σ_s (m_c/|s|)(|s| − h_s), FP as in the plain IoU, since a class map has no predicted instances. Regions whose
instances were not told apart (crowds) have no weight.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from segmetry._base import Column
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.metrics.statistics import ROWS, Quotient, Sums
from segmetry.overlaps import OUTSIDE, OverlapTable
from segmetry.segmentation import LabelArray

Categories = Mapping[str, Collection[Hashable]]


def category_of_class(categories: Categories | None) -> dict[Hashable, str] | None:
    """Return the category of each class, None where each class is its own; a class may be in one category only."""
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


def _category_ious(sums: Sums) -> Quotient:
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


def _category_details(_mean: Quotient, sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
    return category_values(names, _category_ious(sums))


_STREET = {1: "car", 2: "bus", 3: "road"}
_EXAMPLE = (LabelArray([[1, 1, 2, 2, 3, 3]], classes=_STREET), LabelArray([[1, 2, 2, 2, 3, 1]], classes=_STREET))


@metric(
    symbol=r"\mathrm{IoU}_{\mathrm{category}}",
    order=50,
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\sum_{i,j\in C}n_{ij}}{t_C + p_C - \sum_{i,j\in C}n_{ij}}",
    summary="Mean IoU of categories of classes: a class that is taken for another one of its category is right.",
    citation="cordts2016cityscapes",
    symmetric=True,
    notes="categories names the classes of each category; a class in none of them counts as outside. Without it every "
    "class is a category, and the value is mean_iou. Over a data set, elements are counted before the quotient of each "
    "category is taken. Details give the value of each category. In a plain array a label is a class, and 0 "
    "is outside; undefined where segments carry no classes.",
    needs_classes=True,
    examples=(
        Example(*_EXAMPLE, (4 / 5 + 1 / 2) / 2, {"categories": {"vehicle": ["car", "bus"], "flat": ["road"]}}),
        Example(*_EXAMPLE, (1 / 3 + 2 / 3 + 1 / 2) / 3),
    ),
    default_in_family=False,
    statistics=Aggregation(category_counts, across_classes=True, describe=_category_details),
)
def category_iou(sums: Sums) -> Quotient:
    return mean_over_categories(_category_ious(sums), NO_CLASSES)


MeanSizes = Mapping[Hashable, float]
NO_INSTANCES = "no class has instances"


def instance_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the true instances of one item and the spurious elements of its classes."""
    return category_instances(table)


def category_instances(table: OverlapTable, *, categories: Categories | None = None) -> dict[str, Column]:
    """Collect the true instances of one item, each with its class, its size, whether it has elements at all, and the
    share of them predicted as its category; and the elements of each predicted class that are of another category in
    the truth.
    """
    if table.class_names is None:
        none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        return {"class": [], "size": none, "sized": none, "hit": nothing, "predicted": [], "spurious": none}
    of_class = category_of_class(categories)
    category = [name if of_class is None else of_class.get(name) for name in table.class_names]
    codes = {name: at for at, name in enumerate(dict.fromkeys(category))}
    group = np.array([codes[name] for name in category], dtype=np.intp)
    true, pred = table.true, table.pred
    same = group[true.class_codes[table.row_true]] == group[pred.class_codes[table.row_pred]]
    hits, agreed = np.zeros(len(true), dtype=np.int64), np.zeros(len(pred), dtype=np.int64)
    np.add.at(hits, table.row_true[same], table.shared[same])
    np.add.at(agreed, table.row_pred[same], table.shared[same])
    instances = np.arange(len(true)) if true.crowd is None else np.flatnonzero(~true.crowd)
    size = (true.sizes - true.void)[instances]
    return {
        "class": [table.class_names[at] for at in true.class_codes[instances].tolist()],
        "size": size,
        "sized": (size > 0).astype(np.int64),
        "hit": hits[instances] / np.maximum(size, 1),
        "predicted": [table.class_names[at] for at in pred.class_codes.tolist()],
        "spurious": pred.sizes - pred.void - agreed,
    }


def _terms_of(sums: Sums, mean_sizes: MeanSizes | None) -> tuple[Any, Any, Any]:
    """Return iTP and iTP + iFN of each class, and which classes have a mean size: the given ones, else that of the
    data.
    """
    if mean_sizes is None:
        # Cityscapes' script has the mean sizes of its training data as constants (person: 3462.48).
        means, known = sums["size"] / np.maximum(sums[ROWS], 1), sums[ROWS] > 0
    else:
        if not isinstance(mean_sizes, Mapping):
            raise OptionError(
                f"mean_sizes is {mean_sizes!r}; expected the mean size of instances by class, such as {{24: 3462}}"
            )
        # A run file stores the keys of options as text.
        sizes = {str(name): float(size) for name, size in mean_sizes.items()}
        of_name = np.array([sizes.get(str(name), np.nan) for name in sums.names])
        given = (of_name if sums.codes is None else of_name[sums.codes])[:, None]
        means, known = np.nan_to_num(given), ~np.isnan(given)
    return means * sums["hit"], means * sums["sized"], known


def _of_categories(
    sums: Sums, mean_sizes: MeanSizes | None, categories: Categories | None
) -> tuple[list[Hashable], Quotient]:
    """Return the categories of all classes, and the value of each that has a class with a mean size."""
    of_class = category_of_class(categories)
    category = [name if of_class is None else of_class.get(name) for name in sums.names]
    names = list(dict.fromkeys(name for name in category if name is not None))
    member = np.array([[name == other for other in category] for name in names], dtype=np.float64)
    member = member.reshape(len(names), len(category))
    hits, weights, known = (member @ np.broadcast_to(part, sums["hit"].shape) for part in _terms_of(sums, mean_sizes))
    return names, Quotient(hits, np.where(known > 0, weights + member @ sums["spurious"], 0))


def _instance_details(
    _mean: Quotient,
    sums: Sums,
    _names: Sequence[Hashable],
    *,
    mean_sizes: MeanSizes | None = None,
    categories: Categories | None = None,
) -> dict[str, Any]:
    return category_values(*_of_categories(sums, mean_sizes, categories))


_SPURIOUS = {"spurious": "predicted"}
_STREET_WITH_CARS = {1: "car", 2: "car", 3: "bus", 9: "car"}
_INSTANCES = (
    LabelArray([[1, 1, 1, 1, 2, 2, 3, 3]], classes=_STREET_WITH_CARS),
    LabelArray([[9, 9, 9, 9, 9, 3, 3, 9]], classes=_STREET_WITH_CARS),
)
_NOTES = (
    "Every instance counts as much as one of the mean size of its class: mean_sizes gives it (Cityscapes: those of its "
    "training data), else that of the data set is taken. Only classes named there, or with instances in the truth, "
    "have a value. False positives count plainly, elements that are void on a side do not, and crowds have no weight. "
    "Undefined where segments carry no classes."
)


@metric(
    order=52,
    aliases=("niou", "instance_iou"),
    formula=r"\mathrm{iIoU} = \frac{1}{|C|}\sum_{c\in C}\frac{\mathrm{iTP}_c}{\mathrm{iTP}_c+FP_c+\mathrm{iFN}_c}",
    summary="IoU of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    notes=_NOTES,
    examples=(
        Example(*_INSTANCES, (4.5 / 7 + 1 / 3) / 2),
        Example(*_INSTANCES, (6 / 9 + 2 / 5) / 2, {"mean_sizes": {"car": 4, "bus": 4}}),
    ),
    default_in_family=False,
    statistics=Aggregation(instance_counts, label_columns=_SPURIOUS, no_class=NO_CLASSES),
)
def iiou(sums: Sums, *, mean_sizes: MeanSizes | None = None) -> Quotient:
    hits, weights, known = _terms_of(sums, mean_sizes)
    total = weights + sums["spurious"]
    return Quotient(hits, total, NO_INSTANCES, occurs=known & (total > 0))


@metric(
    symbol=r"\mathrm{iIoU}_{\mathrm{category}}",
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\mathrm{iTP}_C}{\mathrm{iTP}_C+FP_C+\mathrm{iFN}_C}",
    summary="IoU of categories of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    notes=_NOTES + " An element that is predicted as another class of its category is right.",
    examples=(Example(*_INSTANCES, 1, {"categories": {"vehicle": ["car", "bus"]}}),),
    default_in_family=False,
    statistics=Aggregation(
        category_instances, label_columns=_SPURIOUS, across_classes=True, describe=_instance_details
    ),
)
def category_iiou(sums: Sums, *, mean_sizes: MeanSizes | None = None, categories: Categories | None = None) -> Quotient:
    names, ious = _of_categories(sums, mean_sizes, categories)
    return mean_over_categories(ious, NO_INSTANCES if names else NO_CLASSES)
