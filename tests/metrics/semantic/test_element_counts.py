"""TP, FP, FN and TN of labels against sets of positions, in one item and over items, and regions that overlap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import InputError
from segmetry.metrics.aggregation import Reading
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import METRICS
from segmetry.metrics.statistics import Statistics
from segmetry.statistics.readings import Stack
from tests.profiles import examples

LABELS = (0, 1, 2, 5)
LINES = st.integers(1, 10).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([*LABELS, 9]), min_size=n, max_size=n)] * 2)
)
KEYS = {
    "true_positive_elements": lambda t, p, n: len(t & p),
    "false_positive_elements": lambda t, p, n: len(p - t),
    "false_negative_elements": lambda t, p, n: len(t - p),
    "true_negative_elements": lambda t, p, n: n - len(t | p),
    "true_elements": lambda t, p, n: len(t),
    "pred_elements": lambda t, p, n: len(p),
}


def counts(true: list[int], pred: list[int], key: str, label: int, void: int | None = None) -> int:
    places = [at for at, pair in enumerate(zip(true, pred, strict=True)) if void not in pair]
    sides = ({at for at in places if side[at] == label} for side in (true, pred))
    return int(KEYS[key](*sides, len(places)))


@examples(2)
@given(LINES)
def test_counts_are_those_of_sets(pair: tuple[list[int], list[int]]) -> None:
    true, pred = pair
    labels = sorted({*true, *pred} - {0, 9})
    for key in KEYS:
        score = getattr(sm, key)(sm.LabelArray(true, void=9), sm.LabelArray(pred, void=9))
        assert score.value == sum(counts(true, pred, key, label, void=9) for label in labels)


@given(st.lists(LINES, min_size=1, max_size=3))
def test_means_of_a_class_are_over_all_items(items: list[tuple[list[int], list[int]]]) -> None:
    sides = [{f"{at}": np.array([item[side]]) for at, item in enumerate(items)} for side in (0, 1)]
    run = sm.evaluate(*sides, metrics=list(KEYS), read={"labels": "classes"}, engine="serial")
    labels = {label for item in items for side in item for label in side} - {0}
    for key in KEYS if labels else ():
        for label in labels:
            values = [counts(*item, key, label) for item in items]
            row = run.summary().classes[label][key]
            assert row["by_item"].value == pytest.approx(sum(values) / len(items))
            assert row["pooled"].value == sum(values)


REGIONS = {"WT": [1, 2, 5], "TC": [1, 5], "ET": [5]}


@examples(2)
@given(LINES)
def test_dice_of_regions_that_overlap(pair: tuple[list[int], list[int]]) -> None:
    sides = [{"a": np.array([side])} for side in pair]
    run = sm.evaluate(*sides, metrics=["dice", "true_negative_elements"], read={"union": REGIONS}, engine="serial")
    for name, labels in REGIONS.items():
        true, pred = ({at for at, label in enumerate(side) if label in labels} for side in pair)
        if true | pred:
            row = run.summary().classes[name]
            assert row["dice"]["by_item"].value == pytest.approx(2 * len(true & pred) / (len(true) + len(pred)))
            assert row["true_negative_elements"]["by_item"].value == len(pair[0]) - len(true | pred)


def test_overlapping_masks_of_one_class_are_rejected() -> None:
    masks = sm.Masks.from_dense(np.ones((2, 1, 3), bool), classes=["cell", "cell"])
    with pytest.raises(InputError, match="'cell' has several of them"):
        sm.dice(masks, masks)
    plain = sm.Masks.from_dense(np.ones((2, 1, 3), bool))
    with pytest.raises(InputError, match="the foreground would count twice"):
        sm.dice(plain, plain, foreground=True)


def test_both_empty_counts_for_each_class_of_an_item() -> None:
    """BraTS: an item without the class on either side scores 1; nnU-Net leaves it out; others count 0."""
    true = {"a": [[1, 2]], "b": [[1, 0]]}
    pred = {"a": [[1, 0]], "b": [[1, 0]]}
    for both_empty, expected in ((None, 0), (1, 1 / 2), (0, 0)):
        options = {} if both_empty is None else {"dice": {"both_empty": both_empty}}
        run = sm.evaluate(true, pred, metrics="dice", options=options, read={"labels": "classes"}, engine="serial")
        assert run.summary().classes[2]["dice"]["by_item"].value == expected
        assert run.summary().classes[2]["dice"].n("by_item") == (1 if both_empty is None else 2)


def test_ignore_empty_leaves_out_what_the_truth_does_not_have() -> None:
    true, pred = [[1, 0, 0]], [[1, 2, 0]]
    assert sm.dice(true, pred).value == 1 / 2 and sm.dice(true, pred, ignore_empty=True).value == 1
    assert sm.iou(true, pred).value == 1 / 2 and sm.iou(true, pred, ignore_empty=True).value == 1
    assert not sm.dice([[0, 0]], [[2, 0]], ignore_empty=True).is_defined


@pytest.mark.parametrize("key", KEYS)
def test_the_mean_of_a_label_is_over_all_items_also_those_without_it(key: str) -> None:
    items = [([1, 1, 2, 0], [1, 2, 2, 0]), ([1, 0, 1, 0, 0], [1, 1, 0, 0, 0]), ([5, 0], [0, 5])]
    aggregation = METRICS[key].statistics
    assert aggregation is not None
    statistics = Statistics.concatenate([aggregation.collected([sm.overlap(*item)], {}) for item in items])
    reading = Reading(key, aggregation, statistics, {}, BY_CLASS_OF_ITEMS)
    expected = {label: sum(counts(*item, key, label) for item in items) / len(items) for label in (1, 2, 5)}
    assert {label: score.value for label, score in reading.class_scores().items()} == pytest.approx(expected)
    mean = sum(expected.values()) / len(expected)
    assert reading.score().value == pytest.approx(mean)
    by_label = Reading(key, aggregation, statistics, {}, BY_CLASS_OF_ITEMS, each_class=True)
    all_labels, each = Stack([reading, by_label], len(items)).values(np.ones((len(items), 1)))
    assert all_labels[0, 0] == pytest.approx(mean)
    assert each[:, 0].tolist() == pytest.approx(list(expected.values()))
