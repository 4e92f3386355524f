"""NRRD, MetaImage and DICOM-SEG: values, spacing, position and names; what is wrong with a file is said in one line."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, InputError, SegmetryError
from segmetry.readers.formats.arrays.text_header_volumes import floats, grid, integers
from segmetry.readers.source import read_items
from tests.readers.data_sets import VOLUME, dicom_seg, metaimage, nifti, nrrd

Make = Callable[..., bytes]


def loaded(path: Path, content: bytes) -> sm.LabelArray:
    path.write_bytes(content)
    (item,) = read_items(path)
    labels = item.load()
    assert isinstance(labels, sm.LabelArray)
    return labels


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.nrrd", nrrd(VOLUME)),
        ("a.nrrd", nrrd(VOLUME, encoding="raw")),
        ("a.nrrd", nrrd(VOLUME, encoding="bzip2")),
        ("a.nrrd", nrrd(VOLUME.astype(np.int32)).replace(b"\n", b"\r\n", 0)),
        ("a.mha", metaimage(VOLUME)),
        ("a.mha", metaimage(VOLUME.astype(np.uint8), packed=False)),
    ],
)
def test_values_spacing_and_unit(name: str, content: bytes, tmp_path: Path) -> None:
    labels = loaded(tmp_path / name, content)
    assert np.array_equal(labels.labels, VOLUME)
    assert tuple(labels.spacing) == (0.5, 2, 3) and labels.spacing.unit == "mm"


def test_dicom_segments(tmp_path: Path) -> None:
    pytest.importorskip("pydicom")
    labels = loaded(tmp_path / "a.dcm", dicom_seg(VOLUME))
    assert np.array_equal(labels.labels, VOLUME)
    assert tuple(labels.spacing) == (0.5, 2, 3) and labels.spacing.unit == "mm"
    (item,) = read_items(tmp_path / "a.dcm")
    assert item.class_names == {n: f"organ {n}" for n in range(1, 6)}


def test_slices_without_a_frame_are_outside(tmp_path: Path) -> None:
    pytest.importorskip("pydicom")
    volume = np.zeros((2, 2, 4), np.uint8)
    volume[0, 0, 1], volume[1, 1, 3] = 1, 2
    labels = loaded(tmp_path / "a.dcm", dicom_seg(volume))
    assert np.array_equal(labels.labels, volume[:, :, 1:])


def test_the_same_grid_in_four_formats(tmp_path: Path) -> None:
    """ITK's coordinates grow to the left and back, those of NIfTI to the right and front."""
    pytest.importorskip("nibabel")
    pytest.importorskip("pydicom")
    mirrored = {"space": "right-anterior-superior", "space_directions": "(-0.5,0,0) (0,-2,0) (0,0,3)"}
    contents = {
        "a.nrrd": nrrd(VOLUME),
        "b.nrrd": nrrd(VOLUME, **mirrored),
        "a.mha": metaimage(VOLUME),
        "a.dcm": dicom_seg(VOLUME),
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    for name in contents:
        assert sm.evaluate(tmp_path / "a.nrrd", tmp_path / name, metrics="dice").summary()["dice"].usual.value == 1
    (tmp_path / "a.nii").write_bytes(nifti(VOLUME))
    with pytest.raises(InputError, match="different positions in space"):
        sm.evaluate(tmp_path / "a.nii", tmp_path / "a.mha", metrics="dice")


SPACES = {
    "LPS": "(0.5,0,0) (0,2,0) (0,0,3)",
    "LAS": "(0.5,0,0) (0,-2,0) (0,0,3)",
    "RAS": "(-0.5,0,0) (0,-2,0) (0,0,3)",
    "left-anterior-superior": "(0.5,0,0) (0,-2,0) (0,0,3)",
    "right-posterior-inferior": "(-0.5,0,0) (0,2,0) (0,0,-3)",
}
"""Names of NRRD's spaces, with the vectors that are (0.5, 0, 0), (0, 2, 0), (0, 0, 3) in LPS."""


@pytest.mark.parametrize("space", SPACES)
def test_every_space_has_its_own_signs(space: str, tmp_path: Path) -> None:
    volume = np.ones((2, 3, 2), np.uint8)
    (tmp_path / "true.nrrd").write_bytes(nrrd(volume))
    for directions in SPACES.values():
        (tmp_path / "pred.nrrd").write_bytes(nrrd(volume, space=space, space_directions=directions))
        if directions == SPACES[space]:
            run = sm.evaluate(tmp_path / "true.nrrd", tmp_path / "pred.nrrd", metrics="dice")
            assert run.summary()["dice"].usual.value == 1
        else:
            with pytest.raises(InputError, match="different positions in space"):
                sm.evaluate(tmp_path / "true.nrrd", tmp_path / "pred.nrrd", metrics="dice")


@pytest.mark.parametrize("make", [nrrd, metaimage])
def test_another_position_is_rejected(make: Make, tmp_path: Path) -> None:
    moved = {"space_origin": "(0,0,9)"} if make is nrrd else {"Offset": "0 0 9"}
    paths = [tmp_path / f"{side}.{'nrrd' if make is nrrd else 'mha'}" for side in ("true", "pred")]
    for path, fields in zip(paths, ({}, moved), strict=True):
        path.write_bytes(make(VOLUME, **fields))
    with pytest.raises(InputError, match="up to 9 apart"):
        sm.evaluate(*paths, metrics="dice")


def test_data_beside_the_header(tmp_path: Path) -> None:
    (tmp_path / "a.raw").write_bytes(VOLUME.astype("<i2").tobytes(order="F"))
    head = metaimage(VOLUME, packed=False, ElementDataFile="a.raw").partition(b"a.raw\n")
    assert np.array_equal(loaded(tmp_path / "a.mhd", head[0] + head[1]).labels, VOLUME)
    head = nrrd(VOLUME, encoding="raw", data_file="a.raw").partition(b"\n\n")
    assert np.array_equal(loaded(tmp_path / "b.nhdr", head[0] + head[1]).labels, VOLUME)


def test_a_folder_of_headers_and_names_of_slicer(tmp_path: Path) -> None:
    names = "Segment0_LabelValue:=2\nSegment0_Name:=liver\nSegment1_LabelValue:=3\nSegment1_Name:=spleen\n"
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "case.seg.nrrd").write_bytes(nrrd(VOLUME, after=names))
    read = {"labels": "classes", "outside": 0}
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="dice", read=read)
    assert run.class_names == {2: "liver", 3: "spleen"} and run.items()[0]["item"] == "case"


