"""Label images: grey values are ids, colours are asked about, headers are not believed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from segmetry.errors import FormatError
from segmetry.readers.formats.arrays.png import data_size
from segmetry.segmentation.labels import LabelArray
from tests.profiles import examples
from tests.readers.samples import png, read_text_as

PALETTE = bytes(range(12))


def ids(folder: Path, content: bytes, **options: str) -> np.ndarray:
    (item,) = read_text_as(folder, None, content, "image.png", **options)
    assert isinstance(item.load(), LabelArray) and item.name == "image"
    return item.load().labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("images")


@examples(1 / 2)
@given(hnp.arrays(st.sampled_from([np.uint8, np.uint16]), hnp.array_shapes(min_dims=2, max_dims=2, max_side=5)))
def test_grey_values_come_back(folder: Path, array: np.ndarray) -> None:
    depth = array.dtype.itemsize * 8
    rows = [row.astype(array.dtype.newbyteorder(">")).tobytes() for row in array]
    assert np.array_equal(ids(folder, png(array.shape[1], array.shape[0], depth, 0, rows)), array)


@examples(1 / 4)
@given(hnp.arrays(np.uint8, st.tuples(st.integers(1, 4), st.integers(1, 4), st.just(3))))
def test_colours_are_ids_when_asked_for(folder: Path, array: np.ndarray) -> None:
    content = png(array.shape[1], array.shape[0], 8, 2, [row.tobytes() for row in array])
    wide = array.astype(np.int64)
    expected = wide[..., 0] + 256 * wide[..., 1] + 65536 * wide[..., 2]
    assert np.array_equal(ids(folder, content, colours="rgb"), expected)


@pytest.mark.parametrize(
    ("depth", "row", "expected"), [(1, b"\xa0", [1, 0, 1]), (2, b"\xe4", [3, 2, 1]), (4, b"\x21\x30", [2, 1, 3])]
)
def test_palette_indices_are_ids_when_asked_for(depth: int, row: bytes, expected: list[int], tmp_path: Path) -> None:
    assert ids(tmp_path, png(3, 1, depth, 3, [row], PALETTE), colours="index").tolist() == [expected]


@pytest.mark.parametrize(
    ("depth", "row", "expected"), [(1, b"\xa0", [1, 0, 1]), (2, b"\xe4", [3, 2, 1]), (4, b"\x21\xf0", [2, 1, 15])]
)
def test_grey_values_of_few_bits_are_not_stretched(depth: int, row: bytes, expected: list[int], tmp_path: Path) -> None:
    assert ids(tmp_path, png(3, 1, depth, 0, [row])).tolist() == [expected]


def test_interlaced_images(tmp_path: Path) -> None:
    """Three columns and two rows in the passes of Adam7: (0, 0), then (2, 0), then (1, 0), then the second row."""
    content = png(3, 2, 8, 0, [b"\1", b"\3", b"\2", b"\4\5\6"], interlaced=True)
    assert ids(tmp_path, content).tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(FormatError, match="declares 10 bytes of data, it contains 6"):
        ids(tmp_path, png(3, 2, 8, 0, [b"\1", b"\3", b"\2"], interlaced=True))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (png(3, 1, 2, 3, [b"\xe4"], PALETTE), "a palette image; pass --colours index"),
        (png(1, 1, 8, 2, [b"\1\2\3"]), "a colour image; pass --colours rgb"),
        (png(1, 1, 16, 2, [b"\1\2\3\4\5\6"]), "a 16-bit colour image, which has no agreed reading"),
        (png(1, 1, 8, 4, [b"\1\2"]), "an image with an alpha channel"),
        (png(1, 1, 8, 6, [b"\1\2\3\4"]), "an image with an alpha channel"),
        (png(0, 1, 8, 0, [b""]), "declares a size of 0 × 1"),
        (png(2**31 - 1, 2**31 - 1, 8, 0, [b"\1"]), "more than the budget"),
        (png(3, 3, 8, 0, [b"\1\1\1"]), "declares 12 bytes of data, it contains 4"),
        (png(3, 1, 8, 0, [b"\1\1\1"] * 9999), "declares 4 bytes of data, it contains more"),
        (png(3, 1, 8, 5, [b"\1\1\1"]), "declares colour type 5"),
        (png(3, 1, 8, 0, [b"\1\1\1"])[:20], "its header is cut off"),
        (png(3, 1, 8, 0, [b"\1\1\1"])[:45], "damaged image"),
        (png(3, 1, 7, 0, [b"\1\1\1"]), "damaged image"),
    ],
)
def test_traps_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words):
        ids(tmp_path, content)


def test_a_wrong_checksum_is_noticed(tmp_path: Path) -> None:
    """The ids would decode: only the checksum says that a byte of the data is not the one that was written."""
    content = png(3, 1, 8, 0, [b"\1\1\1"])
    at = content.index(b"IEND") - 8
    wrong = content[: at + 3] + bytes([content[at + 3] ^ 1]) + content[at + 4 :]
    with pytest.raises(FormatError, match="the checksum of a chunk b'IDAT' is wrong"):
        ids(tmp_path, wrong)


def test_the_wrong_reading_of_colours_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a colour image"):
        ids(tmp_path, png(1, 1, 8, 2, [b"\1\2\3"]), colours="index")
    with pytest.raises(FormatError, match="a palette image"):
        ids(tmp_path, png(3, 1, 2, 3, [b"\xe4"], PALETTE), colours="rgb")


def test_the_example_of_data_size() -> None:
    assert (data_size(3, 2, 8, interlaced=False), data_size(3, 2, 8, interlaced=True)) == (8, 10)
