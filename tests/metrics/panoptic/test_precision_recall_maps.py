"""Precision and recall maps against the best weight over Python sets, for every kind that can be painted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.weights import WEIGHTS
from segmetry.errors import KindError, UnknownNameError
from segmetry.testing.strategies import label_pairs, mask_pairs, span_pairs
from tests.alignments.test_curves import set_weight
from tests.oracle import as_sets


def best_weights(own: Any, others: Any, weight: str, *, own_is_true: bool) -> dict[int, Fraction]:
    def value(mine: frozenset[Any], other: frozenset[Any]) -> Fraction:
        return set_weight(weight, mine, other) if own_is_true else set_weight(weight, other, mine)

    return {
        segment: max((value(mine, other) for other in others.values() if mine & other), default=Fraction(0))
        for segment, mine in own.items()
    }


@given(
    st.one_of(label_pairs(), span_pairs(), mask_pairs()),
    st.sampled_from(WEIGHTS),
    st.sampled_from(["theta_plus", "theta_and"]),
)
def test_every_element_shows_the_best_weight_of_its_segment(pair: tuple[Any, Any], weight: str, rule: str) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    result = sm.maps(*pair, weight=weight, rule=rule)
    order: Any = "F" if pair[0].kind == "masks" else "C"
    for array, own, others, own_is_true in ((result.recall, true, pred, True), (result.precision, pred, true, False)):
        assert array.shape == pair[0].domain
        best = best_weights(own, others, weight, own_is_true=own_is_true)
        flat = array.ravel(order=order)
        for element in range(flat.size):
            covering = [best[segment] for segment, elements in own.items() if element in elements]
            if covering:
                assert flat[element] == float(max(covering))
            else:
                assert np.isnan(flat[element])
    for values, own, others, own_is_true in (
        (result.true_values, true, pred, True),
        (result.pred_values, pred, true, False),
    ):
        best = best_weights(own, others, weight, own_is_true=own_is_true)
        assert dict(zip(values.ids.tolist(), values.above.tolist(), strict=True)) == {
            segment: value > result.alpha for segment, value in best.items()
        }


def test_the_best_weight_is_not_the_largest_intersection() -> None:
    """h = 0…6 shares 4 with t and 3 with t', but fits t' better: 3/7 against 2/5."""
    true = sm.Sets([{0, 1, 2, 3, 7, 8, 9}, {4, 5, 6}])
    labels, pred = np.array([[1, 1, 1, 1, 2, 2, 2, 1, 1, 1]]), np.array([[1, 1, 1, 1, 1, 1, 1, 0, 0, 0]])
    assert sm.maps(labels, pred).pred_values.values.tolist() == [3 / 7]
    with pytest.raises(KindError, match="true is sets"):
        sm.maps(true, true)


def test_policy_decides_who_may_be_matched_and_who_is_left_out() -> None:
    true = sm.LabelArray(np.array([[1, 1, 2, 2, 9, 9]]), void=9, classes={1: "car", 2: "car"}, crowd=2)
    pred = sm.LabelArray(np.array([[5, 5, 6, 6, 7, 7]]), classes={5: "car", 6: "car", 7: "sky"})
    result = sm.maps(true, pred, policy="coco")
    assert np.isnan(result.recall).tolist() == [[False, False, True, True, True, True]]
    assert np.isnan(result.precision).tolist() == [[False, False, True, True, True, True]]
    assert (result.policy, result.rule, str(result.alpha)) == ("coco", "theta_plus", "1/2")
    other = sm.LabelArray(pred.labels, classes={5: "sky", 6: "car", 7: "sky"})
    assert sm.maps(true, other, policy="none").pred_values.values.tolist() == [0, 1, 0]
    assert sm.maps(true, other, policy="none", classes="ignore").pred_values.values.tolist() == [1, 1, 0]
    honoured = sm.maps(true, other)
    assert (honoured.policy, honoured.pred_values.values.tolist()) == ("strict-void", [0, 1])


def test_a_value_equal_to_alpha_is_below_unless_the_rule_accepts_it() -> None:
    for rule, above in (("theta_plus", False), ("iou(at_least=1/2)", True), ("greedy(at_least=1/2)", True)):
        result = sm.maps([[1, 1, 2, 2]], [[3, 3, 3, 3]], rule=rule)
        assert result.pred_values.values.tolist() == [0.5]
        assert result.pred_values.above.tolist() == [above], rule
    exact = sm.maps([[1, 1, 2, 2]], [[1, 1, 3, 0]], rule="iou(at_least=1)")
    assert exact.true_values.above.tolist() == [True, False]


def test_unknown_weights_are_named() -> None:
    with pytest.raises(UnknownNameError, match="there is no weight 'area'"):
        sm.maps([[1]], [[1]], weight="area")
