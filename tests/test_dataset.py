"""A data set as plain data."""

from __future__ import annotations

import segmetry as sm
from segmetry.dataset import as_data
from segmetry.side_by_side import under_rules


def test_data_for_json_names_rule_policy_and_items() -> None:
    true = {"a": [[1, 1, 2]], "b": [[1, 1, 1]], "c": [[1, 1, 2]]}
    pred = {"a": [[1, 1, 2]], "b": [[0, 0, 0]], "c": [[1, 1, 0]]}
    (under,) = under_rules(sm.evaluate(true, pred, metrics="panoptic"), ["theta_and"]).values()
    found = as_data(under.rows, under.summary, {"true": "a"})
    assert (found["rule"], found["policy"], found["n_items"], found["true"]) == ("theta_and", "none", 3, "a")
    assert set(found["items"]) == {"a", "b", "c"}
    assert found["scores"]["sq"]["n"] == 2
