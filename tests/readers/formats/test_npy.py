"""numpy files: checked before anything is read, never unpickled."""

from __future__ import annotations

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

import segmetry as sm
from segmetry.errors import FormatError, InputError, SegmetryError
from segmetry.readers.formats.arrays.npy import stacked_channels
from segmetry.segmentation.labels import LabelArray
from tests.profiles import examples
from tests.readers.samples import npy, npz, read, read_text_as

INTEGERS = hnp.integer_dtypes(endianness="?") | hnp.unsigned_integer_dtypes(endianness="?") | hnp.boolean_dtypes()


def labels(folder: Path, content: bytes, name: str = "file.npy", **options: object) -> np.ndarray:
    (item,) = read_text_as(folder, None, content, name, **options)
    assert isinstance(item.load(), LabelArray)
    return item.load().labels


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("arrays")


@examples(1 / 2)
@given(hnp.arrays(INTEGERS, hnp.array_shapes(max_dims=3, max_side=4)))
def test_integers_of_all_kinds_come_back(folder: Path, array: np.ndarray) -> None:
    for order in (np.ascontiguousarray(array), np.asfortranarray(array)):
        for content, name in ((npy(order), "file.npy"), (npz(a=order), "file.npz")):
            found = labels(folder, content, name)
            assert found.dtype == array.dtype and np.array_equal(found, array)


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_all_versions_of_the_format(version: tuple[int, int], tmp_path: Path) -> None:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.arange(6).reshape(2, 3), version=version)
    assert labels(tmp_path, file.getvalue()).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_file_that_is_cut_off_while_it_is_used_is_one_error(tmp_path: Path) -> None:
    """A file that is mapped into memory would end the process (SIGBUS)."""
    file = tmp_path / "a.npy"
    np.save(file, np.ones((2**11, 2**11), np.uint16))
    read = sm.read(file)
    assert isinstance(read, LabelArray) and read.stored is not None
    os.truncate(file, 2**20)
    with pytest.raises(InputError, match=r"a\.npy: was cut off while it was read"):
        sm.overlap(read, read)
    np.save(file, np.ones((100, 100), np.uint16))
    read = sm.read(file)
    os.truncate(file, 200)
    assert sm.overlap(read, read).shared.tolist() == [10**4]


def test_the_options_of_labels_are_used(tmp_path: Path) -> None:
    (item,) = read_text_as(tmp_path, None, npy(np.array([0, 7])), outside=None, void=7)
    assert isinstance(item.load(), LabelArray)
    assert (item.load().outside, item.load().void) == ((), (7,))


def header(text: str, content: bytes = b"") -> bytes:
    """A file whose header says what it likes."""
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode("latin-1") + content


GOOD = "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (header(GOOD, b"\0" * 15), "15.*bytes; its header needs|its header needs"),
        (header(GOOD, b"\0" * 17), "cut off or damaged"),
        (npy(np.arange(9))[:40], "the header is cut off"),
        (npy(np.arange(9))[:7], "not a numpy array of version 1 to 3, or cut off"),
        (header(GOOD.replace("(2,)", "(100000, 100000)")), r"\(100000, 100000\), 10000000000 elements, more than"),
        (header(GOOD.replace("(2,)", "(" + "9" * 30 + ",)")), "damaged numpy header: shape"),
        (header(GOOD.replace("(2,)", "(-2,)")), "'shape' is missing"),
        (header(GOOD.replace("(2,)", "(0, 3)")), r"declares shape \(0, 3\); expected at least one element"),
        (header(GOOD.replace("(2,)", "(2 3)")), "damaged numpy header: shape"),
        (header(GOOD.replace("}", ", 'x': 1}")), "damaged numpy header: .*x"),
        (header(GOOD.replace("False", "__import__('os')")), "'fortran_order' is missing"),
        (b"\x93NUMPY\2\0" + (2**31).to_bytes(4, "little"), "declares a header of 2147483648 bytes"),
        (b"\x93NUMPY\4\0\0\0", "not a numpy array of version 1 to 3"),
        (npy(np.array([0.5])), "0.5|float64"),
        (npy(np.array(["a"])), "contains no integers .*<U1"),
        (npy(np.zeros(2, [("a", "i4")])), "contains no integers"),
        (npy(np.array([{}], dtype=object)), r"Python objects, which are never unpickled \(dtype '\|O'\)"),
    ],
)  # fmt: skip
def test_wrong_headers_are_rejected(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words) as caught:
        labels(tmp_path, content)
    assert str(tmp_path / "file.npy") in str(caught.value)


