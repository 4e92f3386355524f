"""iIoU: IoU in which every instance of a class weighs the same, whatever its size [cordts2016cityscapes].

With m_c the mean size of the instances of class c, a true instance s of it, and h_s its elements that are predicted as
c: iTP = Σ_s (m_c/|s|) h_s, iFN = Σ_s (m_c/|s|)(|s| − h_s), FP as in the plain IoU, since a class map has no predicted
instances; iIoU = iTP/(iTP + FP + iFN). Regions whose instances were not told apart (crowds) have no weight.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.category_iou import (
    Categories,
    category_of_class,
    category_values,
    mean_over_categories,
)
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.metrics.statistics import ROWS, Column, Quotient, Sums
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

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


def _terms(sums: Sums, mean_sizes: MeanSizes | None) -> tuple[Any, Any, Any]:
    """Return iTP and iTP + iFN of each class, and which classes have a mean size: the given ones, else that of the
    data.
    """
    if mean_sizes is None:
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
    hits, weights, known = (member @ np.broadcast_to(part, sums["hit"].shape) for part in _terms(sums, mean_sizes))
    return names, Quotient(hits, np.where(known > 0, weights + member @ sums["spurious"], 0))


def _details(
    _mean: Quotient,
    sums: Sums,
    _names: Sequence[Hashable],
    *,
    mean_sizes: MeanSizes | None = None,
    categories: Categories | None = None,
) -> dict[str, Any]:
    return category_values(*_of_categories(sums, mean_sizes, categories))


_SPURIOUS = {"spurious": "predicted"}
_STREET = {1: "car", 2: "car", 3: "bus", 9: "car"}
_EXAMPLE = (
    LabelArray([[1, 1, 1, 1, 2, 2, 3, 3]], classes=_STREET),
    LabelArray([[9, 9, 9, 9, 9, 3, 3, 9]], classes=_STREET),
)
_NOTES = (
    "Every instance counts as much as one of the mean size of its class: mean_sizes gives it (Cityscapes: those of its "
    "training data), else that of the data set is taken. Only classes named there, or with instances in the truth, "
    "have a value. False positives count plainly, elements that are void on a side do not, and crowds have no weight. "
    "Undefined where segments carry no classes."
)


@metric(
    symbol=r"\mathrm{iIoU}",
    order=52,
    aliases=("niou", "instance_iou"),
    formula=r"\mathrm{iIoU} = \frac{1}{|C|}\sum_{c\in C}\frac{\mathrm{iTP}_c}{\mathrm{iTP}_c+FP_c+\mathrm{iFN}_c}",
    summary="IoU of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    notes=_NOTES,
    examples=(
        Example(*_EXAMPLE, (4.5 / 7 + 1 / 3) / 2),
        Example(*_EXAMPLE, (6 / 9 + 2 / 5) / 2, {"mean_sizes": {"car": 4, "bus": 4}}),
    ),
    default_in_family=False,
    statistics=Aggregation(instance_counts, label_columns=_SPURIOUS, no_class=NO_CLASSES),
)
def iiou(sums: Sums, *, mean_sizes: MeanSizes | None = None) -> Quotient:
    hits, weights, known = _terms(sums, mean_sizes)
    total = weights + sums["spurious"]
    return Quotient(hits, total, NO_INSTANCES, occurs=known & (total > 0))


@metric(
    symbol=r"\mathrm{iIoU}_{\mathrm{category}}",
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\mathrm{iTP}_C}{\mathrm{iTP}_C+FP_C+\mathrm{iFN}_C}",
    summary="IoU of categories of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    notes=_NOTES + " An element that is predicted as another class of its category is right.",
    examples=(Example(*_EXAMPLE, 1, {"categories": {"vehicle": ["car", "bus"]}}),),
    default_in_family=False,
    statistics=Aggregation(category_instances, label_columns=_SPURIOUS, across_classes=True, describe=_details),
)
def category_iiou(sums: Sums, *, mean_sizes: MeanSizes | None = None, categories: Categories | None = None) -> Quotient:
    names, ious = _of_categories(sums, mean_sizes, categories)
    return mean_over_categories(ious, NO_INSTANCES if names else NO_CLASSES)
