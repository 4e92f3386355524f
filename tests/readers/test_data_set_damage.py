"""Damaged files of every data set: a clear error or items of the same shape, never another exception."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from segmetry.errors import DataWarning, MissingExtraError, SegmetryError
from segmetry.overlaps.count import overlap
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import Source, find_reader, read_items
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.polygons import Polygons
from tests.hardening.mutations import damaged
from tests.profiles import count
from tests.readers.data_sets import DATA_SETS
from tests.readers.memory import at_most

DAMAGES = count(25)
BUDGET = 10**6


@pytest.mark.parametrize("name", DATA_SETS)
def test_recognised_by_content_and_read(name: str, tmp_path: Path) -> None:
    sample = DATA_SETS[name]
    if sample.needs:
        pytest.importorskip(sample.needs)
    path = sample.write(tmp_path)
    if sample.sniffed:
        assert find_reader(path).name == name
    found = list(read_items(path, None if sample.sniffed else name, ReadOptions(**sample.options)))
    assert found
    assert {item.load().domain for item in found} == {sample.shape}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: thousands of files are written."""
    if not os.access("/dev/shm", os.W_OK):  # noqa: S108
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as found:
        yield Path(found)


def check_size(found: Segmentation) -> None:
    """What is read lies within the budget, and polygons can be counted or are refused."""
    if not isinstance(found, Polygons):
        assert 0 < found.n_elements <= BUDGET
        return
    with contextlib.suppress(SegmetryError):
        overlap(found, found)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA_SETS)
def test_damaged_data_sets_are_rejected_or_read(name: str, folder: Path) -> None:
    sample = DATA_SETS[name]
    if sample.needs:
        pytest.importorskip(sample.needs)
    chance = random.Random(f"{name} 20120607")  # noqa: S311
    path = sample.write(folder)
    options, refused = ReadOptions(most_elements=BUDGET, **sample.options), []
    files = list(sample.files)
    for number in range(DAMAGES):
        file = chance.choice(files)
        (folder / file).write_bytes(damaged(sample.files[file], chance))
        try:
            with at_most(2**30), warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)
                if number % 10 == 0:
                    find_reader(path)
                for item in Source(path, options, name).items():
                    assert item.name.isprintable()
                    check_size(item.load())
        except SegmetryError as problem:
            refused.append(str(problem))
        (folder / file).write_bytes(sample.files[file])
    assert len(refused) > DAMAGES // 20, "damage must be noticed"
    assert [words for words in refused if str(path) not in words or not words.isprintable()] == []
    assert list(Source(path, options, name).items()), "what was repaired is read again"


@pytest.mark.parametrize("name", DATA_SETS)
def test_what_is_declared_meets_the_budget_first(name: str, tmp_path: Path) -> None:
    sample = DATA_SETS[name]
    if sample.needs:
        pytest.importorskip(sample.needs)
    path = sample.write(tmp_path)
    items = read_items(path, name, ReadOptions(most_elements=1, **sample.options))
    with pytest.raises(SegmetryError, match="more than the budget of 1; raise it with --max-elements"):
        [item.load() for item in items]


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [("tiff", "tifffile", "tiff"), ("nifti", "nibabel", "medical"),
     ("dicom-seg", "pydicom", "medical"), ("hdf5", "h5py", "hdf5"),
     ("coco-instances", "pycocotools.mask", "coco")],
)  # fmt: skip
def test_a_missing_package_is_named_with_its_extra(
    name: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / "file"
    sample = DATA_SETS[name]
    path.write_bytes(sample.files[sample.entry])
    items = read_items(path, name, ReadOptions(isolate=False))  # a child would have the package
    with pytest.raises(MissingExtraError, match=rf"pip install 'segmetry\[{extra}\]'"):
        [item.load() for item in items]
