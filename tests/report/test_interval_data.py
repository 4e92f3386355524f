"""Where a number of the page has no interval, the page has the reason."""

from __future__ import annotations

import pytest

import segmetry as sm
from segmetry.report.page_data import later_data, report_data

ONE = "one item only: nothing to resample"


@pytest.mark.parametrize("metrics", ["pq", "dice"])
def test_the_headline_of_one_item_says_why_it_has_no_interval(metrics: str) -> None:
    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics=metrics)
    data, _ = report_data([run], maps="none")
    headline = data["runs"][0]["overview"]["headline"]
    assert (headline["low"], headline["high"], headline["problem"]) == (None, None, ONE)
    (later,) = later_data([run])
    assert later["headline"]["problem"] == ONE


def test_every_rule_of_one_item_says_why_it_has_no_interval() -> None:
    run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 2, 2]]}, metrics="pq")
    data, _ = report_data([run], maps="none")
    by_rule = data["runs"][0]["intervals"]["by_rule"]
    assert {rule: row["reason"] for rule, row in by_rule.items()} == {"theta_plus": ONE, "theta_and": ONE}


def test_an_undefined_headline_says_so() -> None:
    run = sm.evaluate({"a": [[0, 0]], "b": [[0, 0]]}, {"a": [[0, 0]], "b": [[0, 0]]}, metrics="pq")
    data, _ = report_data([run], maps="none")
    headline = data["runs"][0]["overview"]["headline"]
    assert (headline["value"], headline["problem"]) == (None, "undefined in every item")


def test_intervals_that_exist_have_no_reason() -> None:
    true, pred = {"a": [[1, 1, 2]], "b": [[1, 1, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}
    data, _ = report_data([sm.evaluate(true, pred, metrics="pq")], maps="none")
    facts = data["runs"][0]
    assert facts["overview"]["headline"]["problem"] is None
    assert {row["reason"] for row in facts["intervals"]["by_rule"].values()} == {None}
