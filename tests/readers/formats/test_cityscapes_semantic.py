"""Cityscapes class images: which file of a frame is read, ids and trainIds, ignored classes, wrong values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning, FormatError
from segmetry.readers.formats.data_sets.cityscapes import CLASS_OF_TRAIN_ID, frame_of
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items

NAME = "cityscapes-semantic"


def save(folder: Path, name: str, values: list[int], dtype: type = np.uint8) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.array([values], dtype=dtype)).save(folder / name)
    return folder


def only(path: Path, **options: object) -> sm.LabelArray:
    (item,) = read_items(path, NAME, ReadOptions(**options))
    found = item.load()
    assert isinstance(found, sm.LabelArray) and item.name == "ulm_000000_000000"
    return found


def test_the_truth_is_the_instance_image_else_the_label_image(tmp_path: Path) -> None:
    save(tmp_path / "gt", "ulm_000000_000000_gtFine_labelTrainIds.png", [0, 13, 255])
    trained = only(tmp_path / "gt")
    assert trained.classes == {0: 7, 13: 26} and trained.void == (255,) and trained.crowd == (13,)
    save(tmp_path / "gt", "ulm_000000_000000_gtFine_labelIds.png", [7, 26, 4])
    save(tmp_path / "gt", "ulm_000000_000000_gtFine_color.png", [1, 2, 3])
    found = only(tmp_path / "gt")
    assert found.classes == {7: 7, 26: 26} and found.void == (4,) and found.crowd == (26,)
    save(tmp_path / "gt", "ulm_000000_000000_gtFine_instanceIds.png", [7, 26001, 4], np.uint16)
    found = only(tmp_path / "gt")
    assert found.classes == {7: 7, 26001: 26} and found.void == (4,) and found.crowd == ()
    assert only(tmp_path / "gt", cityscapes_ids="labelTrainIds").labels.tolist() == [[0, 13, 255]]
    assert only(tmp_path / "gt", side="pred").labels.tolist() == [[7, 26, 4]]


def test_train_ids_are_the_evaluated_classes_in_order() -> None:
    assert list(CLASS_OF_TRAIN_ID.items())[:3] == [(0, 7), (1, 8), (2, 11)] and CLASS_OF_TRAIN_ID[18] == 33


def test_ignored_classes_of_a_prediction_are_outside(tmp_path: Path) -> None:
    found = only(save(tmp_path / "pred", "ulm_000000_000000_leftImg8bit.png", [7, 26, 0, 33]), side="pred")
    assert found.outside == (0,) and found.void == () and found.crowd == ()


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([7, 255], {}, "the value 255; expected labelIds, 0 to 33; if the values are labelTrainIds"),
        ([7001], {}, "the value 7001; expected labelIds"),
        ([7, 19], {"cityscapes_ids": "labelTrainIds"}, "the value 19; expected labelTrainIds, 0 to 18 and 255"),
    ],
)
def test_other_values_are_rejected(values: list[int], options: dict[str, str], message: str, tmp_path: Path) -> None:
    folder = save(tmp_path / "pred", "ulm_000000_000000_labelIds.png", values, np.uint16)
    if options:
        folder = save(tmp_path / "other", "ulm_000000_000000_labelTrainIds.png", values)
    with pytest.raises(FormatError, match=message):
        only(folder, side="pred", **options)


def test_train_ids_that_are_read_as_ids_are_noticed(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="state --pred-cityscapes-ids labelTrainIds"):
        only(save(tmp_path / "pred", "ulm_000000_000000.png", [0, 1, 13]), side="pred")


def test_a_folder_without_images_and_a_frame_with_two_are_rejected(tmp_path: Path) -> None:
    save(tmp_path / "two", "ulm_000000_000000_a.png", [7])
    save(tmp_path / "two", "ulm_000000_000000_b.png", [7])
    with pytest.raises(FormatError, match="frame ulm_000000_000000 has two files"):
        list(read_items(tmp_path / "two", NAME))
    save(tmp_path / "none", "ulm_000000_000000_gtFine_color.png", [7])
    with pytest.raises(FormatError, match="contains no PNG file named after a frame"):
        list(read_items(tmp_path / "none", NAME))


def test_the_example_of_frame_of() -> None:
    assert (frame_of("ulm_000001_000019_gtFine_instanceIds.png"), frame_of("mine_instanceIds.png")) == (
        "ulm_000001_000019",
        "mine",
    )
