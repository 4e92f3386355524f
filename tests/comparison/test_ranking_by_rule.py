"""Does the ranking change with the rule? Values and ranks against each run's own summary, τ against scipy."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import segmetry as sm
from segmetry.comparison.ranking_by_rule import RULES, kendall_tau
from segmetry.errors import ClashError, OptionError
from tests.comparison.made import systems


def two_that_change_places() -> list[sm.Run]:
    """Half overlaps count under θ& only: the first system finds one segment, the second all of them, shifted."""
    true = {name: np.repeat([1, 2, 3, 4], 10) for name in "abcd"}
    few = np.where(np.repeat([1, 2, 3, 4], 10) == 1, 1, 0)
    preds = (few, np.roll(np.repeat([1, 2, 3, 4], 10), 4))
    return [sm.evaluate(true, dict.fromkeys("abcd", pred), metrics="pq") for pred in preds]


def test_a_change_of_places_is_found() -> None:
    result = sm.rule_sensitivity(*two_that_change_places(), rules=["theta_plus", "theta_and"], resamples=100)
    assert [row.ranks for row in result.by_rule] == [(1, 2), (2, 1)]
    assert result.ranking_changes and result.by_rule[1].changed == (("run 1", "run 2"),)
    assert [row.tau for row in result.by_rule] == [1, -1]
    assert [row["rank"] for row in result.rows()] == [1, 2, 2, 1]
    json.dumps(result.to_dict(), allow_nan=False)


@pytest.mark.parametrize("average", ["by_item_of_classes", "pooled"])
def test_values_are_those_of_each_run_under_each_rule(average: Any) -> None:
    runs = systems(15, (0.1, 0.2, 0.3))
    result = sm.rule_sensitivity(*runs, average=average, resamples=200)
    assert [row.rule for row in result.by_rule] == list(RULES)
    for row in result.by_rule:
        for run, value in zip(runs, row.values, strict=True):
            other = run.rescore(row.rule)
            assert value.value == other.summary()["pq"][average].value
            assert value == other.intervals(resamples=200, parts=False)["pq"][average]
    assert not result.ranking_changes or any(row.changed for row in result.by_rule)


def test_a_system_without_a_value_has_no_rank() -> None:
    true = {name: np.repeat([1, 2], 4) for name in "abc"}
    preds = (np.zeros(8, dtype=int), np.repeat([1, 2], [3, 5]), np.repeat([1, 2], [5, 3]), np.repeat([1, 2], 4))
    runs = [sm.evaluate(true, dict.fromkeys("abc", pred), metrics="sq") for pred in preds]
    result = sm.rule_sensitivity(*runs, key="sq", rules=["theta_plus", "iou(above=99/100)"], resamples=100)
    assert [row.ranks for row in result.by_rule] == [(None, 2, 2, 1), (None, None, None, 1)]
    assert [row.tau for row in result.by_rule] == [pytest.approx(1), None]
    assert kendall_tau([1, np.nan, 2, 3], [1, 5, 3, np.nan]) == 1
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_clash_names_its_item_and_one_rule_is_one_rule() -> None:
    true = {"a": [[1, 1, 1, 1]], "b": [[1, 1, 2, 2]]}
    preds = ({"a": [[1, 1, 1, 0]], "b": [[1, 1, 2, 2]]}, {"a": [[1, 1, 1, 1]], "b": [[1, 2, 3, 4]]})
    runs = [sm.evaluate(true, pred, metrics="pq") for pred in preds]
    with pytest.raises(ClashError, match=r"^item b: true segment 1, 2 has several partners"):
        sm.rule_sensitivity(*runs, rules=["theta_plus", "iou(above=0.3)"], resamples=100)
    assert [row.rule for row in sm.rule_sensitivity(*runs, rules="theta_and", resamples=100).by_rule] == ["theta_and"]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7))
def test_tau_is_scipys(pairs: list[tuple[int, int]]) -> None:
    first, second = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    expected = float(stats.kendalltau(first, second).statistic)
    tau = kendall_tau(first, second)
    assert tau == (None if np.isnan(expected) else pytest.approx(expected))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": []}, "no rules to compare"),
        ({"rules": ["theta_and", "theta_and"]}, "the rule theta_and is named twice"),
        ({"average": "median"}, "pq has no average median; choose one of by_class, by_item_of_classes, pooled"),
        ({"key": "rand_index"}, "rand_index depends on no rule"),
        ({"key": "additional_pairs"}, "additional_pairs has no better value"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        sm.rule_sensitivity(*systems(3, metrics="pq,rand_index"), **{"resamples": 100, **options})
