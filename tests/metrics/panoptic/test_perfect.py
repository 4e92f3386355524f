"""Perfect means equal as sets of segments, whatever their ids."""

from __future__ import annotations

from hypothesis import given, strategies as st

import segmetry as sm

ROWS = st.lists(st.integers(0, 2), min_size=4, max_size=4)


def segments(row: list[int]) -> set[frozenset[int]]:
    return {frozenset(at for at, label in enumerate(row) if label == number) for number in set(row) - {0}}


@given(ROWS, ROWS)
def test_it_is_equality_of_segments(true: list[int], pred: list[int]) -> None:
    score = sm.perfect([true], [pred])
    assert score.is_defined == any([*true, *pred])
    if score.is_defined:
        assert score.value == (segments(true) == segments(pred))


def test_classes_must_agree() -> None:
    car, sky = (sm.LabelArray([[1, 1, 0]], classes={1: name}) for name in ("car", "sky"))
    assert sm.perfect(car, car).value == 1
    assert sm.perfect(car, sky).value == 0


def test_the_mean_is_the_share_of_perfect_items() -> None:
    true = {name: [[1, 1, 2]] for name in "abcd"}
    summary = sm.evaluate(true, {**true, "d": [[1, 2, 2]]}, metrics="perfect").summary()
    assert summary["perfect"]["by_item"].value == 3 / 4
