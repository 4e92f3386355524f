"""The column of time of the attack table: reading takes time that grows linearly with the size of the files."""

from __future__ import annotations

import gc
import shutil
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from segmetry.errors import SegmetryError
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import read_items
from tests.hardening.grown_files import grown
from tests.readers.attacks import TABLE, Attack
from tests.readers.data_sets import DATA_SETS, DataSet
from tests.readers.samples import SAMPLES

pytestmark = pytest.mark.faults

SMALL = 50_000
"""Bytes of the smaller file; the larger one is four times as large."""
SECONDS, SECONDS_PER_MEGABYTE = 1.0, 10.0
"""The bound that is promised for any file, on any machine; most formats take a hundredth of it."""
RATIO = 9.0
"""Four is linear and sixteen quadratic; a part of the time does not grow, and clocks are coarse."""
TOO_SHORT = 0.05
FORMATS = sorted(TABLE)


def sample_of(name: str) -> DataSet:
    if name in DATA_SETS:
        return DATA_SETS[name]
    sample = SAMPLES[name]
    return DataSet({f"a{sample.suffix}": sample.content}, f"a{sample.suffix}", (), options=sample.options)


def cpu_seconds(path: Path, name: str) -> float:
    """The time to read a file, the shorter of two, without what the collector of garbage spends on other tests."""
    spent = []
    gc.disable()
    try:
        for _ in range(2):
            begun = time.process_time()
            read_or_refuse(path, name)
            spent.append(time.process_time() - begun)
    finally:
        gc.enable()
    return min(spent)


def read_or_refuse(path: Path, name: str) -> None:
    options = ReadOptions(most_elements=10**7, isolate=False, **sample_of(name).options)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for item in read_items(path, name, options):
                item.load()
    except SegmetryError:
        return


def written(sample: DataSet, file: str, size: int, folder: Path) -> tuple[Path, int]:
    """A copy of the sample in which one file has about this size, and that size."""
    content = sample.files[file]
    folder.mkdir(parents=True)
    path = sample.write(folder)
    larger = grown(content, max(1, size // max(1, len(content))))
    (folder / file).write_bytes(larger)
    return path, len(larger)


@pytest.mark.parametrize("name", FORMATS)
def test_time_grows_with_the_file(name: str, tmp_path: Path) -> None:
    sample = sample_of(name)
    if sample.needs:
        pytest.importorskip(sample.needs)
    (tmp_path / "first").mkdir()
    read_or_refuse(sample.write(tmp_path / "first"), name)  # imports what the format needs
    for number, file in enumerate(file for file, content in sample.files.items() if content):
        small, _ = written(sample, file, SMALL, tmp_path / f"{number} small")
        large, size = written(sample, file, 4 * SMALL, tmp_path / f"{number} large")
        short, long = cpu_seconds(small, name), cpu_seconds(large, name)
        assert long < SECONDS + SECONDS_PER_MEGABYTE * size / 10**6
        assert long < max(TOO_SHORT, RATIO * short), f"{file}: {short:.3f} s, and {long:.3f} s for four times the size"


def test_time_grows_with_the_number_of_chunks(tmp_path: Path) -> None:
    """HDF5 finds the place of one chunk by walking over all before it."""
    h5py = pytest.importorskip("h5py")
    spent = []
    for n in (4_000, 16_000):
        with h5py.File(tmp_path / f"{n}.h5", "w") as file:
            stored = file.create_dataset("x", data=np.ones((n, 4), np.uint8), chunks=(1, 4), compression="gzip")
            assert stored.id.get_num_chunks() == n
        spent.append(cpu_seconds(tmp_path / f"{n}.h5", "hdf5"))
    assert spent[1] < max(TOO_SHORT, RATIO * spent[0]), spent


CELLS = [(name, kind) for name, row in TABLE.items() for kind, cell in row.items() if isinstance(cell, Attack)]


@pytest.mark.parametrize(("name", "kind"), CELLS)
def test_hostile_files_are_rejected_in_little_time(name: str, kind: str, tmp_path: Path) -> None:
    """As they are, and with their parts as many times as make files of the two sizes."""
    if sample_of(name).needs:
        pytest.importorskip(str(sample_of(name).needs))
    attack = TABLE[name][kind]
    assert isinstance(attack, Attack)
    (home := tmp_path / "written").mkdir()
    original, spent = attack.write(home), []
    for size in (0, SMALL, 4 * SMALL):
        folder = shutil.copytree(home, tmp_path / str(size), symlinks=True)
        path = folder / original.relative_to(home)
        n_bytes = grow_files(path if path.is_dir() else path.parent, size)
        spent.append(cpu_seconds(path, name))
        assert spent[-1] < SECONDS + SECONDS_PER_MEGABYTE * n_bytes / 10**6
    _, short, long = spent
    assert long < max(TOO_SHORT, RATIO * short), f"{short:.3f} s, and {long:.3f} s for four times the size"


def grow_files(folder: Path, size: int) -> int:
    """Grow every file that is smaller to about this size; return the bytes of all."""
    total = 0
    for file in (file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()):
        content = file.read_bytes()
        if 0 < len(content) < size:
            content = grown(content, size // len(content))
            file.write_bytes(content)
        total += len(content)
    return total
