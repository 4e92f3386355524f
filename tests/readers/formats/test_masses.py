"""Segment lengths in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from segmetry.errors import FormatError, OptionError
from tests.readers.samples import plain, read_text_as

CODERS = '{"items": {"text": {"1": [2, 3, 3, 1], "2": [2, 7], "3": [9]}}, "segmentation_type": "linear"}'
GROUPS = '{"G5": {"ch1": {"an4": [2, 8], "an1": [7, 3]}, "ch11": {"an1": [4, 4]}}, "G2": {"ch2": {"an9": [5]}}}'


def test_segeval_files_hold_coders(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, CODERS, coder="2")
    assert (item.name, item.spans.masses.tolist()) == ("text", [2, 7])
    assert item.coder is None, "a coder who was chosen is known"


def test_nested_data_sets_name_their_items(tmp_path: Path) -> None:
    found = read_text_as(tmp_path, None, GROUPS, coder="an1")
    assert [(item.name, item.spans.masses.tolist()) for item in found] == [("G5/ch1", [7, 3]), ("G5/ch11", [4, 4])]


def test_several_coders_must_be_chosen_from(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"contains the annotators 1, 2, 3; choose one with --coder"):
        read_text_as(tmp_path, None, CODERS)
    with pytest.raises(OptionError, match=r"no annotator '9'; found 1, 2"):
        read_text_as(tmp_path, None, CODERS, coder="9")
    assert len(read_text_as(tmp_path, None, CODERS, coder="*")) == 3


def test_one_coder_per_item_needs_no_choice(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, '{"a": {"x": [2, 3]}}')
    assert (item.name, item.coder, plain(item)) == ("a", "x", ([(0, 2), (2, 5)], 5))
    with pytest.raises(OptionError, match="names no annotators"):
        read_text_as(tmp_path, None, '{"a": [2, 3]}', coder="x")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": [2,\n 0]}', r"line 2, column 2: 'a'\[1\] is 0; expected a segment length of at least 1"),
        ('{"a": [2, -1]}', r"line 1, column 11: 'a'\[1\] is -1"),
        ('{"a": [2, 1.5]}', r"line 1, column 11: 'a'\[1\] is '1.5'; expected an integer"),
        ('{"a": [2, true]}', r"line 1, column 11: 'a'\[1\] is 'True'; expected an integer"),
        ('{"a": 5}', r"line 1, column 7: 'a' is not a list"),
        ('{"a": {"b": {"c": {"d": [1]}}}}', "'c' is not a list"),
        ('{"a": {"x": [2]}, "b": [3]}', "the item 'b' names no annotator, but others do"),
        ("5", "line 1, column 1: expected an object of items or a list of integers"),
        ("[2,\n 0]", r"line 2, column 2: \[1\] is 0; expected a segment length of at least 1"),
        ("[2, 1.5]", r"line 1, column 5: \[1\] is '1.5'; expected an integer"),
        ('["2"]', r"line 1, column 2: \[0\] is '2'; expected an integer"),
        ("[[1, 2], [3, -4]]", r"line 1, column 14: \[1\]\[1\] is -4"),
        ("[[1, 2], 3]", "line 1, column 10: item 2 is not a list, but others are"),
        ("[[1, [2]]]", r"line 1, column 6: \[0\]\[1\] is '\[2\]'; expected an integer"),
        ("[]", "contains no list of integers"),
        ("[4000000000, 4000000000]", "file: declares 8000000000 elements"),
        ("{}", "contains no list of integers"),
        ('{"a": [2], "a": [3]}', "line 1, column 12: the key 'a' occurs twice in one object"),
        ('{"a": [NaN]}', "line 1, column 8: NaN or Infinity"),
        ('{"a": [2', "line 1, column 9: not JSON"),
        ('{"a": [4000000000, 4000000000]}', "declares 8000000000 elements, more than the budget of 2147483648"),
        ('{"a": [' + "9" * 5000 + "]}", "Exceeds the limit"),
        ('{"items": {"a": [2]}, "segmentation_type": "nested"}', "line 1, column 44: segmentation_type is 'nested'"),
        ('{"items": [2], "segmentation_type": "linear"}', "expected an object 'items'"),
        ('{"../a": [2]}', r"'\.\./a', leads out of its folder"),
        ('{"a\\u001b[2J": [2]}', r"contains a control character at position 2"),
        ('{"a\\ud800": [2]}', "half of a surrogate pair"),
        ("[" * 100_000, "nested deeper"),
        ("", "an empty file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words) as caught:
        read_text_as(tmp_path, "masses", text)
    assert str(tmp_path / "file") in str(caught.value)


def test_lists_without_names(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, "[5, 3, 5]\n")
    assert (item.name, item.spans.masses.tolist()) == ("file", [5, 3, 5])
    found = read_text_as(tmp_path, None, "[\n [5, 3, 5],\n [2, 2]]")
    assert [(item.name, item.spans.masses.tolist()) for item in found] == [("1", [5, 3, 5]), ("2", [2, 2])]
    (item,) = read_text_as(tmp_path, None, "[1, 0, 0, 1]")
    assert item.spans.masses.tolist() == [3, 1], "a 0 makes it bits"
    with pytest.raises(FormatError, match="could be bits, masses; choose one with --format"):
        read_text_as(tmp_path, None, "[1, 1, 1]")


def test_a_byte_order_mark_and_windows_lines_change_nothing(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, b'\xef\xbb\xbf{"a":\r\n [2, 3]}\r\n')
    assert item.spans.masses.tolist() == [2, 3]


def test_coders_are_written_as_segeval_reads_them(tmp_path: Path) -> None:
    from segmetry.readers.losses import writer_of

    found = read_text_as(tmp_path, "masses", '{"a": {"x": [2, 3], "y": [5]}}', coder="*")
    assert json.loads(writer_of("masses").write(found, tmp_path)) == {
        "items": {"a": {"x": [2, 3], "y": [5]}},
        "segmentation_type": "linear",
    }
