"""PQ† against its definition over Python sets, and what it says when it cannot be told."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError
from tests.oracle import as_sets

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
            matched = [iou(a, b) for a in own.values() for b in other.values() if len(a & b) > len(a ^ b)]
            if own or other:
                values.append(2 * sum(matched, Fraction(0)) / (len(own) + len(other)))
        elif own:
            values.append(sum((iou(a, b) for a in own.values() for b in other.values()), Fraction(0)) / len(own))
    result = sm.pq_dagger(*sides, stuff=["sky", "road"])
    if values:
        assert result.value == pytest.approx(float(sum(values, Fraction(0)) / len(values)), abs=1e-14)
        assert result.denominator == len(values)
    else:
        assert result.reason == "no class occurs"


def test_stuff_has_to_be_named_and_classes_given() -> None:
    assert sm.pq_dagger([[1]], [[1]]).reason == "stuff= is missing: pass the stuff classes"
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


NAMES = {1: "car", 2: "sky"}
TRUE = {"a": [[2, 2, 2, 2, 0, 0]], "b": [[2, 2, 2, 2, 1, 1]]}
PRED = {"a": [[2, 0, 0, 0, 0, 0]], "b": [[2, 2, 2, 2, 1, 1]]}


def _two_items(**settings: Any) -> sm.Run:
    true, pred = (
        {item: sm.LabelArray(np.array(labels), classes=NAMES) for item, labels in side.items()} for side in (TRUE, PRED)
    )
    return sm.evaluate(true, pred, metrics="pq,pq_dagger", engine="serial", **settings)


def _by_item_and_class(run: sm.Run) -> tuple[float, float]:
    values = run.summary()["pq_dagger"]
    return values["by_item_of_classes"].value, values["by_class"].value


def test_the_option_stuff_alone_pools_by_class_as_the_group_does() -> None:
    by_option, by_group = _two_items(options={"pq_dagger": {"stuff": ["sky"]}}), _two_items(groups={"stuff": ["sky"]})
    assert _by_item_and_class(by_option) == ((1 / 4 + 1) / 2, (5 / 8 + 1) / 2)  # by class: sky 5/8, car 1
    assert by_option.summary()["pq_dagger"].to_dict() == by_group.summary()["pq_dagger"].to_dict()
    assert {row["class"]: row["pq_dagger"] for row in by_option.classes()} == {"car": 1, "sky": 5 / 8}
    assert by_option.summary().groups.keys() <= {"all"}


def test_the_option_stuff_wins_over_the_group_everywhere() -> None:
    options, groups = {"pq_dagger": {"stuff": ["car"]}}, {"stuff": ["sky"]}
    both = _two_items(options=options, groups=groups)
    assert _by_item_and_class(both) == (1 / 2, (1 / 2 + 1) / 2)  # sky is a thing: nothing in a, all in b
    assert _by_item_and_class(both) == _by_item_and_class(both.rescore("theta_plus"))
    assert [row["pq_dagger"] for row in both.items()] == [0, 1]
    assert {row["class"]: row["pq_dagger"] for row in both.classes()} == {"car": 1, "sky": 1 / 2}
    of_group = both.summary().groups["stuff"]["pq_dagger"]["by_class"]  # the group itself still means sky
    assert of_group.value == 1 / 2
    sides = (sm.LabelArray(np.array(side["a"]), classes=NAMES) for side in (TRUE, PRED))
    assert sm.score(*sides, "pq_dagger", options=options, groups=groups)["pq_dagger"].value == 0
