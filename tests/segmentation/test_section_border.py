"""Borders within sections, against distances between all voxels."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.readers.label_reading import read_labels
from segmetry.readers.reader import ReadOptions


@given(
    st.lists(st.integers(0, 2), min_size=18, max_size=18),
    st.sampled_from([Fraction(0), Fraction(1), Fraction(3, 2), Fraction(2)]),
)
def test_voxels_near_a_border_of_their_section_are_outside(values: list[int], distance: Fraction) -> None:
    labels = np.array(values).reshape(2, 3, 3)
    masked = read_labels(labels, ReadOptions(section_border=distance)).labels
    for z, section in enumerate(labels):
        places = list(product(range(3), repeat=2))
        border = [
            (y, x)
            for y, x in places
            if any(section[y, x] != section[v, u] for v, u in places if abs(v - y) + abs(u - x) == 1)
        ]
        for y, x in places:
            near = any((v - y) ** 2 + (u - x) ** 2 <= distance**2 for v, u in border)
            assert masked[z, y, x] == (0 if near else section[y, x])


def test_a_section_without_a_border_is_kept() -> None:
    labels = read_labels([[[5, 5], [5, 5]]], ReadOptions(section_border=3)).labels
    assert labels.tolist() == [[[5, 5], [5, 5]]]


def test_wrong_input_is_one_clear_error() -> None:
    with pytest.raises(OptionError, match="section_border needs sections of two axes"):
        read_labels([1, 2], ReadOptions(section_border=1))
    with pytest.raises(OptionError, match="section_border is -1; expected a distance of at least 0"):
        ReadOptions(section_border=-1)


def test_the_truth_alone_may_be_masked() -> None:
    true, pred = {"a": np.array([[[1, 1, 1, 2, 2, 2]]])}, {"a": np.array([[[1, 1, 2, 2, 2, 2]]])}
    run = sm.evaluate(true, pred, protocol="cremi", read={"true_section_border": 0}, engine="serial")
    assert run.summary()["cremi_score"]["by_item"].value == 0
