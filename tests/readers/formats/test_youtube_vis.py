"""Videos of instances in the form of YouTube-VIS: what is wrong is named with the annotation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.errors import SegmetryError


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segmentations": []}, "0 segmentations; expected one for each of 1 frames"),
        ({"segmentations": [{"size": [1, 2], "counts": [1]}]}, "frame 0: counts add up to 1; expected 2"),
        ({"segmentations": [{"size": [2, 2], "counts": [4]}]}, "its mask has size"),
        ({"video_id": 9}, "video_id is '9', which is not among the videos"),
        ({"category_id": 9}, "category_id is 9, not among the categories"),
    ],
)
def test_damaged_annotations_are_named(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    tube = {"id": 1, "video_id": 1, "category_id": 1, "segmentations": [{"size": [1, 2], "counts": [0, 2]}]}
    video = {"id": 1, "length": 1, "height": 1, "width": 2}
    truth = {"videos": [video], "categories": [{"id": 1, "name": "cat"}], "annotations": [{**tube, **change}]}
    paths = tmp_path / "truth.json", tmp_path / "results.json"
    for path, content in zip(paths, (truth, [{**tube, "score": 0.5}]), strict=True):
        path.write_text(json.dumps(content))
    with pytest.raises(SegmetryError, match=words):
        sm.evaluate(*paths, engine="serial")
