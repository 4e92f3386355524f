"""COCO panoptic: ids and classes agree, names stay inside, areas are counted, the reference's numbers come out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.cli.main import cli
from segmetry.errors import DataWarning, FormatError, SegmetryError
from segmetry.readers.formats.data_sets.coco_panoptic import _checked_segments, _plain_segments
from segmetry.readers.items import ListedSegments
from segmetry.readers.pairing import read_pairs
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import find_sources, read_items
from segmetry.segmentation.labels import LabelArray
from tests.profiles import examples
from tests.readers.data_sets import IDS, PANOPTIC, colours


def write(folder: Path, data: Any, name: str = "set", ids: Any = IDS) -> Path:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "a.png").write_bytes(colours(ids))
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data))
    return path


def load(path: Path, **options: Any) -> LabelArray:
    (item,) = read_items(path, None, ReadOptions(**options))
    found = item.load()
    assert isinstance(found, LabelArray) and item.named
    return found


def changed(**fields: Any) -> dict[str, Any]:
    data: dict[str, Any] = copy.deepcopy(PANOPTIC)
    for name, value in fields.items():
        target = data["annotations"][0] if name in ("file_name", "image_id", "segments_info") else None
        if target is None:
            target = data["annotations"][0]["segments_info"][0]
        target[name] = value
    return data


def test_what_the_files_say_comes_back(tmp_path: Path) -> None:
    path = write(tmp_path, changed(iscrowd=1))
    found = load(path)
    assert np.array_equal(found.labels, IDS)
    assert found.classes == {7: 1, 66000: 9}
    assert (found.crowd, found.void, found.outside) == ((7,), (0,), ())
    pred = load(path, side="pred")
    assert (pred.void, pred.outside) == ((), (0,))
    (item,) = read_items(path)
    assert item.groups == {"things": {1}, "stuff": {9}} and item.name == "1"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"file_name": "../secret.png"}, r"leads out of its folder"),
        ({"file_name": "/etc/passwd"}, r"leads out of its folder"),
        ({"file_name": "C:\\a.png"}, r"leads out of its folder"),
        ({"file_name": "link.png"}, r"leads out of .*; expected a file inside it"),
        ({"file_name": "a.png\0"}, r"contains a control character at position 6"),
        ({"file_name": "b.png"}, r"image '1', 'b.png', is not a file in"),
        ({"file_name": 3}, r"image '1' is '3'; expected the name of a file"),
        ({"id": 8}, r"image '1': segment 7 is in a.png but not in segments_info"),
        ({"id": 66000}, r"image '1', segment 66000 is listed twice"),
        ({"id": 2**24}, r"id is '16777216'; expected an integer from 1 to 16777215"),
        ({"id": 0}, r"id is '0'; expected an integer from 1"),
        ({"category_id": 5}, r"segment 7: category_id is 5, which is not among the categories"),
        ({"iscrowd": 2}, r"segment 7: iscrowd is '2'; expected 0 or 1"),
        ({"segments_info": PANOPTIC["annotations"][0]["segments_info"] + [{"id": 9, "category_id": 1}]},  # type: ignore[index]
         r"image '1': segment 9 is in segments_info but not in a.png"),
        ({"segments_info": {}}, r"segments_info is '\{\}'; expected a list"),
    ],
)  # fmt: skip
def test_contradictions_are_named(change: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(colours(IDS))
    path = write(tmp_path, changed(**change))
    (tmp_path / "set" / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(FormatError, match=words) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_a_stated_area_is_never_used(tmp_path: Path) -> None:
    path = write(tmp_path, changed(area=1))
    with pytest.warns(DataWarning, match=r"set/a\.png: the area of 1 segments .*segment 7: area 1, counted 3"):
        found = load(path)
    assert np.array_equal(found.labels, IDS)
    right = write(tmp_path, PANOPTIC, "right")
    told = CliRunner().invoke(cli, ["score", str(path), str(right), "--json", "-"])
    assert told.exit_code == 0 and "note: " in told.stderr
    assert json.loads(told.stdout)["rules"]["theta_plus"]["groups"]["all"]["pq"]["by_class"]["value"] == 1


def test_other_shapes_and_images_are_rejected(tmp_path: Path) -> None:
    data: dict[str, Any] = copy.deepcopy(PANOPTIC)
    data["images"][0]["height"] = 9
    with pytest.raises(FormatError, match=r"a.png has shape \(2, 3\); the JSON file says \(9, 3\)"):
        load(write(tmp_path, data))
    path = write(tmp_path, PANOPTIC, "grey")
    (tmp_path / "grey" / "a.png").write_bytes(b"\xff\xd8\xff\xe0JFIF")
    with pytest.raises(FormatError, match="a JPEG image"):
        load(path)
    lone = tmp_path / "lone.json"
    lone.write_text(json.dumps(PANOPTIC))
    with pytest.raises(FormatError, match="there is no folder"):
        load(lone)


def test_images_are_paired_by_id_even_when_there_is_one(tmp_path: Path) -> None:
    true, pred = write(tmp_path, PANOPTIC), write(tmp_path, changed(image_id=2), "pred")
    with pytest.raises(SegmetryError, match="1 only in true: 1; 1 only in pred: 2"):
        list(read_pairs(*find_sources(true, pred)))


def test_a_missing_prediction_is_empty_by_choice(tmp_path: Path) -> None:
    two: dict[str, Any] = copy.deepcopy(PANOPTIC)
    two["images"].append({"id": 2, "height": 2, "width": 3})
    two["annotations"].append({**two["annotations"][0], "image_id": 2})
    true, pred = write(tmp_path, two), write(tmp_path, PANOPTIC, "pred")
    message = r"1 only in true: 2; none only in pred.*--missing as-empty treats them as predictions"
    with pytest.raises(SegmetryError, match=message):
        list(read_pairs(*find_sources(true, pred)))
    told = CliRunner().invoke(
        cli, ["score", str(true), str(pred), "--missing", "as-empty", "--metrics", "panoptic", "--json", "-"]
    )
    assert told.exit_code == 0, told.output
    scores = json.loads(told.stdout)["rules"]["theta_plus"]["scores"]
    keys = ("n_matched", "n_missed", "n_spurious")
    assert [scores[key]["pooled"]["value"] for key in keys] == [2, 2, 0]
    assert "2 items · coco-panoptic: " in CliRunner().invoke(cli, ["score", str(true), str(true)]).output


def test_the_command_line_gives_the_numbers_of_the_reference(coco_panoptic: Path) -> None:
    folder = coco_panoptic
    files = [str(folder / "truth.json"), str(folder / "pred.json")]
    told = CliRunner().invoke(cli, ["score", *files, "--metrics", "panoptic", "--json", "-"])
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    expected = json.loads((folder / "expected_panopticapi.json").read_text())
    assert (found["policy"], *found["rules"], found["n_items"]) == ("coco", "theta_plus", "theta_and", 24)
    found = found["rules"]["theta_plus"]
    for group, name in (("all", "All"), ("things", "Things"), ("stuff", "Stuff")):
        for key in ("pq", "sq", "rq"):
            assert found["groups"][group][key]["by_class"]["value"] == pytest.approx(expected[name][key], abs=1e-12)
    assert found["parts"].keys() == expected["per_class"].keys()
    for name, row in expected["per_class"].items():
        of_class = {key: score["pooled"]["value"] for key, score in found["parts"][name].items()}
        assert [of_class[key] for key in ("n_matched", "n_spurious", "n_missed")] == [row["tp"], row["fp"], row["fn"]]
        assert of_class["sum_iou"] == pytest.approx(row["iou"], abs=1e-12)


def test_real_annotations_are_read_without_a_note(shared_data: Path) -> None:
    items = list(read_items(shared_data / "coco_sample" / "panoptic_examples.json"))
    assert [item.name for item in items] == ["142238", "439180"]
    assert [item.load().domain for item in items] == [(427, 640), (360, 640)]


def test_cityscapes_and_ade20k_have_the_same_form(tmp_path: Path) -> None:
    """Cityscapes names images by text and its folder by the file; ADE20K's categories start at 0."""
    data: dict[str, Any] = copy.deepcopy(PANOPTIC)
    data["images"][0]["id"] = data["annotations"][0]["image_id"] = "ulm_000001_000019"
    data["annotations"][0]["file_name"] = "ulm_000001_000019_gtFine_panoptic.png"
    data["annotations"][0]["segments_info"][0]["category_id"] = data["categories"][0]["id"] = 0
    folder = tmp_path / "cityscapes_panoptic_val"
    folder.mkdir()
    (folder / "ulm_000001_000019_gtFine_panoptic.png").write_bytes(colours(IDS))
    path = tmp_path / "cityscapes_panoptic_val.json"
    path.write_text(json.dumps(data))
    (item,) = read_items(path)
    assert item.name == "ulm_000001_000019" and item.load().classes == {7: 0, 66000: 9}


