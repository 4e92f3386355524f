"""SQ and PQ with any weight, volume errors of pairs and of labels, and differences in count, over sets of elements."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import segmetry as sm
from segmetry.errors import OptionError, UnknownNameError
from segmetry.testing.strategies import label_pairs
from tests.profiles import examples

Pair = tuple[sm.LabelArray, sm.LabelArray]
Segment = frozenset[tuple[int, ...]]
WEIGHTS = {
    "iou": lambda t, h: Fraction(len(t & h), len(t | h)),
    "dice": lambda t, h: Fraction(2 * len(t & h), len(t) + len(h)),
    "coverage_true": lambda t, h: Fraction(len(t & h), len(t)),
    "coverage_pred": lambda t, h: Fraction(len(t & h), len(h)),
    "min_coverage": lambda t, h: Fraction(len(t & h), max(len(t), len(h))),
    "max_coverage": lambda t, h: Fraction(len(t & h), min(len(t), len(h))),
}


def segments(side: sm.LabelArray) -> dict[int, Segment]:
    ids = [label for label in np.unique(side.labels).tolist() if label]
    return {label: frozenset(map(tuple, np.argwhere(side.labels == label).tolist())) for label in ids}


def mean(values: list[Fraction]) -> float:
    return float(sum(values) / len(values)) if values else math.nan


def approx(expected: float) -> Any:
    return pytest.approx(expected, abs=1e-12, nan_ok=True)


@examples(4)
@given(label_pairs())
def test_scores_of_matched_pairs_are_those_of_sets(pair: Pair) -> None:
    trues, preds = (list(segments(side).values()) for side in pair)
    matched = [(t, h) for t, h in product(trues, preds) if 2 * len(t & h) > len(t | h)]
    either = len(trues) + len(preds)
    for weight, of_pair in WEIGHTS.items():
        values = [of_pair(t, h) for t, h in matched]
        assert sm.sq_weighted(*pair, weight=weight).value == approx(mean(values))
        expected = float(2 * sum(values) / either) if either else math.nan
        assert sm.pq_weighted(*pair, weight=weight).value == approx(expected)
    dice = [WEIGHTS["dice"](t, h) for t, h in matched]
    assert sm.sq_dice(*pair).value == approx(mean(dice))
    assert sm.sq_dice(*pair, without_pair=0).value == approx(mean(dice or [Fraction(0)] * bool(either)))
    volumes = [Fraction(len(h) - len(t), len(t)) for t, h in matched]
    assert sm.sq_rvd(*pair).value == approx(mean(volumes))
    assert sm.sq_rvae(*pair).value == approx(mean([abs(volume) for volume in volumes]))
    assert sm.count_difference(*pair).value == len(preds) - len(trues)
    assert sm.absolute_count_difference(*pair).value == abs(len(preds) - len(trues))


@examples(4)
@given(label_pairs())
def test_volume_errors_of_labels_are_those_of_sets(pair: Pair) -> None:
    trues, preds = (segments(side) for side in pair)
    volumes = [Fraction(len(preds.get(label, ())) - len(t), len(t)) for label, t in trues.items()]
    assert sm.relative_volume_difference(*pair).value == approx(mean(volumes))
    assert sm.absolute_volume_error(*pair).value == approx(mean([abs(volume) for volume in volumes]))
    all_true, all_pred = (sum(map(len, side.values())) for side in (trues, preds))
    whole = [Fraction(all_pred - all_true, all_true)] if all_true else []
    assert sm.relative_volume_difference(*pair, foreground=True).value == approx(mean(whole))


def test_iou_and_dice_are_weights_like_any_other() -> None:
    rng = np.random.default_rng(8)
    true = rng.integers(0, 4, (8, 9))
    pred = np.where(rng.random((8, 9)) < 0.8, true, rng.integers(0, 4, (8, 9)))
    assert sm.sq_weighted(true, pred, weight="iou").value == sm.sq(true, pred).value
    assert sm.pq_weighted(true, pred, weight="iou").value == sm.pq(true, pred).value
    assert sm.pq_dice(true, pred).value == pytest.approx(sm.sq_dice(true, pred).value * sm.rq(true, pred).value)


def test_differences_in_count_are_taken_of_each_item() -> None:
    true, pred = {"a": [[1, 2]], "b": [[1, 1]]}, {"a": [[1, 1]], "b": [[1, 2]]}
    keys = ["count_difference", "absolute_count_difference"]
    summary = sm.evaluate(true, pred, metrics=keys, engine="serial").summary()
    assert [summary[key]["by_item"].value for key in keys] == [0, 1]
    assert [summary[key]["pooled"].value for key in keys] == [0, 2]


def test_a_label_without_true_elements_has_no_volume_error() -> None:
    true, pred = {"a": [[1, 1, 0]], "b": [[1, 1, 2]]}, {"a": [[1, 0, 2]], "b": [[1, 1, 2]]}
    summary = sm.evaluate(true, pred, metrics=["relative_volume_difference"], engine="serial").summary()
    assert summary["relative_volume_difference"]["by_item_of_classes"].value == pytest.approx((-0.5 + 0) / 2)


def test_unknown_weights_and_values_are_errors() -> None:
    with pytest.raises(UnknownNameError, match="there is no weight 'area'"):
        sm.sq_weighted([[1, 1]], [[1, 1]], weight="area")
    with pytest.raises(OptionError):
        sm.sq_dice([[1, 1]], [[1, 1]], without_pair="none")
