"""PQ† against its definition over Python sets, and what it says when it cannot be told."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segmetry as sm
from segmetry.errors import ClassesError
from segmetry.testing.oracle import as_sets

CLASSES = {1: "car", 2: "car", 3: "sky", 4: "sky", 5: "road"}
LABELS = st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), min_size=8, max_size=8)


def iou(first: frozenset[Any], second: frozenset[Any]) -> Fraction:
    return Fraction(len(first & second), len(first | second))


@given(LABELS, LABELS)
def test_pq_dagger_is_its_definition(true: list[int], pred: list[int]) -> None:
    sides = [sm.LabelArray(np.array(labels), classes=CLASSES) for labels in (true, pred)]
    trues, preds = (as_sets(side) for side in sides)
    values = []
    for name in ("car", "sky", "road"):
        own = {i: e for i, e in trues.items() if CLASSES[i] == name}
        other = {i: e for i, e in preds.items() if CLASSES[i] == name}
        if name == "car":
            matched = [
                iou(a, b) for a in own.values() for b in other.values() if len(a & b) > max(len(a - b), len(b - a))
            ]
            if own or other:
                values.append(2 * sum(matched, Fraction(0)) / (len(own) + len(other)))
        elif own:
            values.append(sum((iou(a, b) for a in own.values() for b in other.values()), Fraction(0)) / len(own))
    found = sm.pq_dagger(*sides, stuff=["sky", "road"])
    if values:
        assert found.value == pytest.approx(float(sum(values, Fraction(0)) / len(values)), abs=1e-14)
        assert found.denominator == len(values)
    else:
        assert found.reason == "no class occurs"


def test_stuff_has_to_be_named_and_classes_given() -> None:
    assert sm.pq_dagger([[1]], [[1]]).reason == "nobody said which classes are stuff: pass stuff="
    with pytest.raises(ClassesError, match="the segments carry none"):
        sm.pq_dagger([[1]], [[1]], stuff=["sky"])


def test_crowd_and_removed_segments_are_no_stuff_truth() -> None:
    classes = {1: "sky", 2: "sky"}
    true = sm.LabelArray(np.array([[1, 1, 2, 2]]), classes=classes, crowd=2)
    pred = sm.LabelArray(np.array([[1, 0, 0, 0]]), classes=classes)
    assert sm.pq_dagger(true, pred, stuff=["sky"], policy="coco").value == 0.5
    assert sm.pq_dagger(true, pred, stuff=["sky"]).value == 0.25
    hidden = sm.LabelArray(np.array([[1, 1, 9, 9]]), classes=classes, void=9)
    bare = sm.LabelArray(true.labels, classes=classes)
    assert sm.pq_dagger(bare, hidden, stuff=["sky"], policy="strict-void").value == 1
