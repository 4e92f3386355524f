"""Hostile files by format and attack. Where an attack means nothing to a format, the reason stands in its place."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.readers.data_sets import (
    DATA_SETS,
    FRAME,
    INSTANCES_MAT_PLAIN,
    N5,
    PANOPTIC,
    PRECOMPUTED,
    SMALL,
    VOLUME,
    ZARR,
    collection,
    dicom_seg,
    feature,
    geopackage,
    hdf5,
    mat,
    metaimage,
    n5_block,
    nifti,
    nrrd,
    ring,
    tiff,
    wkb,
)
from tests.readers.samples import SAMPLES, npy, npz, png

ZEROS = 2**27
"""An eighth of a gigabyte, which packs into half a megabyte at level 3, the quickest."""

MANY = np.zeros((1, 2, ZEROS // 2), np.uint8)


@dataclass(frozen=True)
class Attack:
    """How the files come into a folder (the one to read is returned), and what the error says."""

    write: Callable[[Path], Path]
    words: str


Cell = Attack | str
KINDS = ("bomb", "oversize", "names", "dtype")


def files(words: str, entry: str, content: dict[str, Any], links: dict[str, str] | None = None) -> Attack:
    """Files by name, made when they are needed; ``links`` lead from a name to a file outside."""

    def write(folder: Path) -> Path:
        (folder / "secret").write_bytes(npy(np.ones((2, 3), dtype=np.uint8)))
        (folder / "secret.png").write_bytes(FRAME)
        home = folder / "inside"
        for name, found in content.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(found() if callable(found) else found)
        for name, target in (links or {}).items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).symlink_to(folder / target)
        return home / entry

    return Attack(write, words)


def text(words: str, name: str, content: str) -> Attack:
    return files(words, name, {name: content.encode()})


@cache
def png_bomb() -> bytes:
    return png(3, 2, 8, 0, [bytes(ZEROS)])


@cache
def packed() -> bytes:
    return gzip.compress(bytes(ZEROS), 3, mtime=0)


def npz_bomb() -> bytes:
    """An array that says it has six elements, and goes on."""
    import io
    import zipfile

    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy(np.zeros(6, dtype=np.uint8)) + bytes(ZEROS))
    return target.getvalue()


def hdf5_bomb() -> bytes:
    """A packed chunk that holds more than a chunk; HDF5 1.14 writes no such one of less than 256 bytes."""
    import io

    import h5py

    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        found = file.create_dataset("a", (2, 128), dtype="u1", chunks=(2, 128), compression="gzip")
        found.id.write_direct_chunk((0, 0), zlib.compress(bytes(ZEROS), 3))
    return target.getvalue()


def n5(**facts: Any) -> bytes:
    return json.dumps({**N5, **facts}).encode()


def n5_bomb() -> bytes:
    return n5_block(SMALL, lambda _: packed())


def precomputed(**facts: Any) -> bytes:
    (scale,) = PRECOMPUTED["scales"]
    return json.dumps({**PRECOMPUTED, "scales": [{**scale, **facts}]}).encode()


def hdf5_oversize() -> bytes:
    import io

    import h5py

    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        file.create_dataset("a", (2**40,), dtype="u1", chunks=(2**20,))
    return target.getvalue()


def hdf5_link() -> bytes:
    import io

    import h5py

    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        file["a"] = h5py.ExternalLink("../secret", "/a")
    return target.getvalue()


def array(**changes: Any) -> bytes:
    return json.dumps({**ZARR, **changes}).encode()


def panoptic(**changes: Any) -> bytes:
    annotation: Any = {**PANOPTIC["annotations"][0], **changes}  # type: ignore[dict-item]
    return json.dumps({**PANOPTIC, "annotations": [annotation]}).encode()


def instance(**changes: Any) -> dict[str, Any]:
    return {"image_id": 1, "category_id": 3, "id": 1, "iscrowd": 0, "score": 1, **changes}


def instances(segmentation: Any, shape: tuple[int, int] = (4, 3)) -> bytes:
    image = {"id": 1, "height": shape[0], "width": shape[1]}
    listed = [instance(segmentation=segmentation)]
    return json.dumps({"images": [image], "annotations": listed, "categories": [{"id": 3}]}).encode()


def lvis(segmentation: Any, shape: tuple[int, int] = (4, 3)) -> bytes:
    data = json.loads(instances(segmentation, shape))
    for image in data["images"]:
        image.update(neg_category_ids=[], not_exhaustive_category_ids=[])
    return json.dumps(data).encode()


def results(segmentation: Any, **changes: Any) -> bytes:
    return json.dumps([instance(segmentation=segmentation, **changes)]).encode()


def tubes(segmentation: Any, side: int | None = None) -> bytes:
    video = {"id": 1, "length": 1, "height": side or 4, "width": side or 3}
    tube = {"id": 1, "video_id": 1, "category_id": 3, "segmentations": [segmentation]}
    return json.dumps({"videos": [video], "annotations": [tube], "categories": [{"id": 3}]}).encode()


def predicted_tubes(segmentation: Any) -> bytes:
    return json.dumps([{"video_id": 1, "category_id": 3, "segmentations": [segmentation], "score": 0.5}]).encode()


def tiff_bomb() -> bytes:
    """A strip that unpacks to far more than the image needs."""
    content = zlib.compress(bytes(ZEROS), 3)
    return tiff(np.frombuffer(content, np.uint8).reshape(1, -1), deflate=False, t256=3, t257=2, t259=8, t278=2)


def many_corners() -> bytes:
    return json.dumps(collection(feature([[at % 7, at] for at in range(100_001)] + [[0, 0]]))).encode()


def endless_geometry() -> bytes:
    return geopackage((1, wkb([ring(0, 0, 1, 1)])[:5] + b"\xff\xff\xff\xff", "a"))


HUGE = 2**31 - 1
ITS_OWN = "the only name is that of the file the user gives"
PLAIN = "nothing in it is packed"
SECTION = '{"annotations": [{"namespace": "segment_open", "data": [{"time": 0, "duration": LENGTH, "value": "A"}]}]}'
NO_SIZE = "it declares no size"
TEXT = "a text has no dtype"
LONG_RLE = {"size": [4, 3], "counts": [0, 2**40, 12]}
HUGE_RLE = {"size": [HUGE, HUGE], "counts": [HUGE * HUGE]}
OUT = "leads out of"
MORE = "more than the budget"


def mat_bomb() -> bytes:
    """A compressed variable of two by three numbers that goes on."""
    plain = INSTANCES_MAT_PLAIN
    matrix = plain[136:] + bytes(ZEROS)
    packed_matrix = zlib.compress(struct.pack("<II", 14, len(matrix)) + matrix, 3)
    return plain[:128] + struct.pack("<II", 15, len(packed_matrix)) + packed_matrix


def stack(last: int, shape: bytes) -> bytes:
    """A stack of images that declares another shape."""
    return npy(np.zeros((1, 16, 16, last), np.uint8)).replace(f"(1, 16, 16, {last}), ".encode(), shape)


TABLE: dict[str, dict[str, Cell]] = {
    "conic": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.npy", {"a.npy": stack(2, b"(9999, 9999, 9999, 2), ")}),
        "names": ITS_OWN,
        "dtype": files("expected integers", "a.npy", {"a.npy": npy(np.zeros((1, 16, 16, 2)))}),
    },
    "pannuke": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.npy", {"a.npy": stack(6, b"(9999, 9999, 9999, 6), ")}),
        "names": ITS_OWN,
        "dtype": files("not integers", "a.npy", {"a.npy": npy(np.full((1, 16, 16, 6), 0.5))}),
    },
    "hover-net-mat": {
        "bomb": files("decompresses to more bytes", "a.mat", {"a.mat": mat_bomb}),
        "oversize": files(MORE, "a.mat", {"a.mat": lambda: mat(packed=False, inst_map=np.zeros((2048, 1024)))}),
        "names": ITS_OWN,
        "dtype": files("expected integers", "a.mat", {"a.mat": mat(inst_map=np.full((2, 3), 0.5))}),
    },
    "cell-tracking": {
        "bomb": files("INSUFFICIENT_SPACE", "SEG", {"SEG/man_seg000.tif": tiff_bomb}),
        "oversize": files(MORE, "SEG", {"SEG/man_seg000.tif": tiff(np.ones((2, 3), np.uint8), t256=HUGE, t257=HUGE)}),
        "names": files(OUT, "SEG", {"SEG/man_seg001.tif": tiff(SMALL)}, {"SEG/man_seg000.tif": "secret"}),
        "dtype": files("dtype|float", "SEG", {"SEG/man_seg000.tif": tiff(np.ones((2, 3), np.float32), t339=3)}),
    },
    "cvppp": {
        "bomb": files("it contains more", "A1", {"A1/plant1_label.png": png_bomb}),
        "oversize": files(MORE, "A1", {"A1/plant1_label.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "A1", {"A1/plant2_label.png": FRAME}, {"A1/plant1_label.png": "secret.png"}),
        "dtype": files("colour|rgb|RGB", "A1", {"A1/plant1_label.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "mapseg": {
        "bomb": files("it contains more", "set", {"set/301-OUTPUT-GT.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/301-OUTPUT-GT.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "set", {"set/302-OUTPUT-GT.png": FRAME}, {"set/301-OUTPUT-GT.png": "secret.png"}),
        "dtype": files("colour|rgb|RGB", "set", {"set/301-OUTPUT-GT.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "png": {
        "bomb": files("it contains more", "a.png", {"a.png": png_bomb}),
        "oversize": files(MORE, "a.png", {"a.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": ITS_OWN,
        "dtype": files("colour|rgb|RGB", "a.png", {"a.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "npy": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.npy", {"a.npy": npy(np.zeros(6)).replace(b"(6,), ", b"(9999999999,), ")}),
        "names": ITS_OWN,
        "dtype": files("never unpickled", "a.npy", {"a.npy": npy(np.array([{}], dtype=object))}),
    },
    "npz": {
        "bomb": files("the archive contains another number", "a.npz", {"a.npz": npz_bomb}),
        "oversize": files(MORE, "a.npz", {"a.npz": lambda: npz(a=np.zeros(2**24, dtype=np.uint8))}),
        "names": files(OUT, "a.npz", {"a.npz": lambda: npz(**{"../b": np.ones(3, int), "c": np.ones(3, int)})}),
        "dtype": files("dtype|float", "a.npz", {"a.npz": npz(a=np.ones(3))}),
    },
    "tiff": {
        "bomb": files("INSUFFICIENT_SPACE", "a.tif", {"a.tif": tiff_bomb}),
        "oversize": files(MORE, "a.tif", {"a.tif": tiff(np.ones((2, 3), np.uint8), t256=HUGE, t257=HUGE)}),
        "names": ITS_OWN,
        "dtype": files("dtype|float", "a.tif", {"a.tif": tiff(np.ones((2, 3), np.float32), t339=3)}),
    },
    "nifti": {
        "bomb": files("contains more", "a.nii.gz", {"a.nii.gz": lambda: gzip.compress(nifti(VOLUME) + bytes(ZEROS))}),
        "oversize": files(MORE, "a.nii", {"a.nii": nifti(VOLUME, shape=(32000, 32000, 32000))}),
        "names": ITS_OWN,
        "dtype": files("dtype|float", "a.nii", {"a.nii": nifti(VOLUME.astype(np.float32) + 0.5)}),
    },
    "nrrd": {
        "bomb": files("contains more", "a.nrrd", {"a.nrrd": lambda: nrrd(MANY, sizes="1 2 3")}),
        "oversize": files(MORE, "a.nrrd", {"a.nrrd": nrrd(VOLUME, sizes="99999 99999 99999")}),
        "names": files(OUT, "a.nhdr", {"a.nhdr": nrrd(VOLUME, encoding="raw", data_file="../secret")}),
        "dtype": files("dtype|float", "a.nrrd", {"a.nrrd": nrrd(VOLUME.astype(np.float32) + 0.5)}),
    },
    "dicom-seg": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.dcm", {"a.dcm": dicom_seg(VOLUME, Rows=65535, Columns=65535)}),
        "names": ITS_OWN,
        "dtype": files("probabilities", "a.dcm", {"a.dcm": dicom_seg(VOLUME, SegmentationType="FRACTIONAL")}),
    },
    "metaimage": {
        "bomb": files("contains more", "a.mha", {"a.mha": lambda: metaimage(MANY, DimSize="1 2 3")}),
        "oversize": files(MORE, "a.mha", {"a.mha": metaimage(VOLUME, DimSize="99999 99999 99999")}),
        "names": files(OUT, "a.mhd", {"a.mhd": metaimage(VOLUME, ElementDataFile="../secret")}),
        "dtype": files("dtype|float", "a.mha", {"a.mha": metaimage(VOLUME.astype(np.float32) + 0.5)}),
    },
    "hdf5": {
        "bomb": files("decompresses to more bytes; expected 256", "a.h5", {"a.h5": hdf5_bomb}),
        "oversize": files(MORE, "a.h5", {"a.h5": hdf5_oversize}),
        "names": files("link to somewhere else", "a.h5", {"a.h5": hdf5_link}),
        "dtype": files("dtype|float", "a.h5", {"a.h5": lambda: hdf5(a=np.ones((2, 3)))}),
    },
    "zarr": {
        "bomb": files("bytes of elements", "a.zarr", {"a.zarr/zarr.json": array(), "a.zarr/c/0/0": packed}),
        "oversize": files(MORE, "a.zarr", {"a.zarr/zarr.json": array(shape=[HUGE, HUGE])}),
        "names": files(OUT, "a.zarr", {"a.zarr/zarr.json": array()}, {"a.zarr/c/0/0": "secret"}),
        "dtype": files("expected integers", "a.zarr", {"a.zarr/zarr.json": array(data_type="complex64")}),
    },
    "n5": {
        "bomb": files("bytes of elements", "a.n5", {"a.n5/attributes.json": n5(), "a.n5/0/0": n5_bomb}),
        "oversize": files(MORE, "a.n5", {"a.n5/attributes.json": n5(dimensions=[HUGE, HUGE])}),
        "names": files(OUT, "a.n5", {"a.n5/attributes.json": n5()}, {"a.n5/0/0": "secret"}),
        "dtype": files("expected integers", "a.n5", {"a.n5/attributes.json": n5(dataType="object")}),
    },
    "precomputed": {
        "bomb": files("bytes of elements", "a", {"a/info": precomputed(), "a/finest/0-3_0-2_0-1.gz": packed}),
        "oversize": files(MORE, "a", {"a/info": precomputed(size=[HUGE, HUGE, 1])}),
        "names": files(OUT, "a", {"a/info": precomputed(key="../secret")}),
        "dtype": files("expected integers", "a", {"a/info": json.dumps({**PRECOMPUTED, "data_type": "bool"}).encode()}),
    },
    "folder": {
        "bomb": files("it contains more", "set", {"set/a.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/a.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "set", {"set/b.npy": npy(np.ones((2, 3), int))}, {"set/a.npy": "secret"}),
        "dtype": files("dtype|float", "set", {"set/a.npy": npy(np.ones((2, 3)))}),
    },
    "mots": {
        "bomb": text("mask 0", "a.txt", f"0 1 1 2 3 {'o' * 5000}"),
        "oversize": text(MORE, "a.txt", "0 1 1 99999 99999 06"),
        "names": files(OUT, "set", {"set/0.txt": b"0 1 1 2 3 06\n"}, {"set/1.txt": "secret"}),
        "dtype": text("expected `frame id", "a.txt", "0.5 1 1 2 3 06"),
    },
    "semantic-kitti-sequences": {
        "bomb": PLAIN,
        "oversize": files(MORE, "set", {"set/a.label": lambda: bytes(2**24)}),
        "names": files(OUT, "set", {"set/b.label": bytes(4)}, {"set/a.label": "secret"}),
        "dtype": files("expected 4 for each point", "set", {"set/a.label": b"12345"}),
    },
    "panoptic-nuscenes": {
        "bomb": files("contains another number", "set", {"set/a_panoptic.npz": npz_bomb}),
        "oversize": files(MORE, "set", {"set/a_panoptic.npz": lambda: npz(a=np.zeros(2**24, dtype=np.uint8))}),
        "names": files(OUT, "set", {"set/b_panoptic.npz": b""}, {"set/a_panoptic.npz": "secret"}),
        "dtype": files("expected one array of one axis", "set", {"set/a_panoptic.npz": npz(data=np.ones((2, 3), int))}),
    },
    "youtube-vis": {
        "bomb": files("counts|run", "a.json", {"a.json": tubes(LONG_RLE)}),
        "oversize": files(MORE, "a.json", {"a.json": tubes(HUGE_RLE, HUGE)}),
        "names": "no file it names is opened",
        "dtype": files("counts|integers", "a.json", {"a.json": tubes({"size": [4, 3], "counts": [0.5, 11.5]})}),
    },
    "youtube-vis-results": {
        "bomb": files("counts|run", "a.json", {"a.json": predicted_tubes(LONG_RLE)}),
        "oversize": files(MORE, "a.json", {"a.json": predicted_tubes(HUGE_RLE)}),
        "names": "no file it names is opened",
        "dtype": files("counts|integers", "a.json", {"a.json": predicted_tubes({"size": [4, 3], "counts": [0.5]})}),
    },
    "kitti-step": {
        "bomb": files("it contains more", "set", {"set/a/0.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/a/0.png": png(HUGE, HUGE, 8, 2, [b""])}),
        "names": files(OUT, "set", {"set/a/0.png": FRAME}, {"set/a/1.png": "secret.png"}),
        "dtype": files("a grey or palette image", "set", {"set/a/0.png": FRAME}),
    },
    "video": {
        "bomb": files("it contains more", "set", {"set/a/0.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/a/0.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "set", {"set/a/0.png": FRAME}, {"set/a/1.png": "secret.png"}),
        "dtype": files("colour|rgb|RGB", "set", {"set/a/0.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "cityscapes": {
        "bomb": files("it contains more", "set", {"set/a_instanceIds.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/a_instanceIds.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "set", {"set/b_instanceIds.png": FRAME}, {"set/a_instanceIds.png": "secret.png"}),
        "dtype": files("colour|rgb|RGB", "set", {"set/a_instanceIds.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "cityscapes-semantic": {
        "bomb": files("it contains more", "set", {"set/a_labelIds.png": png_bomb}),
        "oversize": files(MORE, "set", {"set/a_labelIds.png": png(HUGE, HUGE, 8, 0, [b""])}),
        "names": files(OUT, "set", {"set/b_labelIds.png": FRAME}, {"set/a_labelIds.png": "secret.png"}),
        "dtype": files("colour|rgb|RGB", "set", {"set/a_labelIds.png": png(1, 1, 8, 2, [b"\1\2\3"])}),
    },
    "coco-panoptic": {
        "bomb": files("it contains more", "s.json", {"s.json": panoptic(), "s/a.png": png_bomb}),
        "oversize": files(MORE, "s.json", {"s.json": panoptic(), "s/a.png": png(HUGE, HUGE, 8, 2, [b""])}),
        "names": files(OUT, "s.json", {"s.json": panoptic(file_name="../../secret.png"), "s/a.png": FRAME}),
        "dtype": files(
            "16", "s.json", {"s.json": panoptic(), "s/a.png": png(3, 2, 16, 2, [bytes(18), bytes(18)])}
        ),
    },
    "coco-instances": {
        "bomb": files("counts|run", "a.json", {"a.json": instances(LONG_RLE)}),
        "oversize": files(MORE, "a.json", {"a.json": instances(HUGE_RLE, (HUGE, HUGE))}),
        "names": "no file it names is opened",
        "dtype": files("counts|integers", "a.json", {"a.json": instances({"size": [4, 3], "counts": [0.5, 11.5]})}),
    },
    "lvis": {
        "bomb": files("counts|run", "a.json", {"a.json": lvis(LONG_RLE)}),
        "oversize": files(MORE, "a.json", {"a.json": lvis(HUGE_RLE, (HUGE, HUGE))}),
        "names": "no file it names is opened",
        "dtype": files("counts|integers", "a.json", {"a.json": lvis({"size": [4, 3], "counts": [0.5, 11.5]})}),
    },
    "coco-results": {
        "bomb": files("counts|run", "a.json", {"a.json": results(LONG_RLE)}),
        "oversize": files(MORE, "a.json", {"a.json": results(HUGE_RLE)}),
        "names": "no file it names is opened",
        "dtype": files("counts|integers", "a.json", {"a.json": results({"size": [4, 3], "counts": [0.5, 11.5]})}),
    },
    "semantic-kitti": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.label", {"a.label": lambda: bytes(2**24)}),
        "names": ITS_OWN,
        "dtype": files("expected 4 for each point", "a.label", {"a.label": b"12345"}),
    },
    "page-xml": {
        "bomb": text("document type", "a.xml", '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><PcGts>&c;</PcGts>'),
        "oversize": text(MORE, "a.xml", '<PcGts><Page imageWidth="99999" imageHeight="99999"/></PcGts>'),
        "names": text("document type", "a.xml", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><PcGts>&b;</PcGts>'),
        "dtype": text("expected an integer", "a.xml", '<PcGts><Page imageWidth="2.5" imageHeight="3"/></PcGts>'),
    },
    "geojson": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.geojson", {"a.geojson": many_corners}),
        "names": ITS_OWN,
        "dtype": text("a position is", "a.geojson", json.dumps(collection(feature([["0", "0"]] * 4)))),
    },
    "geopackage": {
        "bomb": files(
            "no plain table",
            "a.gpkg",
            {"a.gpkg": geopackage(extra="DROP TABLE fields; CREATE VIEW fields AS SELECT zeroblob(999999999) AS geom")},
        ),
        "oversize": files("declares 4294967295 parts", "a.gpkg", {"a.gpkg": endless_geometry}),
        "names": files("control character", "a.gpkg", {"a.gpkg": geopackage(layers=("a\x1b[31m",))}),
        "dtype": files("expected the class", "a.gpkg", {"a.gpkg": geopackage((1, wkb([ring(0, 0, 1, 1)]), b"\xff"))}),
    },
    "csv-labels": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.csv", {"a.csv": lambda: b"1," * 100_000 + b"1\n"}),
        "names": ITS_OWN,
        "dtype": text("expected integers", "a.csv", "1,2\n1,2.5\n"),
    },
    "masses": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.json", '{"a": {"x": [999999999999, 3]}}'),
        "names": text(OUT, "a.json", '{"../a": {"x": [5, 3]}}'),
        "dtype": text("expected", "a.json", '{"a": {"x": [5, 3.5]}}'),
    },
    "bits": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.json", {"a.json": lambda: b'{"a": [' + b"0," * 100_001 + b"1]}"}),
        "names": text(OUT, "a.json", '{"/a": [1, 0]}'),
        "dtype": text("expected|could be", "a.json", '{"a": [1, 0, true]}'),
    },
    "boundaries": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.csv", "item,n,boundaries\na,999999999999,5\n"),
        "names": text(OUT, "a.csv", "item,n,boundaries\n../a,13,5\n"),
        "dtype": text("not a number", "a.csv", "item,n,boundaries\na,13,five\n"),
    },
    "spans": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.csv", "item,n,start,stop\na,999999999999,0,5\n"),
        "names": text(OUT, "a.csv", "item,n,start,stop\n../a,13,0,5\n"),
        "dtype": text("not a number", "a.csv", "item,n,start,stop\na,13,0,five\n"),
    },
    "spans-jsonl": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.jsonl", '{"item": "a", "n": 999999999999, "start": 0, "stop": 5}\n'),
        "names": text(OUT, "a.jsonl", '{"item": "../a", "n": 13, "start": 0, "stop": 5}\n'),
        "dtype": text("expected", "a.jsonl", '{"item": "a", "n": 13, "start": 0, "stop": "five"}\n'),
    },
    "lab": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.lab", "0 999999999999 verse\n"),
        "names": ITS_OWN,
        "dtype": text("not a number|expected", "a.lab", "0 one verse\n"),
    },
    "rttm": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.rttm", "SPEAKER a 1 0 999999999999 <NA> <NA> ann <NA> <NA>\n"),
        "names": text(OUT, "a.rttm", "SPEAKER ../a 1 0 1 <NA> <NA> ann <NA> <NA>\n"),
        "dtype": text("not a number", "a.rttm", "SPEAKER a 1 0 one <NA> <NA> ann <NA> <NA>\n"),
    },
    "sound-events": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.tsv", "filename\tonset\toffset\tevent_label\na\t0\t999999999999\tdog\n"),
        "names": text(OUT, "a.tsv", "filename\tonset\toffset\tevent_label\n../a\t0\t1\tdog\n"),
        "dtype": text("not a number", "a.tsv", "filename\tonset\toffset\tevent_label\na\t0\tone\tdog\n"),
    },
    "change-points": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.json", '{"a": {"1": [999999999999]}}'),
        "names": text(OUT, "a.json", '{"../a": {"1": [5]}}'),
        "dtype": text("integers", "a.json", '{"a": {"1": [1.5]}}'),
    },
    "jams": {
        "bomb": PLAIN,
        "oversize": text(MORE, "a.jams", SECTION.replace("LENGTH", "999999999999")),
        "names": ITS_OWN,
        "dtype": text("expected a number", "a.jams", SECTION.replace("LENGTH", "null")),
    },
    "textgrid": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a", {"a": SAMPLES["textgrid"].content.replace(b"2.5", b"99999999999.5")}),
        "names": ITS_OWN,
        "dtype": files("not a TextGrid", "a", {"a": SAMPLES["textgrid"].content.replace(b"1.5", b"one")}),
    },
    "bio": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.conll", {"a.conll": lambda: b"x\tO\n" * 100_001}),
        "names": text(OUT, "a.conll", "# sent_id = ../a\nAnn\tB-PER\n"),
        "dtype": TEXT,
    },
    "frame-labels": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.txt", {"a.txt": lambda: b"pour\n" * 100_001}),
        "names": ITS_OWN,
        "dtype": TEXT,
    },
    "choi": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.ref", {"a.ref": lambda: b"==========\n" + b"x\n" * 100_001 + b"==========\n"}),
        "names": ITS_OWN,
        "dtype": TEXT,
    },
    "text": {
        "bomb": PLAIN,
        "oversize": files(MORE, "a.txt", {"a.txt": lambda: b"x\n" * 100_001}),
        "names": ITS_OWN,
        "dtype": TEXT,
    },
}  # fmt: skip

JSON_FILES = {
    "jams": "a.jams",
    "change-points": "a.json",
    "coco-panoptic": "set.json",
    "coco-instances": "a.json",
    "lvis": "a.json",
    "coco-results": "a.json",
    "youtube-vis": "a.json",
    "youtube-vis-results": "a.json",
    "zarr": "a.zarr/zarr.json",
    "n5": "a.n5/attributes.json",
    "precomputed": "a/info",
    "geojson": "a.geojson",
    "masses": "",
    "bits": "",
    "spans-jsonl": "",
}
"""Formats that read JSON, and the file that holds it."""


def options_of(name: str) -> dict[str, Any]:
    """The options that a sample of this format needs."""
    return {**SAMPLES, **DATA_SETS}[name].options
