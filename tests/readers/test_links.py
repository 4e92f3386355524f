"""Links that lead out: no format follows one to a file it was not given. A new reader must stand in the table."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError, SegmetryError
from segmetry.evaluation.fingerprint import file_fingerprints
from segmetry.readers.reader import READERS, ReadOptions
from segmetry.readers.source import read_items
from tests.readers.attacks import Attack, array, files, hdf5_link, n5, options_of, panoptic, precomputed
from tests.readers.data_sets import (
    DATA_SETS,
    FRAME,
    IDS,
    SMALL,
    VOLUME,
    colours,
    geopackage,
    metaimage,
    nrrd,
    tiff,
)
from tests.readers.samples import npy, npz

NEEDS = {name: sample.needs for name, sample in DATA_SETS.items() if sample.needs} | {"textgrid": "praatio"}
OUT = "leads out of"
SCAN = npz(data=np.array([17_001]))
ALONE = "one file, which is opened by the name the user gives; it names no other"
LABELS = npy(np.ones((2, 3), dtype=np.uint8))
GROUP = json.dumps({"node_type": "group", "attributes": {"ome": {"labels": ["n"]}}}).encode()


def made(words: str, entry: str, make: Callable[[Path, Path], None]) -> Attack:
    """``make`` is given the folder to fill and one outside it, which holds label files of several kinds."""

    def write(folder: Path) -> Path:
        home, outside = folder / "inside", folder / "outside"
        home.mkdir()
        outside.mkdir()
        (outside / "a.npy").write_bytes(LABELS)
        (outside / "a_instanceIds.png").write_bytes(FRAME)
        (outside / "a.png").write_bytes(colours(IDS))
        (outside / "zarr.json").write_bytes(array())
        (outside / "0").write_bytes(bytes(6))
        make(home, outside)
        return home / entry

    return Attack(write, words)


def linked(words: str, entry: str, link: str, target: str, **content: bytes) -> Attack:
    """Files by name, with / for __ and . for _dot_, and a link to something outside."""

    def make(home: Path, outside: Path) -> None:
        for name, found in content.items():
            place = home / name.replace("__", "/").replace("_dot_", ".")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(found)
        (home / link).parent.mkdir(parents=True, exist_ok=True)
        (home / link).symlink_to(outside / target)

    return made(words, entry, make)


def round_about(home: Path, outside: Path) -> None:
    """A link to a link that leads out by way of a folder inside."""
    (home / "set" / "sub").mkdir(parents=True)
    (home / "set" / "sub" / "b.npy").symlink_to(os.path.relpath(outside / "a.npy", home / "set" / "sub"))
    (home / "set" / "a.npy").symlink_to("sub/b.npy")


def circle(home: Path, _outside: Path) -> None:
    (home / "set").mkdir()
    (home / "set" / "a.npy").symlink_to("b.npy")
    (home / "set" / "b.npy").symlink_to("a.npy")


def device(home: Path, _outside: Path) -> None:
    (home / "set").mkdir()
    (home / "set" / "a.npy").symlink_to("/dev/zero")


def zip_link() -> bytes:
    """An archive whose member is a symbolic link, as Info-ZIP keeps them."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = zipfile.ZipInfo("a.npy")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "../secret")
    return target.getvalue()


def hdf5_elsewhere(kind: str) -> bytes:
    """A file whose data set is a name for another one, is put together from other files, or lies in one."""
    import h5py

    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        if kind == "soft":
            file["a"] = h5py.SoftLink("/b")
        elif kind == "virtual":
            layout = h5py.VirtualLayout((2, 3), "u1")
            layout[:] = h5py.VirtualSource("../secret", "a", (2, 3))
            file.create_virtual_dataset("a", layout)
        else:
            file.create_dataset("a", (2, 3), "u1", external=[("../secret", 0, 6)])
    return target.getvalue()


