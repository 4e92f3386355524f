"""``dataset.json`` of nnU-Net and of the Medical Segmentation Decathlon: names, regions, the ignore label, damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError
from segmetry.readers.nnunet_dataset import described_reading, find_dataset, label_names


def written(folder: Path, content: Any) -> Path:
    (folder / "labelsTr").mkdir(exist_ok=True)
    (folder / "dataset.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return folder / "labelsTr"


def test_names_of_both_layouts(tmp_path: Path) -> None:
    nnunet = written(tmp_path, {"labels": {"background": 0, "liver": 1}, "file_ending": ".nii.gz"})
    assert label_names(nnunet) == {0: "background", 1: "liver"}
    assert described_reading(nnunet) == {"glob": "*.nii.gz"}
    decathlon = written(tmp_path, {"labels": {"0": "background", "1": "liver"}})
    assert label_names(decathlon) == {0: "background", 1: "liver"}
    assert described_reading(decathlon) == {}


def test_regions_and_the_ignore_label(tmp_path: Path) -> None:
    labels = {"background": 0, "whole": [1, 2, 3], "core": [2, 3], "enhancing": 3, "ignore": 4}
    reading = described_reading(written(tmp_path, {"labels": labels}))
    assert reading == {"union": {"whole": (1, 2, 3), "core": (2, 3), "enhancing": (3,)}, "true_void": 4}


def test_other_files_of_this_name_describe_nothing(tmp_path: Path) -> None:
    for content in ({}, [], {"labels": []}, {"labels": {}}):
        assert find_dataset(written(tmp_path, content)) is None
    assert described_reading(tmp_path / "no such folder") == {}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"labels": {"liver": "one"}}, "expected an integer or a list of integers"),
        ({"labels": {"liver": []}}, "expected an integer or a list of integers"),
        ({"labels": {"liver": 1, "ignore": [2, 3]}}, "expected one integer"),
        ({"labels": {"liver": 1}, "file_ending": 5}, "expected the end of file names"),
        ("{", "dataset.json"),
    ],
)
def test_damaged_descriptions(content: Any, words: str, tmp_path: Path) -> None:
    folder = written(tmp_path, content)
    with pytest.raises(FormatError, match=words):
        described_reading(folder)
    with pytest.warns(DataWarning, match="labels have no names"):
        assert label_names(folder) is None


def test_a_folder_has_the_names_and_no_note_about_the_files_of_nnunet(tmp_path: Path) -> None:
    folder = written(tmp_path, {"labels": {"background": 0, "liver": 1}, "file_ending": ".npy"})
    np.save(folder / "case.npy", np.array([[0, 1]], np.uint8))
    (folder / "plans.json").write_text("{}")
    run = sm.evaluate(folder, folder, protocol="nnunet", engine="serial")
    table = run.protocol_table(classes=True)
    assert table is not None and [row[0] for row in table.rows] == ["liver"]