PROBABILITIES = VOLUME.astype(np.float32) / 10
WRONG: list[tuple[str, bytes, str]] = [
    ("a.nrrd", nrrd(PROBABILITIES), "labels have dtype float32"),
    ("a.mha", metaimage(PROBABILITIES), "labels have dtype float32"),
    ("a.nrrd", nrrd(VOLUME, type="block"), "voxels have type 'block'"),
    ("a.nrrd", nrrd(VOLUME, endian=""), "has no field endian"),
    ("a.nrrd", nrrd(VOLUME, encoding="hex"), "unsupported encoding 'hex'"),
    ("a.nrrd", nrrd(VOLUME, sizes="1 2"), "expected a size for each"),
    ("a.nrrd", nrrd(VOLUME, sizes="1 2 0"), r"declares shape \(1, 2, 0\)"),
    ("a.nrrd", nrrd(VOLUME, sizes="1 2 4"), "needs 16 bytes of voxels; the file contains 12"),
    ("a.nrrd", nrrd(VOLUME, sizes="1 2 2"), "contains more"),
    ("a.nrrd", nrrd(VOLUME)[:-4], "it is cut off"),
    ("a.nrrd", nrrd(VOLUME, kinds="list domain domain"), "an axis of kind 'list'"),
    ("a.nrrd", nrrd(VOLUME, space_directions="(0,0,0) (0,2,0) (0,0,3)"), "expected positive lengths"),
    ("a.nrrd", nrrd(VOLUME, space_directions="(1,0,0) (0,2,0)"), "3 axes, but 2 space directions"),
    ("a.nrrd", nrrd(VOLUME, byte_skip="-1"), "skips bytes or lines"),
    ("a.nrrd", nrrd(VOLUME, data_file="LIST"), "in several files"),
    ("a.nrrd", nrrd(VOLUME, after="type: short\n"), "states 'type' twice"),
    ("a.nrrd", nrrd(VOLUME, after="nonsense\n"), "expected a field and its value"),
    ("a.mha", metaimage(VOLUME, ElementType="MET_BLOCK"), "voxels have type 'MET_BLOCK'"),
    ("a.mha", metaimage(VOLUME, ElementNumberOfChannels="3"), "expected one label per voxel"),
    ("a.mha", metaimage(VOLUME, BinaryData="False"), "written as text"),
    ("a.mha", metaimage(VOLUME, DimSize="1 2 x"), "expected integers"),
    ("a.mha", metaimage(VOLUME, ElementSpacing="1 2"), "expected 3 numbers"),
    ("a.mha", metaimage(VOLUME, ElementSpacing="1 2 0"), "expected positive lengths"),
    ("a.mha", metaimage(VOLUME, TransformMatrix="2 0 0 0 1 0 0 0 1"), "do not have length 1"),
    ("a.mha", metaimage(VOLUME, ElementDataFile="LIST"), "in several files"),
    ("a.mha", metaimage(VOLUME)[:-3], "it is cut off"),
]