LINKS: dict[str, dict[str, Attack] | str] = {
    "folder": {
        "a file": linked(OUT, "set", "set/a.npy", "a.npy", set__b_dot_npy=LABELS),
        "a folder": linked("a link to a folder", "set", "set/sub", ".", set__b_dot_npy=LABELS),
        "a link to a link": made(OUT, "set", round_about),
        "a circle": made("leads out of|is not a file", "set", circle),  # Python 3.13 resolves circles
        "a device": made(OUT, "set", device),
    },
    "mots": {
        "a file": linked(OUT, "set", "set/0.txt", "a.txt", set__1_dot_txt=b"0 1 1 2 3 06\n"),
        "a folder": linked("a link to a folder", "set", "set/b", ".", set__1_dot_txt=b"0 1 1 2 3 06\n"),
    },
    "semantic-kitti-sequences": {
        "a scan": linked(OUT, "set", "set/a.label", "a.npy", set__b_dot_label=bytes(4)),
        "a sequence": linked("a link to a folder", "set", "set/08", ".", set__b_dot_label=bytes(4)),
    },
    "panoptic-nuscenes": {
        "a scan": linked(OUT, "set", "set/a_panoptic.npz", "a.npy", set__b_panoptic_dot_npz=SCAN),
        "a scene": linked("a link to a folder", "set", "set/b", ".", set__b_panoptic_dot_npz=SCAN),
    },
    "kitti-step": {
        "a frame": linked(OUT, "set", "set/a/0.png", "a.png", set__a__1_dot_png=FRAME),
        "a video": linked("a link to a folder", "set", "set/b", ".", set__a__1_dot_png=FRAME),
    },
    "cell-tracking": {
        "a frame": linked(OUT, "SEG", "SEG/man_seg000.tif", "a.npy", SEG__man_seg001_dot_tif=tiff(SMALL)),
    },
    "cvppp": {
        "an image": linked(OUT, "A1", "A1/plant1_label.png", "a.png", A1__plant2_label_dot_png=FRAME),
    },
    "mapseg": {
        "an image": linked(OUT, "A1", "A1/1-OUTPUT-GT.png", "a.png", **{"A1__2-OUTPUT-GT_dot_png": FRAME}),
    },
    "video": {
        "a frame": linked(OUT, "set", "set/a/0.png", "a.png", set__a__1_dot_png=FRAME),
        "a video": linked("a link to a folder", "set", "set/b", ".", set__a__1_dot_png=FRAME),
    },
    "cityscapes": {
        "a file": linked(OUT, "set", "set/a_instanceIds.png", "a_instanceIds.png", set__b_instanceIds_dot_png=FRAME),
        "a city": linked("a link to a folder", "set", "set/ulm", ".", set__b_instanceIds_dot_png=FRAME),
    },
    "cityscapes-semantic": {
        "a file": linked(OUT, "set", "set/a_labelIds.png", "a_labelIds.png", set__b_labelIds_dot_png=FRAME),
        "a city": linked("a link to a folder", "set", "set/ulm", ".", set__b_labelIds_dot_png=FRAME),
    },
    "coco-panoptic": {
        "an image": linked(OUT, "s.json", "s/a.png", "a.png", s_dot_json=panoptic()),
        "a folder of images": linked(
            OUT, "s.json", "s/sub", ".", s_dot_json=panoptic(file_name="sub/a.png"), s__b_dot_png=FRAME
        ),
    },
    "zarr": {
        "the metadata": linked(OUT, "a.zarr", "a.zarr/zarr.json", "zarr.json", a_dot_zarr__c__0__0=bytes(6)),
        "the metadata of a group": linked(
            OUT, "a.zarr", "a.zarr/n/zarr.json", "zarr.json", a_dot_zarr__zarr_dot_json=GROUP
        ),
        "a chunk": linked(OUT, "a.zarr", "a.zarr/c/0/0", "a.npy", a_dot_zarr__zarr_dot_json=array()),
        "all chunks": linked(OUT, "a.zarr", "a.zarr/c/0", ".", a_dot_zarr__zarr_dot_json=array()),
        "a group": linked("not a folder inside", "a.zarr", "a.zarr/n", ".", a_dot_zarr__zarr_dot_json=GROUP),
    },
    "n5": {
        "a block": linked(OUT, "a.n5", "a.n5/0/0", "a.npy", a_dot_n5__attributes_dot_json=n5()),
        "all blocks": linked(OUT, "a.n5", "a.n5/0", ".", a_dot_n5__attributes_dot_json=n5()),
    },
    "precomputed": {
        "a chunk": linked(OUT, "a", "a/finest/0-3_0-2_0-1", "a.npy", a__info=precomputed()),
    },
    "hdf5": {
        "another file": files("link to somewhere else", "a.h5", {"a.h5": hdf5_link}),
        "another name": files("link to somewhere else", "a.h5", {"a.h5": lambda: hdf5_elsewhere("soft")}),
        "a virtual array": files("stored in other files", "a.h5", {"a.h5": lambda: hdf5_elsewhere("virtual")}),
        "external elements": files("stored in other files", "a.h5", {"a.h5": lambda: hdf5_elsewhere("external")}),
    },
    "nrrd": {"its data": linked(OUT, "a.nhdr", "a.raw", "a.npy", a_dot_nhdr=nrrd(VOLUME, data_file="a.raw"))},
    "metaimage": {
        "its data": linked(OUT, "a.mhd", "a.raw", "a.npy", a_dot_mhd=metaimage(VOLUME, ElementDataFile="a.raw"))
    },
    "npz": {"a member": files("a.npy", "a.npz", {"a.npz": zip_link})},
    "geopackage": {
        "its journal": files("contains changes", "a.gpkg", {"a.gpkg": geopackage()}, {"a.gpkg-wal": "secret"}),
    },
    "tiff": "pages of the file itself are read; metadata that names other files is switched off",
    "coco-instances": "no file it names is opened",
    "lvis": "no file it names is opened",
    "coco-results": "no file it names is opened",
    "youtube-vis": "no file it names is opened",
    "youtube-vis-results": "no file it names is opened",
    "page-xml": "the image it names is not opened, and entities are refused",
    **dict.fromkeys(
        ("png", "npy", "nifti", "dicom-seg", "semantic-kitti", "geojson", "masses", "bits", "boundaries", "spans"),
        ALONE,
    ),
    **dict.fromkeys(("spans-jsonl", "lab", "rttm", "textgrid", "bio", "choi", "text", "frame-labels"), ALONE),
    **dict.fromkeys(
        ("sound-events", "change-points", "jams", "conic", "pannuke", "hover-net-mat", "csv-labels"), ALONE
    ),
}
CELLS = [(name, word) for name, row in LINKS.items() if isinstance(row, dict) for word in row]


