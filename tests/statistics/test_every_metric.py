"""What holds for every metric of a data set, whatever it measures: in each average it has, and under any weights.

A value that is computed once has the same bits in any order of the items and in any shards. An average is its
definition over single items and classes, in fractions. A sample is the data set that its weights describe.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.aggregation import Reading
from segmetry.metrics.average import (
    BY_CLASS,
    BY_CLASS_OF_ITEMS,
    BY_ITEM,
    BY_ITEM_AND_CLASS,
    BY_ITEM_OF_CLASSES,
    POOLED,
    Average,
)
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Statistics
from segmetry.statistics.readings import Stack
from segmetry.testing.contracts import required_options
from tests.protocols import small_data_sets as small

pytestmark = pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c", 5: "c"}
WITHOUT_TRUE, WITHOUT_PRED, EMPTY = 1, 2, 3
"""Items without a true segment, without a predicted one, and without any."""


def labels() -> small.Sides:
    """Six images of several sizes; class c is in some of them only, and in one on one side only."""
    rng = np.random.default_rng(8)
    sides: small.Sides = {}, {}
    for at in range(6):
        shape, most = (3, 4 + at % 3), 6 if at % 2 else 4
        true, other = (np.kron(rng.integers(0, most, shape), np.ones((2, 3), int)) for _ in range(2))
        pred = np.where(rng.random(true.shape) < 0.8, true, other)
        for side, found, empty in zip(sides, (true, pred), (WITHOUT_TRUE, WITHOUT_PRED), strict=True):
            side[f"{at}"] = sm.LabelArray(found * (at not in (empty, EMPTY)), classes=CLASSES)
    return sides


def videos() -> small.Sides:
    """Four videos of segments with classes."""
    rng = np.random.default_rng(9)
    sides: small.Sides = {}, {}
    for at in range(4):
        true, other = (np.kron(rng.integers(0, 4 + at % 2, (4, 2, 3)), np.ones((1, 2, 2), int)) for _ in range(2))
        pred = np.where(rng.random(true.shape) < 0.8, true, other)
        for side, found in zip(sides, (true, pred), strict=True):
            side[f"{at}"] = sm.LabelArray(found, classes=CLASSES)
    return sides


DATA: dict[str, Callable[[], small.Sides]] = {
    "labels": labels,
    "videos": videos,
    "masks": small.scored_masks,
    "spans": small.sections,
    "texts": small.texts,
    "frames": small.frames,
    "entities": small.entities,
    "intervals": small.intervals,
}


def data_of(key: str) -> str | None:
    """The data of a metric; None where its items are annotated by several people."""
    metric = METRICS[key]
    if "labels" in metric.kinds:
        return "videos" if metric.dimensions and metric.dimensions[0] > 2 else "labels"
    by_key = {"frame_accuracy": "frames", "edit_score": "frames", "segmental_f1": "frames"}
    if key.startswith(("entity", "semeval")):
        return "entities"
    if metric.family in ("windows", "boundaries"):
        return "texts"
    if "annotations" in metric.kinds:
        return None
    return by_key.get(key, "intervals" if "intervals" in metric.kinds else metric.kinds[0])


COUNTS = ("hoover_classes", "pair_counts")
"""Several counts of an item, which have no value of a data set."""
KEYS = {key: name for key in METRICS if key not in COUNTS and (name := data_of(key)) is not None}


@cache
def evaluated(name: str) -> sm.Run:
    """All metrics of one kind of data."""
    keys = [key for key, own in KEYS.items() if own == name]
    options = {key: required for key in keys if (required := required_options(METRICS[key]))}
    return sm.evaluate(*DATA[name](), metrics=keys, options=options, engine="serial")


STANDING_IN: dict[str, dict[str, Any]] = {
    "segment_f1": {"empty": 1.0},
    "aji": {"empty": 1.0},
    "mean_iou": {"absent": 1.0, "n_classes": 5},
    "dice": {"both_empty": 1.0},
    "class_hausdorff95": {"both_empty": 1.0, "missing": "diagonal"},
    "lidar_pq": {"n_classes": 5},
}
"""Options with a value for what has none: an item without segments, a class that an item or the data set lacks."""


@cache
def with_options(key: str) -> sm.Run:
    return sm.evaluate(*DATA[KEYS[key]](), metrics=[key], options={key: STANDING_IN[key]}, engine="serial")


def readings_of(key: str, run: sm.Run | None = None) -> list[Reading]:
    """The metric in all averages that it has, and over both items and classes where these have values of their own."""
    data = (run or evaluated(KEYS[key])).data
    source, averages = data.source(key), dict.fromkeys(data.averages(key))
    if source.has_classes and not source.metric.is_count and not source.aggregation.is_ranked:
        averages |= dict.fromkeys((BY_ITEM_OF_CLASSES, BY_CLASS_OF_ITEMS, BY_ITEM_AND_CLASS))
    return [data.reading(key, average) for average in averages]


def class_facts(reading: Reading) -> dict[Hashable, tuple[Any, ...]]:
    if reading.average.over_items and reading.aggregation.is_ranked:
        return {}
    return {name: facts(score) for name, score in reading.class_scores().items()}


def facts(score: Score) -> tuple[Any, ...]:
    """Everything in a score that has bits."""
    value = score.value.hex() if score.is_defined else score.reason
    return value, score.numerator, score.denominator


@pytest.mark.parametrize("key", KEYS)
def test_order_and_shards_of_items_change_no_bit(key: str) -> None:
    for reading in readings_of(key):
        items = reading.statistics
        n = items.n_items
        order = np.random.default_rng(1).permutation(n)
        shards = [items.select(part) for part in (order[: n // 2], order[n // 2 : -1], order[-1:])]
        for other in (items.select(order), Statistics.concatenate(shards)):
            again = replace(reading, statistics=other)
            assert facts(again.score()) == facts(reading.score()), reading.average
            assert class_facts(again) == class_facts(reading), reading.average


def mean(values: Iterable[float]) -> float:
    """The mean of the values that are defined, exactly until the end."""
    defined = [Fraction(value) for value in values if not math.isnan(value)]
    return float(sum(defined) / len(defined)) if defined else math.nan


def by_definition(reading: Reading) -> float:
    """The average, one item and one class after the other; what is pooled is a value of several items or classes."""
    singles = [replace(reading, statistics=reading.statistics.select([at])) for at in range(reading.statistics.n_items)]

    def of_classes(one: Reading, average: Average) -> dict[Hashable, float]:
        return {name: score.value for name, score in replace(one, average=average).class_scores().items()}

    steps = reading.average.steps
    if steps == ("class",):
        return mean(of_classes(reading, BY_CLASS).values())
    if steps == ("item",) or reading.aggregation.is_ranked:
        return mean(one.score().value for one in singles)
    cells = [of_classes(one, BY_CLASS_OF_ITEMS) for one in singles]
    if steps == ("item", "class"):
        return mean(mean(own.values()) for own in cells)
    if steps == ("class", "item"):
        names = {name for own in cells for name in own}
        return mean(mean(own[name] for own in cells if name in own) for name in names)
    assert steps == ("item*class",)
    return mean(value for own in cells for value in own.values())


@pytest.mark.parametrize("key", KEYS)
def test_an_average_is_its_definition(key: str) -> None:
    for reading in readings_of(key):
        if reading.average != POOLED:
            expected = by_definition(reading)
            assert reading.score().value == pytest.approx(expected, rel=1e-15, abs=0, nan_ok=True), reading.average


@pytest.mark.parametrize("key", KEYS)
def test_a_sample_is_the_data_set_that_its_weights_describe(key: str) -> None:
    check_samples(readings_of(key))


def check_samples(readings: list[Reading]) -> None:
    """Once, an item of weight 2 for one that occurs twice, each item alone, and without each item."""
    n = readings[0].statistics.n_items
    times = np.concatenate([np.ones((n, 1)), np.arange(n)[:, None] % 3, np.eye(n), 1 - np.eye(n)], axis=1)
    stack = Stack(readings, n)
    some = np.arange(n) % 2 == 0  # a group of items is a data set of its own
    of_group = Stack([replace(reading, chosen=some) for reading in readings], n).values(np.ones((n, 1)))
    for reading, value in zip(readings, of_group, strict=True):
        alone = replace(reading, statistics=reading.statistics.select(np.flatnonzero(some))).score().value
        np.testing.assert_allclose(value[0, 0], alone, rtol=1e-12, atol=1e-12, err_msg=str(reading.average))
    for reading, values, without in zip(readings, stack.values(times), stack.without_each(), strict=True):
        drawn = [np.repeat(np.arange(n), column) for column in times.astype(int).T]
        expected = [replace(reading, statistics=reading.statistics.select(items)).score().value for items in drawn]
        np.testing.assert_allclose(values[0], expected, rtol=1e-12, atol=1e-12, err_msg=str(reading.average))
        np.testing.assert_allclose(without[0], expected[-n:], rtol=1e-12, atol=1e-12, err_msg=str(reading.average))
        assert expected[0] == reading.score().value or math.isnan(expected[0])


@pytest.mark.parametrize("key", KEYS)
def test_an_item_has_the_score_of_a_data_set_of_this_item_alone(key: str) -> None:
    data = evaluated(KEYS[key]).data
    reading = data.reading(key, data.average_of_items(key))
    alone = [replace(reading, statistics=reading.statistics.select([at])).score() for at in range(len(data.items))]
    scores = [math.nan if score is None else score.value for score in data.item_scores(key)]
    np.testing.assert_array_equal(scores, [score.value for score in alone])
    np.testing.assert_array_equal(data.item_values(key), scores)


@pytest.mark.parametrize("key", ["n_matched", "true_positive_elements", "true_negative_elements", "lesions_found"])
def test_counts_of_a_data_set_are_whole_numbers(key: str) -> None:
    score = evaluated(KEYS[key]).data.score(key, POOLED)
    assert (type(score.numerator), score.denominator) == (int, 1)


@pytest.mark.parametrize("key", STANDING_IN)
def test_a_value_that_stands_in_counts_in_samples(key: str) -> None:
    check_samples(readings_of(key, with_options(key)))


@pytest.mark.parametrize(("key", "average"), [("segment_f1", BY_ITEM_OF_CLASSES), ("aji", BY_ITEM)])
def test_an_item_without_segments_has_the_stated_value(key: str, average: Average) -> None:
    (reading,) = [one for one in readings_of(key, with_options(key)) if one.average == average]
    items = [replace(reading, options={}, statistics=reading.statistics.select([at])) for at in range(6)]
    scores = [one.score() for one in items]
    assert [not score.is_defined for score in scores] == [at == EMPTY for at in range(6)]
    expected = mean(score.value if score.is_defined else 1 for score in scores)
    assert reading.score().value == pytest.approx(expected, rel=1e-15)
    alone = replace(reading, statistics=reading.statistics.select([EMPTY]))
    assert [replace(alone, average=other).score().value for other in (average, POOLED)] == [1, 1]


@pytest.mark.parametrize("key", ["dice", "class_hausdorff95"])
def test_a_class_that_an_item_lacks_has_the_stated_value_in_the_mean_over_items(key: str) -> None:
    readings = {one.average: one for one in readings_of(key, with_options(key))}
    plain = readings[BY_CLASS_OF_ITEMS]
    cells: list[dict[Hashable, float]] = [{} for _ in range(6)]
    for item, name, value in replace(plain, options={}).cell_values():
        cells[item][name] = value
    assert any(len(own) not in (0, 3) for own in cells) and not cells[EMPTY]
    of_classes = [mean(own.get(name, 1) for own in cells) for name in "abc"]
    assert readings[BY_CLASS_OF_ITEMS].score().value == pytest.approx(mean(of_classes), rel=1e-15)
    of_items = [mean(own.values()) if own else 1 for own in cells]
    assert readings[BY_ITEM_OF_CLASSES].score().value == pytest.approx(mean(of_items), rel=1e-15)


@pytest.mark.parametrize(("key", "absent"), [("mean_iou", 1), ("lidar_pq", 0)])
def test_classes_that_do_not_occur_count_where_their_number_is_stated(key: str, absent: float) -> None:
    (reading,) = [one for one in readings_of(key, with_options(key)) if one.average == BY_CLASS]
    values = [score.value for score in replace(reading, options={}).class_scores().values()]
    assert len(values) == 3
    assert reading.score().value == pytest.approx((sum(values) + 2 * absent) / 5, rel=1e-15)


def test_the_data_tell_averages_apart() -> None:
    """Averages that agree on the data would hide that one is taken for another."""
    for key in ("pq", "mean_iou", "dice", "class_hausdorff95", "hota"):
        values = [reading.score().value for reading in readings_of(key)]
        assert len({round(value, 9) for value in values}) == len(values) >= 3, (key, values)
