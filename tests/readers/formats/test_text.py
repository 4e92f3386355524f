"""Plain text with a separator."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import FormatError, OptionError, SegmetryError
from tests.readers.samples import plain, read_text_as


def test_lines_between_separators(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, "text", "***\na\nb\n\n***\nc\n", separator=r"\**")
    assert (plain(item), item.units) == (([(0, 2), (2, 3)], 3), ("a", "b", "c"))


@pytest.mark.parametrize(("unit", "lengths"), [("word", [3, 1]), ("character", [7, 2])])
def test_words_and_characters(unit: str, lengths: list[int], tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, "text", "a bc de§fg", separator="§", unit=unit)
    assert item.spans.masses.tolist() == lengths


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "plain text needs --separator"),
        ({"separator": "("}, r"--separator '\(' is not a regular expression"),
        ({"separator": "x*", "unit": "word"}, "matches empty text"),
        ({"separator": "a", "unit": "word", "blank": "skip"}, "--blank applies to lines"),
        ({"separator": ".*"}, "contains nothing but separators"),
        ({"separator": "x"}, "line 2, column 1: a blank line"),
    ],
)
def test_what_is_wrong_is_reported(options: dict[str, str], words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words):
        read_text_as(tmp_path, "text", "a\n\nb\n", **options)


def test_text_is_never_guessed(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a format segmetry recognises"):
        read_text_as(tmp_path, None, "a\nb\n")
    with pytest.raises(OptionError, match="tick is 0; expected a positive duration"):
        read_text_as(tmp_path, "text", "a\n", tick=0)
