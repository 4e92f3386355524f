"""Several rules beside each other: what depends on no rule stands once."""

from __future__ import annotations

import segmetry as sm
from segmetry.comparison.several_rules import under_rules

RULES = ["theta_and", "theta_plus"]


def test_what_depends_on_no_rule_stands_under_the_first() -> None:
    both = under_rules(sm.evaluate({"a": [1, 1, 2]}, {"a": [1, 2, 2]}, metrics="pq,rand_index"), RULES)
    assert [list(one.rows[0].scores) for one in both.values()] == [["pq", "rand_index"], ["pq"]]


def test_one_rule_is_enough_where_none_matters() -> None:
    assert list(under_rules(sm.evaluate({"a": [1]}, {"a": [1]}, metrics="rand_index"), RULES)) == ["theta_and"]
