"""One tiny, valid data set of every format of images, volumes and maps; one of its files is named to segmetry."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import sqlite3
import struct
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.readers.samples import npy, npz, png


def colours(ids: NDArray[Any]) -> bytes:
    """A PNG whose colours are ids, as COCO writes them."""
    rows = [b"".join(int(value).to_bytes(3, "little") for value in row) for row in ids]
    return png(ids.shape[1], ids.shape[0], 8, 2, rows)


def tiff(array: NDArray[Any], *, deflate: bool = True, **tags: int) -> bytes:
    """A TIFF file of one strip made by hand, so that its header can lie; ``tags`` are named t256=…"""
    pixels = array.astype(array.dtype.newbyteorder("<")).tobytes()
    data = zlib.compress(pixels) if deflate else pixels
    values = {256: array.shape[1], 257: array.shape[0], 258: array.dtype.itemsize * 8, 259: 8 if deflate else 1, 262: 1}
    values |= {273: 8, 277: 1, 278: array.shape[0], 279: len(data), 339: 2 if array.dtype.kind == "i" else 1}
    values |= {int(name[1:]): value for name, value in tags.items()}
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in sorted(values.items()))
    padded = data + b"\0" * (len(data) % 2)
    return b"II*\0" + struct.pack("<I", 8 + len(padded)) + padded + struct.pack("<H", len(values)) + entries + b"\0" * 4


def nifti(
    array: NDArray[Any],
    *,
    slope: float = 0,
    shape: tuple[int, ...] | None = None,
    shift: float = 0,
    code: int | None = None,
    order: str = "<",
) -> bytes:
    """A NIfTI file made by hand, so that its header can lie."""
    codes = {"u1": 2, "i2": 4, "i4": 8, "f4": 16, "i1": 256, "u2": 512, "u4": 768, "i8": 1024, "u8": 1280, "f8": 64}
    head, stated = bytearray(352), shape or array.shape
    struct.pack_into(order + "i", head, 0, 348)
    struct.pack_into(order + "8h", head, 40, len(stated), *stated, *(1,) * (7 - len(stated)))
    kind = code or codes[array.dtype.kind + str(array.dtype.itemsize)]
    struct.pack_into(order + "2h", head, 70, kind, array.dtype.itemsize * 8)
    struct.pack_into(order + "8f", head, 76, 1, 0.5, 2, 3, 1, 1, 1, 1)
    struct.pack_into(order + "3f", head, 108, 352, slope, 0)
    struct.pack_into(order + "2h", head, 252, 0, 1)
    struct.pack_into(order + "12f", head, 280, 0.5, 0, 0, shift, 0, 2, 0, 0, 0, 0, 3, 0)
    head[344:348] = b"n+1\0"
    return bytes(head) + array.astype(array.dtype.newbyteorder(order)).tobytes(order="F")


def nrrd(array: NDArray[Any], *, encoding: str = "gzip", after: str = "", **fields: str) -> bytes:
    """A NRRD file made by hand, so that its header can lie; ``after`` are further lines of the header."""
    kinds = {"u1": "uint8", "i2": "short", "u2": "uint16", "i4": "int", "f4": "float"}
    stated = {
        "type": kinds[array.dtype.kind + str(array.dtype.itemsize)],
        "dimension": str(array.ndim),
        "space": "left-posterior-superior",
        "sizes": " ".join(map(str, array.shape)),
        "space directions": "(0.5,0,0) (0,2,0) (0,0,3)",
        "endian": "little",
        "encoding": encoding,
        "space origin": "(0,0,0)",
    } | {name.replace("_", " "): value for name, value in fields.items()}
    head = "NRRD0004\n# by hand\n" + "".join(f"{name}: {value}\n" for name, value in stated.items() if value) + after
    elements = array.astype(array.dtype.newbyteorder("<")).tobytes(order="F")
    packed = {"raw": bytes, "gzip": lambda x: gzip.compress(x, mtime=0), "bzip2": bz2.compress}.get(encoding, bytes)
    return f"{head}\n".encode() + packed(elements)


def metaimage(array: NDArray[Any], *, packed: bool = True, **fields: str) -> bytes:
    """A MetaImage made by hand, so that its header can lie."""
    kinds = {"u1": "MET_UCHAR", "i2": "MET_SHORT", "u2": "MET_USHORT", "i4": "MET_INT", "f4": "MET_FLOAT"}
    stated = {
        "ObjectType": "Image",
        "NDims": str(array.ndim),
        "BinaryData": "True",
        "BinaryDataByteOrderMSB": "False",
        "CompressedData": str(packed),
        "TransformMatrix": "1 0 0 0 1 0 0 0 1",
        "Offset": "0 0 0",
        "ElementSpacing": "0.5 2 3",
        "DimSize": " ".join(map(str, array.shape)),
        "ElementType": kinds[array.dtype.kind + str(array.dtype.itemsize)],
    } | fields
    stated["ElementDataFile"] = stated.pop("ElementDataFile", "LOCAL")  # the last one
    head = "".join(f"{name} = {value}\n" for name, value in stated.items() if value)
    elements = array.astype(array.dtype.newbyteorder("<")).tobytes(order="F")
    return head.encode() + (zlib.compress(elements) if packed else elements)


def dicom_seg(array: NDArray[Any], **changes: Any) -> bytes:
    """A DICOM segmentation of bits; nothing where the package is not installed, and then nobody reads it."""
    try:
        from pydicom.dataset import Dataset, FileMetaDataset
        from pydicom.sequence import Sequence
    except ImportError:
        return b""

    def data_set(**values: Any) -> Any:
        made = Dataset()
        for name, value in values.items():
            setattr(made, name, value)
        return made

    def frame(segment: int, height: float) -> Any:
        return data_set(
            SegmentIdentificationSequence=Sequence([data_set(ReferencedSegmentNumber=segment)]),
            PlanePositionSequence=Sequence([data_set(ImagePositionPatient=[0, 0, height])]),
        )

    segments = [label for label in np.unique(array).tolist() if label]
    places = [(label, z) for label in segments for z in range(array.shape[2]) if (array[:, :, z] == label).any()]
    bits = np.concatenate([(label == array[:, :, z].T).ravel() for label, z in places])
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.TransferSyntaxUID = "1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.1.2.1"
    meta.MediaStorageSOPInstanceUID = "1.2.3"
    packed = np.packbits(bits, bitorder="little").tobytes()
    shared = data_set(
        PlaneOrientationSequence=Sequence([data_set(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])]),
        PixelMeasuresSequence=Sequence([data_set(PixelSpacing=[2, 0.5], SpacingBetweenSlices=3, SliceThickness=3)]),
    )
    whole = data_set(
        SOPClassUID="1.2.840.10008.5.1.4.1.1.66.4",
        SOPInstanceUID="1.2.3",
        Modality="SEG",
        SegmentationType="BINARY",
        Rows=array.shape[1],
        Columns=array.shape[0],
        NumberOfFrames=len(places),
        BitsAllocated=1,
        BitsStored=1,
        HighBit=0,
        SamplesPerPixel=1,
        PixelRepresentation=0,
        SegmentSequence=Sequence([data_set(SegmentNumber=n, SegmentLabel=f"organ {n}") for n in segments]),
        SharedFunctionalGroupsSequence=Sequence([shared]),
        PerFrameFunctionalGroupsSequence=Sequence([frame(label, 3 * z) for label, z in places]),
        PixelData=packed + b"\0" * (len(packed) % 2),
    )
    for name, value in changes.items():
        setattr(whole, name, value)
    whole.file_meta = meta
    content = io.BytesIO()
    whole.save_as(content, enforce_file_format=True)
    return content.getvalue()


def hdf5(*, chunks: bool = True, **arrays: NDArray[Any]) -> bytes:
    """An HDF5 file; nothing where the package is not installed, and then nobody reads it."""
    try:
        import h5py
    except ImportError:
        return b""
    content = io.BytesIO()
    with h5py.File(content, "w") as file:
        for name, array in arrays.items():
            packing = {"chunks": array.shape, "compression": "gzip", "fletcher32": True} if chunks else {}
            file.create_dataset(name.replace("__", "/"), data=array, track_times=False, **packing)
    return content.getvalue()


def wkb(*parts: list[list[tuple[float, ...]]], multi: bool = False) -> bytes:
    """Polygons in well-known binary, little-endian; points of three numbers have heights."""
    heights = 1000 * (len(parts[0][0][0]) == 3) if parts and parts[0] and parts[0][0] else 0
    found = b""
    for rings in parts:
        found += struct.pack("<BII", 1, 3 + heights, len(rings))
        for ring in rings:
            found += struct.pack("<I", len(ring)) + b"".join(struct.pack(f"<{len(point)}d", *point) for point in ring)
    return struct.pack("<BII", 1, 6 + heights, len(parts)) + found if multi else found


def ring(left: float, bottom: float, right: float, top: float) -> list[tuple[float, ...]]:
    """The outline of a rectangle."""
    return [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]


def geopackage(
    *features: tuple[Any, ...],
    srs: int = 28992,
    definition: str = "PROJCS[]",
    layers: tuple[str, ...] = ("fields",),
    extra: str = "",
) -> bytes:
    """A GeoPackage made by hand of rows (key, well-known binary, class), as small as SQLite makes it."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "PRAGMA page_size = 512; PRAGMA application_id = 0x47504B47;"
            "CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER PRIMARY KEY, organization TEXT,"
            " organization_coordsys_id INTEGER, definition TEXT);"
            "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, srs_id INTEGER);"
        )
        database.execute("INSERT INTO gpkg_spatial_ref_sys VALUES (?, 'EPSG', ?, ?)", (srs, srs, definition))
        for layer in layers:
            database.execute("INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', ?)", (layer, srs))
            database.execute(f'CREATE TABLE "{layer}" (fid INTEGER PRIMARY KEY, geom BLOB, kind TEXT)')
            for key, content, kind in features:
                blob = content if content is None else b"GP\0\1" + struct.pack("<i", srs) + content
                database.execute(f'INSERT INTO "{layer}" VALUES (?, ?, ?)', (key, blob, kind))  # noqa: S608
        database.executescript(extra)
        database.commit()
        return database.serialize()


