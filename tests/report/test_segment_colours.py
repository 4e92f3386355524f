"""Colours of segments: neighbours differ as far as nine colours reach, and partners have one colour."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.report.item_pictures import pixels_of
from segmetry.report.segment_colours import COLOURS, colours_of_segments, in_a_row, near_masks, partners, touching
from tests.browser import scenes


def neighbours(codes: np.ndarray) -> set[tuple[int, int]]:
    """Pairs of different segments one or three elements apart along an axis, found one by one."""
    pairs = set()
    for place in np.ndindex(codes.shape):
        for axis in range(codes.ndim):
            for step in (1, 3):
                other = list(place)
                other[axis] += step
                if other[axis] < codes.shape[axis]:
                    pairs.add(tuple(sorted((int(codes[place]), int(codes[tuple(other)])))))
    return {(one - 1, other - 1) for one, other in pairs if 0 < one < other}


@given(st.integers(0, 2**32 - 1), st.sampled_from([(5, 6), (2, 3, 4), (7,)]))
def test_neighbours_are_those_of_a_search_element_by_element(seed: int, shape: tuple[int, ...]) -> None:
    codes = np.random.default_rng(seed).integers(0, 6, shape).astype(np.uint32)
    wanted = {pair for pair in neighbours(codes) if max(pair) < 4}
    assert set(map(tuple, touching(codes, 4).tolist())) == wanted


@given(st.integers(0, 2**32 - 1))
def test_neighbours_differ_and_partners_agree(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    true = scenes.cells(numbers, (30, 30), 14) + 1
    pred = scenes.moved(numbers, true)
    run = sm.evaluate({"a": true}, {"a": pred}, metrics="pq")
    header = pixels_of(run).headers[0]
    colours = {side: list(map(int, digits)) for side, digits in header["colours"].items()}
    assert set(colours["true"] + colours["pred"]) <= set(range(COLOURS))
    table = run.table("a")
    for at, own in enumerate(partners(table).tolist()):
        assert own < 0 or colours["pred"][at] == colours["true"][own]
    for labels, ids, side in ((true, table.true.ids, "true"), (pred, table.pred.ids, "pred")):
        codes = np.searchsorted(ids, labels) + 1
        codes[labels == 0] = 0
        pairs = neighbours(codes)
        clashes = sum(colours[side][one] == colours[side][other] for one, other in pairs)
        assert clashes <= len(pairs) // 20


def test_partners_are_those_of_majority_overlap() -> None:
    true, pred = scenes.street_like(3)
    for name in true:
        table = sm.overlap(true[name].labels, pred[name].labels)
        alignment = sm.align(table, "theta_and")
        wanted = np.full(table.pred.ids.size, -1)
        wanted[alignment.at_pred] = alignment.at_true
        assert partners(table).tolist() == wanted.tolist()


def test_masks_that_touch_and_segments_of_a_line() -> None:
    stack = np.zeros((3, 4, 9), dtype=bool)
    stack[0, :, :3] = stack[1, :2, 3:5] = stack[2, :, 8:] = True
    masks = sm.Masks.from_dense(stack, ids=[7, 4, 9])
    assert near_masks(masks, np.array([4, 7, 9])).tolist() == [[0, 1]]
    assert in_a_row(4).tolist() == [[0, 1], [1, 2], [2, 3], [0, 2], [1, 3]] and in_a_row(1).size == 0


def test_the_example_of_touching() -> None:
    assert touching(np.array([[1, 1, 0, 2], [3, 3, 3, 3]], dtype=np.uint32), 3).tolist() == [[0, 1], [0, 2], [1, 2]]


def test_the_example_of_colours_of_segments() -> None:
    import segmetry as sm

    row = np.array([[0, 1]])
    assert colours_of_segments(sm.overlap([[1, 1, 1, 2]], [[5, 5, 6, 6]]), row, row) == {"true": "01", "pred": "02"}
