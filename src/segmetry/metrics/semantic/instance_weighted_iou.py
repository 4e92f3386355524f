"""iIoU: IoU in which every instance of a class weighs the same, whatever its size [cordts2016cityscapes].

With m_c the mean size of the instances of class c, a true instance s of it, and h_s its elements that are predicted as
c: iTP = Σ_s (m_c/|s|) h_s, iFN = Σ_s (m_c/|s|)(|s| − h_s), FP as in the plain IoU, since a class map has no predicted
instances; iIoU = iTP/(iTP + FP + iFN). Regions whose instances were not told apart (crowds) have no weight.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.category_iou import Categories, category_of_class
from segmetry.metrics.semantic.mean_iou import NO_CLASSES
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray

MeanSizes = Mapping[Hashable, float]
NO_INSTANCES = "no class has instances"


def instance_counts(table: OverlapTable, *, categories: Categories | None = None) -> dict[str, Column]:
    """Collect the true instances of one item, each with its class, its size and its elements predicted as its
    category; and the elements of each predicted class that are of another category in the truth.
    """
    nothing = np.zeros(0, dtype=np.int64)
    if table.class_names is None:
        return {"class": [], "size": nothing, "hits": nothing, "predicted": [], "spurious": nothing}
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
    return {
        "class": [table.class_names[at] for at in true.class_codes[instances].tolist()],
        "size": (true.sizes - true.void)[instances],
        "hits": hits[instances],
        "predicted": [table.class_names[at] for at in pred.class_codes.tolist()],
        "spurious": pred.sizes - pred.void - agreed,
    }


def _weights(collected: Collected, mean_sizes: MeanSizes | None) -> FloatArray:
    """Return m_c/|s| for each instance, 0 where its class has no mean size; without sizes, m_c is that of the data."""
    size, times = collected.columns["size"].astype(np.float64), collected.times_of("class")
    code, names = collected.columns["class"], collected.labels.get("class", ())
    if mean_sizes is None:
        totals = np.bincount(code, weights=size * times, minlength=len(names))
        numbers = np.bincount(code, weights=times, minlength=len(names))
        means = totals / np.maximum(numbers, 1)
    else:
        sizes = _by_text(mean_sizes)
        means = np.array([sizes.get(str(name), 0.0) for name in names])
    weights: FloatArray = np.where(size > 0, (means[code] if len(names) else size) / np.maximum(size, 1), 0.0) * times
    return weights


def _by_text(mean_sizes: MeanSizes) -> dict[str, float]:
    """Return the sizes by the text of their class: a run file stores the keys of options as text."""
    return {str(name): float(size) for name, size in mean_sizes.items()}


def _values(
    collected: Collected, mean_sizes: MeanSizes | None, categories: Categories | None
) -> dict[Hashable, tuple[float, float]]:
    """Return numerator and denominator of each class with instances, or of each category of such classes."""
    if mean_sizes is not None and not isinstance(mean_sizes, Mapping):
        raise OptionError(
            f"mean_sizes is {mean_sizes!r}; expected the mean size of instances by class, such as {{24: 3462}}"
        )
    of_class = category_of_class(categories)
    weights = _weights(collected, mean_sizes)
    of_instance = [collected.labels["class"][code] for code in collected.columns["class"].tolist()]
    predicted = [collected.labels["predicted"][code] for code in collected.columns["predicted"].tolist()]
    known = dict.fromkeys(of_instance)
    if mean_sizes is not None:
        sizes = _by_text(mean_sizes)
        known = {name: None for name in dict.fromkeys([*of_instance, *predicted]) if str(name) in sizes}
    sums: dict[Hashable, list[list[float]]] = {}
    for name in known:
        category = name if of_class is None else of_class.get(name)
        if category is not None:
            sums[category] = [[], []]
    columns = (weights.tolist(), collected.columns["hits"].tolist(), collected.columns["size"].tolist())
    for name, weight, hits, size in zip(of_instance, *columns, strict=True):
        category = name if of_class is None else of_class.get(name)
        if category in sums and name in known:
            sums[category][0].append(weight * hits)
            sums[category][1].append(weight * (size - hits))
    counted = (collected.columns["spurious"] * collected.times_of("predicted")).tolist()
    for name, spurious in zip(predicted, counted, strict=True):
        category = name if of_class is None else of_class.get(name)
        if category in sums:
            sums[category][1].append(spurious)
    return {name: (math.fsum(hits), math.fsum([*hits, *misses])) for name, (hits, misses) in sums.items()}


def _iiou(collected: Collected, *, mean_sizes: MeanSizes | None = None) -> Combined:
    values = _values(collected, mean_sizes, None) if collected.columns else {}
    classes = {name: Score.of("iiou", top, bottom) for name, (top, bottom) in values.items() if bottom}
    total = math.fsum(score.value for score in classes.values())
    return Combined(Score.of("iiou", total, len(classes), NO_INSTANCES if values else NO_CLASSES), classes)


def _category_iiou(
    collected: Collected, *, mean_sizes: MeanSizes | None = None, categories: Categories | None = None
) -> Combined:
    values = _values(collected, mean_sizes, categories) if collected.columns else {}
    ratios = {str(name): top / bottom for name, (top, bottom) in values.items() if bottom}
    total, reason = math.fsum(ratios.values()), NO_INSTANCES if values else NO_CLASSES
    return Combined(Score.of("category_iiou", total, len(ratios), reason, categories=ratios))


_INSTANCES = Accumulator(instance_counts, _iiou, mean_over_classes=True)
_CATEGORIES = Accumulator(instance_counts, _category_iiou, classes_by_item=False)
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
    family="semantic",
    order=52,
    aliases=("niou", "instance_iou"),
    needs="table",
    formula=r"\mathrm{iIoU} = \frac{1}{|C|}\sum_{c\in C}\frac{\mathrm{iTP}_c}{\mathrm{iTP}_c+FP_c+\mathrm{iFN}_c}",
    summary="IoU of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=_NOTES,
    examples=(
        Example(*_EXAMPLE, (4.5 / 7 + 1 / 3) / 2),
        Example(*_EXAMPLE, (6 / 9 + 2 / 5) / 2, {"mean_sizes": {"car": 4, "bus": 4}}),
    ),
    default_in_family=False,
    accumulator=_INSTANCES,
)
def iiou(table: OverlapTable, *, mean_sizes: MeanSizes | None = None) -> Score:
    return _INSTANCES.score(table, mean_sizes=mean_sizes)


@metric(
    symbol=r"\mathrm{iIoU}_{\mathrm{category}}",
    family="semantic",
    order=54,
    needs="table",
    formula=r"\frac{1}{|K|}\sum_{C\in K}\frac{\mathrm{iTP}_C}{\mathrm{iTP}_C+FP_C+\mathrm{iFN}_C}",
    summary="IoU of categories of classes in which every true instance weighs the same, whatever its size.",
    citation="cordts2016cityscapes",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=_NOTES + " An element that is predicted as another class of its category is right.",
    examples=(Example(*_EXAMPLE, 1, {"categories": {"vehicle": ["car", "bus"]}}),),
    default_in_family=False,
    accumulator=_CATEGORIES,
)
def category_iiou(
    table: OverlapTable, *, mean_sizes: MeanSizes | None = None, categories: Categories | None = None
) -> Score:
    return _CATEGORIES.score(table, mean_sizes=mean_sizes, categories=categories)
