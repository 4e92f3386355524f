"""The size of elements: from TIFF (OME, ImageJ), NIfTI, OME-Zarr and ``--spacing``, with its unit."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.readers.label_reading import SpacingOption
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.spacing import Spacing, as_spacing, one_spacing, spacing_of, unit_symbol

IMAGE = np.array([[0, 1, 1], [2, 2, 1]], np.uint8)
VOLUME = np.stack([IMAGE, IMAGE, IMAGE, IMAGE])


def spacing(path: Path, **options: Any) -> Spacing:
    (item,) = read_items(path, options=ReadOptions(**options))
    array = item.load()
    assert isinstance(array, LabelArray)
    return array.spacing


def stated(found: Spacing) -> tuple[list[float], str | None] | None:
    return ([round(step, 6) for step in found], found.unit) if found.stated else None


def test_ome_tiff(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    sizes = {"PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 0.5, "PhysicalSizeYUnit": "µm"}
    path = tmp_path / "a.ome.tif"
    tifffile.imwrite(path, IMAGE, ome=True, metadata={"axes": "YX", **sizes}, photometric="minisblack")
    assert stated(spacing(path)) == ([0.5, 0.25], "µm")
    deep = {**sizes, "PhysicalSizeZ": 2, "PhysicalSizeZUnit": "µm"}
    tifffile.imwrite(path, VOLUME, ome=True, metadata={"axes": "ZYX", **deep}, photometric="minisblack")
    assert stated(spacing(path)) == ([2.0, 0.5, 0.25], "µm")
    tifffile.imwrite(path, VOLUME, ome=True, metadata={"axes": "ZYX", **sizes}, photometric="minisblack")
    assert stated(spacing(path)) is None, "the distance of planes is not stated"
    tifffile.imwrite(path, VOLUME, ome=True, metadata={"axes": "TYX", **deep}, photometric="minisblack")
    assert stated(spacing(path)) is None, "the first axis is time"
    nanometres = {name: "nm" if name.endswith("Unit") else value for name, value in deep.items()}
    tifffile.imwrite(path, VOLUME, ome=True, metadata={"axes": "ZYX", **nanometres}, photometric="minisblack")
    assert stated(spacing(path)) == ([2.0, 0.5, 0.25], "nm")


def test_imagej_tiff(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    path = tmp_path / "a.tif"
    fine = {"resolution": (4.0, 2.0), "imagej": True}  # pixels per unit, x and y
    tifffile.imwrite(path, IMAGE, metadata={"unit": "um", "axes": "YX"}, **fine)
    assert stated(spacing(path)) == ([0.5, 0.25], "µm")
    tifffile.imwrite(path, VOLUME, metadata={"unit": "mm", "spacing": 3.0, "axes": "ZYX"}, **fine)
    assert stated(spacing(path)) == ([3.0, 0.5, 0.25], "mm")
    tifffile.imwrite(path, VOLUME, metadata={"unit": "mm", "axes": "TYX"}, **fine)
    assert stated(spacing(path)) is None, "the first axis is time"
    tifffile.imwrite(path, IMAGE, metadata={"axes": "YX"}, **fine)
    assert stated(spacing(path)) is None, "no unit: the image is not calibrated"
    tifffile.imwrite(path, IMAGE, resolution=(72, 72), resolutionunit="INCH", photometric="minisblack")
    assert stated(spacing(path)) is None, "72 dots per inch mean nothing"


def test_nifti_has_a_unit(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(VOLUME, np.diag([2.0, 0.5, 0.25, 1]))
    for unit, symbol in (("mm", "mm"), ("micron", "µm"), ("unknown", None)):
        image.header.set_xyzt_units(unit)
        nibabel.save(image, tmp_path / "a.nii.gz")
        assert stated(spacing(tmp_path / "a.nii.gz")) == ([2.0, 0.5, 0.25], symbol)


def test_ome_zarr_has_a_unit(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    (folder / "0").mkdir(parents=True)
    (folder / "0" / "0.0").write_bytes(IMAGE.tobytes())
    array = {"zarr_format": 2, "shape": [2, 3], "chunks": [2, 3], "dtype": "|u1", "compressor": None, "fill_value": 0,
             "order": "C", "filters": None}  # fmt: skip
    (folder / "0" / ".zarray").write_text(json.dumps(array))
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    scale = [{"type": "scale", "scale": [0.5, 0.25]}]
    for unit, symbol in (("micrometer", "µm"), ("nanometer", "nm"), (None, None)):
        axes = [{"name": name, "type": "space", **({} if unit is None else {"unit": unit})} for name in "yx"]
        levels = [{"path": "0", "coordinateTransformations": scale}]
        (folder / ".zattrs").write_text(json.dumps({"multiscales": [{"axes": axes, "datasets": levels}]}))
        assert stated(spacing(folder)) == ([0.5, 0.25], symbol)


def test_the_option_has_precedence_and_takes_one_number_for_all_axes(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", IMAGE)
    assert stated(spacing(tmp_path / "a.npy")) is None
    for value in ("0.5,0.25 mm", "0.5,0.25mm", "0.5, .25 millimeter"):
        assert stated(spacing(tmp_path / "a.npy", spacing=value)) == ([0.5, 0.25], "mm")
    assert stated(spacing(tmp_path / "a.npy", spacing=2)) == ([2.0, 2.0], None)
    assert stated(spacing(tmp_path / "a.npy", spacing="1e-3um")) == ([0.001, 0.001], "µm")
    assert stated(spacing(tmp_path / "a.npy", spacing=[3, 4], components=4, map="1:2")) == ([3.0, 4.0], None)
    options = ReadOptions(true_spacing="0.1,2 mm", spacing=(3, 4))
    assert ReadOptions(**options.as_plain()) == options
    assert options.as_plain() == {"true_spacing": "0.1,2.0 mm", "spacing": "3.0,4.0"}
    with pytest.raises(OptionError, match="spacing has 3 values; expected 2"):
        spacing(tmp_path / "a.npy", spacing="1,2,3")


@pytest.mark.parametrize("value", ["", "1,,2", "0", "-1,2", "1,2 furlongs", "x", [], [1, "x"], "1e999"])
def test_senseless_spacings_are_rejected(value: Any) -> None:
    with pytest.raises(OptionError, match=r"spacing is .*; expected"):
        ReadOptions(spacing=value)


def test_a_spacing_is_kept_where_labels_change() -> None:
    array = LabelArray(VOLUME, spacing=(2, 1, 1), unit="mm")
    unknown = LabelArray(VOLUME)
    assert copy.deepcopy(array).spacing.unit == "mm"
    assert not copy.deepcopy(unknown).spacing.stated
    for changed, kept in ((array.with_labels(VOLUME), True), (unknown.with_labels(VOLUME), False)):
        assert changed.spacing.stated == kept
    with pytest.raises(OptionError, match="unit is 'mm', but no spacing is stated"):
        LabelArray(VOLUME, unit="mm")


def test_distances_take_the_known_spacing_and_reject_contradictions() -> None:
    true, pred = np.zeros((2, 5, 9), np.uint8), np.zeros((2, 5, 9), np.uint8)
    true[0, 1:4, 1:7], pred[0, 1:4, 2:8] = 1, 1
    fine = {"spacing": (3, 1, 0.5), "unit": "mm"}
    known = sm.hausdorff(LabelArray(true, **fine), LabelArray(pred, **fine))
    assert known.value == 0.5 and known.details["unit"] == "mm"
    for pair in ((LabelArray(true, **fine), pred), (true, LabelArray(pred, **fine))):
        assert sm.hausdorff(*pair).to_dict() == known.to_dict()
    assert sm.hausdorff(true, pred).details["unit"] == "voxels"
    without_unit = LabelArray(pred, spacing=(3.0000001, 1, 0.5))
    assert sm.hausdorff(LabelArray(true, **fine), without_unit).to_dict() == known.to_dict()
    assert "unit" not in sm.hausdorff(without_unit, without_unit).details
    for other in ({"spacing": (3, 1, 1), "unit": "mm"}, {"spacing": (3, 1, 0.5), "unit": "µm"}):
        contradiction = LabelArray(true, **fine), LabelArray(pred, **other)
        with pytest.raises(InputError, match=r"true has spacing 3, 1, 0\.5 mm and pred 3, 1, .*; give both sides"):
            sm.hausdorff(*contradiction)
        assert sm.pq(*contradiction).is_defined, "metrics without distances do not depend on it"


def test_bands_take_the_known_spacing() -> None:
    true, pred = np.zeros((20, 20), np.uint8), np.zeros((20, 20), np.uint8)
    true[3:17, 3:17], pred[3:17, 4:18] = 1, 1
    first, second = (LabelArray(side, spacing=(0.5, 0.25)) for side in (true, pred))
    known = sm.boundary_iou(first, second, d=1, metric="euclidean")
    assert known != sm.boundary_iou(true, pred, d=1, metric="euclidean")
    assert (
        known
        == sm.boundary_iou(first, pred, d=1, metric="euclidean")
        == sm.boundary_iou(true, second, d=1, metric="euclidean")
    )


def test_the_example_of_spacing_option() -> None:
    assert (str(SpacingOption().check("5,0.5,0.5mm", "spacing")), SpacingOption().check([2, 1], "spacing")) == (
        "5, 0.5, 0.5 mm",
        (2.0, 1.0),
    )


def test_the_example_of_spacing() -> None:
    spacing = Spacing((5.0, 0.5, 0.5), unit="mm")
    assert (spacing, str(spacing), spacing[1:].unit) == ((5.0, 0.5, 0.5), "5, 0.5, 0.5 mm", "mm")


def test_the_example_of_agrees_with() -> None:
    assert [Spacing((1.0,), "mm").agrees_with(Spacing((1.0000001,), unit)) for unit in ("mm", None, "µm")] == [
        True,
        True,
        False,
    ]


def test_the_example_of_as_spacing() -> None:
    assert (as_spacing(None, 2), as_spacing(None, 2).stated, as_spacing((5, 0.5, 0.5), 3, "mm").unit) == (
        (1.0, 1.0),
        False,
        "mm",
    )


def test_the_example_of_unit_symbol() -> None:
    assert (unit_symbol("micron"), unit_symbol("Millimeter"), unit_symbol("pixel")) == ("µm", "mm", None)


def test_the_example_of_spacing_of() -> None:
    from segmetry.segmentation.spans import Spans

    assert repr(spacing_of(Spans.from_masses([3]))) == "(1.0,)"


def test_the_example_of_one_spacing() -> None:
    from segmetry.segmentation.labels import LabelArray

    assert repr(one_spacing(LabelArray([[1, 0]], spacing=(1, 2)), LabelArray([[1, 0]]))) == "(1.0, 2.0)"
