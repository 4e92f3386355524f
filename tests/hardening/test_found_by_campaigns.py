"""Damaged files that once ended in anything but items or a clear error, each as small as it can be."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from segmetry.errors import LONGEST_MESSAGE, SegmetryError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import Source
from tests.hardening.campaign import samples
from tests.readers.data_sets import DataSet
from tests.readers.samples import npy


def archive_with_two_names(name: bytes, other: bytes) -> bytes:
    """An archive whose directory gives a member another name than its header does."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name.decode(), npy(np.ones((2, 3), np.uint8)))
    first, _, rest = target.getvalue().rpartition(name)
    return first + other + rest


def changed(name: str, file: str, change: Callable[[Any], object]) -> tuple[str, DataSet]:
    """A sample with its metadata changed."""
    sample = samples()[name]
    path = next(path for path in sample.files if path.endswith(file))
    document = json.loads(sample.files[path])
    change(document)
    files = {**sample.files, path: json.dumps(document).encode()}
    return name, DataSet(files, sample.entry, sample.shape, sample.options, sample.needs)


def one(name: str, file: str, content: bytes, entry: str | None = None) -> tuple[str, DataSet]:
    return name, DataSet({file: content}, entry or file, ())


PROFILE_WITHOUT_CONTENT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000003000000021000000000e88fe5850000001449444154789c6360"
    "6007422986d489a91319580009f60219c8b6a9f90000000069434350a589193e0000000049454e44ae426082"
)
"""An image left to Pillow, which expects a profile of colours to have at least two bytes."""

HEADER = slice(8, 33)
FAR_HOLE = json.dumps(
    {
        "type": "Polygon",
        "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], [[1, 1], [2, 1], [2, 1e308], [1, 2], [1, 1]]],
    }
).encode()
"""A polygon of which GEOS multiplies coordinates beyond the largest number, with a warning."""


def with_second_header(image: bytes, side: int) -> bytes:
    """An image with another header after its own, which declares a square."""
    header = b"IHDR" + 2 * side.to_bytes(4, "big") + image[HEADER][16:21]
    chunk = (13).to_bytes(4, "big") + header + zlib.crc32(header).to_bytes(4, "big")
    return image[: HEADER.stop] + chunk + image[HEADER.stop :]


def shard_settings(document: Any) -> None:
    document["codecs"][0]["configuration"]["index_codecs"][0]["configuration"] = [[]]


FOUND: dict[str, Callable[[], tuple[str, DataSet]]] = {
    "a tab in a message of the csv module": lambda: one(
        "sound-events", "a.tsv", b'onset\toffset\tevent_label\n"0"x\t1\tspeech\n'
    ),
    "a long text in place of a number": lambda: one(
        "change-points", "a.json", b'{"bank": {"n": "' + b"n" * 10**4 + b'", "annotations": {"7": [53]}}}'
    ),
    "a space that a terminal does not print": lambda: one(
        "npz", "a.npz", archive_with_two_names(b"a a.npy", b"a\xffa.npy")
    ),
    "hundreds of axes": lambda: changed("zarr, LZMA", ".zarray", lambda document: document.update(chunks=[24] * 900)),
    "a number as metadata, N5": lambda: one("n5", "attributes.json", b"5", "."),
    "a number as transformations": lambda: changed(
        "zarr",
        "n/zarr.json",
        lambda document: document["attributes"]["ome"]["multiscales"][0]["datasets"][0].update(
            coordinateTransformations=5
        ),
    ),
    "results whose images have no size": lambda: one(
        "coco-results", "a.json", b'[{"image_id": 1, "category_id": 3, "bbox": [0, 0, 1, 1], "score": 1}]'
    ),
    "a profile of colours without content": lambda: one("png", "a.png", PROFILE_WITHOUT_CONTENT),
    "a second header, whose pixels are allocated": lambda: one(
        "png", "a.png", with_second_header(PROFILE_WITHOUT_CONTENT, 2**31 - 1)
    ),
    "a hole with a corner beyond all numbers": lambda: one("geojson", "a.geojson", FAR_HOLE),
    "a list as a type, N5": lambda: changed("n5", "attributes.json", lambda document: document.update(dataType=[])),
    "a list as a compression": lambda: changed(
        "n5", "attributes.json", lambda document: document.update(compression={"type": []})
    ),
    "a list as a type, precomputed": lambda: changed(
        "precomputed", "info", lambda document: document.update(data_type=[])
    ),
    "a list as an encoding": lambda: changed(
        "precomputed", "info", lambda document: document["scales"][0].update(encoding=[])
    ),
    "a list as the settings of an index": lambda: changed("zarr, shards", "zarr.json", shard_settings),
    "a list as the settings of keys": lambda: changed(
        "zarr, Zstandard", "zarr.json", lambda document: document["chunk_key_encoding"].update(configuration=[1])
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_is_one_clear_error(name: str, tmp_path: Path) -> None:
    style, sample = FOUND[name]()
    path = sample.write(tmp_path)
    source = Source(path, ReadOptions(**sample.options), style.partition(",")[0])
    with pytest.raises(SegmetryError) as raised:
        [item.load() for item in source.items()]
    words = str(raised.value)
    assert str(path) in words and words.isprintable() and len(words) <= LONGEST_MESSAGE
