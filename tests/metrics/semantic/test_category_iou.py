"""IoU of categories and instance-weighted IoU, by their definitions over sets of elements."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.semantic.category_iou import category_counts
from segmetry.metrics.statistics import Statistics
from tests.metrics.samples import sampled
from tests.metrics.semantic.class_data import CLASSES, Item, counted, data_sets, elements, mappings, sides

CATEGORIES = {"one": ["a", "b"], "two": ["c"]}
SIZES = {"a": 3, "b": 2.5}


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=1e-15, nan_ok=True)


def category_ious(items: Sequence[Item]) -> dict[str, float]:
    values = {}
    for name, classes in CATEGORIES.items():
        true, pred = (set().union(*(elements(items, side, part) for part in classes)) for side in (0, 1))
        if true | pred:
            values[name] = len(true & pred) / len(true | pred)
    return values


def weighted_ious(items: Sequence[Item], groups: dict[str, list[str]]) -> dict[str, float]:
    """iTP/(iTP + FP + iFN) of every group of classes that have a mean size; a label of an item is an instance."""
    values = {}
    for group, classes in groups.items():
        sized = [name for name in classes if name in SIZES]
        true, pred = (set().union(*(elements(items, side, part) for part in classes)) for side in (0, 1))
        hits, misses = [], [float(len(pred - true))]
        for number, label in {(number, items[number][0][place]) for number, place in counted(items)}:
            name = CLASSES.get(label)
            if name in sized:
                places = {(at, place) for at, place in counted(items) if at == number and items[at][0][place] == label}
                weight = SIZES[name] / len(places)
                hits.append(weight * len(places & pred))
                misses.append(weight * len(places - pred))
        if sized and (true or pred) and math.fsum([*hits, *misses]) > 0:
            values[group] = math.fsum(hits) / math.fsum([*hits, *misses])
    return values


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
@given(data_sets())
def test_categories_and_instances(items: list[Item]) -> None:
    options = {
        "category_iou": {"categories": CATEGORIES},
        "iiou": {"mean_sizes": SIZES},
        "category_iiou": {"mean_sizes": SIZES, "categories": {"one": ["a", "b"]}},
    }
    summary = sm.evaluate(*mappings(items), metrics=list(options), options=options, engine="serial").summary()
    expected = {
        "category_iou": category_ious(items),
        "iiou": weighted_ious(items, {"a": ["a"], "b": ["b"]}),
        "category_iiou": weighted_ious(items, {"one": ["a", "b"]}),
    }
    for key, values in expected.items():
        pooled = summary[key].over_data_set
        assert pooled is not None and pooled.value == same(mean(list(values.values()))), (key, values)


@given(data_sets())
def test_many_samples_of_categories_at_once(items: list[Item]) -> None:
    counted = Statistics.of([category_counts(sm.overlap(*sides(item)), categories=CATEGORIES) for item in items])
    times = np.random.default_rng(len(items)).integers(0, 3, (len(items), 3))
    for value, column in zip(sampled("category_iou", counted, times).tolist(), times.T, strict=True):
        drawn = [item for item, count in zip(items, column.tolist(), strict=True) for _ in range(count)]
        assert value == same(mean(list(category_ious(drawn).values())))


@pytest.mark.parametrize(
    ("categories", "message"),
    [({"one": "a"}, "expected classes by category"), ({"one": ["a"], "two": ["a"]}, "name class 'a' twice")],
)
def test_wrong_categories_are_rejected(categories: dict[str, object], message: str) -> None:
    array = sm.LabelArray([[1, 3]], classes=CLASSES)
    with pytest.raises(OptionError, match=message):
        sm.category_iou(array, array, categories=categories)
