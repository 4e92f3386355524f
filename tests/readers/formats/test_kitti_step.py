"""KITTI-STEP frames: red is the class, green and blue are the instance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import SegmetryError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items


def write(folder: Path, frame: list[list[tuple[int, int, int]]], frames: int = 4) -> Path:
    folder.mkdir(parents=True)
    for at in range(frames):
        Image.fromarray(np.array(frame, dtype=np.uint8)).save(folder / f"{at:06}.png")
    return folder.parent


def test_colours_are_classes_and_instances(tmp_path: Path) -> None:
    path = write(tmp_path / "set" / "0002", [[(13, 1, 2), (11, 0, 0), (0, 0, 0), (255, 0, 0)]])
    (true,) = read_items(path, "kitti-step")
    (pred,) = read_items(path, "kitti-step", ReadOptions(side="pred"))
    first, second = true.load(), pred.load()
    car, crowd, void = (13 << 16) + 258, 11 << 16, 255 << 16
    assert first.labels[0].tolist() == [[car, crowd, 0, void]] and first.classes[car] == 13
    assert (first.void, first.outside, second.outside, second.void) == ((void,), (), (void,), ())
    table = sm.overlap(first, second)
    assert (table.true.ids.tolist(), table.true.crowd.tolist()) == ([0, crowd, car], [False, True, False])
    assert true.class_names[13] == "car" and true.groups["things"] == {11, 13}


@pytest.mark.parametrize(("protocol", "heading"), [("kitti-step", "STQ"), ("vpq", "VPQ")])
def test_one_command_gives_the_table(protocol: str, heading: str, tmp_path: Path) -> None:
    path = write(tmp_path / "set" / "0002", [[(13, 1, 2), (0, 0, 0)]])
    table = sm.evaluate(path, path, protocol=protocol, engine="serial").protocol_table()
    assert table.headings[1] == heading and table[str(table.rows[0][0]), heading] == 1


def test_unknown_classes_are_rejected(tmp_path: Path) -> None:
    (item,) = read_items(write(tmp_path / "set" / "0002", [[(19, 0, 0)]]), "kitti-step")
    with pytest.raises(SegmetryError, match="contains class 19; expected 0 to 18, or 255"):
        item.load()
