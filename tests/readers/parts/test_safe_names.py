"""Names made by strangers."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import FormatError
from segmetry.readers.items import LONGEST, check_label, check_name, file_inside, is_plain_file, is_single_name


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


def test_a_plain_file_is_reached_through_folders_that_are_no_links(tmp_path: Path) -> None:
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"
    for folder in (store / "c" / "0", elsewhere / "0"):
        folder.mkdir(parents=True)
        (folder / "1").write_bytes(b"chunk")
    (store / "d").symlink_to(elsewhere)
    (store / "c" / "0" / "2").symlink_to(elsewhere / "0" / "1")
    plain: set[str] = set()
    assert is_plain_file(store, "c/0/1", plain)
    assert plain == {"c", "c/0"}
    for name in (
        "d/0/1",
        "c/0/2",
        "c/0/3",
        "c/0",
        "c/../c/0/1",
        "c//0/1",
        "./c/0/1",
        str(store / "c/0/1"),
        "c\\0",
        "/",
    ):
        assert not is_plain_file(store, name, plain), name
    assert plain == {"c", "c/0"}
    assert file_inside(store, "c/0/1", "the chunk") == store / "c" / "0" / "1"
    for name in ("d/0/1", "c/0/2"):
        with pytest.raises(FormatError, match="leads out of"):
            file_inside(store, name, "the chunk")


def test_the_example_of_check_label() -> None:
    assert check_label("Zoë 3", "the class") == "Zoë 3"


def test_the_example_of_is_single_name() -> None:
    assert [is_single_name(name) for name in ("a.png", "..", "b/a.png", "c:a.png")] == [True, False, False, False]


def test_the_example_of_check_name() -> None:
    assert check_name("group/chapter 1", "the item") == "group/chapter 1"
