"""Folders of frames: a video is one item, its frames are read one by one, and both sides have the same ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.stored_arrays import FrameStack


def write(folder: Path, frames: np.ndarray, *, palette: bool = True) -> None:
    folder.mkdir(parents=True)
    for at, frame in enumerate(frames):
        image = Image.fromarray(frame.astype(np.uint8))
        if palette:
            image.putpalette(list(range(256)) * 3)
        image.save(folder / f"{at:05}.png")


VIDEO = np.arange(24).reshape(4, 2, 3) % 3


def test_a_folder_of_frames_is_a_video(tmp_path: Path) -> None:
    write(tmp_path / "set" / "bear", VIDEO)
    write(tmp_path / "set" / "deep" / "camel", VIDEO[:2])
    items = list(read_items(tmp_path / "set", "video", ReadOptions(colours="index")))
    assert [item.name for item in items] == ["bear", "deep/camel"]
    assert [np.array_equal(item.load().labels, VIDEO[: len(item.frames)]) for item in items] == [True, True]
    assert items[1].frames == ("00000", "00001")


def test_sequences_are_listed_in_a_file(tmp_path: Path) -> None:
    for name in ("bear", "camel"):
        write(tmp_path / "set" / name, VIDEO)
    (tmp_path / "val.txt").write_text("camel 0 1\n\n")
    chosen = ReadOptions(colours="index", sequences=str(tmp_path / "val.txt"))
    assert [item.name for item in read_items(tmp_path / "set", "video", chosen)] == ["camel"]
    (tmp_path / "val.txt").write_text("dog\n")
    with pytest.raises(SegmetryError, match="1 of the listed videos are not in it: dog"):
        list(read_items(tmp_path / "set", "video", chosen))
    (tmp_path / "val.txt").write_text("\n")
    with pytest.raises(SegmetryError, match="lists no video"):
        list(read_items(tmp_path / "set", "video", chosen))
    with pytest.raises(SegmetryError, match="cannot be read"):
        list(read_items(tmp_path / "set", "video", chosen.replaced(sequences=str(tmp_path / "none.txt"))))


def test_frames_are_read_when_they_are_needed(tmp_path: Path) -> None:
    write(tmp_path / "set" / "a", np.zeros((40, 300, 300)))
    (item,) = read_items(tmp_path / "set", "video", ReadOptions(colours="index"))
    video = item.load()
    assert isinstance(video, LabelArray) and isinstance(video.stored, FrameStack)
    (tmp_path / "set" / "a" / "00007.png").unlink()
    assert video.read((slice(3, 5), slice(0, 2), slice(0, 300))).shape == (2, 2, 300)
    with pytest.raises(SegmetryError, match=r"00007\.png"):
        video.read((slice(7, 8), slice(0, 2), slice(0, 300)))


@pytest.mark.parametrize(
    ("frame", "words"),
    [(np.zeros((2, 4)), "has shape"), (np.full((2, 3), 300), "is uint16, the first frame of the video uint8")],
)
def test_frames_are_alike(frame: np.ndarray, words: str, tmp_path: Path) -> None:
    write(tmp_path / "set" / "a", VIDEO, palette=False)
    Image.fromarray(frame.astype(np.uint16 if frame.max() > 255 else np.uint8)).save(tmp_path / "set" / "a" / "9.png")
    (item,) = read_items(tmp_path / "set", "video")
    with pytest.raises(SegmetryError, match=words):
        item.load()


def test_both_sides_have_the_same_frames(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        write(tmp_path / side / "bear", VIDEO)
    (tmp_path / "pred" / "bear" / "00002.png").rename(tmp_path / "pred" / "bear" / "00009.png")
    with pytest.raises(SegmetryError, match="item bear: 1 only in true: 00002"):
        sm.evaluate(tmp_path / "true", tmp_path / "pred", protocol="davis")


def test_the_protocol_chooses_the_format(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        write(tmp_path / side / "bear", VIDEO)
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", protocol="davis", out=tmp_path / "run.segm")
    assert (run.summary()["j_and_f"].usual.value, run.modified) == (1, ())


def test_frames_lie_in_folders_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "set", VIDEO)
    (item,) = read_items(tmp_path / "set", "video", ReadOptions(colours="index"))
    assert item.name == "set"
    write(tmp_path / "set" / "bear", VIDEO)
    with pytest.raises(SegmetryError, match="in its folder bear"):
        list(read_items(tmp_path / "set", "video"))
    (tmp_path / "none").mkdir()
    with pytest.raises(SegmetryError, match="no frame in it"):
        list(read_items(tmp_path / "none", "video"))
    with pytest.raises(SegmetryError, match="not a folder"):
        list(read_items(tmp_path / "set" / "00000.png", "video"))
