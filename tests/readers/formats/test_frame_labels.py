"""Labels of frames: a label per line, results with a header, and folders of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from tests.readers.samples import plain, read_text_as

VIDEO = "background\nbackground\npour_milk\npour_milk\nstir\n"
RESULT = "### Frame level recognition: ###\nbackground pour_milk pour_milk pour_milk stir"


def test_runs_of_labels_are_spans(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, VIDEO, "P03.txt")
    assert (item.name, plain(item)) == ("P03", ([(2, 4), (4, 5)], 5))
    assert item.spans.classes == {1: "pour_milk", 2: "stir"}


def test_results_have_a_header(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, RESULT, "P03")
    assert (item.name, plain(item)) == ("P03", ([(1, 4), (4, 5)], 5))


def test_other_labels_may_be_outside(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, VIDEO, "P03.txt", outside_class=["stir", "background"])
    assert plain(item) == ([(2, 4)], 5)
    (item,) = read_text_as(tmp_path, None, VIDEO, "P03.txt", outside_class=None)
    assert plain(item) == ([(0, 2), (2, 4), (4, 5)], 5)


def folder(tmp_path: Path) -> Path:
    videos = tmp_path / "groundTruth"
    videos.mkdir()
    for name in ("a", "b", "c"):
        (videos / f"{name}.txt").write_text(VIDEO)
    return videos


def names(path: Path, **options: object) -> list[str]:
    return [item.name for item in _items(path, **options)]


def _items(path: Path, **options: object) -> list[Item]:
    return list(read_items(path, options=ReadOptions(**options)))


def test_a_folder_has_a_file_per_video_and_a_split_chooses_some(tmp_path: Path) -> None:
    videos, split = folder(tmp_path), tmp_path / "test.split1.bundle"
    assert names(videos) == ["a", "b", "c"]
    split.write_text("c.txt\na.txt\n")
    assert names(videos, split=str(split)) == ["c", "a"]
    split.write_text("d.txt\n")
    with pytest.raises(FormatError, match=r"no file of the video 'd', which .*bundle lists"):
        names(videos, split=str(split))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pour\n\npour\n", "line 2: '' is empty; expected one label per line"),
        ("pour milk\n", "line 1: 'pour milk' is more than one word"),
        ("### Frame level recognition: ###\n", "contains no labels after its header"),
        ("po\x07ur\npour\n", "label 1: the label, .* contains a control character"),
    ],
)
def test_damage_is_one_error(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        read_text_as(tmp_path, "frame-labels", text, "a.txt")


def test_two_files_of_one_video_are_an_error(tmp_path: Path) -> None:
    videos = folder(tmp_path)
    (videos / "a").write_text(RESULT)
    with pytest.raises(FormatError, match=r"a and a\.txt are the same video"):
        names(videos)


def test_a_text_is_not_taken_for_frame_labels(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a format segmetry recognises"):
        read_text_as(tmp_path, None, "Once upon a time\nthere was\n", "a.txt")