@pytest.mark.parametrize(("name", "content", "words"), WRONG)
def test_what_is_wrong_is_said_in_one_line(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words) as caught:
        loaded(tmp_path / name, content)
    assert str(tmp_path / name) in str(caught.value) and str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"SegmentationType": "FRACTIONAL"}, "expected BINARY"),
        ({"SOPClassUID": "1.2.840.10008.5.1.4.1.1.2"}, "expected a segmentation"),
        ({"NumberOfFrames": 7}, "declares 7 frames, but describes 5"),
        ({"PixelData": b"\0\0\0\0\0\0\0\0"}, "bytes of frames; the file contains 8"),
        ({"PixelData": b"\xff\xff"}, "its segments overlap"),
        ({"Rows": 0}, "expected at least one voxel"),
    ],
)
def test_what_is_wrong_with_a_segmentation_object(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    pytest.importorskip("pydicom")
    volume = np.zeros((1, 2, 1), np.uint8)
    volume[0, :, 0] = (1, 2)
    content = dicom_seg(VOLUME if "NumberOfFrames" in changes else volume, **changes)
    with pytest.raises(SegmetryError, match=words):
        loaded(tmp_path / "a.dcm", content)


def test_frames_at_unequal_distances_are_rejected(tmp_path: Path) -> None:
    pydicom = pytest.importorskip("pydicom")
    path = tmp_path / "a.dcm"
    path.write_bytes(dicom_seg(VOLUME))
    data = pydicom.dcmread(path)
    data.PerFrameFunctionalGroupsSequence[0].PlanePositionSequence[0].ImagePositionPatient = [0, 0, math.pi]
    data.save_as(path)
    with pytest.raises(SegmetryError, match="not at equal distances"):
        loaded(path, path.read_bytes())


def test_a_header_that_nibabel_repairs_is_one_note(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("nibabel")
    content = bytearray(nifti(np.ones((2, 3, 4), np.uint8)))
    struct.pack_into("<h", content, 254, 77)
    (tmp_path / "a.nii").write_bytes(content)
    with pytest.warns(DataWarning, match=r"a\.nii: damaged header: sform_code 77 not valid; setting to 0"):
        sm.read(tmp_path / "a.nii")
    assert capfd.readouterr() == ("", "")


def test_the_example_of_integers() -> None:
    assert integers("4 5 6", "sizes") == (4, 5, 6)


def test_the_example_of_floats() -> None:
    assert floats("1.5 2", "spacing", 2) == (1.5, 2.0)


def test_the_example_of_grid() -> None:
    assert grid((2, 3), [(0.5, 0), (0, 1)], (7, 0), (-1, -1)).affine == (
        (-0.5, 0.0, 0.0, -7.0),
        (0.0, -1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0, 0.0),
    )
