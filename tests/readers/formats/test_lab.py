"""Label files of recordings."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from tests.readers.samples import plain, read_text_as


def test_times_become_ticks(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "0.000000 1.250000 verse\n1.25\t3 chorus  line\n4 5 verse\n", "song.lab")
    assert (item.name, item.tick, item.open_end) == ("song", Fraction(1, 100), True)
    assert plain(item) == ([(0, 125), (125, 300), (400, 500)], 500)
    assert item.spans.classes == {1: "verse", 2: "chorus  line", 3: "verse"}


def test_labels_may_be_left_out(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "0 1\n1 3\n", length=Fraction(7, 2))
    assert (plain(item), item.spans.classes) == (([(0, 10), (10, 30)], 35), None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 1 a\n 0.5  2 b\n", "line 2: the span from 0.5 to 2 overlaps"),
        ("0 1 a\n 1  two b\n", "line 2, column 5: 'two' is not a number"),
        ("0 1 a\n1\n", "line 2, column 1: expected a start, an end"),
        ("0 1 a\n1 2\n", "line 2: the span has no class"),
        ("1 0 a\n", "line 1: the span from 1 to 0 is empty"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "lab", text)
