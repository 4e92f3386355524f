"""Pixel accuracy, mean accuracy, frequency weighted IoU and the readings of mean IoU, by their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.semantic.mean_iou import class_counts
from segmetry.metrics.statistics import Statistics
from segmetry.overlaps.item_tables import ItemTables
from tests.metrics.samples import sampled
from tests.metrics.semantic.class_data import CLASSES, Item, counted, data_sets, four_counts, mappings, sides

KEYS = ("pixel_accuracy", "mean_accuracy", "frequency_weighted_iou")


def mean(values: Sequence[Fraction]) -> float:
    return float(sum(values, Fraction(0)) / len(values)) if values else math.nan


def ious(items: Sequence[Item]) -> list[Fraction]:
    return [Fraction(n.tp, n.tp + n.fn + n.fp) for n in four_counts(items).values()]


def by_definition(key: str, items: Sequence[Item]) -> float:
    counts = list(four_counts(items).values())
    if key == "pixel_accuracy":
        classes = [
            [CLASSES.get(items[number][side][place]) for number, place in sorted(counted(items))] for side in (0, 1)
        ]
        right = [true == pred for true, pred in zip(*classes, strict=True)]
        return mean([Fraction(value) for value in right])
    if key == "mean_accuracy":
        return mean([Fraction(n.tp, n.tp + n.fn) for n in counts if n.tp + n.fn])
    total = sum(n.tp + n.fn for n in counts)
    weighted = sum((Fraction(n.tp * (n.tp + n.fn), n.tp + n.fn + n.fp) for n in counts), Fraction(0))
    return float(weighted / total) if total else math.nan


def same(value: float) -> object:
    return pytest.approx(value, rel=1e-12, nan_ok=True)


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
@given(data_sets())
def test_one_item_and_a_data_set(items: list[Item]) -> None:
    run = sm.evaluate(*mappings(items), metrics=list(KEYS), engine="serial")
    for key in KEYS:
        pooled = run.summary()[key].over_data_set
        assert pooled is not None and pooled.value == same(by_definition(key, items)), key
        values = [math.nan if value is None else value for value in run.items()[key]]
        assert values == [same(by_definition(key, [item])) for item in items], key


READINGS = (
    {},
    {"average": "items"},
    {"average": "samples-and-classes"},
    {"absent": 0, "n_classes": 4},
    {"absent": 1, "n_classes": 4},
    {"absent": 1, "n_classes": 4, "average": "items"},
    {"absent": 0, "n_classes": 4, "average": "samples-and-classes"},
)


def reading(items: Sequence[Item], average: str = "dataset", absent: int | None = None, n_classes: int = 0) -> float:
    """The mean IoU that a reading names, over sets."""

    def filled(values: list[Fraction]) -> list[Fraction]:
        return values if absent is None else [*values, *[Fraction(absent)] * (n_classes - len(values))]

    if average == "dataset":
        return mean(filled(ious(items)))
    by_item = [filled(ious([item])) for item in items]
    if average == "samples-and-classes":
        return mean([value for values in by_item for value in values])
    return mean([sum(values, Fraction(0)) / len(values) for values in by_item if values])


@pytest.mark.parametrize("options", READINGS, ids=str)
@given(items=data_sets())
def test_readings_of_mean_iou(options: dict[str, object], items: list[Item]) -> None:
    aggregation = METRICS["mean_iou"].statistics
    assert aggregation is not None
    counted = Statistics.concatenate([class_counts(ItemTables.of(sm.overlap(*sides(item)))) for item in items])
    times = np.random.default_rng(len(items)).integers(0, 3, (len(items), 3))
    values = sampled("mean_iou", counted, times, options).tolist()
    for value, column in zip(values, times.T, strict=True):
        drawn = [item for item, count in zip(items, column.tolist(), strict=True) for _ in range(count)]
        expected = reading(drawn, **options)  # type: ignore[arg-type]
        assert value == same(expected)
        repeated = counted.select(np.repeat(np.arange(len(items)), column))
        assert aggregation.reading("mean_iou", repeated, options).score().value == same(expected)


def test_the_smallest_data_set_in_which_all_numbers_called_mean_iou_differ() -> None:
    sides_of = [
        {name: sm.LabelArray([labels], classes=CLASSES) for name, labels in side.items()}
        for side in ({"x": [1], "y": [1]}, {"x": [1], "y": [3]})
    ]
    values = []
    for options in READINGS[:5]:
        run = sm.evaluate(*sides_of, metrics="mean_iou", options={"mean_iou": options})
        values.append(run.summary()["mean_iou"].usual.value)
    assert values == [same(1 / 4), same(1 / 2), same(1 / 3), same(1 / 8), same(5 / 8)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"average": "images"}, "average is 'images'; expected one of dataset, items, samples-and-classes"),
        ({"absent": 1}, "absent is 1 and n_classes is None; expected both"),
        ({"absent": 2, "n_classes": 4}, "absent is 2; expected 0, 1 or none"),
        ({"absent": 0, "n_classes": 0}, "n_classes is 0; expected a positive integer"),
        ({"absent": 0, "n_classes": 1}, "n_classes is 1, but 2 classes occur"),
    ],
)
def test_wrong_options_are_rejected(options: dict[str, object], message: str) -> None:
    array = sm.LabelArray([[1, 3]], classes=CLASSES)
    with pytest.raises(OptionError, match=message):
        sm.mean_iou(array, array, **options)


def test_without_classes_they_are_undefined() -> None:
    for key in KEYS:
        score = getattr(sm, key)(sm.LabelArray([[1, 1, 2]]), sm.LabelArray([[1, 2, 2]]))
        assert not score.is_defined and "read labels as classes" in str(score.reason)
