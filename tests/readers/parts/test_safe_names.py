"""Names made by strangers."""

from __future__ import annotations

import pytest

from segmetry.errors import FormatError
from segmetry.readers.parts.safe_names import LONGEST, check_label, check_name


@pytest.mark.parametrize("name", ["a", "group/chapter 1", "Zoë", "中文", "..a", "a..b", "می‌خواهم", "100%"])
def test_names_of_all_languages_pass(name: str) -> None:
    assert check_name(name, "the item") == name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "the item is empty"),
        ("../a", "leads out of its folder"),
        ("a/../../b", "leads out of its folder"),
        ("..", "leads out of its folder"),
        ("a\\..\\b", "leads out of its folder"),
        ("/etc/passwd", "leads out of its folder"),
        ("C:\\a", "leads out of its folder"),
        ("C:a", "leads out of its folder"),
        ("\\\\host\\share", "leads out of its folder"),
        ("a\0b", "a control character at position 2"),
        ("\x1b[31m", "a control character at position 1"),
        ("a\nb", "a control character"),
        ("a\u202eb", "an invisible formatting character"),
        ("a\u2028b", "a line separator"),
        ("a\ud800", "half of a surrogate pair"),
        ("a" * (LONGEST + 1), f"expected at most {LONGEST}"),
    ],
)
def test_names_that_steer_terminals_or_paths_do_not(name: str, words: str) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        check_name(name, "the item")
    assert str(caught.value).isprintable()


def test_a_class_may_look_like_a_path() -> None:
    assert check_label("../x", "the class") == "../x"
