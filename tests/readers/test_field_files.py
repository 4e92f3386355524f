"""Files as their fields write them: nothing found or annotated, polygons, a fourth axis, the folder of PanNuke."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError, LabelTypeError
from tests.cli.running import Runner
from tests.protocols.references.table_values import shown
from tests.readers.data_sets import nifti

SQUARE = [2, 2, 10, 2, 10, 10, 2, 10]


def coco(*annotations: dict[str, Any]) -> dict[str, Any]:
    return {
        "images": [{"id": at, "height": 20, "width": 20} for at in (1, 2)],
        "annotations": [{"id": at, "image_id": 1, "category_id": 1, **one} for at, one in enumerate(annotations, 1)],
        "categories": [{"id": 1, "name": "a"}],
    }


def scored(folder: Path, true: Any, pred: Any, **options: Any) -> sm.Run:
    paths = [folder / "true.json", folder / "pred.json"]
    for path, data in zip(paths, (true, pred), strict=True):
        path.write_text(json.dumps(data))
    return sm.evaluate(*paths, protocol="coco-instances", engine="serial", **options)


TRUTH = coco({"bbox": [2, 2, 8, 8], "area": 64, "iscrowd": 0, "segmentation": [SQUARE]})
FOUND = {"image_id": 1, "category_id": 1, "score": 0.9}


def ap(run: sm.Run) -> float:
    return run.summary()["average_precision"].usual.value


@pytest.mark.parametrize("text", ["[]", "\ufeff[ ]\r\n"])
def test_results_may_be_an_empty_list(text: str, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    scored(tmp_path, TRUTH, [])
    (tmp_path / "pred.json").write_text(text)
    run = sm.evaluate(tmp_path / "true.json", tmp_path / "pred.json", engine="serial")
    assert (run.protocol.name, ap(run), len(run.items())) == ("coco-instances", 0, 2)  # type: ignore[union-attr]


def test_a_truth_without_annotations_has_images(tmp_path: Path) -> None:
    counts = {"size": [20, 20], "counts": [0, 400]}
    run = scored(tmp_path, coco(), [{**FOUND, "segmentation": counts}])
    assert np.isnan(ap(run)) and len(run.items()) == 2


def test_results_may_have_polygons(tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    half = [2, 2, 10, 2, 10, 6, 2, 6]
    for polygon, expected in ((SQUARE, 1), (half, 0.1)):  # an IoU of 0.5 counts at the first of ten thresholds
        assert ap(scored(tmp_path, TRUTH, [{**FOUND, "segmentation": [polygon]}])) == pytest.approx(expected)
    counts = {"size": [20, 20], "counts": [0, 400]}
    mixed = [{**FOUND, "segmentation": [SQUARE]}, {**FOUND, "score": 0.1, "segmentation": counts}]
    assert ap(scored(tmp_path, TRUTH, mixed)) == 1
    far = {**FOUND, "segmentation": [[2, 2, 400, 2, 10, 10]]}
    with pytest.raises(FormatError, match="result 0: a polygon goes to '400', far from an image"):
        scored(tmp_path, TRUTH, [far])


VOLUME = np.arange(24, dtype=np.uint8).reshape(2, 3, 4) % 3


def volumes(folder: Path, true: bytes, pred: bytes) -> list[Path]:
    pytest.importorskip("nibabel")
    paths = [folder / side / "a.nii" for side in ("true", "pred")]
    for path, content in zip(paths, (true, pred), strict=True):
        path.parent.mkdir()
        path.write_bytes(content)
    return paths


def test_a_fourth_axis_of_one_element_is_left_out_with_a_note(tmp_path: Path) -> None:
    paths = volumes(tmp_path, nifti(VOLUME[..., None]), nifti(VOLUME))
    with pytest.warns(DataWarning, match=r"its shape \(2, 3, 4, 1\) is read as \(2, 3, 4\)"):
        run = sm.evaluate(*paths, read={"labels": "classes"}, metrics="dice", engine="serial")
    assert run.summary()["dice"].usual.value == 1
    (tmp_path / "pred" / "a.nii").write_bytes(nifti(np.stack([VOLUME, VOLUME], axis=3)))
    with (
        pytest.warns(DataWarning, match="is read as"),
        pytest.raises(InputError, match=r"pred has shape \(2, 3, 4, 2\)"),
    ):
        sm.evaluate(*paths, metrics="dice", engine="serial")


def test_floats_that_are_integers_need_the_flag_that_the_message_names(tmp_path: Path, segmetry: Runner) -> None:
    true, pred = volumes(tmp_path, nifti(VOLUME.astype(np.float32)), nifti(VOLUME))
    stated = ("--labels", "classes", "--metrics", "dice")
    told = segmetry("score", true, pred, *stated)
    assert (told.code, "(--allow-float)" in told.err) == (2, True)
    told = segmetry("score", true, pred, *stated, "--allow-float")
    assert (told.code, "1.0000" in told.out) == (0, True), told.err
    true.write_bytes(nifti(VOLUME.astype(np.float32) + 0.5))
    with pytest.raises(LabelTypeError):
        sm.evaluate(true, pred, read={"allow_float": True}, metrics="dice", engine="serial")


@pytest.mark.parametrize("protocol", ["brats", "metrics-reloaded"])
def test_the_names_of_columns_do_not_depend_on_the_header(protocol: str, tmp_path: Path) -> None:
    """A header with a unit (code 2 is mm), and one without."""
    content = nifti(VOLUME + 1)
    with_unit = content[:123] + b"\x02" + content[124:]
    tables = []
    for at, volume in enumerate((content, with_unit)):
        (tmp_path / str(at)).mkdir()
        paths = volumes(tmp_path / str(at), volume, volume)
        table = sm.evaluate(*paths, protocol=protocol, engine="serial").protocol_table()
        assert table is not None
        tables.append(table)
    first, second = tables
    assert first.headings == second.headings
    assert [row[0] for row in first.rows] == [row[0] for row in second.rows]
    assert "distances in mm" in second.notes and "distances in mm" not in first.notes


def pannuke(folder: Path, tissues: list[str], shift: int) -> Path:
    masks = np.zeros((len(tissues), 16, 16, 6), np.float64)
    for at in range(len(tissues)):
        masks[at, :8, : 8 - shift * at, 0] = 3
        masks[at, 10:, :4, 2] = 1
    folder.mkdir()
    np.save(folder / "masks.npy", masks)
    np.save(folder / "images.npy", np.zeros((len(tissues), 16, 16, 3)))
    np.save(folder / "types.npy", np.array(tissues))
    return folder


def test_pannukes_folder_has_a_table_of_tissues(tmp_path: Path, segmetry: Runner) -> None:
    tissues = ["Breast", "Colon", "Breast"]
    true, pred = pannuke(tmp_path / "true", tissues, 0), pannuke(tmp_path / "pred", tissues, 1)
    run = sm.evaluate(true, pred, engine="serial")
    assert run.protocol is not None and run.protocol.name == "pannuke"
    (row,) = shown(run).values()
    assert row["mPQ"] == pytest.approx(np.mean([1, (7 / 8 + 1) / 2, (6 / 8 + 1) / 2]))
    parts = {part["tissue"]: part for part in run.parts(sm.ByItem.read(true / "types.npy", "tissue"))}
    means = {tissue: part["mpq_by_item"] for tissue, part in parts.items()}
    assert means == {"Breast": pytest.approx((1 + 7 / 8) / 2), "Colon": pytest.approx(15 / 16)}
    told = segmetry("score", true, pred, "--by", "tissue")
    assert told.code == 0 and "Breast" in told.out and "Colon" in told.out, told.err
    np.save(true / "types.npy", np.arange(3))
    with pytest.raises(FormatError, match=r"types\.npy: int64 of shape \(3,\); expected a list of texts"):
        sm.ByItem.read(true / "types.npy", "tissue")
