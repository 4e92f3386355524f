"""TIFF, folders, Cityscapes, NIfTI and SemanticKITTI: what is written comes back, traps are named."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import DataWarning, FormatError, SegmetryError
from segmetry.readers.formats.data_sets import cityscapes
from segmetry.readers.formats.data_sets.label_folder import suffix_of
from segmetry.readers.formats.data_sets.nuclei import classes_of, from_channels
from segmetry.readers.items import GridAffine, Item, names_of_classes
from segmetry.readers.pairing import read_pairs
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import find_sources, read_items
from segmetry.segmentation.labels import LabelArray
from tests.readers.data_sets import DATA_SETS, FRAME, SMALL, VOLUME, nifti, tiff
from tests.readers.samples import npy, npz, png, read_text_as


def labels(folder: Path, content: bytes, name: str, **options: Any) -> LabelArray:
    (item,) = read_text_as(folder, None, content, name, **options)
    found = item.load()
    assert isinstance(found, LabelArray) and item.name == name.split(".", maxsplit=1)[0]
    return found


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint16, np.uint32, np.int32])
@pytest.mark.parametrize("deflate", [True, False])
def test_tiff_values_come_back(dtype: Any, deflate: bool, tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    array = SMALL.astype(dtype)
    found = labels(tmp_path, tiff(array, deflate=deflate), "a.tif").labels
    assert np.array_equal(found, array) and found.dtype == array.dtype


def test_tiff_pages_are_planes(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    volume = np.arange(24, dtype=np.uint16).reshape(2, 3, 4)
    tifffile.imwrite(tmp_path / "a.tif", volume, photometric="minisblack", compression="zlib")
    (item,) = read_items(tmp_path / "a.tif")
    assert isinstance(item.load(), LabelArray) and np.array_equal(item.load().labels, volume)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (tiff(SMALL, t256=2**20, t257=2**20), "more than the budget"),
        (tiff(SMALL, t259=7), r"unsupported compression .* \(supported: none, LZW"),
        (tiff(SMALL, t262=0), "expected grey values with 0 as black"),
        (tiff(SMALL, t262=3), "a palette image; pass --colours index"),
        (tiff(SMALL, t262=2, t277=3), "a colour image|damaged"),
        (tiff(SMALL, t279=10**6), "the file is cut off"),
        (tiff(SMALL, t279=0), "a piece of data is missing|damaged"),
        (tiff(SMALL, deflate=False, t279=4), "4 bytes of data; its header needs 12"),
        (tiff(SMALL, t257=30, t278=30), "damaged TIFF image"),
        (tiff(SMALL)[:-4] + tiff(SMALL)[4:8], "the chain of its pages leads back to itself"),
        (tiff(SMALL)[:-20], "is cut off"),
        (b"II*\0\0\0", "it is cut off"),
    ],
)
def test_tiff_traps_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    with pytest.raises(FormatError, match=words):
        labels(tmp_path, content, "a.tif")


def test_a_folder_names_its_items_by_path(tmp_path: Path) -> None:
    for name, content in (
        ("true/a.png", png(3, 2, 8, 0, [b"\1\1\0", b"\2\2\2"])),
        ("true/deep/b.npz", npz(x=SMALL)),
        ("true/.hidden", b"?"),
        ("pred/a.npy", npy(SMALL)),
        ("pred/deep/b.npy", npy(SMALL)),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with pytest.warns(DataWarning, match=r"true: 1 file that is not a label file is ignored: '\.hidden'"):
        pairs = list(read_pairs(*find_sources(tmp_path / "true", tmp_path / "pred")))
    (tmp_path / "true" / ".hidden").unlink()
    assert [(true.file, pred.file) for _, true, pred in pairs] == [("a.png", "a.npy"), ("deep/b.npz", "deep/b.npy")]
    assert [name for name, _, _ in pairs] == ["a", "deep/b"]
    for _, true, pred in pairs:
        assert isinstance(true.load(), LabelArray) and isinstance(pred.load(), LabelArray)
        assert np.array_equal(true.load().labels, pred.load().labels)
    (tmp_path / "pred" / "a.npy").unlink()
    with pytest.raises(SegmetryError, match="1 only in true: a; none only in pred"):
        list(read_pairs(*find_sources(tmp_path / "true", tmp_path / "pred")))


def test_a_folder_keeps_to_itself(tmp_path: Path) -> None:
    path = DATA_SETS["folder"].write(tmp_path)
    (tmp_path / "secret.npy").write_bytes(npy(SMALL))
    (path / "link.npy").symlink_to(tmp_path / "secret.npy")
    with pytest.raises(FormatError, match=r"'link.npy', leads out of"):
        list(read_items(path))
    (path / "link.npy").unlink()
    (path / "read me.txt").touch()
    (path / "Thumbs.db").touch()
    with pytest.warns(DataWarning, match=r"2 files that are not label files are ignored: 'Thumbs.db', 'read me.txt'"):
        items = {item.name: item for item in read_items(path)}
    assert "Thumbs" not in items and "read me" not in items
    (path / "Thumbs.db").unlink()
    (path / "read me.txt").rename(path / "many.npz")
    (path / "many.npz").write_bytes(npz(x=SMALL, y=SMALL))
    items = {item.name: item for item in read_items(path)}
    with pytest.raises(FormatError, match=r"many.npz: contains 2 arrays; expected one"):
        _ = items["many"].load()


def test_cityscapes_classes_have_names(tmp_path: Path) -> None:
    """The 19 classes of its benchmark; the ids rise in the order in which it lists them."""
    listed = (
        "road, sidewalk, building, wall, fence, pole, traffic light, traffic sign, vegetation, terrain, sky, person, "
        "rider, car, truck, bus, train, motorcycle, bicycle"
    )
    (item,) = read_items(DATA_SETS["cityscapes"].write(tmp_path))
    assert item.class_names is not None and item.groups is not None
    assert ", ".join(name for _, name in sorted(item.class_names.items(), key=lambda one: int(str(one[0])))) == listed
    things = {item.class_names[number] for number in item.groups["things"]}
    assert things == {"person", "rider", "car", "truck", "bus", "train", "motorcycle", "bicycle"}
    assert set(item.class_names) == item.groups["things"] | item.groups["stuff"]
    assert {*item.class_names, *cityscapes.IGNORED} == set(range(34)) and not {*item.class_names} & cityscapes.IGNORED


def test_cityscapes_values_are_classes_and_instances(tmp_path: Path) -> None:
    path = DATA_SETS["cityscapes"].write(tmp_path)
    (item,) = read_items(path)
    found = item.load()
    assert isinstance(found, LabelArray) and item.name == "ulm_000001_000019"
    assert found.classes == {7: 7, 26: 26, 26001: 26}
    assert (found.void, found.outside, found.crowd) == ((4,), (), (26,))
    (item,) = read_items(path, None, ReadOptions(side="pred"))
    pred = item.load()
    assert isinstance(pred, LabelArray) and (pred.void, pred.outside, pred.crowd) == ((), (4,), ())
    file = next(path.rglob("*.png"))
    file.write_bytes(png(1, 1, 16, 0, [(40000).to_bytes(2, "big")]))
    (item,) = read_items(path)
    with pytest.raises(FormatError, match="contains the value 40000; class 40 is not among"):
        _ = item.load()
    file.write_bytes(FRAME)
    file.rename(file.with_name("other.png"))
    with pytest.raises(FormatError, match=r"no file in it is named …_instanceIds.png"):
        list(read_items(path, "cityscapes"))


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("order", ["<", ">"])
def test_nifti_integers_stay_integers(dtype: str, packed: bool, order: str, tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    array = VOLUME.astype(dtype)
    if dtype in ("i8", "u8"):
        array = array + np.array(2**62 + 1, dtype=dtype)
    content = nifti(array, order=order)
    found = labels(tmp_path, gzip.compress(content) if packed else content, "a.nii.gz" if packed else "a.nii")
    assert np.array_equal(found.labels, array) and found.labels.dtype.kind == array.dtype.kind
    assert found.spacing == (0.5, 2.0, 3.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (nifti(VOLUME, slope=2), "declares slope 2 and intercept 0"),
        (nifti(VOLUME, shape=(30000, 30000, 30000)), "more than the budget"),
        (nifti(VOLUME, shape=(1, 2, 0)), r"declares shape \(1, 2, 0\)"),
        (nifti(VOLUME, shape=(1, 2, 4)), "its header needs 16 bytes of voxels; the file contains 12"),
        (nifti(VOLUME, shape=(1, 2, 2)), "its header needs 8 bytes of voxels; the file contains more"),
        (nifti(VOLUME.astype(np.float32)), "labels have dtype float32"),
        (nifti(VOLUME, code=32), "voxels have dtype complex"),
        (nifti(VOLUME, code=999), "damaged NIfTI volume"),
        (nifti(VOLUME)[:300], "not a NIfTI volume"),
        (gzip.compress(nifti(VOLUME), mtime=0)[:-9], "damaged NIfTI volume"),
    ],
)
def test_nifti_traps_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    with pytest.raises(SegmetryError, match=words):
        labels(tmp_path, content, "a.nii")


def test_a_packed_bomb_is_met_by_the_header(tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    pack = zlib.compressobj(wbits=31)
    bomb = pack.compress(nifti(VOLUME) + b"\0" * 10**7) + pack.flush()
    with pytest.raises(FormatError, match="its header needs 12 bytes of voxels; the file contains more"):
        labels(tmp_path, bomb, "a.nii.gz")


def test_volumes_must_lie_in_the_same_place(tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    paths = []
    for name, shift in (("true", 0.0), ("near", 0.004), ("far", 0.006)):
        paths.append(tmp_path / f"{name}.nii")
        paths[-1].write_bytes(nifti(VOLUME, shift=shift))
    assert len(list(read_pairs(*find_sources(paths[0], paths[1])))) == 1
    with pytest.raises(SegmetryError, match=r"corners are up to 0.006 apart, more than 0.01 of the"):
        list(read_pairs(*find_sources(paths[0], paths[2])))


def test_real_volumes(shared_data: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    folder = shared_data / "spine_nifti"
    ((_, true, pred),) = read_pairs(*find_sources(folder / "ref.nii.gz", folder / "pred.nii.gz"))
    for item, name in ((true, "ref"), (pred, "pred")):
        found = item.load()
        assert isinstance(found, LabelArray) and item.name == name
        image = nibabel.load(folder / f"{name}.nii.gz")
        assert np.array_equal(found.labels, np.asanyarray(image.dataobj)) and found.labels.dtype == np.uint8
        assert found.spacing == pytest.approx(image.header.get_zooms())


def test_points_have_a_class_and_an_instance(tmp_path: Path) -> None:
    path = DATA_SETS["semantic-kitti"].write(tmp_path)
    (item,) = read_items(path)
    found = item.load()
    assert isinstance(found, LabelArray) and found.labels.tolist() == [0, 40, 196618, 196618]
    assert found.classes == {40: 40, 196618: 10} and found.void == (0,)
    path.write_bytes(b"\1\2\3")
    with pytest.raises(FormatError, match="3 bytes; expected 4 for each point"):
        list(read_items(path))


def test_metadata_of_a_tiff_cannot_name_another_file(tmp_path: Path) -> None:
    tifffile = pytest.importorskip("tifffile")
    secret, path = tmp_path / "secret.ome.tif", tmp_path / "sub" / "a.ome.tif"
    path.parent.mkdir()
    planes = "".join(
        f'<TiffData FirstZ="{z}" IFD="0" PlaneCount="1"><UUID FileName="{name}">urn:uuid:{z}</UUID></TiffData>'
        for z, name in enumerate(("a.ome.tif", "../secret.ome.tif"))
    )
    words = (
        '<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:uuid:0">'
        '<Image ID="I:0">'
        '<Pixels ID="P:0" DimensionOrder="XYZCT" Type="uint16" SizeX="3" SizeY="2" SizeZ="2" SizeC="1" SizeT="1">'
        f'<Channel ID="C:0"/>{planes}</Pixels></Image></OME>'
    )
    for file, values in ((path, SMALL), (secret, SMALL + 100)):
        tifffile.imwrite(file, values, photometric="minisblack", description=words, metadata=None)
    assert tifffile.imread(path).max() == 102, "the other file is read by whoever trusts the metadata"
    (item,) = read_items(path)
    assert isinstance(item.load(), LabelArray) and np.array_equal(item.load().labels, SMALL)


def test_the_example_of_suffix_of() -> None:
    assert (suffix_of("case 1.nii.gz"), suffix_of("read me.txt")) == (".nii.gz", None)


def test_the_example_of_classes_of() -> None:
    assert classes_of(np.array([[0, 1, 1, 2]]), np.array([[0, 3, 3, 1]]), "an image") == {1: 3, 2: 1}


def test_the_example_of_from_channels() -> None:
    image = np.zeros((1, 2, 6))
    image[0, 0, 0], image[0, 1, 3] = 7, 7
    nuclei = from_channels(image, "an image")
    assert (nuclei.labels.tolist(), nuclei.classes) == ([[1, 2]], {1: "Neoplastic", 2: "Dead"})


def test_the_example_of_corners() -> None:
    assert GridAffine(((2.0, 0.0, 1.0), (0.0, 3.0, 0.0)), (2, 2)).corners() == [
        (1.0, 0.0),
        (1.0, 3.0),
        (3.0, 0.0),
        (3.0, 3.0),
    ]


def test_the_example_of_names_of_classes() -> None:
    true, pred = Item("a", lambda: None, class_names={1: "car"}), Item("a", lambda: None, class_names={2: "sky"})
    assert names_of_classes([("a", true, pred)]) == {1: "car", 2: "sky"}