def test_nothing_is_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickle, "load", lambda *_: pytest.fail("something was unpickled"))
    objects = np.array([{}], dtype=object)
    for content, name in ((npy(objects), "file.npy"), (npz(a=objects), "file.npz")):
        with pytest.raises(SegmetryError, match="never unpickled"):
            labels(tmp_path, content, name)
    with pytest.raises(FormatError):
        read_text_as(tmp_path, "npy", pickle.dumps([1, 2]))


class TestArchives:
    def test_one_array_is_named_by_the_file_and_several_by_themselves(self, tmp_path: Path) -> None:
        one = read_text_as(tmp_path, None, npz(x=np.ones(2, dtype=int)), "city.npz")
        two = read_text_as(tmp_path, None, npz(x=np.ones(2, dtype=int), y=np.ones(3, dtype=int)), "city.npz")
        assert [[item.name for item in found] for found in (one, two)] == [["city"], ["x", "y"]]

    def archive(self, path: Path, content: bytes, *, name: str = "a.npy", **facts: int) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, content)
            for fact, value in facts.items():
                setattr(file.infolist()[0], fact, value)
        return path

    def test_more_or_less_data_than_declared(self, tmp_path: Path) -> None:
        for content in (npy(np.arange(9))[:-1], npy(np.arange(9)) + b"\0"):
            with pytest.raises(
                FormatError, match="its header needs 72 bytes of data; the archive contains another number"
            ):
                read(self.archive(tmp_path / "a.npz", content))

    def test_a_bomb_is_rejected_by_its_declared_size(self, tmp_path: Path) -> None:
        """Ten thousand million elements in a few kilobytes: refused by the header, before anything is inflated."""
        path = self.archive(tmp_path / "a.npz", header(GOOD.replace("(2,)", "(10000000000,)"), b"\0" * 10**6))
        assert path.stat().st_size < 10_000
        with pytest.raises(FormatError, match="declares 10000000000 elements, more than the budget"):
            read(path)

    def test_a_bomb_that_declares_little_is_not_inflated(self, tmp_path: Path) -> None:
        path = self.archive(tmp_path / "a.npz", header(GOOD, b"\0" * 10**7))
        with pytest.raises(FormatError, match="its header needs 16 bytes"):
            read(path)

    @pytest.mark.parametrize("name", ["../../a.npy", "/etc/a.npy", "a\x1b[2J.npy", ".npy"])
    def test_hostile_names_of_members(self, name: str, tmp_path: Path) -> None:
        path = self.archive(tmp_path / "a.npz", npy(np.ones(2, dtype=int)), name=name)
        with zipfile.ZipFile(path, "a") as file:
            file.writestr("other.npy", npy(np.ones(2, dtype=int)))
        with pytest.raises(FormatError, match=r"leads out of its folder|a control character|is empty"):
            read(path)

    def test_damaged_archives(self, tmp_path: Path) -> None:
        content = npz(a=np.arange(1000))
        flipped = bytearray(content)
        flipped[100] ^= 255
        for wrong in (content[:-10], bytes(flipped), b"PK\3\4"):
            with pytest.raises(FormatError, match=r"file\.npz"):
                read_text_as(tmp_path, None, wrong, "file.npz")
        with pytest.raises(FormatError, match="contains no numpy array"):
            read(self.archive(tmp_path / "a.npz", b"", name="readme.txt"))


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_a_damaged_member_is_one_error_whatever_its_compression(compression: int, tmp_path: Path) -> None:
    path = tmp_path / "file.npz"
    rng = np.random.default_rng(0)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("a.npy", npy(rng.integers(0, 9, 4000)))
    content = bytearray(path.read_bytes())
    for _ in range(60):
        damaged = bytearray(content)
        for at in rng.integers(40, len(content) - 120, 4).tolist():
            damaged[at] ^= int(rng.integers(1, 256))
        with pytest.raises(FormatError, match=r"file\.npz"):
            labels(tmp_path, bytes(damaged), "file.npz")


@pytest.mark.parametrize("name", ["a\nb.npy", "\x1b[2J.npy", "a" * 3000 + ".npy"])
def test_names_of_members_are_checked_before_they_are_printed(name: str, tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, npy(np.zeros(0)))
        archive.writestr("b.npy", npy(np.ones(3, int)))
    with pytest.raises(FormatError, match="the name of a member") as problem:
        labels(tmp_path, file.getvalue(), "file.npz")
    assert str(problem.value).isprintable() and len(str(problem.value)) < 500


def test_the_example_of_stacked_channels() -> None:
    file = io.BytesIO()
    np.save(file, np.zeros((1, 16, 16, 2), np.uint8))
    assert stacked_channels(file.getvalue()) == 2
