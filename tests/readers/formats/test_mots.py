"""MOTS files: text and images give the same tracks, sides get one length, and damaged lines are named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning, SegmetryError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from tests.coco_strings import encode_coco_counts

VIDEO = np.array([[[1001, 1001, 0], [2001, 10000, 3001]], [[0, 1001, 0], [2001, 2001, 10000]]])


def lines(video: np.ndarray) -> list[str]:
    rows = []
    for at, frame in enumerate(video):
        for number in np.unique(frame[frame > 0]).tolist():
            flat = (frame == number).ravel(order="F").astype(int)
            edges = np.flatnonzero(np.diff(flat, prepend=0, append=0))
            counts = np.diff([0, *edges.tolist(), flat.size])
            rle = encode_coco_counts(counts).decode()
            rows.append(f"{at} {number} {number // 1000} {frame.shape[0]} {frame.shape[1]} {rle}")
    return rows


def write(folder: Path, video: np.ndarray, name: str = "0001") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.txt").write_text("\n".join(lines(video)) + "\n")
    return folder


def test_text_and_images_give_the_same_tracks(tmp_path: Path) -> None:
    (text,) = read_items(write(tmp_path / "text", VIDEO))
    (tmp_path / "images" / "0001").mkdir(parents=True)
    for at, frame in enumerate(VIDEO):
        Image.fromarray(frame.astype(np.uint16)).save(tmp_path / "images" / "0001" / f"{at:06}.png")
    (images,) = read_items(tmp_path / "images", "mots")
    first, second = text.load(), images.load()
    assert first.labels[0].tolist() == [[1001, 1001, 0], [2001, 2002, 0]] and first.void == (2002,)
    table = sm.overlap(first, second)
    assert list(table.rows()) == [(1001, 1001, 3), (2001, 2001, 3)]
    assert table.class_names == (1, 2) and table.background.void_void == 2


def test_ignore_regions_of_a_prediction_are_in_no_segment(tmp_path: Path) -> None:
    (item,) = read_items(write(tmp_path / "set", VIDEO), "mots", ReadOptions(side="pred"))
    assert item.load().void == () and set(item.load().classes) == {1001, 2001}


def test_sides_get_one_length_and_size(tmp_path: Path) -> None:
    true, pred = write(tmp_path / "true", VIDEO), write(tmp_path / "pred", VIDEO[:1])
    write(true, VIDEO, "0002")
    (pred / "0002.txt").write_text("")
    with pytest.warns(DataWarning, match=r"0002\.txt: an empty file, read as a video without segments"):
        run = sm.evaluate(true, pred, engine="serial")
    assert run.header.startswith("mots:") and run.summary()["deta"].usual.value < 0.5
    write(pred, np.full((1, 3, 3), 1001), "0002")
    with pytest.raises(SegmetryError, match="item 0002: frames of true have 2 × 3 pixels"):
        sm.evaluate(true, pred)
    for side in (true, pred):
        (side / "0002.txt").write_text("")
    with pytest.warns(DataWarning), pytest.raises(SegmetryError, match="no segment on either side"):
        sm.evaluate(true, pred)


def test_classes_may_share_ids_and_ids_may_be_zero(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0 0 1 1 2 01\n0 0 2 1 2 11\n")
    (item,) = read_items(tmp_path / "a.txt", "mots")
    with pytest.raises(SegmetryError, match="counts add up to 1"):
        item.load()
    (tmp_path / "a.txt").write_text("0 0 1 1 2 011\n0 0 2 1 2 11\n")
    (item,) = read_items(tmp_path / "a.txt", "mots")
    assert item.load().labels.tolist() == [[[11, 21]]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("0 1 1 2 3\n", "line 1: '0 1 1 2 3'; expected `frame id class height width rle`"),
        ("0 1 1 2 3 06\n1 1 1 3 3 09\n", "line 2: a frame of 3 × 3 pixels, before 2 × 3"),
        ("0 1 1 0 3 0\n", "a frame of 0 × 3 pixels"),
        ("0 1 1 2 3 06\n0 2 1 2 3 06\n", "frame 0: masks overlap"),
        ("0 1 1 2 3 06\n0 9 10 2 3 06\n", "frame 0: masks overlap"),
        ("0 1 1 2 3 06\n0 1 1 2 3 06\n", "frame 0: an id occurs twice"),
        ("9999999 1 1 2 3 06\n", "one of them is too large"),
    ],
)
def test_damaged_lines_are_named(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(SegmetryError, match=words):
        [item.load() for item in read_items(tmp_path / "a.txt", "mots")]
