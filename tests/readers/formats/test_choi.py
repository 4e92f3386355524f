"""Choi's text files."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import FormatError
from tests.readers.samples import plain, read_text_as

BAR = "=========="


@pytest.mark.parametrize("text", [f"{BAR}\na\nb\n{BAR}\nc\n{BAR}\n", f"{BAR}\r\na\r\nb\r\n{BAR}\r\nc"])
def test_units_are_lines(text: str, tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, text, "7.ref")
    assert (item.name, plain(item), item.units) == ("7", ([(0, 2), (2, 3)], 3), ("a", "b", "c"))


def test_the_first_separator_may_be_left_out(tmp_path: Path) -> None:
    assert plain(read_text_as(tmp_path, "choi", f"a\n{BAR}\nb\n")[0]) == ([(0, 1), (1, 2)], 2)


def test_blank_lines_are_asked_about(tmp_path: Path) -> None:
    text = f"{BAR}\na\n\n{BAR}\nb\n"
    with pytest.raises(FormatError, match="line 3, column 1: a blank line; pass --blank skip or --blank unit"):
        read_text_as(tmp_path, None, text)
    assert plain(read_text_as(tmp_path, None, text, blank="skip")[0]) == ([(0, 1), (1, 2)], 2)
    assert plain(read_text_as(tmp_path, None, text, blank="unit")[0]) == ([(0, 2), (2, 3)], 3)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{BAR}\na\n{BAR}\n{BAR}\nb\n", "line 4, column 1: two separators without a line of text"),
        (f"{BAR}\na\n==== 2\nb\n", "line 3, column 1: '==== 2' is neither text nor the separator"),
        (f"{BAR}\n", "contains no line of text"),
        ("a\nb\n", "contains no line =========="),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words):
        read_text_as(tmp_path, "choi", text)
