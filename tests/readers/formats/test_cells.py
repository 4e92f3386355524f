"""Formats of cells, nuclei and leaves: CoNIC, PanNuke, HoVer-Net, the Cell Tracking Challenge, CVPPP, QuPath."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, LabelTypeError, SegmetryError
from segmetry.segmentation.labels import LabelArray
from tests.readers.data_sets import CHANNELS, NUCLEI, mat, tiff
from tests.readers.samples import npy, png, read, read_text_as


def only(folder: Path, content: bytes, name: str, **options: Any) -> LabelArray:
    (item,) = read_text_as(folder, None, content, name, **options)
    found = item.load()
    assert isinstance(found, LabelArray)
    return found


def test_conic_has_instances_and_classes(tmp_path: Path) -> None:
    found = only(tmp_path, npy(NUCLEI), "valid.npy")
    assert np.array_equal(found.labels, NUCLEI[0, ..., 0]) and found.classes == {1: 2, 4: 6}


@pytest.mark.parametrize(
    ("pixel", "message"),
    [((1, 5), "image 0: instance 1 has pixels of class 2 and 5; expected one"), ((9, 0), "instance 9 has the class 0")],
)
def test_conic_has_one_class_per_instance(pixel: tuple[int, int], message: str, tmp_path: Path) -> None:
    stack = NUCLEI.copy()
    stack[0, 15, 15] = pixel
    with pytest.raises(FormatError, match=message):
        only(tmp_path, npy(stack), "broken.npy")


def test_small_arrays_of_four_axes_stay_volumes(tmp_path: Path) -> None:
    assert only(tmp_path, npy(np.ones((2, 3, 4, 2), np.uint8)), "volume.npy").domain == (2, 3, 4, 2)


def test_pannuke_has_a_channel_per_class(tmp_path: Path) -> None:
    found = only(tmp_path, npy(CHANNELS), "masks.npy")
    assert found.classes == {1: "Neoplastic", 2: "Non-Neoplastic"}
    assert np.array_equal(found.labels > 0, CHANNELS[0].any(axis=-1))


def test_pannuke_gives_a_pixel_to_the_last_class_and_says_so(tmp_path: Path) -> None:
    stack = CHANNELS.copy()
    stack[0, 2:6, 2:6, 3] = 1
    with pytest.warns(DataWarning, match="image 0: 16 pixels belong to several classes; the last one has them"):
        assert only(tmp_path, npy(stack), "masks.npy").classes == {2: "Dead", 3: "Non-Neoplastic"}
    stack[0, 0, 0, 0] = 0.5
    with pytest.raises(LabelTypeError, match="not integers"):
        only(tmp_path, npy(stack), "masks.npy")


MAP = np.array([[0.0, 3, 3], [5, 5, 0]])


@pytest.mark.parametrize(
    ("variables", "classes"),
    [
        ({"inst_map": MAP}, None),
        ({"inst_map": MAP, "inst_type": [[2.0], [1.0]]}, {3: 2, 5: 1}),
        ({"inst_map": MAP, "inst_type": [[2.0], [1.0]], "inst_uid": [[5.0], [3.0]]}, {3: 1, 5: 2}),
    ],
)
def test_matlab_files_of_hover_net(variables: dict[str, Any], classes: dict[int, int] | None, tmp_path: Path) -> None:
    found = only(tmp_path, mat(**variables), "a.mat")
    assert np.array_equal(found.labels, MAP) and found.classes == classes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (mat(other=MAP), "has no variable inst_map; found 'other'"),
        (mat(inst_map=MAP / 2), "inst_map: contains float64; expected integers"),
        (mat(inst_map="words"), "inst_map is a char; expected an array of numbers"),
        (mat(inst_map=MAP, inst_type=[[1.0]]), "inst_type has 1 entries for 2 instances"),
        (mat(inst_map=MAP, inst_type=[[1.0]], inst_uid=[[3.0]]), "inst_uid does not list instance 5"),
        (b"MATLAB 7.3 MAT-file" + b" " * 200, "a MATLAB 7.3 file, which is HDF5; expected one of MATLAB 5 to 7"),
    ],
)
def test_other_matlab_files_are_rejected(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=message):
        only(tmp_path, content, "a.mat")


def test_a_folder_of_matlab_files(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.mat").write_bytes(mat(inst_map=MAP, inst_type=[[2.0], [1.0]]))
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", protocol="hover-net", engine="serial")
    assert run.summary()["pq"].usual == 1


def test_frames_of_the_cell_tracking_challenge(tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    frame = np.array([[1, 1, 0], [2, 2, 2]], np.uint16)
    for name in ("01_GT/SEG/man_seg001.tif", "01_RES/mask000.tif", "01_RES/mask001.tif"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(tiff(frame))
    run = sm.evaluate(tmp_path / "01_GT/SEG", tmp_path / "01_RES", engine="serial")
    assert run.protocol is not None and run.protocol.name == "ctc-seg"
    assert [row["item"] for row in run.items()] == ["001"]
    assert run.summary()["seg"].usual == 1
    (tmp_path / "01_GT/SEG/man_seg_001_002.tif").write_bytes(tiff(frame))
    with pytest.raises(FormatError, match=r"man_seg_001_002.tif is a slice of a volume"):
        read(tmp_path / "01_GT/SEG")


def test_leaves_of_cvppp_are_palette_images(tmp_path: Path) -> None:
    leaves = png(3, 1, 8, 3, [b"\0\1\2"], palette=bytes(9))
    for side in ("A1", "mine"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "plant001_label.png").write_bytes(leaves)
    (tmp_path / "A1/plant001_rgb.png").write_bytes(png(3, 1, 8, 2, [bytes(9)]))
    run = sm.evaluate(tmp_path / "A1", tmp_path / "mine", engine="serial")
    assert run.protocol is not None and run.protocol.name == "cvppp"
    assert [row["item"] for row in run.items()] == ["plant001"] and run.summary()["sbd"].usual == 1


def square(left: int, name: str) -> dict[str, Any]:
    ring = [[left, 0], [left + 4, 0], [left + 4, 4], [left, 4], [left, 0]]
    return {
        "type": "Feature",
        "id": f"8ad2b6a8-{left}",
        "geometry": {"type": "Polygon", "coordinates": [ring]},
        "properties": {"objectType": "detection", "classification": {"name": name, "color": [200, 0, 0]}},
    }


def test_objects_of_qupath(tmp_path: Path) -> None:
    pytest.importorskip("shapely")
    listed = [square(0, "Tumor"), square(10, "Stroma")]
    for content in (listed, {"type": "FeatureCollection", "features": listed}):
        (item,) = read_text_as(tmp_path, None, json.dumps(content), "a.geojson", class_field="classification")
        found = item.load()
        assert list(found.classes.values()) == ["Tumor", "Stroma"] and item.crs == "plane"


def test_small_polygons_are_left_out(tmp_path: Path) -> None:
    pytest.importorskip("shapely")
    content = json.dumps([square(0, "Tumor"), square(10, "Stroma")])
    (item,) = read_text_as(tmp_path, None, content, "a.geojson", min_size=16)
    assert len(item.load().ids) == 2
    (item,) = read_text_as(tmp_path, None, content, "a.geojson", min_size=17)
    assert len(item.load().ids) == 0


@pytest.mark.parametrize("protocol", ["stardist", "cellpose", "hover-net", "sorted-ap", "dsb2018", "ctc-seg", "cvppp"])
def test_protocols_of_instances_ignore_the_classes_of_a_file(protocol: str, tmp_path: Path) -> None:
    """Data with classes have the same table as the instances alone."""
    stack = np.concatenate([NUCLEI, np.roll(NUCLEI, 1, axis=1)])
    shifted = np.roll(stack, 1, axis=2)
    tables = []
    for side, values in (("true", stack), ("pred", shifted)):
        (tmp_path / f"{side}.npy").write_bytes(npy(values))
    plain = [{f"{at:05}": values[at, ..., 0].astype(int) for at in range(2)} for values in (stack, shifted)]
    for sides in ((tmp_path / "true.npy", tmp_path / "pred.npy"), plain):
        table = sm.evaluate(*sides, protocol=protocol, engine="serial").protocol_table()
        assert table is not None and table.rows
        tables.append(table.printed())
    assert tables[0] == tables[1]


def test_cells_at_the_border_and_small_ones_are_left_out(tmp_path: Path) -> None:
    def left(content: bytes, name: str, **options: int) -> list[int]:
        return [label for label in np.unique(only(tmp_path, content, name, **options).labels).tolist() if label]

    assert left(npy(NUCLEI), "a.npy", border=3) == [4]
    assert left(npy(NUCLEI), "a.npy", min_size=5) == [1]
    assert left(npy(CHANNELS), "masks.npy", min_size=5) == [1]
    assert left(mat(inst_map=MAP, inst_type=[[2.0], [1.0]]), "a.mat", border=1) == []