def ade20k(folder: Path, side: str, ids: Any, segments: list[dict[str, Any]]) -> Path:
    """The layout in which ADE20K is prepared for panoptic segmentation: 100 things and 50 stuff classes from 0 on,
    images called by name, ids in the colours of a PNG of the same name.
    """
    home = folder / side / "ade20k_panoptic_val"
    home.mkdir(parents=True)
    (home / "ADE_val_00000001.png").write_bytes(colours(ids))
    data = {
        "images": [{"id": "ADE_val_00000001", "file_name": "ADE_val_00000001.jpg", "width": 4, "height": 3}],
        "annotations": [
            {"image_id": "ADE_val_00000001", "file_name": "ADE_val_00000001.png", "segments_info": segments}
        ],
        "categories": [
            {"id": number, "name": f"class {number}", "isthing": int(number >= 50), "color": [number, 120, 80]}
            for number in range(150)
        ],
    }
    path = folder / side / "ade20k_panoptic_val.json"
    path.write_text(json.dumps(data))
    return path


def test_ade20k_panoptic(tmp_path: Path) -> None:
    """By hand: the wall (class 0) is found with a void pixel more, which does not count, so IoU 1. Of two persons (50)
    of 3 pixels one is found as 2, IoU 2/3, and the other is called 51: PQ = (2/3) / (1 + 1/2), and 0 for class 51.
    """

    def segment(number: int, category: int, area: int) -> dict[str, Any]:
        return {"id": number, "category_id": category, "area": area, "bbox": [0, 0, 1, 1], "iscrowd": 0}

    wall, ann, bob = 6583435, 66051, 131844
    truth = np.array([[wall, wall, ann, bob], [wall, wall, ann, bob], [0, 0, ann, bob]])
    found = np.array([[1, 1, 2, 3], [1, 1, 2, 3], [1, 0, 0, 3]])
    true = ade20k(tmp_path, "true", truth, [segment(wall, 0, 4), segment(ann, 50, 3), segment(bob, 50, 3)])
    pred = ade20k(tmp_path, "pred", found, [segment(1, 0, 5), segment(2, 50, 2), segment(3, 51, 3)])
    told = CliRunner().invoke(cli, ["score", str(true), str(pred), "--json", "-"])
    assert told.exit_code == 0, told.output
    scores = json.loads(told.stdout)
    assert scores["policy"] == "coco"
    scores = scores["rules"]["theta_plus"]
    parts = {name: row["pq"]["pooled"]["value"] for name, row in scores["parts"].items()}
    assert parts == {"0": 1, "50": pytest.approx(2 / 3 / 1.5), "51": 0}
    assert scores["groups"]["stuff"]["pq"]["by_class"]["value"] == 1
    assert scores["groups"]["things"]["pq"]["by_class"]["value"] == pytest.approx((2 / 3 / 1.5 + 0) / 2)


