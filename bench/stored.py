"""Counting a stored volume, against only reading its chunks."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import segmetry as sm
from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import coarse_volume, shifted
from segmetry.overlaps.blocks import plan_of
from segmetry.readers.source import read_items

READ = "zarr reads the same chunks, one after the other"
FILES = "reading the files of the chunks into one buffer"


@cache
def volumes(**options: Any) -> tuple[Path, Path]:
    """Write volumes of 512³ uint32 in chunks of 128³, with zarr's default compression unless the options say other."""
    create = optional("zarr", "create_array")
    folder = Path(tempfile.mkdtemp())
    true = coarse_volume(512, 2000, seed=2)
    for name, labels in (("true", true), ("pred", shifted(true, 3))):
        target = folder / f"{name}.zarr"
        create(target, shape=labels.shape, chunks=(128,) * 3, dtype=labels.dtype, **options)[...] = labels
    return folder / "true.zarr", folder / "pred.zarr"


def labels_of(path: Path) -> Any:
    (item,) = read_items(path)
    return item.load()


def _contest(*sides: Any, metric: Callable[..., Any] = sm.overlap) -> Contest:
    opened = [optional("zarr", "open_array")(path, mode="r") for path in volumes()]
    plan = plan_of(*map(labels_of, volumes()))
    assert plan is not None
    boxes = [plan.box(number) for number in range(len(plan))]

    def read() -> None:
        for box in boxes:
            for array in opened:
                array[box]

    return Contest(lambda: metric(*sides), {READ: call_of(read)})


@case("512³ uint32 in zarr files, chunks of 128³, 2,000 instances", Limit(READ, at_most=1.3), quick=False)
def zarr_files() -> Contest:
    return _contest(*map(labels_of, volumes()))


@case("the same, handed in as zarr arrays", Limit(READ, at_most=1.3), quick=False)
def zarr_arrays() -> Contest:
    return _contest(*(optional("zarr", "open_array")(path, mode="r") for path in volumes()))


@case("the same in files that are not compressed", Limit(FILES, at_most=2), quick=False)
def not_compressed() -> Contest:
    paths = volumes(compressors=None)
    files = sorted(file for path in paths for file in (path / "c").rglob("*") if file.is_file())
    sides = [labels_of(path) for path in paths]
    buffer = bytearray(max(file.stat().st_size for file in files))

    def read() -> None:
        for file in files:
            with file.open("rb") as content:
                content.readinto(buffer)

    return Contest(lambda: sm.overlap(*sides), {FILES: read})


@case("VOI of the compressed files", Limit(READ, at_most=1.3), quick=False)
def information() -> Contest:
    return _contest(*map(labels_of, volumes()), metric=sm.voi)
