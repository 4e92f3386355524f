"""Where a number of the page has no interval, the page has the reason."""

from __future__ import annotations

import pytest

import segmetry as sm
from segmetry.report.page_data import later_data, report_data
from segmetry.report.two_rules_data import two_rules_facts

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
    true = {str(at): [[1, 1, 2]] for at in range(10)}
    run = sm.evaluate(true, {**true, "3": [[1, 2, 2]], "4": [[1, 2, 2]]}, metrics="pq")
    facts = report_data([run], maps="none")[0]["runs"][0]
    assert facts["overview"]["headline"]["problem"] is None
    assert {row["reason"] for row in facts["intervals"]["by_rule"].values()} == {None}


def test_few_items_have_no_interval_that_nobody_asked_for() -> None:
    true = {str(at): [[1, 1, 2]] for at in range(9)}
    run = sm.evaluate(true, {**true, "3": [[1, 2, 2]], "4": [[1, 2, 2]]}, metrics="pq")
    facts = report_data([run], maps="none")[0]["runs"][0]
    assert facts["overview"]["headline"]["problem"] == "9 items are too few"
    assert {row["reason"] for row in facts["intervals"]["by_rule"].values()} == {"9 items are too few"}
    assert run.interval("pq").best is not None


def test_the_change_by_another_rule_is_paired() -> None:
    true = {str(at): [[1, 1, 1, 2, 2, 2, 2, 2]] for at in range(12)}
    pred = {name: [[1, 1, 1, 2, 2, 2, 3, 3 if int(name) % 4 else 2]] for name in true}
    run = sm.evaluate(true, {**pred, "0": [[1, 1, 0, 2, 2, 0, 0, 0]]}, metrics="pq")
    facts = report_data([run], maps="none")[0]["runs"][0]["intervals"]
    row = sm.compare(run, rules=["theta_plus", "theta_and"], metrics="pq").difference("pq", "by_item")
    assert row.interval.best is not None
    assert facts["differences"] == {"theta_and": dict(zip(("low", "high"), row.interval.best, strict=True))}
    own = facts["by_rule"]["theta_plus"]["scores"]["pq"]["by_item"]
    assert own["high"] - own["low"] != row.interval.best[1] - row.interval.best[0]


def test_the_example_of_two_rules_facts() -> None:
    import segmetry as sm

    assert two_rules_facts(sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq"))["ks_p"] == 1.0
