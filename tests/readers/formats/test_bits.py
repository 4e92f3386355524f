"""First-element bits in JSON, and telling them from lengths."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import FormatError
from segmetry.readers.source import find_reader
from tests.readers.samples import plain, read, read_text_as


def test_a_leading_zero_is_a_gap_unless_forced(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, '{"a": [0, 1, 0, 1]}')
    assert plain(item) == ([(1, 3), (3, 4)], 4)
    (item,) = read_text_as(tmp_path, None, '{"a": [0, 1, 0, 1]}', first="force")
    assert plain(item) == ([(0, 1), (1, 3), (3, 4)], 4)


def test_page_streams(shared_data: Path) -> None:
    """The counts of the README of the data: 34 streams, 25,676 pages, 6,347 documents; 8 predictions start with 0."""
    true, pred = (read(shared_data / "page_streams" / f"{side}.json") for side in ("true", "pred"))
    assert (len(true), sum(item.spans.n for item in true)) == (34, 25_676)
    assert sum(item.spans.starts.size for item in true) == 6_347
    assert sum(bool(item.spans.starts[:1].tolist() != [0]) for item in pred) == 8


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": [1, 0]}', "bits"),
        ('{"a": [1, 1], "b": [1, 0]}', "bits"),
        ('{"a": [1, 1], "b": [2]}', "masses"),
        ('{"a": [0, 2]}', "masses"),
        ('{"items": {"a": {"x": [1, 1]}}, "segmentation_type": "linear"}', "masses"),
    ],
)
def test_the_whole_file_decides(text: str, found: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    assert find_reader(path).name == found


@pytest.mark.parametrize("text", ['{"a": [1, 1, 1]}', '{"a": []}'])
def test_nothing_but_ones_is_asked_about(text: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="could be bits, masses; choose one with --format"):
        read_text_as(tmp_path, None, text)
    assert [read_text_as(tmp_path, name, text)[0].spans.starts.size for name in ("bits", "masses")] == [
        text.count("1")
    ] * 2


def test_a_changed_file_is_looked_at_again(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for text, found in (('{"a": [1, 0, 1]}', "bits"), ('{"a": [1, 2]}', "masses")):
        path.write_text(text)
        assert find_reader(path).name == found


def test_large_files_of_another_kind_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A COCO file is told by its first list, without reading all of it."""
    path = tmp_path / "coco.json"
    path.write_text('{"info": {"text": "[1]"}, "images": [{"id": 1}], "annotations": []}')
    monkeypatch.setattr(
        "segmetry.readers.formats.lines.integer_lists.parse_json", lambda *_: pytest.fail("the file was parsed")
    )
    with pytest.raises(FormatError, match="not a format segmetry recognises"):
        find_reader(path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": [1,\n 2]}', r"line 2, column 2: 'a'\[1\] is 2; expected 0 or 1"),
        ('{"a": [1, -1]}', r"'a'\[1\] is -1"),
        ('{"a": ["1"]}', r"'a'\[0\] is '1'; expected an integer"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words):
        read_text_as(tmp_path, "bits", text)


def test_the_budget_counts_elements(tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match="declares 4 elements, more than the budget of 3; raise it with --max-elements"
    ):
        read_text_as(tmp_path, "bits", '{"a": [1, 0, 0, 0]}', most_elements=3)
