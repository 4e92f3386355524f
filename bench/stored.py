"""Counting a stored volume, against only reading its chunks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from bench.shapes import coarse_volume, shifted
from segmetry.readers.source import read_items

READ = "zarr reads the same chunks, one after the other"
FILES = "reading the files of the chunks into one buffer"


@cache
def volumes(chunk: int = 128, **options: Any) -> tuple[Path, Path]:
    """Write volumes of 512³ uint32 in cubic chunks, with zarr's default compression unless the options say other."""
    create = optional("zarr", "create_array")
    folder = Path(tempfile.mkdtemp())
    true = coarse_volume(512, 2000, seed=2)
    for name, labels in (("true", true), ("pred", shifted(true, 3))):
        target = folder / f"{name}.zarr"
        create(target, shape=labels.shape, chunks=(chunk,) * 3, dtype=labels.dtype, **options)[...] = labels
    return folder / "true.zarr", folder / "pred.zarr"


def labels_of(path: Path) -> Any:
    (item,) = read_items(path)
    return item.load()


def _read_by_zarr(paths: tuple[Path, Path], chunk: int = 128) -> Call:
    """Return a call that reads one chunk after the other."""
    opened = [optional("zarr", "open_array")(path, mode="r") for path in paths]
    corners = list(product(range(0, 512, chunk), repeat=3))

    def read() -> None:
        for corner in corners:
            for array in opened:
                array[tuple(slice(start, start + chunk) for start in corner)]

    return read


def _contest(*sides: Any, metric: Callable[..., Any] = sm.overlap) -> Contest:
    return Contest(lambda: metric(*sides), {READ: _read_by_zarr(volumes())})


@case("512³ uint32 in zarr files, chunks of 128³, 2,000 instances", Limit(READ, at_most=1.3), quick=False)
def zarr_files() -> Contest:
    return _contest(*map(labels_of, volumes()))


@case("the same, handed in as zarr arrays", Limit(READ, at_most=1.3), quick=False)
def zarr_arrays() -> Contest:
    return _contest(*(optional("zarr", "open_array")(path, mode="r") for path in volumes()))


@case("the same in chunks of 32³", Limit(READ, at_most=2), quick=False)
def small_chunks() -> Contest:
    paths = volumes(32)
    sides = [labels_of(path) for path in paths]
    return Contest(lambda: sm.overlap(*sides), {READ: _read_by_zarr(paths, 32)})


@case("the same in files that are not compressed", Limit(READ, at_most=1.3), Limit(FILES), quick=False)
def not_compressed() -> Contest:
    paths = volumes(compressors=None)
    files = sorted(file for path in paths for file in (path / "c").rglob("*") if file.is_file())
    sides = [labels_of(path) for path in paths]
    buffer = bytearray(max(file.stat().st_size for file in files))

    def read() -> None:
        for file in files:
            with file.open("rb") as content:
                content.readinto(buffer)

    return Contest(lambda: sm.overlap(*sides), {READ: _read_by_zarr(paths), FILES: read})


@case("VOI of the compressed files", Limit(READ, at_most=1.3), quick=False)
def information() -> Contest:
    return _contest(*map(labels_of, volumes()), metric=sm.voi)
