"""Metrics that take all classes at once: the items of a data set together have the bits of each item alone."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.declare import METRICS

CATEGORIES = {"few": (1, 2, 3), "many": tuple(range(4, 21))}


def class_maps(n_items: int) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    """Return images of up to 20 classes: numpy adds more than 8 numbers in another order than one after the other."""
    rng = np.random.default_rng(7)
    true = [rng.integers(0, 21, (9, 9)) for _ in range(n_items)]
    pred = [np.where(rng.random((9, 9)) < 0.3, 1 + at % 3, labels) for at, labels in enumerate(true)]
    first, second = (
        {f"item {at:02d}": sm.LabelArray.from_classes(labels) for at, labels in enumerate(side)}
        for side in ([*true, np.zeros((9, 9), int)], [*pred, np.zeros((9, 9), int)])
    )
    return first, second


@pytest.mark.parametrize("key", ["frequency_weighted_iou", "category_iou"])
def test_items_together_have_the_bits_of_each_alone(key: str) -> None:
    true, pred = class_maps(12)
    options = {"category_iou": {"categories": CATEGORIES}}
    run = sm.evaluate(true, pred, metrics=key, options={name: options[name] for name in options if name == key})
    alone = {name: METRICS[key](true[name], pred[name], **options.get(key, {})) for name in true}
    for name, scores in run.item_scores():
        score, same = scores[key], alone[name]
        assert (repr(score.value), score.numerator, score.details) == (repr(same.value), same.numerator, same.details)
    values = run.data.item_values(key)
    assert np.array_equal(values, [score.value for score in alone.values()], equal_nan=True)
    assert np.isnan(values[-1])


def test_a_mean_over_items_names_no_value_of_a_label_that_several_items_have() -> None:
    """It is that of the class; the score of one item lists the values of its labels."""
    true, pred = class_maps(2)
    run = sm.evaluate(true, pred, metrics="dice")
    assert "labels" not in run.data.score("dice", "by_class_of_items").details
    assert len(dict(run.item_scores())["item 00"]["dice"].details["labels"]) > 1
