"""IoU and Dice of masks and label arrays against Python sets, and their degenerate cases."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import InputError, OptionError
from tests.profiles import examples

PAIRS = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([0, 1, 2, 5, 9]), min_size=n, max_size=n)] * 2)
)


def quotients(true: list[int], pred: list[int], void: int | None = None) -> dict[int, tuple[Fraction, Fraction]]:
    """IoU and Dice of each label by sets of positions."""
    places = [at for at, pair in enumerate(zip(true, pred, strict=True)) if void not in pair]
    found = {}
    for label in sorted({*true, *pred} - {0, void}):
        first = {at for at in places if true[at] == label}
        second = {at for at in places if pred[at] == label}
        if first | second:
            iou = Fraction(len(first & second), len(first | second))
            found[label] = iou, Fraction(2 * len(first & second), len(first) + len(second))
    return found


@examples(4)
@given(PAIRS)
def test_labels_are_compared_as_sets(pair: tuple[list[int], list[int]]) -> None:
    true, pred = pair
    expected = quotients(true, pred)
    for at, metric in enumerate((sm.iou, sm.dice)):
        score = metric(np.array(true), np.array(pred))
        if not expected:
            assert not score.is_defined and score.reason == "no label on either side"
            continue
        mean = sum(values[at] for values in expected.values()) / len(expected)
        assert score.value == pytest.approx(float(mean), abs=1e-15)
        if len(expected) == 1:
            assert Fraction(score.numerator, score.denominator) == mean  # type: ignore[arg-type]
        else:
            assert score.details["labels"] == {str(label): float(values[at]) for label, values in expected.items()}


@examples(2)
@given(PAIRS)
def test_foregrounds_and_sums_over_labels(pair: tuple[list[int], list[int]]) -> None:
    true, pred = (np.array(side) for side in pair)
    shared, either = int(((true > 0) & (pred > 0)).sum()), int(((true > 0) | (pred > 0)).sum())
    score = sm.iou(true, pred, foreground=True)
    assert (score.numerator, score.denominator) == (shared, either)
    assert sm.iou(true, pred, foreground=True).value == sm.iou(true > 0, pred > 0).value or either == 0
    equal = int(((true == pred) & (true > 0)).sum())
    sizes = int((true > 0).sum() + (pred > 0).sum())
    micro = sm.dice(true, pred, average="elements")
    assert (micro.numerator, micro.denominator) == (2 * equal, sizes)


@examples(2)
@given(PAIRS)
def test_void_elements_do_not_count(pair: tuple[list[int], list[int]]) -> None:
    true, pred = pair
    expected = quotients(true, pred, void=9)
    score = sm.iou(sm.LabelArray(true, void=9), sm.LabelArray(pred, void=9))
    assert score.is_defined == bool(expected)
    if expected:
        mean = sum(iou for iou, _ in expected.values()) / len(expected)
        assert score.value == pytest.approx(float(mean), abs=1e-15)


@pytest.mark.parametrize(
    ("true", "pred", "iou", "dice"),
    [
        ([1, 1], [1, 1], 1, 1),
        ([1, 1], [0, 0], 0, 0),
        ([0, 0], [3, 0], 0, 0),
        ([1, 0], [2, 0], 0, 0),  # two labels, each on one side
        ([255, 255, 0], [255, 0, 0], 1 / 2, 2 / 3),
        ([2**62, 0], [2**62, 2**62], 1 / 2, 2 / 3),
    ],
)
def test_degenerate_pairs(true: list[int], pred: list[int], iou: float, dice: float) -> None:
    assert sm.iou(true, pred).value == pytest.approx(iou) and sm.dice(true, pred).value == pytest.approx(dice)


def test_both_empty() -> None:
    nothing = np.zeros((2, 2), bool)
    assert not sm.dice(nothing, nothing).is_defined
    assert sm.dice(nothing, nothing, both_empty=1).value == 1
    assert sm.dice(nothing, ~nothing, both_empty=1).value == 0
    with pytest.raises(OptionError):
        sm.dice(nothing, nothing, both_empty="one")


@pytest.mark.parametrize("swap", [False, True])
def test_masks_of_255_against_masks_of_1(swap: bool) -> None:
    true, pred = np.array([0, 255, 255]), np.array([0, 1, 1])
    if swap:
        true, pred = pred, true
    with pytest.raises(InputError, match="foreground=True"):
        sm.iou(true, pred)
    assert sm.iou(true, pred, foreground=True).value == 1
    assert sm.iou(true > 0, pred > 0).value == 1


def test_classes_are_compared_where_there_are_any() -> None:
    true = sm.LabelArray([[1, 2, 3, 3]], classes={1: "car", 2: "car", 3: "sky"})
    pred = sm.LabelArray([[7, 7, 8, 0]], classes={7: "car", 8: "sky"})
    assert sm.iou(true, pred).details["labels"] == {"car": 1.0, "sky": 0.5}
    assert sm.iou(true, pred).value == sm.mean_iou(true, pred).value == 0.75


def test_averages_have_names() -> None:
    with pytest.raises(OptionError, match="expected 'labels' or 'elements'"):
        sm.iou([1], [1], average="macro")


def test_from_a_table_and_from_a_run_file(tmp_path: Path) -> None:
    items: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {
        "a": (np.array([[1, 1, 2, 0]]), np.array([[1, 2, 2, 0]])),
        "b": (np.array([[0, 2, 2, 2]]), np.array([[2, 2, 2, 0]])),
    }
    for true, pred in items.values():
        assert sm.iou(sm.overlap(true, pred)).to_dict() == sm.iou(true, pred).to_dict()
    sides = [{name: pair[at] for name, pair in items.items()} for at in (0, 1)]
    path = tmp_path / "run.segm"
    sm.evaluate(*sides, metrics=["iou", "DSC"], out=path)
    with sm.Run.open(path) as run:
        summary = run.summary()
        for name, scores in run.item_scores():
            assert scores["iou"].value == sm.iou(*items[name]).value
            assert scores["dice"].value == sm.dice(*items[name]).value
        together = sm.iou(*(np.concatenate([side["a"], side["b"]], axis=1) for side in sides))
        assert summary["iou"].n("by_item_of_classes") == 2 and together.value == pytest.approx((1 / 2 + 3 / 6) / 2)
