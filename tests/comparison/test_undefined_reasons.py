"""Why a table has dashes: one line per reason, and none for what has an interval."""

from __future__ import annotations

from typing import Any

import segmetry as sm
from segmetry.comparison.comparison_tables import ONE_ITEM, undefined_in_comparison, undefined_in_intervals

EMPTY, FULL, HALF = [[0, 0, 0]], [[1, 1, 1]], [[1, 1, 2]]


def reasons(true: list[Any], pred: list[Any]) -> list[str]:
    sides = (dict(zip("abc", side, strict=False)) for side in (true, pred))
    return list(undefined_in_intervals(sm.evaluate(*sides, metrics="pq,sq").intervals(resamples=100)))


def test_a_value_of_one_item_only_has_no_interval() -> None:
    both = ", ".join(
        f"{key} ({words})" for key in ("pq", "sq") for words in ("mean over items", "pooled over all items")
    )
    assert reasons([FULL, EMPTY, EMPTY], [HALF, EMPTY, EMPTY]) == [f"No interval, only one item has a value: {both}"]


def test_an_undefined_value_is_no_missing_interval() -> None:
    assert reasons([FULL, FULL, FULL], [EMPTY, EMPTY, EMPTY]) == [
        "No value, undefined in every item: sq (mean over items)",
        "No value, no matched pair: sq (pooled over all items)",
    ]


def test_what_has_an_interval_has_no_line() -> None:
    assert reasons([FULL, FULL, FULL], [HALF, FULL, FULL]) == []


def test_one_item_has_one_line() -> None:
    assert reasons([FULL], [HALF]) == [ONE_ITEM]


def test_systems_and_their_differences_are_named() -> None:
    true = {"a": FULL, "b": EMPTY}
    runs = [sm.evaluate(true, {"a": pred, "b": EMPTY}, metrics="pq") for pred in (FULL, HALF)]
    comparison = sm.compare({"old": runs[0], "new": runs[1]}, resamples=100)
    (line,) = undefined_in_comparison(comparison, ["pq"])
    assert line.startswith("No interval, only one item has a value: ")
    assert all(words in line for words in ("pq (mean over items)", "pq (pooled over all items)", " − "))
