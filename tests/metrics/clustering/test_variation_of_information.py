"""Variation of information against its definition by conditional entropies."""

from __future__ import annotations

import math
from collections.abc import Hashable

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.overlaps.cross_table import BACKGROUNDS
from segmetry.testing.strategies import void_pairs
from tests.oracle import as_partitions

Partition = list[frozenset[Hashable]]


def conditional(of: Partition, given_blocks: Partition, n: int) -> float:
    """H(of | given) in bits: for every known block the entropy of what is in it."""
    total = 0.0
    for known in given_blocks:
        shares = [len(block & known) / len(known) for block in of if block & known]
        total += len(known) / n * -math.fsum(share * math.log2(share) for share in shares)
    return total


@given(pair=void_pairs(), background=st.sampled_from(sorted(BACKGROUNDS)))
def test_split_and_merge_are_conditional_entropies(pair: tuple[sm.LabelArray, sm.LabelArray], background: str) -> None:
    true, pred = as_partitions(*pair, background)
    n, table = sum(map(len, true)), sm.overlap(*pair)
    result = [
        getattr(sm, key)(table, background=background) for key in ("vi_split", "vi_merge", "variation_of_information")
    ]
    if not n:
        assert not any(score.is_defined for score in result)
        return
    split, merge = conditional(pred, true, n), conditional(true, pred, n)
    assert [score.value for score in result] == pytest.approx([split, merge, split + merge], abs=1e-13)


def test_equal_segmentations_give_exactly_zero() -> None:
    true = sm.Spans.from_masses([3, 7, 11, 1, 2])
    assert [sm.vi_split(true, true).value, sm.vi_merge(true, true).value] == [0.0, 0.0]


def test_one_wrong_element_in_two_to_the_forty_is_seen() -> None:
    n = 2**40
    table = sm.OverlapTable.from_rows([(1, 1, n // 2), (1, 2, 1), (2, 2, n // 2 - 1)])
    # H(H|T) of a true segment of n/2 + 1 elements that lost one: about (ln(n/2) + 1)/n nats.
    assert sm.vi_split(table).value == pytest.approx((math.log(n / 2) + 1) / n / math.log(2), rel=1e-9, abs=0)
