"""PNG files and COCO panoptic images counted in groups have the results and the errors of files read one by one."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning, SegmetryError
from segmetry.evaluation import schedule
from segmetry.evaluation.label_groups import LabelGroup
from segmetry.kernels import can_read_files, count_pairs
from segmetry.readers.formats.arrays import png

needs_native = pytest.mark.skipif(not can_read_files(), reason="needs the native kernels and libdeflate")
N = 7


def alone(*sides: Any, **options: Any) -> sm.Run:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schedule, "LABEL_ITEMS", 1)
        return sm.evaluate(*sides, engine="serial", **options)


def same(first: sm.Run, second: sm.Run) -> bool:
    is_same = first.content_digest() == second.content_digest() and repr(first.items()) == repr(second.items())
    return is_same and repr(first.summary().to_dict()) == repr(second.summary().to_dict())


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of items that were counted together."""
    sizes: list[int] = []
    counted = LabelGroup.counted

    def noted(self: LabelGroup, *rest: Any) -> Any:
        made = counted(self, *rest)
        sizes.append(0 if made is None else len(made.tables))
        return made

    monkeypatch.setattr(LabelGroup, "counted", noted)
    return sizes


def images(seed: int) -> list[np.ndarray[Any, Any]]:
    """Images in which every label is of one class: label // 4."""
    numbers = np.random.default_rng(seed)
    blocks = [numbers.integers(0, 12, (3, 4)) for _ in range(N)]
    return [block.repeat(3 + at, 0).repeat(20, 1).astype(np.uint8) for at, block in enumerate(blocks)]


def folders(path: Path) -> tuple[Path, Path]:
    for seed, side in enumerate(("true", "pred")):
        (path / side).mkdir()
        for at, labels in enumerate(images(seed)):
            mode = np.uint16 if at == 2 else np.uint8
            Image.fromarray(labels.astype(mode)).save(path / side / f"{at}.png")
    return path / "true", path / "pred"


@needs_native
@pytest.mark.parametrize("unusual", [(), (0, 4), (6,), (2, 3)])
@pytest.mark.parametrize(
    "options",
    [
        {"metrics": "pq,segment_accuracy,vi"},
        {"protocol": "semantic", "read": {"void": 3}},
        {
            "metrics": "pq",
            "read": {"labels": "classes", "map": {3: 255, 5: 4}, "void": 255, "num_classes": 12, "outside": 0},
        },
    ],
)
def test_folders(tmp_path: Path, groups: list[int], unusual: tuple[int, ...], options: dict[str, Any]) -> None:
    sides = folders(tmp_path)
    for at in unusual:  # one bit a pixel: read by Pillow
        for side in sides:
            file = side / f"{at}.png"
            Image.fromarray(np.asarray(Image.open(file)) > 2).save(file)
    single = alone(*sides, **options)
    groups.clear()
    for engine, jobs in (("serial", None), ("threads", 2)):
        assert same(sm.evaluate(*sides, engine=engine, jobs=jobs, **options), single)
    assert groups == [N, N]


@needs_native
@pytest.mark.slow
def test_other_processes_count_groups(tmp_path: Path) -> None:
    sides = folders(tmp_path)
    assert same(sm.evaluate(*sides, metrics="pq", engine="processes", jobs=2), alone(*sides, metrics="pq"))