def test_no_format_is_forgotten() -> None:
    assert sorted(LINKS) == sorted(READERS)
    several = {name for name, sample in DATA_SETS.items() if len(sample.files) > 1 or "/" in next(iter(sample.files))}
    assert several <= {name for name, _ in CELLS}, "a format of several files follows names"


@pytest.mark.parametrize(("name", "word"), CELLS)
def test_links_are_not_followed_out(name: str, word: str, tmp_path: Path) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    row = LINKS[name]
    assert isinstance(row, dict)
    path = row[word].write(tmp_path)
    with pytest.raises(SegmetryError, match=row[word].words) as caught:
        [item.load() for item in read_items(path, name, ReadOptions(**options_of(name)))]
    assert str(path) in str(caught.value) and str(caught.value).isprintable()


def test_links_that_stay_inside_are_followed(tmp_path: Path) -> None:
    """So are those the user gives."""
    (tmp_path / "set" / "sub").mkdir(parents=True)
    (tmp_path / "set" / "a.npy").write_bytes(LABELS)
    (tmp_path / "set" / "sub" / "b.npy").symlink_to("../a.npy")
    (tmp_path / "given").symlink_to("set")
    assert [item.name for item in read_items(tmp_path / "given")] == ["a", "sub/b"]
    assert all(item.load().n_elements == 6 for item in read_items(tmp_path / "given"))


def test_folders_behind_links_are_not_left_out_of_a_score(tmp_path: Path) -> None:
    """With the same link on both sides nothing would be missing, and the score would be that of fewer items."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "b.npy").write_bytes(LABELS)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.npy").write_bytes(LABELS)
        (tmp_path / side / "sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FormatError, match="'sub' is a link to a folder, which is not followed"):
        sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="pq")


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_never_ends_has_no_fingerprint(kind: str, tmp_path: Path) -> None:
    """A folder of images is hashed whole, with what no annotation names."""
    (tmp_path / "s").mkdir()
    if kind == "device":
        (tmp_path / "s" / "b.png").symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / "s" / "b.png")
    with pytest.raises(FormatError, match="a device, a pipe or a socket; expected a file"):
        file_fingerprints(tmp_path / "s")