def test_classes_are_called_by_their_names(tmp_path: Path, coco_panoptic: Path) -> None:
    folder, kept = coco_panoptic, tmp_path / "run.segm"
    told = CliRunner().invoke(
        cli, ["score", str(folder / "truth.json"), str(folder / "pred.json"), "--by-class", "--out", str(kept)]
    )
    assert told.exit_code == 0, told.output
    names = {one["id"]: one["name"] for one in json.loads((folder / "truth.json").read_text())["categories"]}
    assert all(any(line.split()[:1] == [name] for line in told.stdout.splitlines()) for name in names.values())
    with sm.Run.open(kept) as run:
        assert run.class_names == names
        assert [(row["class"], row["class_name"]) for row in run.classes()] == list(names.items())
    exported = CliRunner().invoke(cli, ["export", str(kept), "--json", "-"])
    assert json.loads(exported.stdout)["class_names"] == {str(number): name for number, name in names.items()}


def test_names_of_categories_cannot_steer_the_terminal(tmp_path: Path) -> None:
    data: dict[str, Any] = copy.deepcopy(PANOPTIC)
    data["categories"][0]["name"] = "\x1b[2Jcar"
    with pytest.raises(FormatError, match=r"the name of categories\[0\]"):
        load(write(tmp_path, data))
    data["categories"][0]["name"] = 3
    with pytest.raises(FormatError, match=r"categories\[0\]: name is '3'; expected text"):
        load(write(tmp_path, data, "number"))


def test_whoever_gives_the_folders_learns_of_the_files(coco_panoptic: Path) -> None:
    folder = coco_panoptic
    with pytest.warns(DataWarning, match=r"truth: truth\.json beside it says which classes its segments have"):
        items = list(read_items(folder / "truth", options=ReadOptions(colours="rgb")))
    assert len(items) == 24
    with pytest.raises(FormatError, match=r"\.json in it is a COCO file; give that file instead of the folder"):
        list(read_items(folder))


SEGMENTS = st.fixed_dictionaries(
    {"id": st.integers(0, 6) | st.sampled_from([2**24 - 1, 2**24, True, 1.0]), "category_id": st.integers(-1, 3)},
    optional={"iscrowd": st.sampled_from([0, 1, True, 2]), "area": st.sampled_from([4, 4.5, None, []])},
) | st.sampled_from([{"id": 9}, {}, [], "id"])


@given(st.lists(SEGMENTS, max_size=4), st.sampled_from([None, {1: True, 2: None, 3: False}]))
@examples(8)
def test_segments_checked_at_once_are_those_checked_one_by_one(listed: list[Any], categories: Any) -> None:
    together = _plain_segments(listed, categories)
    one_by_one: ListedSegments | None
    try:
        one_by_one = _checked_segments(listed, categories, "image")
    except FormatError:
        one_by_one = None
    assert together is None or together == one_by_one
    if one_by_one is not None and listed and all(type(segment.get("iscrowd", 0)) is int for segment in listed):
        assert together == one_by_one
