"""A few bytes cannot ask for gigabytes: declared sizes are checked before anything is made of them."""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError
from tests.readers.memory import at_most

MEGABYTE = 2**20


def tiff_of(tags: dict[int, tuple[int, list[int]]], *, big: bool = False) -> bytes:
    """A TIFF of one directory: by tag its type (3: 16 bits, 4: 32 bits) and its values."""
    entry, link, start = (20, "Q", 16) if big else (12, "I", 8)
    head = b"II" + (struct.pack("<HHHQ", 43, 8, 0, 16) if big else struct.pack("<HI", 42, 8))
    width = struct.calcsize(link)
    behind = start + (8 if big else 2) + entry * len(tags) + width
    rows, data = b"", b""
    for tag, (kind, values) in sorted(tags.items()):
        packed = struct.pack(f"<{len(values)}{'xxxHI'[kind]}", *values)
        place = packed if len(packed) <= width else struct.pack(f"<{link}", behind + len(data))
        data += packed if len(packed) > width else b""
        rows += struct.pack(f"<HH{link}", tag, kind, len(values)) + place.ljust(width, b"\0")
    return head + struct.pack("<Q" if big else "<H", len(tags)) + rows + bytes(width) + data


PLAIN = {256: (4, [64]), 257: (4, [64]), 258: (3, [8]), 259: (3, [1]), 262: (3, [1]), 277: (3, [1])}
PIECES = {
    "tiles": {322: (4, [64]), 323: (4, [64, 2**28]), 324: (4, [8]), 325: (4, [4096])},
    "width of tiles": {322: (4, [2**20, 2**28]), 323: (4, [64]), 324: (4, [8]), 325: (4, [4096])},
    "strips": {278: (4, [64, 2**28]), 273: (4, [8]), 279: (4, [4096])},
    "length": {257: (4, [64, 2**28]), 273: (4, [8]), 279: (4, [4096])},
}


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("pieces", PIECES)
def test_a_length_of_several_values_multiplies_nothing(pieces: str, big: bool, tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    file = tmp_path / "a.tif"
    file.write_bytes(tiff_of({**PLAIN, **PIECES[pieces]}, big=big))
    with (
        at_most(256 * MEGABYTE),
        pytest.raises(FormatError, match=r"tag \d+ has 2 values of type 4; expected one") as bad,
    ):
        sm.read(file, max_elements=10_000)
    assert str(file) in str(bad.value)


def test_a_tag_has_no_more_values_than_the_file_has_bytes(tmp_path: Path) -> None:
    pytest.importorskip("tifffile")
    file = tmp_path / "a.tif"
    content = tiff_of({**PLAIN, 273: (4, [8]), 279: (4, [4096])})
    at = content.index(struct.pack("<HHI", 273, 4, 1)) + 4
    file.write_bytes(content[:at] + struct.pack("<I", 2**30) + content[at + 4 :])
    with at_most(256 * MEGABYTE), pytest.raises(FormatError, match="expected at most 110 bytes, those of the file"):
        sm.read(file, max_elements=10_000)


def huge_chunk(declared: int, **filters: Any) -> bytes:
    """An HDF5 file whose only chunk declares so many bytes."""
    h5py = pytest.importorskip("h5py")
    target = io.BytesIO()
    with h5py.File(target, "w", libver="earliest") as file:
        stored = file.create_dataset("x", data=np.ones((16, 16), np.uint8), chunks=(16, 16), **filters)
        size = stored.id.get_chunk_info(0).size
    content = target.getvalue()
    at = content.index(b"TREE\x01") + 24  # the key of the first chunk: its size, its mask
    assert struct.unpack_from("<I", content, at) == (size,)
    return content[:at] + struct.pack("<I", declared) + content[at + 4 :]


@pytest.mark.parametrize("filters", [{"shuffle": True}, {"fletcher32": True}, {"compression": "gzip"}])
def test_a_chunk_that_declares_gigabytes_is_not_allocated(filters: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "a.h5"
    file.write_bytes(huge_chunk(2**31 - 1, **filters))
    with at_most(256 * MEGABYTE), pytest.raises(FormatError, match=r"the chunk at .* declares 2147483647 bytes") as bad:
        sm.read(file, max_elements=10_000, isolate=False)
    assert str(file) in str(bad.value)


def test_a_chunk_that_is_not_compressed_has_the_bytes_of_its_elements(tmp_path: Path) -> None:
    file = tmp_path / "a.h5"
    file.write_bytes(huge_chunk(200, shuffle=True))
    with pytest.raises(FormatError, match=r"the chunk at \(0, 0\) declares 200 bytes; expected 256"):
        sm.read(file)