@pytest.mark.parametrize("wrong", ["cut off", "shape", "text", "colours"])
def test_an_unusual_file_is_told_of_as_ever(tmp_path: Path, wrong: str) -> None:
    true, pred = folders(tmp_path)
    file = pred / "3.png"
    if wrong == "cut off":
        file.write_bytes(file.read_bytes()[:-20])
    elif wrong == "text":
        file.write_text("no image")
    elif wrong == "shape":
        Image.fromarray(np.ones((2, 2), np.uint8)).save(file)
    else:
        Image.fromarray(np.ones((18, 80, 3), np.uint8)).save(file)
    messages = []
    for run in (alone, sm.evaluate):
        with pytest.raises(SegmetryError, match="3") as caught:
            run(true, pred, metrics="pq")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def panoptic(path: Path, change: Any = None) -> tuple[Path, Path]:
    files = []
    for seed, side in enumerate(("true", "pred")):
        (path / side).mkdir(exist_ok=True)
        annotations, sizes = [], []
        for at, labels in enumerate(images(seed)):
            ids = labels.astype(np.int64) * 300 + 7 if side == "pred" else labels.astype(np.int64) * 300
            colours = np.stack([ids & 255, ids >> 8 & 255, ids >> 16], axis=-1).astype(np.uint8)
            Image.fromarray(colours).save(path / side / f"{at}.png")
            found, counts = np.unique(ids, return_counts=True)
            segments = [
                {"id": int(one), "category_id": int(one // 300 // 4) + 1, "area": int(n), "iscrowd": 0}
                for one, n in zip(found, counts, strict=True)
                if one
            ]
            if side == "true":
                for segment in segments[1:4]:
                    segment["iscrowd"] = int(at != 2)
            annotations.append({"image_id": at, "file_name": f"{at}.png", "segments_info": segments[::-1]})
            sizes.append({"id": at, "height": labels.shape[0], "width": labels.shape[1]})
        content = {"annotations": annotations, "images": sizes}
        content["categories"] = [{"id": n, "name": f"class {n}", "isthing": n % 2} for n in (1, 2, 3)]
        if change is not None:
            change(side, content)
        files.append(path / f"{side}.json")
        files[-1].write_text(json.dumps(content))
    return files[0], files[1]


def without_areas(side: str, content: dict[str, Any]) -> None:
    for annotation in content["annotations"] if side == "pred" else ():
        for segment in annotation["segments_info"]:
            del segment["area"]


def without_sizes(_side: str, content: dict[str, Any]) -> None:
    del content["images"]


@needs_native
@pytest.mark.parametrize("change", [None, without_areas, without_sizes])
def test_panoptic(tmp_path: Path, groups: list[int], change: Any) -> None:
    sides = panoptic(tmp_path, change)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # several crowds of one class
        single = alone(*sides)
        groups.clear()
        for options in ({"engine": "serial"}, {"jobs": 2}):
            assert same(sm.evaluate(*sides, **options), single)
        assert groups == [N, N]
        assert same(sm.evaluate(*sides, policy="coco-all-crowds"), alone(*sides, policy="coco-all-crowds"))


@needs_native
def test_a_link_is_read_by_itself(tmp_path: Path, groups: list[int]) -> None:
    sides = panoptic(tmp_path)
    (tmp_path / "true" / "3.png").rename(tmp_path / "true" / "other.png")
    (tmp_path / "true" / "3.png").symlink_to(tmp_path / "true" / "other.png")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        run = sm.evaluate(*sides, engine="serial")
        assert groups == [N]
        assert same(run, alone(*sides))


def wrong_area(side: str, content: dict[str, Any]) -> None:
    if side == "true":
        content["annotations"][3]["segments_info"][0]["area"] += 1


@needs_native
def test_a_wrong_area_is_noted_once(tmp_path: Path, groups: list[int]) -> None:
    sides = panoptic(tmp_path, wrong_area)
    noted = []
    for run in (alone, sm.evaluate):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(*sides, engine="serial") if run is sm.evaluate else run(*sides)
        noted.append(sorted(str(warning.message) for warning in caught))
    assert noted[0] == noted[1]
    assert sum("area" in message for message in noted[0]) == 1
    assert groups == [0]


def unlisted(side: str, content: dict[str, Any]) -> None:
    if side == "pred":
        content["annotations"][4]["segments_info"].pop()


def not_there(side: str, content: dict[str, Any]) -> None:
    if side == "true":
        content["annotations"][4]["segments_info"].append({"id": 5, "category_id": 1, "area": 3, "iscrowd": 0})


def other_size(side: str, content: dict[str, Any]) -> None:
    if side == "true":
        content["images"][4]["height"] += 1


@pytest.mark.parametrize("change", [unlisted, not_there, other_size])
def test_an_image_that_differs_from_its_list_is_told_of_as_ever(tmp_path: Path, change: Any) -> None:
    sides, messages = panoptic(tmp_path, change), []
    for run in (alone, sm.evaluate):
        with pytest.raises(SegmetryError, match="4") as caught:
            run(*sides)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@needs_native
def test_the_rows_of_files_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    sides = folders(tmp_path)
    files = [[png.LabelFile(str(side / f"{at}.png"), 1, 10**6) for at in range(N)] for side in sides]
    counted = [png.count_label_files(*files, threads) for threads in (1, 2, 5)]
    assert counted[0] is not None
    for other in counted[1:]:
        assert other is not None
        for column, same_column in zip((*counted[0][0], counted[0][1]), (*other[0], other[1]), strict=True):
            np.testing.assert_array_equal(column, same_column)
    pairs = counted[0][0]
    for at in range(N):
        true, pred = (np.asarray(Image.open(side / f"{at}.png")) for side in sides)
        for column, expected in zip(pairs[1:], count_pairs(true, pred), strict=True):
            np.testing.assert_array_equal(column[pairs.starts[at] : pairs.starts[at + 1]], expected)


def test_a_file_that_is_not_there_is_named_with_its_item(tmp_path: Path) -> None:
    true, pred = folders(tmp_path)
    first, second = ({at: side / f"{at}.png" for at in "0123"} for side in (true, pred))
    with pytest.raises(SegmetryError, match=r"item 2: .*absent: no such file"):
        sm.evaluate(first, second | {"2": tmp_path / "absent"}, metrics="pq")