def collection(*features: dict[str, Any], crs: str | None = "urn:ogc:def:crs:EPSG::28992") -> dict[str, Any]:
    """A GeoJSON feature collection."""
    named = {"crs": {"type": "name", "properties": {"name": crs}}} if crs else {}
    return {"type": "FeatureCollection", **named, "features": list(features)}


def feature(*rings: Any, **facts: Any) -> dict[str, Any]:
    """A GeoJSON feature of one polygon."""
    geometry = {"type": "Polygon", "coordinates": list(rings)}
    return {"type": "Feature", "properties": {"kind": "a"}, "geometry": geometry, **facts}


@dataclass(frozen=True)
class DataSet:
    """Files by name, the one to read, the options it needs, the shape of every item, and the package it needs."""

    files: dict[str, bytes]
    entry: str
    shape: tuple[int, ...]
    options: dict[str, Any] = field(default_factory=dict)
    needs: str | None = None
    sniffed: bool = True

    def write(self, folder: Path) -> Path:
        """Write all files and return what is to be read."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder / self.entry


IDS = np.array([[0, 7, 7], [66000, 66000, 7]])
PANOPTIC = {
    "images": [{"id": 1, "height": 2, "width": 3}],
    "annotations": [
        {
            "image_id": 1,
            "file_name": "a.png",
            "segments_info": [
                {"id": 7, "category_id": 1, "iscrowd": 0, "area": 3},
                {"id": 66000, "category_id": 9, "iscrowd": 0, "area": 2},
            ],
        }
    ],
    "categories": [{"id": 1, "isthing": 1}, {"id": 9, "isthing": 0}],
}

INSTANCES: dict[str, Any] = {
    "images": [{"id": 1, "height": 4, "width": 3}, {"id": 2, "height": 4, "width": 3}],
    "annotations": [
        {"id": 5, "image_id": 1, "category_id": 3, "segmentation": {"size": [4, 3], "counts": [2, 4, 6]}, "area": 4},
        {"id": 9, "image_id": 1, "category_id": 4, "segmentation": [[0, 0, 2, 0, 2, 3, 0, 3]], "iscrowd": 1},
    ],
    "categories": [{"id": 3}, {"id": 4}],
}
RESULTS = [
    {"image_id": 1, "category_id": 3, "segmentation": {"size": [4, 3], "counts": "246"}, "score": 0.5},
    {"image_id": 1, "category_id": 4, "segmentation": {"size": [4, 3], "counts": [0, 12]}, "score": 1},
]
SCALES = {
    "multiscales": [{"datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [2, 0.5]}]}]}]
}
ZARR: dict[str, Any] = {
    "node_type": "array",
    "shape": [2, 3],
    "data_type": "uint16",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "gzip"}],
    "fill_value": 0,
}
PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageFilename="a.tif" imageWidth="6" imageHeight="5">
<TextRegion id="r1" type="heading"><Coords points="0,0 4,0 4,2 0,2"/></TextRegion>
<ImageRegion id="r2"><Coords points="1,1 6,1 6,5 1,5"/></ImageRegion>
</Page>
</PcGts>
"""
LVIS: dict[str, Any] = {
    **INSTANCES,
    "images": [{**image, "neg_category_ids": [1], "not_exhaustive_category_ids": []} for image in INSTANCES["images"]],
    "categories": [{**category, "frequency": "r"} for category in INSTANCES["categories"]],
}
SMALL = np.array([[1, 1, 0], [2, 2, 2]], dtype=np.uint16)
FRAME = png(3, 2, 16, 0, [row.astype(">u2").tobytes() for row in np.array([[7, 7, 26], [26001, 26001, 4]])])
TUBE = {"id": 1, "video_id": 1, "category_id": 1, "segmentations": [{"size": [2, 3], "counts": [1, 4, 1]}, None]}
TUBES = {
    "videos": [{"id": 1, "length": 2, "height": 2, "width": 3}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [TUBE],
}
STEP = png(3, 1, 8, 2, [bytes((13, 0, 1, 11, 0, 0, 255, 0, 0))])
VOLUME = np.arange(6, dtype=np.int16).reshape(1, 2, 3)

N5: dict[str, Any] = {
    "dimensions": [3, 2],
    "blockSize": [3, 2],
    "dataType": "uint16",
    "compression": {"type": "gzip"},
    "pixelResolution": {"dimensions": [0.5, 2], "unit": "um"},
}
PRECOMPUTED: dict[str, Any] = {
    "@type": "neuroglancer_multiscale_volume",
    "type": "segmentation",
    "data_type": "uint16",
    "num_channels": 1,
    "scales": [
        {"key": "finest", "size": [3, 2, 1], "chunk_sizes": [[3, 2, 1]], "resolution": [4, 4, 40], "encoding": "raw"}
    ],
}


def n5_block(labels: NDArray[Any], pack: Callable[[bytes], bytes] = bytes) -> bytes:
    """A block of N5: mode, number of axes, lengths from the last axis on, then big-endian elements."""
    head = struct.pack(f">HH{labels.ndim}I", 0, labels.ndim, *labels.shape[::-1])
    return head + pack(labels.astype(labels.dtype.newbyteorder(">")).tobytes())


def mat(*, packed: bool = True, **variables: Any) -> bytes:
    """A MATLAB file."""
    from scipy.io import savemat

    content = io.BytesIO()
    savemat(content, variables, do_compression=packed)
    return content.getvalue()


NUCLEI = np.zeros((1, 16, 16, 2), np.uint8)
NUCLEI[0, 2:6, 2:6], NUCLEI[0, 8:9, 3:7] = (1, 2), (4, 6)
CHANNELS = np.zeros((1, 16, 16, 6), np.float32)
CHANNELS[0, 2:6, 2:6, 0], CHANNELS[0, 8:9, 3:7, 4] = 7, 7
INSTANCES_MAT = mat(inst_map=SMALL.astype(float), inst_type=np.ones((np.unique(SMALL[SMALL > 0]).size, 1)))
INSTANCES_MAT_PLAIN = mat(packed=False, inst_map=SMALL.astype(float))

DATA_SETS: dict[str, DataSet] = {
    "conic": DataSet({"a.npy": npy(NUCLEI)}, "a.npy", (16, 16)),
    "pannuke": DataSet({"masks.npy": npy(CHANNELS)}, "masks.npy", (16, 16)),
    "hover-net-mat": DataSet({"a.mat": INSTANCES_MAT}, "a.mat", (2, 3)),
    "cell-tracking": DataSet({"SEG/man_seg000.tif": tiff(SMALL)}, "SEG", (2, 3), needs="tifffile"),
    "mapseg": DataSet({"set/301-OUTPUT-GT.png": FRAME}, "set", (2, 3)),
    "cvppp": DataSet({"A1/plant001_label.png": FRAME}, "A1", (2, 3)),
    "coco-panoptic": DataSet(
        {"set.json": json.dumps(PANOPTIC).encode(), "set/a.png": colours(IDS)}, "set.json", (2, 3)
    ),
    "coco-instances": DataSet({"a.json": json.dumps(INSTANCES).encode()}, "a.json", (4, 3), needs="pycocotools"),
    "lvis": DataSet({"a.json": json.dumps(LVIS).encode()}, "a.json", (4, 3), needs="pycocotools"),
    "coco-results": DataSet({"a.json": json.dumps(RESULTS).encode()}, "a.json", (4, 3)),
    "tiff": DataSet({"a.tif": tiff(SMALL)}, "a.tif", (2, 3), needs="tifffile"),
    "folder": DataSet(
        {"set/a.png": png(3, 2, 8, 0, [b"\1\1\0", b"\2\2\2"]), "set/sub/a.npy": npy(SMALL)}, "set", (2, 3)
    ),
    "mots": DataSet({"set/0001.txt": b"0 1001 1 2 3 1210\n1 10000 10 2 3 06\n"}, "set", (2, 2, 3)),
    "semantic-kitti-sequences": DataSet(
        {"set/sequences/08/labels/0.label": np.array([10, 252, 40, 0], "<u4").tobytes()}, "set", (4,), sniffed=False
    ),
    "panoptic-nuscenes": DataSet(
        {"set/a_panoptic.npz": npz(data=np.array([2_001, 14_000, 0], np.uint16))}, "set", (1, 3), sniffed=False
    ),
    "youtube-vis": DataSet({"a.json": json.dumps(TUBES).encode()}, "a.json", (2, 6)),
    "youtube-vis-results": DataSet({"a.json": json.dumps([{**TUBE, "score": 0.5}]).encode()}, "a.json", (2, 6)),
    "kitti-step": DataSet({"set/0002/000000.png": STEP, "set/0002/000001.png": STEP}, "set", (2, 1, 3), sniffed=False),
    "video": DataSet({"set/a/0.png": FRAME, "set/a/1.png": FRAME}, "set", (2, 2, 3), sniffed=False),
    "cityscapes": DataSet({"set/ulm/ulm_000001_000019_gtFine_instanceIds.png": FRAME}, "set", (2, 3)),
    "cityscapes-semantic": DataSet(
        {"set/ulm/ulm_000001_000019_gtFine_labelIds.png": png(3, 2, 8, 0, [bytes([7, 7, 26]), bytes([26, 26, 4])])},
        "set",
        (2, 3),
        sniffed=False,
    ),
    "nifti": DataSet({"a.nii.gz": gzip.compress(nifti(VOLUME), mtime=0)}, "a.nii.gz", (1, 2, 3), needs="nibabel"),
    "nrrd": DataSet({"a.nrrd": nrrd(VOLUME)}, "a.nrrd", (1, 2, 3)),
    "dicom-seg": DataSet({"a.dcm": dicom_seg(VOLUME)}, "a.dcm", (1, 2, 3), needs="pydicom"),
    "metaimage": DataSet({"a.mha": metaimage(VOLUME)}, "a.mha", (1, 2, 3)),
    "hdf5": DataSet({"a.h5": hdf5(labels=SMALL)}, "a.h5", (2, 3), needs="h5py"),
    "zarr": DataSet(
        {
            "a.zarr/zarr.json": json.dumps({"node_type": "group", "attributes": {"ome": {"labels": ["n"]}}}).encode(),
            "a.zarr/n/zarr.json": json.dumps({"node_type": "group", "attributes": {"ome": SCALES}}).encode(),
            "a.zarr/n/0/zarr.json": json.dumps(ZARR).encode(),
            "a.zarr/n/0/c/0/0": gzip.compress(SMALL.astype("<u2").tobytes(), mtime=0),
        },
        "a.zarr",
        (2, 3),
    ),
    "n5": DataSet(
        {"a.n5/attributes.json": json.dumps(N5).encode(), "a.n5/0/0": n5_block(SMALL, gzip.compress)}, "a.n5", (2, 3)
    ),
    "precomputed": DataSet(
        {"a/info": json.dumps(PRECOMPUTED).encode(), "a/finest/0-3_0-2_0-1": SMALL.astype("<u2").tobytes()},
        "a",
        (1, 2, 3),
    ),
    "geojson": DataSet(
        {
            "a.geojson": json.dumps(
                collection(
                    feature(ring(100, 500, 104, 504), ring(101, 501, 102, 502)),
                    feature([[104, 500, 7], [106, 500, 7], [104, 504.5, 7], [104, 500, 7]]),
                )
            ).encode()
        },
        "a.geojson",
        (),
        {"class_field": "kind"},
        needs="shapely",
    ),
    "geopackage": DataSet(
        {
            "a.gpkg": geopackage(
                (1, wkb([ring(0, 0, 4, 4), ring(1, 1, 2, 2)]), "a"),
                (7, wkb([ring(4, 0, 5, 1)], [ring(6, 0, 7, 1)], multi=True), "b"),
            )
        },
        "a.gpkg",
        (),
        {"class_field": "kind"},
        needs="shapely",
    ),
    "page-xml": DataSet({"a.xml": PAGE.encode()}, "a.xml", (5, 6)),
    "semantic-kitti": DataSet(
        {"a.label": np.array([0, 40, 10 + (3 << 16), 10 + (3 << 16)], dtype="<u4").tobytes()}, "a.label", (4,)
    ),
}
