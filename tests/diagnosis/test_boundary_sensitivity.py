"""Sensitivity against scores of segmentations that were moved before they were scored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.diagnosis.boundary_sensitivity import Move, move_segments, moves
from segmetry.diagnosis.scored_state import KEYS
from segmetry.errors import ClashError, InputError, KindError, OptionError, UnknownNameError
from tests.diagnosis.test_boundary_moves import images

RULES = ("theta_plus", "theta_and")


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    true = draw(images())
    size = int(true.size)
    change = np.array(draw(st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=size, max_size=size)), dtype=np.uint8)
    return true, np.where(change.reshape(true.shape) > 0, change.reshape(true.shape), true)


def value(score: Any) -> float | None:
    return score.value if score is not None and score.is_defined else None


@given(pairs())
def test_every_move_is_scored_as_if_it_had_been_predicted(pair: tuple[Any, Any]) -> None:
    true, pred = (sm.LabelArray(side, void=9) for side in pair)
    result = sm.sensitivity(true, pred, engine="serial", policy="strict-void")
    for rule in RULES:
        for move in moves(pair[0].ndim):
            after = sm.score(true, move_segments(pred, move).segmentation, KEYS, rule=rule, policy="strict-void")
            assert {key: result.value(rule, move.name, key) for key in KEYS} == {k: value(after[k]) for k in KEYS}
        base = sm.score(true, pred, KEYS, rule=rule, policy="strict-void")
        assert {key: result.value(rule, "base", key) for key in KEYS} == {key: value(base[key]) for key in KEYS}


def test_worked_numbers_by_size() -> None:
    true = np.zeros((10, 16), dtype=int)
    true[1:3, 1:3] = 1  # 4 elements
    true[2:9, 5:14] = 2  # 63 elements
    result = sm.sensitivity({"a": true}, {"a": true}, sizes=sm.BySize((10,)), rules="theta_and")
    assert result.present_sizes == ("< 10", "≥ 10") and result.rules == ("theta_and",)
    assert result.value("theta_and", "dilate", size="< 10") == 0, "4 elements and 8 new ones"
    assert result.value("theta_and", "dilate", size="≥ 10") == 63 / (63 + 32)
    assert result.value("theta_and", "erode", size="< 10") == 0
    assert result.value("theta_and", "erode", size="≥ 10", average="pooled") == 35 / 63
    assert result.value("theta_and", "shift_1+", size="< 10") == 0, "half of it is missed, half is spurious"
    assert result.change("theta_and", "shift_0-", size="≥ 10") == 54 / 72 - 1
    assert result.changed == {"dilate": 40, "erode": 32, "shift_0-": 22, "shift_0+": 22, "shift_1-": 18, "shift_1+": 18}


def test_a_moved_segment_keeps_the_size_it_had() -> None:
    pred = np.zeros((1, 12), dtype=int)
    pred[0, 1:11] = 1
    result = sm.sensitivity(np.zeros((1, 12), dtype=int), pred, sizes=sm.BySize((10,)), rules=["theta_and"])
    assert result.value("theta_and", "erode", "n_spurious", size="≥ 10", average="pooled") == 1


def test_averages_are_those_of_a_run(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0)
    items = {name: numbers.integers(0, 3, (6, 7)).repeat(3, 0).repeat(3, 1) for name in "ab"}
    classes = {1: "x", 2: "y"}
    true = {name: sm.LabelArray(labels, classes=classes) for name, labels in items.items()}
    pred = {name: sm.LabelArray(np.roll(labels, 1, 1), classes=classes) for name, labels in items.items()}
    result = sm.sensitivity(true, pred, jobs=2)
    shift = moves(2)[3]
    moved = {name: move_segments(side, shift).segmentation for name, side in pred.items()}
    summary = sm.evaluate(true, moved, metrics=KEYS).summary()
    for key in KEYS:
        assert result.value("theta_plus", shift.name, key) == value(summary[key].over_items)
        assert result.value("theta_plus", shift.name, key, average="by_class") == value(summary[key].over_data_set)
    for side, arrays in (("true", items), ("pred", {n: np.roll(a, 1, 1) for n, a in items.items()})):
        np.savez(tmp_path / f"{side}.npz", **arrays)
    assert sm.sensitivity(tmp_path / "true.npz", tmp_path / "pred.npz").n_items == 2


def test_plain_rows_and_data() -> None:
    result = sm.sensitivity([[1, 1, 1, 1, 2, 2, 0]], [[1, 1, 1, 1, 2, 2, 0]])
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert data["moves"]["erode"] == {"changed": 3} and data["rules"] == list(RULES) and data["sizes"] == ["small"]
    row = next(
        r for r in data["rows"] if (r["rule"], r["move"], r["size"], r["key"]) == (RULES[0], "erode", None, "pq")
    )
    assert (row["by_item"], row["change_by_item"], row["n"]) == (0.5, -0.5, 1)
    assert "<td>erode</td><td>θ⁺</td><td>0.5000</td><td>-0.5000</td>" in result._repr_html_()
    assert repr(result) == "Sensitivity(1 items, rules theta_plus, theta_and, 6 moves)"


def test_masks_that_grow_into_each_other() -> None:
    stack = np.zeros((3, 1, 7), dtype=bool)
    stack[0, 0, 2], stack[1, 0, 3], stack[2, 0, 4] = True, True, True
    masks, together = sm.Masks.from_dense(stack), sm.Masks.from_dense(stack.any(axis=0)[None])
    with pytest.raises(ClashError, match=r"item item: after dilate: .*resolve='assign'"):
        sm.sensitivity(together, masks)
    assert sm.sensitivity(together, masks, resolve="assign").value("theta_and", "dilate") == pytest.approx(2 / 4)


def test_bad_input_is_rejected() -> None:
    spans, sets = sm.Spans.from_masses([2]), sm.Sets([{1}])
    for side in (spans, sets):
        with pytest.raises(KindError, match=f"item item: true is {side.kind}, whose segments have no outline"):
            sm.sensitivity(side, side)
    with pytest.raises(InputError, match="item a has 2 axes and item b has 1"):
        sm.sensitivity({"a": [[1]], "b": [1]}, {"a": [[1]], "b": [1]})
    with pytest.raises(InputError, match="true has shape"):
        sm.sensitivity([[1, 1]], [[1]])
    with pytest.raises(OptionError, match="rules are empty"):
        sm.sensitivity([[1]], [[1]], rules=[])
    with pytest.raises(UnknownNameError, match="theta"):
        sm.sensitivity([[1]], [[1]], rules="theta")


def test_the_example_of_name() -> None:
    assert (Move("erode").name, Move("shift", 1, -1).name) == ("erode", "shift_1-")
