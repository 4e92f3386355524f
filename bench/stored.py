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


@cache
def volumes() -> tuple[Path, Path]:
    """Write volumes of 512³ uint32 in chunks of 128³, with zarr's default compression."""
    create = optional("zarr", "create_array")
    folder = Path(tempfile.mkdtemp())
    true = coarse_volume(512, 2000, seed=2)
    for name, labels in (("true", true), ("pred", shifted(true, 3))):
        create(folder / f"{name}.zarr", shape=labels.shape, chunks=(128,) * 3, dtype=labels.dtype)[...] = labels
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


@case("VOI of the same, from the files", Limit(READ, at_most=1.3), quick=False)
def information() -> Contest:
    return _contest(*map(labels_of, volumes()), metric=sm.voi)
