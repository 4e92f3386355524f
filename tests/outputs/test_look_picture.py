"""The truth, the prediction and their errors side by side."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

import segmetry as sm
from segmetry.errors import KindError, OptionError
from segmetry.outputs.plots.look_picture import KINDS, _codes
from tests.profiles import examples

TRUE = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [2, 2, 0, 0]])
PRED = np.array([[5, 5, 5, 5], [5, 5, 5, 0], [6, 0, 0, 7]])


def test_it_counts_what_it_draws() -> None:
    picture = sm.look(TRUE, PRED)
    assert picture.title == f"PQ {sm.pq(TRUE, PRED):.4f}: 1 matched, 1 missed, 2 spurious segments, IoU > 0.5"
    shown = re.findall(r">([^<]+) (\d+) elements?<", picture.svg)
    assert shown == list(zip(KINDS, ["6", "1", "2", "1"], strict=True))
    assert picture.svg.count("<image ") == 3 and picture.png()[:4] == b"\x89PNG"


@examples(1 / 2)
@given(st.tuples(*(arrays(np.uint8, (3, 4), elements=st.integers(0, 3)) for _ in range(2))))
def test_every_element_is_of_the_kind_that_the_pairs_say(sides: tuple[np.ndarray, np.ndarray]) -> None:  # type: ignore[type-arg]
    true, pred = sides
    alignment = sm.overlap(true, pred).align("theta_and")
    pairs = {(pair.true_id, pair.pred_id) for pair in alignment.pairs()}
    codes = _codes(alignment, true, pred)
    for place in np.ndindex(true.shape):
        t, p = int(true[place]), int(pred[place])
        expected = 0 if not t and not p else 1 if (t, p) in pairs else 2 if not p else 3 if not t else 4
        assert codes[place] == expected


def test_of_a_volume_the_worst_slice_is_drawn() -> None:
    true = np.ones((3, 4, 5), int)
    pred = true.copy()
    pred[1, 2:] = 0
    assert sm.look(true, pred).title.endswith("slice 1 of axis 0")
    assert sm.look(true, pred, axis=1).title.endswith("slice 2 of axis 1")


def test_lines_are_drawn_as_bars() -> None:
    lines = sm.Spans.from_masses([3, 2]), sm.Spans.from_masses([2, 3])
    assert sm.look(*lines).svg == sm.draw_bars({"true": lines[0], "pred": lines[1]}).svg


def test_what_cannot_be_drawn_is_an_error() -> None:
    with pytest.raises(KindError, match=r"look draws arrays of 2 or 3 axes .* look\(true\[0\], pred\[0\]\) one frame"):
        sm.look(np.ones((2, 2, 2, 2), int), np.ones((2, 2, 2, 2), int))
    with pytest.raises(OptionError, match="axis is 0, but an image is not cut; leave axis out"):
        sm.look(TRUE, PRED, axis=0)
    with pytest.raises(OptionError, match="axis is 3; expected 0, 1 or 2"):
        sm.look(np.ones((2, 2, 2), int), np.ones((2, 2, 2), int), axis=3)
