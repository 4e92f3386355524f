"""Small data sets of class maps with void and outside elements, and their one-against-rest counts over sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

import segmetry as sm

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
VOID = 9
Row = list[int]
Item = tuple[Row, Row]


class Four(NamedTuple):
    """TP, FN, FP and TN of a class."""

    tp: int
    fn: int
    fp: int
    tn: int


@st.composite
def data_sets(draw: st.DrawFn) -> list[Item]:
    n = draw(st.integers(1, 8))
    sides = st.lists(st.sampled_from([0, 1, 2, 3, 4, VOID]), min_size=n, max_size=n)
    return draw(st.lists(st.tuples(sides, sides), min_size=1, max_size=4))


def sides(item: Item) -> tuple[sm.LabelArray, sm.LabelArray]:
    true, pred = (sm.LabelArray([row], void=VOID, classes=CLASSES) for row in item)
    return true, pred


def mappings(items: Sequence[Item]) -> tuple[dict[str, sm.LabelArray], dict[str, sm.LabelArray]]:
    true, pred = ({str(at): sides(item)[side] for at, item in enumerate(items)} for side in (0, 1))
    return true, pred


def counted(items: Sequence[Item]) -> set[tuple[int, int]]:
    """The (item, place) pairs that are void on neither side."""
    return {
        (number, place)
        for number, item in enumerate(items)
        for place in range(len(item[0]))
        if VOID not in (item[0][place], item[1][place])
    }


def elements(items: Sequence[Item], side: int, name: str) -> set[tuple[int, int]]:
    return {(number, place) for number, place in counted(items) if CLASSES.get(items[number][side][place]) == name}


def four_counts(items: Sequence[Item]) -> dict[str, Four]:
    """The counts of every class that occurs on either side."""
    found = {}
    for name in "abc":
        true, pred = (elements(items, side, name) for side in (0, 1))
        if true | pred:
            rest = counted(items) - true - pred
            found[name] = Four(len(true & pred), len(true - pred), len(pred - true), len(rest))
    return found
