"""SemanticKITTI in the classes of its benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, InputError, SegmetryError
from segmetry.readers.formats.data_sets.point_clouds import scan_name
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items

FORMAT = "semantic-kitti-sequences"


def write(folder: Path, *values: int) -> Path:
    folder.mkdir(parents=True)
    np.array(values, dtype="<u4").tofile(folder / "000007.label")
    return folder


def test_classes_are_those_of_the_learning_map(tmp_path: Path) -> None:
    car, moving, lane = 10 | 3 << 16, 252 | 3 << 16, 60
    write(tmp_path / "sequences" / "08" / "labels", car, moving, lane, 0, 99)
    (true,) = read_items(tmp_path, FORMAT)
    (pred,) = read_items(tmp_path, FORMAT, ReadOptions(side="pred"))
    assert true.name == "08/000007" and true.class_names[9] == "road"
    assert dict(true.load().classes) == {car: 1, moving: 1, lane: 9}
    assert (true.load().void, pred.load().outside) == ((0, 99), (0, 99))


def test_one_file_is_one_scan(tmp_path: Path) -> None:
    (item,) = read_items(write(tmp_path / "a", 10) / "000007.label", FORMAT)
    assert item.name == "000007" and item.load().n_elements == 1


def test_unknown_classes_and_empty_folders_are_rejected(tmp_path: Path) -> None:
    (item,) = read_items(write(tmp_path / "a", 12), FORMAT)
    with pytest.raises(SegmetryError, match="contains class 12, which SemanticKITTI does not have"):
        item.load()
    (tmp_path / "b").mkdir()
    with pytest.raises(SegmetryError, match=r"no \.label file in it"):
        list(read_items(tmp_path / "b", FORMAT))


def test_scans_without_points_are_left_out_with_a_note(tmp_path: Path) -> None:
    """They add nothing to the counts of the benchmark; one that only one side lacks is an error of names."""
    for side in ("labels", "predictions"):
        folder = write(tmp_path / side / "sequences" / "08" / side, 10 | 1 << 16, 40)
        (folder / "000006.label").write_bytes(b"")
    with pytest.warns(DataWarning, match="1 scans without points are left out"):
        run = sm.evaluate(tmp_path / "labels", tmp_path / "predictions", format=FORMAT, engine="serial")
    assert [row["item"] for row in run.items()] == ["08/000007"]
    np.array([10], "<u4").tofile(tmp_path / "labels" / "sequences" / "08" / "labels" / "000006.label")
    with pytest.warns(DataWarning, match="without points"), pytest.raises(InputError, match="only in true: 08/000006"):
        sm.evaluate(tmp_path / "labels", tmp_path / "predictions", format=FORMAT, engine="serial")


def test_the_example_of_scan_name() -> None:
    assert scan_name(Path("sequences/08/predictions/000017.label")) == "08/000017"
