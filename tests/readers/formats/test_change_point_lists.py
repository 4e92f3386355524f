"""Change points by several annotators, in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from segmetry.segmentation.time_intervals import TimeIntervals
from tests.readers.samples import read_text_as


def test_annotators_are_tracks(tmp_path: Path) -> None:
    text = '{"bank": {"6": [], "7": [5, 0, 9]}, "river": {"n": 20, "annotations": {"1": [4]}}, "sea": [3]}'
    bank, river, sea = (item.load() for item in read_text_as(tmp_path, "change-points", text))
    assert isinstance(bank, TimeIntervals) and isinstance(river, TimeIntervals) and isinstance(sea, TimeIntervals)
    assert {name: spans.boundaries.tolist() for name, spans in bank.by_track().items()} == {"6": [], "7": [5, 9]}
    assert (bank.n, river.n, sea.n) == (10, 20, 4)


def test_a_length_can_be_stated(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, "change-points", '{"bank": [5]}', length=30)
    assert item.load().n_elements == 30


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "expected an object of series"),
        ('{"a": {}}', "no annotator"),
        ('{"a": [1.5]}', "expected a list of change points, integers of 0 or more"),
        ('{"a": {"n": 4, "annotations": {"1": [4]}}}', "the change point 4 is outside 0 … 3"),
        ('{"a": {"n": 0, "annotations": {"1": []}}}', "n is 0; expected the number of observations"),
        ('{"../a": [1]}', "leads out of its folder"),
    ],
)
def test_what_is_wrong_is_one_error(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "change-points", text)
