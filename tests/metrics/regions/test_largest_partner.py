"""Partner metrics against partners found by brute force: AFI, RBSB, precision, recall, F(α), covering."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.testing.strategies import void_pairs
from tests.metrics.partner_oracle import POLICIES, Pair, families, partners, ties

ALPHAS = ("0", "1/3", "1/2", "0.9", "1")


def mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values)) if values else math.nan


@given(pair=void_pairs(), policy=st.sampled_from(POLICIES))
def test_area_fit_and_rbsb(pair: Pair, policy: str) -> None:
    true, pred, _ = families(pair, policy)
    result = partners(true, pred)
    fits = [Fraction(len(t) - len(h), len(t)) for t, h in result]
    expected = {
        "area_fit_index": mean(fits),
        "rbsb": mean([Fraction(len(t - h) + len(h - t), len(t)) for t, h in result]),
    }
    table = sm.overlap(*pair)
    for key, value in expected.items():
        score = getattr(sm, key)(table, policy=policy)
        assert score.value == pytest.approx(value, rel=1e-14, abs=1e-15, nan_ok=True)
        assert score.details == {"ties": ties(true, pred), "untouched": sum(not h for _, h in result)}
    absolute = sm.area_fit_index(table, policy=policy, absolute=True).value
    assert absolute == pytest.approx(mean([abs(fit) for fit in fits]), nan_ok=True)


@given(pair=void_pairs(), policy=st.sampled_from(POLICIES), alpha=st.sampled_from(ALPHAS))
def test_f_in_three_averages(pair: Pair, policy: str, alpha: str) -> None:
    true, pred, _ = families(pair, policy)
    result, weight = partners(true, pred), Fraction(alpha)
    table = sm.overlap(*pair)

    def f(p: Fraction, r: Fraction) -> Fraction:
        return p * r / (weight * r + (1 - weight) * p) if p and r else Fraction(0)

    precisions = [Fraction(len(t & h), len(h)) if h else Fraction(0) for t, h in result]
    recalls = [Fraction(len(t & h), len(t)) for t, h in result]
    shared = sum(len(t & h) for t, h in result)
    preds, trues = sum(len(h) for _, h in result), sum(len(t) for t, _ in result)
    total = Fraction(1, len(result) or 1)
    expected = {
        "segments": mean([f(p, r) for p, r in zip(precisions, recalls, strict=True)]),
        "means": float(f(sum(precisions) * total, sum(recalls) * total)) if result else math.nan,
        "pooled": float(f(Fraction(shared, preds or 1), Fraction(shared, trues))) if result else math.nan,
    }
    for average, value in expected.items():
        options = {"alpha": alpha, "average": average, "policy": policy}
        assert sm.partner_f(table, **options).value == pytest.approx(value, rel=1e-14, nan_ok=True), average
        assert sm.partner_f_error(table, **options).value == pytest.approx(1 - value, abs=1e-15, nan_ok=True), average
    assert sm.partner_recall(table, policy=policy).value == pytest.approx(mean(recalls), nan_ok=True)
    if len(table.pred):
        assert sm.partner_precision(table, policy=policy).value == pytest.approx(mean(precisions), nan_ok=True)
    else:
        assert sm.partner_precision(table, policy=policy).reason == "no pred segments"
    pooled = Fraction(shared, preds) if preds else math.nan
    assert sm.partner_precision(table, policy=policy, average="pooled").value == pytest.approx(
        float(pooled), nan_ok=True
    )


@given(pair=void_pairs(), policy=st.sampled_from(POLICIES))
def test_covering_both_ways(pair: Pair, policy: str) -> None:
    true, pred, n = families(pair, policy)
    table = sm.overlap(*pair)
    for of, covered, by in (("true", true, pred), ("pred", pred, true)):
        best = [
            len(t) * max((Fraction(len(t & h), len(t | h)) for h in by.values()), default=Fraction(0))
            for t in covered.values()
        ]
        total = sum(len(t) for t in covered.values())
        for divide_by, bottom in (("segments", total), ("domain", n)):
            value = float(sum(best) / bottom) if covered else math.nan
            options = {"of": of, "divide_by": divide_by, "policy": policy}
            assert sm.covering(table, **options).value == pytest.approx(value, rel=1e-14, nan_ok=True)
            assert sm.covering_error(table, **options).value == pytest.approx(1 - value, abs=1e-14, nan_ok=True)


def test_worked_covering() -> None:
    for true, pred, value in (
        ([5, 3, 5], [4, 4, 5], 45 / 52),
        ([4, 4, 5], [5, 1, 2, 5], 51 / 65),
        ([2, 3, 3, 1, 3, 6, 3], [2, 6, 4, 2, 4, 3], 29 / 42),
        ([10], [1] * 10, 1 / 10),
        ([1] * 10, [10], 1 / 10),
    ):
        assert sm.covering(sm.Spans.from_masses(true), sm.Spans.from_masses(pred)).value == pytest.approx(
            value, rel=1e-15
        )


def test_a_tie_goes_to_the_larger_iou_then_to_the_smaller_id() -> None:
    larger_iou = sm.area_fit_index([[1, 1, 1, 1, 0]], [[5, 5, 9, 9, 5]])
    assert (larger_iou.value, larger_iou.details["ties"]) == (0.5, 1)
    smaller_id = sm.partner_f([[1, 1, 1, 1]], [[9, 9, 5, 5]])
    assert (smaller_id.value, smaller_id.details["ties"]) == (2 / 3, 1)


def test_partners_agree_in_class_unless_told_otherwise() -> None:
    true = sm.LabelArray([[1, 1, 1]], classes={1: "cat"})
    pred = sm.LabelArray([[7, 7, 8]], classes={7: "dog", 8: "cat"})
    assert sm.partner_recall(true, pred).value == 1 / 3
    assert sm.partner_recall(true, pred, classes="ignore").value == 2 / 3


def test_crowd_truth_is_left_out_under_coco() -> None:
    true = sm.LabelArray([[1, 1, 2, 2]], classes={1: "cat", 2: "cat"}, crowd=2)
    pred = sm.LabelArray([[1, 1, 0, 0]], classes={1: "cat"})
    assert sm.rbsb(true, pred).value == 0.5
    assert sm.rbsb(true, pred, policy="coco").value == 0.0


def test_overlapping_masks_have_partners_too() -> None:
    true = sm.Sets([{1, 2, 3}, {3, 4}])
    pred = sm.Sets([{1, 2}, {2, 3, 4}])
    result = partners({1: frozenset({1, 2, 3}), 2: frozenset({3, 4})}, {1: frozenset({1, 2}), 2: frozenset({2, 3, 4})})
    assert sm.rbsb(true, pred).value == pytest.approx(mean([Fraction(len(t ^ h), len(t)) for t, h in result]))


def test_an_empty_mask_is_no_segment() -> None:
    stack = np.array([[[True, True, False]], [[False, False, False]]])
    true, pred = sm.Masks.from_dense(stack), sm.Masks.from_dense(stack[:1])
    for key in ("area_fit_index", "rbsb", "partner_f_error"):
        assert getattr(sm, key)(true, pred).value == 0.0
    nothing = sm.Masks.from_dense(stack[:0])
    assert sm.rbsb(true, nothing).value == 1.0


def test_large_sizes_do_not_overflow() -> None:
    n = 2**61
    table = sm.OverlapTable.from_rows([(1, 1, n // 2)], {1: n}, {1: n // 2 + 1})
    assert sm.partner_f(table, alpha="0.123456789").value == pytest.approx(
        (n / 2) / (0.123456789 * (n / 2) + 0.876543211 * n)
    )
    assert sm.covering(table).value == pytest.approx(0.5)
    assert sm.hoover_index(table).value == 1.0


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        ("partner_f", {"alpha": 1.5}, r"alpha is 1.5; expected a number in \[0, 1\]"),
        ("partner_f", {"average": "macro"}, "average is 'macro'; expected one of segments, means, pooled"),
        ("partner_recall", {"average": "means"}, "partner_recall takes segments or pooled"),
        ("covering", {"of": "both"}, "of is 'both'"),
        ("covering", {"divide_by": "pixels"}, "divide_by is 'pixels'"),
        ("hoover_index", {"threshold": 0.5}, r"threshold is 0.5; expected a number in \(1/2, 1\]"),
    ],
)
def test_wrong_options_are_rejected(key: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        getattr(sm, key)(np.array([[1, 2]]), np.array([[1, 1]]), **options)
