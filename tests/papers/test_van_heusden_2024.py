"""The theorems, definitions and equations of Van Heusden and Marx 2024, each by its name: "A sharper definition …"."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.testing.strategies import label_pairs, set_pairs
from tests.oracle import as_sets
from tests.papers.by_sets import aligned, is_bijection, theta_and, theta_plus
from tests.papers.test_marx_2022 import (
    test_definition_1_a_mismatch_is_an_unmatched_segment_that_overlaps_as_much as test_definition_1,
    test_definition_2_an_improvement_keeps_one_side_and_what_pairs_share as test_definition_2,
    test_definition_3_a_fair_alignment_has_no_unfair_improvement as test_definition_3,
    test_theorem_1_fair_one_to_one_alignments_are_those_of_theta_and as test_theorem_5,
)

__all__ = ["test_definition_1", "test_definition_2", "test_definition_3", "test_theorem_5"]
TENTHS = st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))


@given(label_pairs())
def test_theta_and_covers_more_than_half_of_both(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    """The other form of θ& in the introduction."""
    table = sm.overlap(*pair)
    half = sm.align(table, sm.rules.coverage(min_above="1/2", max_above="1/2"))
    assert list(half.pairs()) == list(sm.align(table, "theta_and").pairs())


@given(st.integers(1, 40), st.integers(0, 40))
def test_of_equal_sizes_iou_above_a_half_is_overlap_above_two_thirds(size: int, shared: int) -> None:
    shared = min(shared, size)
    t, h = frozenset(range(size)), frozenset(range(size - shared, 2 * size - shared))
    pair = sm.Sets([t]), sm.Sets([h])
    assert (sm.n_matched(*pair).value == 1) == (3 * shared > 2 * size)


@given(set_pairs())
def test_theorem_1_a_partial_bijection_of_ious_above_a_third(pair: tuple[sm.Sets, sm.Sets]) -> None:
    found = sm.align(sm.overlap(*pair), "theta_and")
    expected = aligned(*map(as_sets, pair), theta_and)
    assert {(one.true_id, one.pred_id) for one in found.pairs()} == set(expected)
    assert is_bijection(expected) and all(one.iou > Fraction(1, 3) for one in found.pairs())


@given(set_pairs())
def test_theorem_2_every_theta_plus_pair_is_a_theta_and_pair(pair: tuple[sm.Sets, sm.Sets]) -> None:
    sides = list(map(as_sets, pair))
    assert set(aligned(*sides, theta_plus)) <= set(aligned(*sides, theta_and))
    table = sm.overlap(*pair)
    assert set(sm.align(table, "theta_plus").pairs()) <= set(sm.align(table, "theta_and").pairs())


@given(label_pairs())
def test_theorem_3_sq_does_not_rise_and_the_others_do_not_fall(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    plus, both = (sm.align(sm.overlap(*pair), rule) for rule in ("theta_plus", "theta_and"))
    if plus.sq.is_defined:
        assert both.sq.value <= plus.sq.value
    for key in ("precision", "recall", "rq", "pq", "weighted_precision", "weighted_recall"):
        low, high = getattr(plus, key), getattr(both, key)
        assert low.is_defined == high.is_defined and (not low.is_defined or low.value <= high.value)


@given(TENTHS, TENTHS, TENTHS)
def test_theorem_4_which_tversky_rules_are_one_to_one(alpha: Fraction, beta: Fraction, gamma: Fraction) -> None:
    """The construction of the proof clashes exactly where the theorem says that a clash exists."""
    rule = sm.rules.tversky(alpha, beta, above=gamma)
    expected = gamma * alpha >= 1 - gamma and gamma * beta >= 1 - gamma
    assert rule.guarantees_one_to_one == expected
    halves = sm.LabelArray([1] * 100), sm.LabelArray([1] * 51 + [2] * 49)
    whole_first = len(sm.align(sm.overlap(*halves), rule, resolve="keep"))
    whole_second = len(sm.align(sm.overlap(*halves[::-1]), rule, resolve="keep"))
    if expected:
        assert max(whole_first, whole_second) <= 1
    elif min(gamma * alpha, gamma * beta) * 51 < (1 - gamma) * 49:
        assert max(whole_first, whole_second) == 2


@given(label_pairs())
def test_rq_is_tversky_with_halves_and_iou_with_ones(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    tally = sm.align(sm.overlap(*pair), "theta_and").tally
    assert tally.exact_total("tversky(alpha=1,beta=1)") == tally.exact_total("iou")
    assert tally.exact_total("tversky(alpha=1/2,beta=1/2)") == tally.exact_total("dice")


@pytest.mark.parametrize("metric", ["chessboard", "euclidean"])
def test_equation_2_the_boundary_iou(metric: str) -> None:
    """Bands of elements within d of an element outside, by comparing all of them."""
    rng = np.random.default_rng(7)
    true, pred = (rng.random((9, 11)) < 0.8 for _ in range(2))
    for d in (1, 2, 3):
        bands = [_band(mask, d, metric) for mask in (true, pred)]
        found = sm.boundary_iou(true.astype(int), pred.astype(int), d=d, metric=metric, rule="theta_and")
        assert found.value == (bands[0] & bands[1]).sum() / (bands[0] | bands[1]).sum()


def _band(mask: np.ndarray, d: int, metric: str) -> np.ndarray:
    padded = np.pad(mask, d + 1)
    outside = np.argwhere(~padded)
    band = np.zeros_like(padded)
    for at in np.argwhere(padded):
        steps = np.abs(outside - at)
        lengths = steps.max(axis=1) if metric == "chessboard" else np.sqrt((steps**2).sum(axis=1))
        band[tuple(at)] = lengths.min() <= d
    return band[d + 1 : -d - 1, d + 1 : -d - 1]


@given(label_pairs())
def test_a_false_hit_overlaps_another_object_almost_as_much(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    true, pred = map(as_sets, pair)
    expected = [
        (a, b)
        for (a, b), (t, h) in aligned(true, pred, theta_and).items()
        if 4 * len(t - h) >= 3 * len(t & h)
        and any(4 * len(other & h) >= 3 * len(t & h) for name, other in true.items() if name != a)
    ]
    assert sm.false_hits(*pair, rule="theta_and").value == len(expected)
    assert not any(theta_plus(true[a], pred[b]) for a, b in expected)
