"""The facts about θ⁺ and θ& that the papers prove or misstate, by enumeration and by generated cases."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given

import segmetry as sm
from segmetry.testing.strategies import label_pairs, set_pairs
from tests.oracle import as_sets, overlap_rows
from tests.profiles import examples

F = Fraction
KEYS = ("precision", "recall", "rq", "pq", "weighted_precision", "weighted_recall")


def partial_partitions(n: int) -> list[sm.Sets]:
    """All partial partitions of {0 … n-1}: every element outside, in an earlier segment, or opening a new one."""
    families: list[tuple[frozenset[int], ...]] = [()]
    for element in range(n):
        families = [
            grown
            for family in families
            for grown in (
                family,
                (*family, frozenset({element})),
                *((*family[:k], family[k] | {element}, *family[k + 1 :]) for k in range(len(family))),
            )
        ]
    return [sm.Sets(family, universe=range(n)) for family in families]


def test_the_numbers_of_partial_partitions_are_bell_numbers() -> None:
    assert [len(partial_partitions(n)) for n in range(1, 6)] == [2, 5, 15, 52, 203]


@pytest.fixture(scope="module")
def all_pairs() -> list[tuple[sm.Sets, sm.Sets]]:
    return [*product(partial_partitions(3), repeat=2), *product(partial_partitions(4), repeat=2)]


@pytest.mark.slow
def test_facts_hold_for_all_partial_partitions_of_four_elements(all_pairs: list[tuple[sm.Sets, sm.Sets]]) -> None:
    for true, pred in all_pairs:
        _check_facts(true, pred)


@examples(5)
@given(set_pairs())
def test_facts_hold_for_sets(pair: tuple[sm.Sets, sm.Sets]) -> None:
    _check_facts(*pair)


@given(label_pairs())
def test_facts_hold_for_arrays(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    _check_facts(*pair)


def _check_facts(true: sm.Sets | sm.LabelArray, pred: sm.Sets | sm.LabelArray) -> None:
    table = sm.overlap(true, pred)
    plus, both = sm.align(table, "theta_plus"), sm.align(table, "theta_and")
    assert plus.is_one_to_one and both.is_one_to_one
    pairs_plus = {(p.true_id, p.pred_id) for p in plus.pairs()}
    pairs_both = {(p.true_id, p.pred_id) for p in both.pairs()}
    assert pairs_plus <= pairs_both
    for pair in both.pairs():
        assert pair.iou > F(1, 3)
        if (pair.true_id, pair.pred_id) not in pairs_plus:
            assert pair.iou <= F(1, 2)
    _check_largest_intersection(true, pred, pairs_both)
    for key in KEYS:
        low, high = getattr(plus, key), getattr(both, key)
        assert low.is_defined == high.is_defined
        assert not low.is_defined or low.value <= high.value, key
    if plus.sq.is_defined:
        assert both.sq.value <= plus.sq.value
    if both.sq.is_defined and both.rq.is_defined:
        assert both.pq.value == pytest.approx(both.sq.value * both.rq.value, abs=1e-12)


def _check_largest_intersection(
    true: sm.Sets | sm.LabelArray, pred: sm.Sets | sm.LabelArray, pairs: set[tuple[int, int]]
) -> None:
    """The θ& partner is the only one with the largest intersection."""
    rows = overlap_rows(as_sets(true), as_sets(pred))
    for t, h in pairs:
        of_true = sorted((s for u, _, s in rows if u == t), reverse=True)
        of_pred = sorted((s for _, g, s in rows if g == h), reverse=True)
        own = next(s for u, g, s in rows if (u, g) == (t, h))
        assert of_true[0] == own and of_true[1:2] != [own]
        assert of_pred[0] == own and of_pred[1:2] != [own]


def test_the_partner_under_theta_and_may_not_have_the_best_iou() -> None:
    """h = 0..6, t = {0,1,2,3,7,8,9} has IoU 2/5, t' = {4,5,6} has 3/7; the best assignment by IoU drops the θ& pair."""
    true = sm.Sets([{0, 1, 2, 3, 7, 8, 9}, {4, 5, 6}])
    pred = sm.Sets([range(7)])
    table = sm.overlap(true, pred)
    (pair,) = sm.align(table, "theta_and").pairs()
    assert (pair.true_id, pair.iou) == (1, F(2, 5))
    (best,) = sm.align(table, "maximum_weight").pairs()
    assert (best.true_id, best.iou) == (2, F(3, 7))


def test_claim_four() -> None:
    table = sm.overlap(sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}]))
    assert len(sm.align(table, "theta_plus")) == 0
    (pair,) = sm.align(table, "theta_and").pairs()
    assert pair.iou == F(1, 2)
    assert sm.align(table, "theta_and").pq.value == 0.25


@pytest.mark.parametrize(("n", "c"), [(1, 2), (5, 4), (40, 10), (100, 200)])
def test_claim_five_with_its_misprint_corrected(n: int, c: int) -> None:
    """The family has n matched pairs (the paper prints n-2), RQ = n/(n+1), SQ = (c+2)/(3c+2); θ⁺ matches no pair."""
    lengths = [c // 2, *[c + 1] * n]
    true, pred = sm.Spans.from_masses(lengths), sm.Spans.from_masses(lengths[::-1])
    alignment = sm.align(sm.overlap(true, pred), "theta_and")
    assert len(alignment) == n
    assert alignment.exact_total() == n * F(c + 2, 3 * c + 2)
    assert alignment.rq.value == pytest.approx(n / (n + 1), abs=1e-15)
    assert len(sm.align(sm.overlap(true, pred), "theta_plus")) == 0
