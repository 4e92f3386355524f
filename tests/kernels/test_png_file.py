"""Label images read in one step: what it refuses, and so leaves to the steps in Python, and what others see of it.

That both give the same labels is tested in tests/readers/parts/test_png_rows.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from segmetry.kernels.backend import native
from segmetry.kernels.png_decoding import PngRuns, can_read_files, png_file_labels

pytestmark = pytest.mark.skipif(not can_read_files(), reason="images are read step by step here")

LABELS = np.kron(np.arange(6, dtype=np.uint8).reshape(2, 3), np.ones((8, 20), np.uint8))
GREY, COLOURS, PALETTE = 1, 1 << 2, 1 << 3


@pytest.fixture
def image(tmp_path: Path) -> Path:
    Image.fromarray(LABELS).save(tmp_path / "a.png")
    return tmp_path / "a.png"


def labels_of(path: Path, colours: int = GREY, most_pixels: int = LABELS.size, **more: bool) -> PngRuns | None:
    found = png_file_labels(str(path), colours, most_pixels, 16, **more)
    assert not isinstance(found, np.ndarray)
    return found


def test_an_image_of_long_stretches(image: Path) -> None:
    found = labels_of(image)
    assert found is not None and (found.shape, found.bytes_per_pixel) == ((16, 60), 1)
    assert found.sizes[0].tolist() == list(range(6)) and found.sizes[1].tolist() == [160] * 6
    assert np.array_equal(np.repeat(found.run_lengths.labels, np.diff(found.run_lengths.stops, prepend=0)), LABELS.flat)


def test_an_image_of_short_stretches_is_an_array(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 2**16, (30, 40)).astype(np.uint16)
    Image.fromarray(noise).save(tmp_path / "a.png")
    found = png_file_labels(str(tmp_path / "a.png"), GREY, noise.size, 16)
    assert isinstance(found, np.ndarray) and found.dtype == np.uint16 and np.array_equal(found, noise)


def test_nothing_is_read_before_libdeflate_is_loaded(image: Path) -> None:
    program = f"""
from segmetry.kernels.png_decoding import can_read_files, png_file_labels
before = png_file_labels({str(image)!r}, {GREY}, {LABELS.size}, 16)
assert can_read_files()
print(before, png_file_labels({str(image)!r}, {GREY}, {LABELS.size}, 16).shape)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, encoding="utf-8")
    assert done.stdout.split(maxsplit=1) == ["None", "(16, 60)\n"]


def test_colour_types_that_are_not_asked_for(image: Path) -> None:
    assert labels_of(image, COLOURS | PALETTE) is None
    Image.fromarray(np.stack([LABELS] * 3, axis=-1)).save(image)
    assert labels_of(image, GREY | PALETTE) is None and labels_of(image, COLOURS) is not None


def test_more_pixels_than_allowed(image: Path) -> None:
    assert labels_of(image, most_pixels=LABELS.size - 1) is None


@pytest.mark.parametrize("name", ["absent.png", "a\0.png", ".", ""])
def test_what_is_no_file(name: str, image: Path) -> None:
    assert png_file_labels(f"{image.parent}/{name}", GREY, 10**6, 16) is None


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.png")
    assert labels_of(tmp_path / "a.png") is None


def test_links_are_followed_unless_that_is_forbidden(image: Path) -> None:
    link, folder = image.parent / "link.png", image.parent / "folder"
    link.symlink_to(image)
    folder.symlink_to(image.parent)
    assert labels_of(link) is not None and labels_of(link, follow_links=False) is None
    assert labels_of(folder / "a.png", follow_links=False) is not None


def test_names_that_are_not_utf_8(image: Path) -> None:
    other = os.fsdecode(os.fsencode(image.parent) + b"/\xff.png")
    image.rename(other)
    assert png_file_labels(other, GREY, LABELS.size, 16) is not None


def test_hooks_are_told_what_is_opened(image: Path) -> None:
    wanted, seen = {str(image)}, set()  # a hook cannot be removed
    sys.addaudithook(lambda event, arguments: seen.update(wanted & {str(arguments[0])}) if event == "open" else None)
    labels_of(image)
    assert seen == wanted


def test_other_threads_go_on(tmp_path: Path) -> None:
    """The main thread gets a turn during the call, though Python takes the lock from no thread."""
    Image.fromarray(np.zeros((4000, 4000), np.uint8)).save(tmp_path / "a.png")
    interval, state = sys.getswitchinterval(), ["waiting"]

    def worker() -> None:
        state[0] = "calling"
        png_file_labels(str(tmp_path / "a.png"), GREY, 10**8, 16)
        state[0] = "done"

    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=worker)
        thread.start()
        while state[0] == "waiting":
            thread.join(0.0001)
        seen = state[0]
        thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert seen == "calling"


def test_a_module_without_libdeflate_is_rejected(tmp_path: Path) -> None:
    assert native is not None
    assert not native.load_libdeflate(str(tmp_path / "absent.so"))
    assert not native.load_libdeflate(native.__file__)
    assert can_read_files()
