"""The gain of a confusion is the mean IoU of the corrected prediction less that of the prediction."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from tests.profiles import examples


def evaluated(true: Any, pred: Any) -> sm.Run:
    sides = (
        {"a": sm.LabelArray.from_classes(labels, outside=0, void=void)} for labels, void in ((true, 9), (pred, ()))
    )
    return sm.evaluate(*sides, metrics="mean_iou", engine="serial")


def mean_iou(true: Any, pred: Any) -> float:
    """Over Python sets; 9 is void, 0 no class."""
    counted = [(t, h) for t, h in zip(true, pred, strict=True) if t != 9]
    values = []
    for name in {label for pair in counted for label in pair} - {0}:
        first, second = ({at for at, pair in enumerate(counted) if pair[side] == name} for side in (0, 1))
        values.append(len(first & second) / len(first | second))
    return sum(values) / len(values) if values else float("nan")


def perfect_without_classes(true: Any, pred: Any) -> float:
    value = mean_iou(true, pred)
    return 1 if math.isnan(value) else value


@examples(4)
@given(st.lists(st.tuples(st.sampled_from([0, 1, 2, 3, 9]), st.sampled_from([0, 1, 2, 3])), min_size=1, max_size=12))
def test_gains_are_those_of_the_corrected_prediction(pairs: list[tuple[int, int]]) -> None:
    true, pred = [t for t, _ in pairs], [h for _, h in pairs]
    before = mean_iou(true, pred)
    if math.isnan(before):
        return
    found = sm.class_confusions(evaluated(np.array([true]), np.array([pred])))
    assert found.mean_iou == pytest.approx(before)
    seen = set()
    for each in found.confusions:
        t, h = each.true or 0, each.pred or 0
        corrected = [t if (first, second) == (t, h) else second for first, second in pairs]
        assert each.elements == pairs.count((t, h)) > 0
        assert each.gain == pytest.approx(perfect_without_classes(true, corrected) - before, abs=1e-12)
        seen.add((t, h))
    assert seen == {(t, h) for t, h in pairs if t != h and t != 9}
    for kind, is_of in {
        "confused": lambda t, h: t and h and t != h,
        "missed": lambda t, h: t and not h,
        "spurious": lambda t, h: h and not t,
    }.items():
        corrected = [t if t != 9 and is_of(t, h) else h for t, h in pairs]
        assert found.gains[kind] == pytest.approx(perfect_without_classes(true, corrected) - before, abs=1e-12), kind
