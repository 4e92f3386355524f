"""Additional pairs, false hits and error kinds by their definitions over sets."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.pair_errors import KINDS, additional_pairs, error_kinds, false_hits
from segmetry.errors import OptionError
from segmetry.testing.strategies import label_pairs, set_pairs
from tests.oracle import as_sets
from tests.profiles import examples

SHARES = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]


@examples(5)
@given(set_pairs(), st.sampled_from(SHARES), st.sampled_from(["theta_and", "iou(above=0.2)"]))
def test_false_hits_by_definition(pair: tuple[sm.Sets, sm.Sets], pi: Fraction, rule: str) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair), rule)
    expected = [
        any(
            pi * len(true[p.true_id] & pred[p.pred_id]) <= len(true[other] & pred[p.pred_id])
            and pi * len(true[p.true_id] & pred[p.pred_id]) <= len(true[p.true_id] - pred[p.pred_id])
            for other in true
            if other != p.true_id
        )
        for p in alignment.pairs()
    ]
    assert false_hits(alignment, pi).tolist() == expected
    if pi >= Fraction(1, 2) and rule == "theta_and":
        assert all(add or not hit for hit, add in zip(expected, additional_pairs(alignment), strict=True))


def test_the_printed_condition_would_reject_a_good_pair() -> None:
    """With |t' \\ h| in the second conjunct the θ⁺ pair of t = 0..9 and h = 0..17, t' = 10..99 would be a false hit."""
    true = sm.Spans.from_masses([10, 90])
    pred = sm.Spans.from_spans([(0, 18)], n=100)
    (pair,) = sm.align(sm.overlap(true, pred), "theta_plus").pairs()
    rival, rest_of_rival = 8, 82
    assert 3 * pair.shared <= 4 * rival and 3 * pair.shared <= 4 * rest_of_rival
    assert not false_hits(sm.align(sm.overlap(true, pred))).any()


@pytest.mark.parametrize("pi", [0, -1, 1.5, "nan"])
def test_pi_must_be_a_share(pi: object) -> None:
    table = sm.overlap([[1, 1]], [[1, 1]])
    with pytest.raises(OptionError, match="pi is"):
        false_hits(sm.align(table), pi)  # type: ignore[arg-type]


@examples(5)
@given(label_pairs(dimensions=(1, 2)), st.sampled_from([1, 2, Fraction(3, 2)]))
def test_error_kinds_by_definition(pair: tuple[sm.LabelArray, sm.LabelArray], dominance: Fraction) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair), "iou(above=0.1)")
    kinds = error_kinds(alignment, dominance=dominance, small=3)
    for p, name, small in zip(alignment.pairs(), kinds.names(), kinds.small, strict=True):
        t, h = true[p.true_id], pred[p.pred_id]
        elsewhere = frozenset().union(*(segment for other, segment in true.items() if other != p.true_id))
        if t == h:
            expected = "exact"
        elif len(t - h) >= dominance * len(h - t):
            expected = "partial"
        elif len(h - t) >= dominance * len(t - h):
            expected = "spill" if 2 * len(h & elsewhere) > len(h - t) else "extra"
        else:
            expected = "mixed"
        assert name == expected
        assert small == (len(t) < 3)
    assert sum(kinds.counts().values()) == len(alignment)
    assert tuple(kinds.counts()) == KINDS
