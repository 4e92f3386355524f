"""Rand and its relatives against counting all pairs of elements one by one."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import InputError, KindError, OptionError
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.metrics.partner_oracle import POLICIES, Pair, families, partners
from tests.oracle import as_partitions, void_elements

Partition = list[frozenset[Hashable]]


def count_one_by_one(true: Partition, pred: Partition) -> dict[str, int]:
    elements = sorted(frozenset().union(*true), key=repr)
    counts = dict.fromkeys(("n11", "n10", "n01", "n00"), 0)
    for first, second in combinations(elements, 2):
        together = [int(any(first in block and second in block for block in side)) for side in (true, pred)]
        counts[f"n{together[0]}{together[1]}"] += 1
    return counts


def quotient(top: int, bottom: int) -> float:
    return float(Fraction(top, bottom)) if bottom else math.nan


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_everything_from_pairs_equals_counting_pairs(pair: Pair, background: str) -> None:
    true, pred = as_partitions(*pair, background)
    counts = count_one_by_one(true, pred)
    table = sm.overlap(*pair)
    assert dict(sm.pair_counts(table, background=background).parts) == counts
    n11, n10, n01, n00 = counts.values()
    total = sum(counts.values())
    expected = {
        "rand_index": quotient(n11 + n00, total),
        "rand_error": quotient(n10 + n01, total),
        "pair_precision": quotient(n11, n11 + n01),
        "pair_recall": quotient(n11, n11 + n10),
        "pair_f": quotient(2 * n11, 2 * n11 + n10 + n01),
        "adapted_rand_error": quotient(n10 + n01, len(frozenset().union(*true)) + 2 * n11 + n10 + n01),
        "jaccard_index": quotient(n11, n11 + n10 + n01),
        "fowlkes_mallows": n11 / math.sqrt((n11 + n10) * (n11 + n01)) if (n11 + n10) * (n11 + n01) else math.nan,
    }
    for key, value in expected.items():
        assert getattr(sm, key)(table, background=background).value == pytest.approx(
            value, nan_ok=True, abs=0, rel=1e-15
        ), key


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_adjusted_rand_is_the_index_less_its_expectation(
    pair: tuple[sm.LabelArray, sm.LabelArray], background: str
) -> None:
    counts = count_one_by_one(*as_partitions(*pair, background))
    total = sum(counts.values())
    true, pred = counts["n11"] + counts["n10"], counts["n11"] + counts["n01"]
    result = sm.adjusted_rand_index(sm.overlap(*pair), background=background)
    expected = Fraction(true * pred, total) if total else Fraction(0)
    largest = Fraction(true + pred, 2)
    if largest == expected:
        assert not result.is_defined
    else:
        assert result.value == pytest.approx(
            float((counts["n11"] - expected) / (largest - expected)), rel=1e-14, abs=1e-15
        )


@given(pair=void_pairs(), policy=st.sampled_from(POLICIES))
def test_per_partner_divides_the_domain_in_two(pair: Pair, policy: str) -> None:
    true, pred, n = families(pair, policy)
    void = void_elements(pair[0]) | void_elements(pair[1]) if policy == "strict-void" else frozenset()
    domain: frozenset[Hashable] = frozenset(range(pair[0].n_elements)) - void
    values = []
    for t, h in partners(true, pred):
        counts = count_one_by_one(
            [block for block in (t, domain - t) if block], [block for block in (h, domain - h) if block]
        )
        values.append(quotient(counts["n11"] + counts["n00"], sum(counts.values())))
    result = sm.rand_per_partner(*pair, policy=policy)
    if n < 2 or not true:
        assert not result.is_defined
    else:
        assert result.value == pytest.approx(sum(values) / len(values), rel=1e-14)


def test_two_to_the_forty_elements_are_counted_exactly() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, n // 2 + 1), (1, 2, 3), (2, 2, n // 2 - 4)])
    counts = sm.pair_counts(table).parts

    def pairs(k: int) -> int:
        return k * (k - 1) // 2

    both = pairs(n // 2 + 1) + pairs(3) + pairs(n // 2 - 4)
    true, pred = pairs(n // 2 + 4) + pairs(n // 2 - 4), pairs(n // 2 + 1) + pairs(n // 2 - 1)
    assert counts == {"n11": both, "n10": true - both, "n01": pred - both, "n00": pairs(n) - true - pred + both}
    disagreements = true + pred - 2 * both
    assert sm.rand_error(table).numerator == disagreements
    assert sm.rand_error(table).value == disagreements / pairs(n)
    assert 0 < sm.rand_error(table).value < 1e-11


def test_background_singletons_cost_nothing_at_two_to_the_forty() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, 10)], {1: 10}, {1: 15}, n_elements=n)
    counts = sm.pair_counts(table, background="singletons").parts
    assert counts == {"n11": 45, "n10": 0, "n01": 105 - 45, "n00": n * (n - 1) // 2 - 105}
    rest = sm.pair_counts(table, background="segment").parts
    both = 45 + 10 + (n - 15) * (n - 16) // 2
    assert rest["n11"] == both


def test_per_partner_at_two_to_the_forty() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, n // 2 - 1), (2, 2, n // 2)], {1: n // 2, 2: n // 2}, n_elements=n)
    disagreement = Fraction(1 * (n - 1), n * (n - 1) // 2)
    assert sm.rand_per_partner(table).value == float(1 - disagreement / 2)


def test_overlapping_segments_are_rejected_with_a_way_out() -> None:
    stack = np.ones((2, 1, 3), dtype=bool)
    masks = sm.Masks.from_dense(stack, scores=[0.9, 0.8])
    with pytest.raises(InputError, match="true segments overlap, and clustering metrics compare partitions"):
        sm.rand_index(masks, masks)
    single = sm.Masks.from_dense(stack[:1])
    assert sm.rand_index(single, masks, resolve="by_score").value == 1.0


def test_options_that_mean_nothing_are_rejected() -> None:
    with pytest.raises(OptionError, match="background is 'outside'; expected one of segment, singletons, common"):
        sm.rand_index([[1, 2]], [[1, 1]], background="outside")
    with pytest.raises(OptionError, match="rand_index has no option 'rule'; it takes background"):
        sm.rand_index([[1, 2]], [[1, 1]], rule="theta_plus")
    with pytest.raises(OptionError, match="rand_index does not use an alignment, so resolve='assign' is not supported"):
        sm.rand_index([[1, 2]], [[1, 1]], resolve="assign")
    with pytest.raises(KindError, match="takes label arrays of 2 to 3 axes; found 1"):
        sm.shape_index(np.array([1, 2]), np.array([1, 1]))


def test_score_hands_background_to_the_metrics_that_know_it() -> None:
    true, pred = np.array([[1, 1, 0]]), np.array([[1, 1, 2]])
    result = sm.score(true, pred, "rand_index,pq", background="common", options={"pq": {"rule": "theta_plus"}})
    assert result["rand_index"].to_dict()["denominator"] == 1
    assert result["rand_index"].to_dict()["details"] == {"counted_share": 2 / 3}
    assert sm.score(true, pred, "rand_index").results["rand_index"].to_dict()["denominator"] == 3
