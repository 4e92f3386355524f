"""Photographs: which file belongs to an item, what is refused in words, and that they stay within their budget."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import DataWarning, InputError, OptionError
from segmetry.report import photographs
from segmetry.report.page_data import report_data
from segmetry.report.photographs import ImageFolder, beside, coco_file, embedded, file_names, photographs_of
from segmetry.run.run import Run

ROWS, COLUMNS = 24, 40


def photograph(path: Path, size: tuple[int, int] = (COLUMNS, ROWS), seed: int = 0, **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(noise).save(path, **options)
    return path


def shown(text: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(text)))


def evaluated(*names: str, by: int = 2) -> Run:
    labels = np.repeat(np.arange(1, 5), ROWS * COLUMNS // 4).reshape(ROWS, COLUMNS)
    return sm.evaluate(dict.fromkeys(names, labels), dict.fromkeys(names, np.roll(labels, by, 0)), metrics="pq")


def sizes(run: Run) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(run.names, (ROWS, COLUMNS))


def test_a_photograph_is_found_by_file_name_name_or_number(tmp_path: Path) -> None:
    for name in ("train/a.jpg", "b.png", "000000000168.jpg", "city_01_leftImg8bit.png", "x/same.jpg", "y/same.jpg"):
        photograph(tmp_path / name)
    (tmp_path / "notes.txt").write_text("no photograph")
    folder = ImageFolder(tmp_path)
    asked = {"a": None, "train/a": None, "b": "b.jpg", "168": None, "7": "000000000168.jpg", "city_01": None}
    found = {item: folder.find(item, name) for item, name in asked.items()}
    wanted = ["train/a.jpg", "train/a.jpg", "b.png", "000000000168.jpg", "000000000168.jpg", "city_01_leftImg8bit.png"]
    assert list(found.values()) == [tmp_path / name for name in wanted]
    assert "x/same.jpg and y/same.jpg" in str(folder.find("same", None))
    assert folder.find("x/same", None) == tmp_path / "x" / "same.jpg"
    assert "is named notes" in str(folder.find("notes", None))


def test_a_photograph_of_another_shape_is_rejected_with_a_reason(tmp_path: Path) -> None:
    photograph(tmp_path / "a.png")
    photograph(tmp_path / "b.png", (COLUMNS + 1, ROWS))
    photograph(tmp_path / "c.png", (2 * COLUMNS, 2 * ROWS))
    (tmp_path / "d.png").write_bytes(b"no image")
    run = evaluated("a", "b", "c", "d")
    with pytest.warns(DataWarning, match="2 of 4 photographs are left out"):
        found = photographs_of(run, sizes(run), tmp_path)
    assert sorted(found.jpegs) == ["a", "c"] and found.titles["a"] == "a.png"
    assert found.rejected["b"] == "b.png has 41 × 24 pixels, its item 40 × 24; expected the same shape"
    assert "damaged photograph" in found.rejected["d"]
    assert found.problem is not None and "item 'b'" in found.problem
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="none of 4 items has a photograph"):
        photographs_of(run, sizes(run), tmp_path / "none")
    with pytest.raises(InputError, match="is not a folder"):
        photographs_of(run, sizes(run), tmp_path / "absent")


def test_photographs_stay_within_their_budget(tmp_path: Path) -> None:
    names = [f"item {at}" for at in range(5)]
    for at, name in enumerate(names):
        photograph(tmp_path / f"{name}.png", (10 * COLUMNS, 10 * ROWS), at)
    run = evaluated(*names)
    for budget in (0.02, 0.1, 20.0):
        found = photographs_of(run, sizes(run), tmp_path, budget)
        assert sorted(found.jpegs) == names and found.problem is None
        total = sum(map(len, found.jpegs.values()))
        assert total <= budget * 1e6 and (budget == 20 or total > budget * 5e5)
    assert shown(found.jpegs["item 0"]).size == (400, 240)
    with pytest.warns(DataWarning, match="--image-budget"):
        assert photographs_of(run, sizes(run), tmp_path, 0.0005).jpegs == {}
    for strange in (0.0, -1.0, float("nan")):
        with pytest.raises(OptionError, match="image_budget is"):
            photographs_of(run, sizes(run), tmp_path, strange)


def test_metadata_is_dropped_and_a_turned_photograph_is_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "secret place"
    path = photograph(tmp_path / "a.jpg", (ROWS, COLUMNS), exif=exif.tobytes())
    text = embedded(path, (ROWS, COLUMNS), 100_000)
    assert text is not None and shown(text).size == (COLUMNS, ROWS)
    assert b"secret" not in base64.b64decode(text) and not shown(text).getexif()


def test_deep_grey_values_are_stretched(tmp_path: Path) -> None:
    values = np.linspace(300, 900, ROWS * COLUMNS).reshape(ROWS, COLUMNS).astype(np.uint16)
    Image.fromarray(values).save(tmp_path / "a.png")
    text = embedded(tmp_path / "a.png", (ROWS, COLUMNS), 100_000)
    assert text is not None
    low, high = shown(text).convert("L").getextrema()
    assert low < 12 and high > 243


def coco_files(folder: Path, count: int = 3, *, photographs: bool = True) -> None:
    folder.mkdir(exist_ok=True)
    images = [
        {"id": at, "file_name": f"img_{at:03}.jpg", "width": COLUMNS, "height": ROWS} for at in range(1, count + 1)
    ]
    square = [[2, 2, 20, 2, 20, 12, 2, 12]]
    masks = [
        {"id": at, "image_id": at, "category_id": 1, "segmentation": square, "area": 180, "iscrowd": 0,
         "bbox": [2, 2, 18, 10]}
        for at in range(1, count + 1)
    ]  # fmt: skip
    document = {"images": images, "annotations": masks, "categories": [{"id": 1, "name": "thing"}]}
    (folder / "truth.json").write_text(json.dumps(document))
    for image in images if photographs else ():
        photograph(folder / "images" / str(image["file_name"]))


def test_a_coco_file_names_its_photographs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coco_files(tmp_path / "set")
    truth = tmp_path / "set" / "truth.json"
    run = sm.evaluate(truth, truth, metrics="pq")
    assert coco_file(run) == truth and coco_file(evaluated("a")) is None
    assert beside(truth, file_names(truth))["2"] == tmp_path / "set" / "images" / "img_002.jpg"
    data, blocks = report_data([run])
    facts = data["runs"][0]
    assert facts["titles"] == ["img_001.jpg", "img_002.jpg", "img_003.jpg"]
    assert facts["photos"] == {0: "photo-0", 1: "photo-1", 2: "photo-2"}
    assert shown(blocks["photo-1"]).size == (COLUMNS, ROWS)
    data, blocks = report_data([run], images="none")
    assert data["runs"][0]["photos"] == {} and not any(key.startswith("photo") for key in blocks)
    monkeypatch.setattr(photographs, "MOST_UNASKED", 2)
    facts = report_data([run])[0]["runs"][0]
    assert facts["photos"] == {} and "--images DIR embeds them" in facts["photos_problem"]
    assert len(report_data([run], images=tmp_path / "set" / "images")[0]["runs"][0]["photos"]) == 3


def test_names_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    coco_files(tmp_path / "set", photographs=False)
    photograph(tmp_path / "img_001.jpg")
    text = (tmp_path / "set" / "truth.json").read_text().replace("img_001.jpg", "../img_001.jpg")
    (tmp_path / "set" / "truth.json").write_text(text)
    names = file_names(tmp_path / "set" / "truth.json")
    assert "1" not in names and beside(tmp_path / "set" / "truth.json", names | {"1": "../img_001.jpg"}) == {}


def test_several_runs_share_their_photographs(tmp_path: Path) -> None:
    photograph(tmp_path / "a.png")
    runs = [evaluated("a"), evaluated("a", by=3)]
    data, blocks = report_data(runs, images=tmp_path)
    assert [facts["photos"] for facts in data["runs"]] == [{0: "photo-0"}] * 2
    assert sum(key.startswith("photo-") for key in blocks) == 1
