"""The fast way to read label images, against Pillow: the same labels for usual files, and no others accepted."""

from __future__ import annotations

import io
import itertools
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from segmetry.errors import FormatError
from segmetry.kernels.backend import native
from segmetry.kernels.png_decoding import can_read_files
from segmetry.readers.formats.arrays import png as png_data
from segmetry.readers.formats.arrays.png import START, Header, read_label_png
from segmetry.readers.reader import ReadOptions
from segmetry.segmentation.labels import RunLengthLabels
from tests.readers.png_files import chunk, filtered, pixel_bytes, png_file

needs_native = pytest.mark.skipif(native is None, reason="without native code Pillow reads every image")

KINDS = {"grey": (8, 0), "grey of 16 bits": (16, 0), "colours": (8, 2), "palette": (8, 3)}
WAYS = {0: "refuse", 2: "rgb", 3: "index"}
SIZES = [(1, 1), (1, 9), (9, 1), (2, 3), (7, 5), (13, 67), (20, 20), (33, 130)]
PALETTE = bytes(range(256)) * 3


def pixels(kind: str, size: tuple[int, int], content: str, rng: np.random.Generator) -> NDArray[Any]:
    """Noise, blobs of few values as labels are, or one value."""
    depth, colour = KINDS[kind]
    shape = (*size, 3) if colour == 2 else size
    most = 2**depth
    if content == "noise":
        values = rng.integers(0, most, shape)
    elif content == "one value":
        values = np.full(shape, rng.integers(0, most))
    else:
        table = rng.integers(0, most, (6, *shape[2:]))
        y, x = np.indices(size)
        values = table[(y // 4 + x // 11 + (x > 3 * y)) % 6]
    return values.astype(np.uint16 if depth == 16 else np.uint8)


def file_of(image: NDArray[Any], kind: str, filters: list[int], **more: Any) -> bytes:
    data = zlib.compress(filtered(pixel_bytes(image), filters))
    palette = PALETTE if KINDS[kind][1] == 3 else b""
    return png_file(data, image.shape[:2], *KINDS[kind], palette=palette, **more)


def by_pillow(content: bytes) -> NDArray[Any]:
    with Image.open(io.BytesIO(content)) as image:
        found = np.asarray(image)
    if found.ndim == 2:
        return found
    wide = found.astype(np.uint32)
    return wide[..., 0] + 256 * wide[..., 1] + 65536 * wide[..., 2]


def fast(path: Path, content: bytes, kind: str, size: tuple[int, int]) -> NDArray[Any] | None:
    """Step by step and, where that can be done, in one step: both must give the same."""
    path.write_bytes(content)
    found = png_data.usual_labels(path.read_bytes(), Header(size[1], size[0], *KINDS[kind], interlaced=False))
    if can_read_files():
        at_once = png_data.labels_of_file(str(path), 1 << KINDS[kind][1], size[0] * size[1])
        assert type(at_once) is type(found)
        assert found is None or (np.asarray(at_once).dtype == found.dtype and np.array_equal(at_once, found))
        if isinstance(at_once, RunLengthLabels):
            assert at_once.sizes is not None
            ids, counts = np.unique(at_once.whole, return_counts=True)
            assert [column.tolist() for column in at_once.sizes] == [ids.tolist(), counts.tolist()]
    return None if found is None else np.asarray(found)


@needs_native
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere images may be read step by step")
def test_images_are_read_in_one_step_here() -> None:
    assert can_read_files()


def test_nothing_is_read_in_one_step_without_libdeflate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png_data, "can_read_files", lambda: False)
    (tmp_path / "a.png").write_bytes(grey())
    assert png_data.labels_of_file(str(tmp_path / "a.png"), 1, 10_000) is None
    assert np.array_equal(read_label_png(tmp_path / "a.png", ReadOptions()), IMAGE)


@needs_native
@pytest.mark.parametrize("kind", KINDS)
def test_all_filters_sizes_and_chunks_as_pillow_reads_them(kind: str, tmp_path: Path) -> None:
    """288 files of each of four kinds."""
    rng = np.random.default_rng(len(kind))
    count = 0
    contents, choices = ("noise", "labels", "one value"), (0, 1, 2, 3, 4, None)
    for size, content, choice, several in itertools.product(SIZES, contents, choices, (False, True)):
        image = pixels(kind, size, content, rng)
        filters = [choice] * size[0] if choice is not None else rng.integers(0, 5, size[0]).tolist()
        cuts = [0, 0, *rng.integers(0, 9, 3).tolist()] if several else []
        file = file_of(image, kind, filters, cuts=cuts, before=chunk(b"gAMA", b"\0\0\xb1\x8f") if several else b"")
        expected = by_pillow(file)
        found = fast(tmp_path / "a.png", file, kind, size)
        assert found is not None and found.dtype == expected.dtype and np.array_equal(found, expected), (size, choice)
        if KINDS[kind][1] != 2:
            assert np.array_equal(found, image)
        count += 1
    assert count == 288


@pytest.mark.parametrize("kind", KINDS)
def test_the_reader_gives_the_same_with_and_without_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = pixels(kind, (33, 130), "labels", np.random.default_rng(4))
    (tmp_path / "a.png").write_bytes(file_of(image, kind, [y % 5 for y in range(33)]))
    options = ReadOptions(colours=WAYS[KINDS[kind][1]])
    first = read_label_png(tmp_path / "a.png", options)
    monkeypatch.setattr(png_data, "native", None)
    second = read_label_png(tmp_path / "a.png", options)
    assert first.dtype == second.dtype and np.array_equal(first, second)


@needs_native
@pytest.mark.parametrize("n_extra", [-1, 0, 1])
def test_files_that_are_read_in_one_or_two_steps(n_extra: int, tmp_path: Path) -> None:
    """A file a byte shorter than what is read at first, of that size, and a byte longer."""
    image = pixels("grey", (200, 200), "noise", np.random.default_rng(5))
    without = len(file_of(image, "grey", [0] * 200, before=chunk(b"tEXt", b"")))
    text = chunk(b"tEXt", b"a" * (START - without + n_extra))
    content = file_of(image, "grey", [0] * 200, before=text)
    assert len(content) == START + n_extra
    (tmp_path / "a.png").write_bytes(content)
    assert np.array_equal(read_label_png(tmp_path / "a.png", ReadOptions()), image)


IMAGE = pixels("grey", (13, 67), "labels", np.random.default_rng(1))
ROWS = filtered(pixel_bytes(IMAGE), [y % 5 for y in range(13)])
DATA = zlib.compress(ROWS)


def grey(data: bytes = DATA, **more: Any) -> bytes:
    return png_file(data, (13, 67), 8, 0, **more)


UNUSUAL: dict[str, bytes] = {
    "a chunk that may change the pixels": grey(before=chunk(b"tRNS", b"\0\1")),
    "a chunk nobody knows": grey(before=chunk(b"quUX", b"")),
    "a second header": grey(before=chunk(b"IHDR", b"\0" * 13)),
    "image data that does not stand together": grey().replace(
        chunk(b"IDAT", DATA), chunk(b"IDAT", DATA[:20]) + chunk(b"tEXt", b"a\0b") + chunk(b"IDAT", DATA[20:])
    ),
    "no image data": grey().replace(chunk(b"IDAT", DATA), b""),
    "another method of compression": grey(methods=b"\1\0\0"),
    "another method of filters": grey(methods=b"\0\1\0"),
    "a filter PNG does not have": grey(zlib.compress(b"\5" + ROWS[1:])),
    "too little data": grey(zlib.compress(ROWS[:-1])),
    "too much data": grey(zlib.compress(ROWS + b"\0")),
    "far too much data": grey(zlib.compress(bytes(100_000_000))),
    "data cut off": grey(DATA[:-3]),
    "a wrong sum over the data": grey(DATA[:-1] + bytes([DATA[-1] ^ 1])),
    "a palette image without a palette": png_file(DATA, (13, 67), 8, 3),
    "no end": grey()[:-12],
    "a wrong checksum at the end": grey()[:-1] + b"\0",
}


@needs_native
@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_or_damaged_is_left_to_the_slow_way(name: str, tmp_path: Path) -> None:
    kind = "palette" if "palette" in name else "grey"
    assert fast(tmp_path / "a.png", UNUSUAL[name], kind, (13, 67)) is None


@pytest.mark.parametrize("name", ["far too much data", "too little data", "a wrong checksum at the end", "no end"])
def test_damage_is_an_error(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(UNUSUAL[name])
    with pytest.raises(FormatError, match="damaged image"):
        read_label_png(tmp_path / "a.png", ReadOptions())


@pytest.mark.parametrize("more", [b"", b"\0", b"behind the end" * 9])
def test_what_stands_behind_the_end_is_not_read(more: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(grey() + more)
    assert np.array_equal(read_label_png(tmp_path / "a.png", ReadOptions()), IMAGE)
    (tmp_path / "a.png").write_bytes(grey(DATA + more))
    assert np.array_equal(read_label_png(tmp_path / "a.png", ReadOptions()), IMAGE)


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Cut off, or with some bits turned; half of these with a checksum that fits, so that the damage gets further."""
    if rng.random() < 0.2:
        return content[: rng.integers(len(content))]
    wrong = bytearray(content)
    for at in rng.integers(8, len(content), rng.integers(1, 4)):
        wrong[at] ^= 1 << int(rng.integers(8))
    at = wrong.find(b"IDAT")
    length = int.from_bytes(wrong[at - 4 : at]) if at > 4 else len(wrong)
    if rng.random() < 0.5 and at > 4 and at + 8 + length <= len(wrong):
        wrong[at + 4 + length : at + 8 + length] = zlib.crc32(wrong[at : at + 4 + length]).to_bytes(4, "big")
    return bytes(wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_random_damage_is_an_error_or_changes_nothing_that_pillow_does_not_see(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """400 files of each of four kinds: all three ways refuse a file, or all read the same labels."""
    rng = np.random.default_rng(7)
    image = pixels(kind, (7, 19), "labels", rng)
    content = file_of(image, kind, [y % 5 for y in range(7)], cuts=[40])
    options = ReadOptions(colours=WAYS[KINDS[kind][1]], most_elements=10_000)
    path = tmp_path / "a.png"
    for _ in range(400):
        path.write_bytes(damaged(content, rng))
        outcomes: list[Any] = []
        for kernels, at_once in ((native, can_read_files()), (native, False), (None, False)):
            monkeypatch.setattr(png_data, "native", kernels)
            monkeypatch.setattr(png_data, "can_read_files", lambda at_once=at_once: at_once)
            try:
                outcomes.append(read_label_png(path, options).tolist())
            except FormatError as problem:
                outcomes.append(str(problem))
        assert outcomes[0] == outcomes[1] == outcomes[2]
