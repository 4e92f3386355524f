"""Many items: means that say what they used, pooled values from sums, errors that name the item."""

from __future__ import annotations

import math

import pytest

import segmetry as sm
from segmetry.dataset import aggregate, as_data, score_items
from segmetry.errors import ShapeMismatchError
from segmetry.readers.reader import Item


def items(*pairs: tuple[list[int], list[int]]) -> list[tuple[str, Item, Item]]:
    return [
        (f"item {at}", Item(f"item {at}", sm.LabelArray(true)), Item(f"item {at}", sm.LabelArray(pred)))
        for at, (true, pred) in enumerate(pairs)
    ]


ROWS = score_items(items(([1, 1, 2], [1, 1, 2]), ([1, 1, 1], [0, 0, 0]), ([1, 1, 2], [1, 1, 0])), metrics="panoptic")[
    "theta_and"
]


def test_mean_skips_undefined_and_says_so() -> None:
    found = aggregate(ROWS)["sq"]
    assert found.mean.value == 1.0
    assert (found.mean.details["used"], found.mean.details["items"]) == (2, 3)


def test_pooled_divides_sums() -> None:
    found = aggregate(ROWS)
    assert found["recall"].pooled is not None
    assert found["recall"].pooled.value == 3 / 5
    assert found["recall"].mean.value == pytest.approx((1 + 0 + 1 / 2) / 3)
    assert found["n_matched"].pooled is not None and found["n_matched"].pooled.value == 3
    assert found["pq"].pooled is not None and found["pq"].pooled.value == 3 / 4


def test_pooled_is_undefined_when_nothing_was_there() -> None:
    found = aggregate(score_items(items(([0], [0])), metrics="panoptic")["theta_and"])["pq"]
    assert found.pooled is not None and math.isnan(found.pooled.value)
    assert found.mean.reason == "undefined for every item"


def test_errors_name_the_item() -> None:
    with pytest.raises(ShapeMismatchError, match="item item 0: true has shape"):
        score_items(items(([1, 1], [1, 1, 1])))


def test_data_for_json_names_rule_policy_and_items() -> None:
    found = as_data(ROWS, {"true": "a"})
    assert (found["rule"], found["policy"], found["n_items"], found["true"]) == ("theta_and", "none", 3, "a")
    assert set(found["items"]) == {"item 0", "item 1", "item 2"}
    assert found["aggregates"]["sq"]["mean"]["details"] == {"used": 2, "items": 3}
