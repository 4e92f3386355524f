"""Boundary lists in CSV and TSV."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from segmetry.errors import SegmetryError
from tests.readers.samples import plain, read_text_as


@pytest.mark.parametrize(
    "text",
    [
        "item,n,boundaries\na,13,5 8\nb,4,\n",
        "item\tn\tboundaries\na\t13\t8 5\nb\t4\t\n",
        "item,n,boundary\na,13,5\na,13,8\nb,4,\n",
        "item,boundary,n\na,8,13\nb,,4\na,5,\n",
    ],
)
def test_rows_per_item_and_rows_per_boundary(text: str, tmp_path: Path) -> None:
    first, second = read_text_as(tmp_path, None, text)
    assert (first.name, plain(first)) == ("a", ([(0, 5), (5, 8), (8, 13)], 13))
    assert (second.name, plain(second)) == ("b", ([(0, 4)], 4))


def test_times_and_a_given_length(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "boundary\n0.25\n1\n", length=Fraction(5, 2))
    assert (plain(item), item.tick, item.open_end) == (([(0, 25), (25, 100), (100, 250)], 250), Fraction(1, 100), False)


def test_a_list_may_be_long(tmp_path: Path) -> None:
    """Longer than the cells that the csv module takes unasked."""
    cuts = " ".join(map(str, range(1, 50_000)))
    assert len(cuts) > 131_072
    (item,) = read_text_as(tmp_path, None, f"n,boundaries\n50000,{cuts}\n")
    assert item.spans.starts.size == 50_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("boundary\n5\n", "line 2: the length of the line is missing; add a column 'n' or pass --length"),
        ("n,boundary\n9,5\n9,5\n", "line 3: the boundary 5 occurs twice"),
        ("n,boundary\n9,9\n", "line 2: the boundary 9 is not inside the line of length 9"),
        ("n,boundary\n9,0\n", "line 2: the boundary 0 is not inside"),
        ("n,boundaries\n9,3 x\n", "line 2, column 'boundaries': 'x' is not a number"),
        ("n,boundary,boundaries\n9,3,4\n", "expected one column, 'boundary' or 'boundaries'"),
        ("n\n9\n", "expected one column"),
        ("n,boundary\n9,3\n8,4\n", "line 3: the length is 8; before it was 9"),
        ("n,boundary\n9999999999,3\n", "more than the budget"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "boundaries", text)
