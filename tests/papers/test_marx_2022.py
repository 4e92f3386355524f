"""The claims, definitions and the theorem of Marx 2022, each by its name: "The most general manner …"."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.testing.strategies import label_pairs, set_pairs
from tests.oracle import as_sets
from tests.papers.by_sets import aligned, alignments, families, iou, is_bijection, theta_and, theta_plus

SOME = [family for family in families(4) if family]


def pairs_of(pair: tuple[sm.Segmentation, sm.Segmentation], rule: str) -> set[tuple[int, int]]:
    return {(one.true_id, one.pred_id) for one in sm.align(sm.overlap(*pair), rule).pairs()}


@given(label_pairs())
def test_claim_1_the_alignment_is_that_of_a_nested_loop(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    true, pred = map(as_sets, pair)
    assert pairs_of(pair, "theta_and") == set(aligned(true, pred, theta_and))
    assert pairs_of(pair, "theta_plus") == set(aligned(true, pred, theta_plus))


@given(set_pairs())
def test_claim_2_the_alignment_is_a_partial_bijection(pair: tuple[sm.Sets, sm.Sets]) -> None:
    assert sm.align(sm.overlap(*pair), "theta_and").is_one_to_one
    assert is_bijection(aligned(*map(as_sets, pair), theta_and))


@given(label_pairs())
def test_claim_3_every_pair_has_an_iou_above_a_third(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    assert all(one.iou > Fraction(1, 3) for one in sm.align(sm.overlap(*pair), "theta_and").pairs())


@given(set_pairs())
def test_claim_4_theta_and_is_weaker(pair: tuple[sm.Sets, sm.Sets]) -> None:
    assert pairs_of(pair, "theta_plus") <= pairs_of(pair, "theta_and")


def test_claim_4_strictly() -> None:
    pair = sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}])
    assert (pairs_of(pair, "theta_plus"), pairs_of(pair, "theta_and")) == (set(), {(1, 2)})
    assert sm.pq(*pair, rule="theta_and").value == 0.25


@given(st.integers(1, 60), st.integers(1, 60))
def test_claim_5_the_extreme_family(n: int, half: int) -> None:
    masses = [half, *[2 * half + 1] * n]
    sides = sm.Spans.from_masses(masses), sm.Spans.from_masses(masses[::-1])
    assert sm.pq(*sides).value == sm.rq(*sides).value == 0
    found = sm.align(sm.overlap(*sides), "theta_and")
    assert found.rq.value == pytest.approx(n / (n + 1))
    assert found.sq.value == pytest.approx((half + 1) / (3 * half + 1))
    assert found.sq.value > 1 / 3


@pytest.mark.parametrize("number", [1, 2])
def test_definition_1_a_mismatch_is_an_unmatched_segment_that_overlaps_as_much(number: int) -> None:
    """Every alignment of two families of four elements: number 1 on the side of pred, number 2 on that of true."""
    side = {1: "pred", 2: "true"}[number]
    for true, pred in list(product(SOME, repeat=2))[:: 7 + number]:
        table = sm.overlap(sm.Sets(true), sm.Sets(pred))
        for pairs in alignments(true, pred):
            found = {(m.true_id, m.pred_id) for m in sm.fairness(table.align(pairs=pairs)).mismatches if m.side == side}
            assert found == _mismatches(true, pred, pairs, side)


def _mismatches(true: tuple, pred: tuple, pairs: list[tuple[int, int]], side: str) -> set[tuple[int, int]]:
    if side == "true":
        return {(b, a) for a, b in _mismatches(pred, true, [(b, a) for a, b in pairs], "pred")}
    partner = dict(pairs)
    return {
        (a, b)
        for a, t in enumerate(true, 1)
        for b, h in enumerate(pred, 1)
        if a in partner and b not in partner.values() and t & h and len(h & t) >= len(pred[partner[a] - 1] & t)
    }


def test_definition_2_an_improvement_keeps_one_side_and_what_pairs_share() -> None:
    """All alignments of pairs of families of three elements, with one side replaced by every other family."""
    small = [family for family in families(3) if family]
    decided = set()
    for true, pred, other in product(small, repeat=3):
        for pairs, better in product(alignments(true, pred), alignments(true, other)):
            if {a for a, _ in pairs} != {a for a, _ in better} or not pairs:
                continue
            before, after = dict(pairs), dict(better)
            expected = all(true[a - 1] & pred[before[a] - 1] <= other[after[a] - 1] for a in before)
            sides = sm.Sets(true), sm.Sets(pred), sm.Sets(other)
            own = sm.overlap(sides[0], sides[1]).align(pairs=pairs)
            assert sm.improves(sm.overlap(sides[0], sides[2]).align(pairs=better), own) == expected
            decided.add(expected)
        if len(decided) == 2 and (true, pred) > (small[len(small) // 2], ()):
            break
    assert decided == {True, False}


def test_definition_3_a_fair_alignment_has_no_unfair_improvement() -> None:
    """The example: H' is an improvement with a mismatch, so H is not fair, although it has no mismatch itself."""
    true, pred, cut = (
        sm.Sets([{1, 2, 3}, {4, 5, 6}]),
        sm.Sets([{1, 2, 3, 4, 5}, {6}]),
        sm.Sets([{1, 2, 3}, {4, 5}, {6}]),
    )
    own, better = (
        sm.overlap(true, pred).align(pairs=[(1, 1), (2, 2)]),
        sm.overlap(true, cut).align(pairs=[(1, 1), (2, 3)]),
    )
    assert sm.improves(better, own) and sm.fairness(better).mismatches
    assert not sm.fairness(own).mismatches and not sm.fairness(own).fair


def test_theorem_1_fair_one_to_one_alignments_are_those_of_theta_and() -> None:
    """In the reading of its proof; every alignment of families of four elements that were drawn evenly."""
    verdicts = set()
    for true, pred in list(product(SOME, repeat=2))[::5]:
        table = sm.overlap(sm.Sets(true), sm.Sets(pred))
        for pairs in alignments(true, pred):
            expected = all(theta_and(true[a - 1], pred[b - 1]) for a, b in pairs)
            assert sm.fairness(table.align(pairs=pairs)).fair == expected
            verdicts.add(expected)
    assert verdicts == {True, False}


@given(set_pairs())
def test_definition_4_weighted_precision_recall_and_f1(pair: tuple[sm.Sets, sm.Sets]) -> None:
    true, pred = map(as_sets, pair)
    weight = sum((iou(t, h) for t, h in aligned(true, pred, theta_and).values()), Fraction(0))
    sizes = {"weighted_precision": len(pred), "weighted_recall": len(true)}
    sizes["weighted_f1"] = Fraction(len(true) + len(pred), 2)  # type: ignore[assignment]
    for key, size in sizes.items():
        found = getattr(sm, key)(*pair, rule="theta_and")
        assert found.is_defined == bool(size)
        assert not size or found.value == pytest.approx(float(weight / size))
