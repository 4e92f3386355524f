"""Elements, overlapping pairs and chunks of one volume."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import segmetry as sm
from bench.cases import optional
from bench.growth.curves import Call, grows

SIDE = 128


def _blocks(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return cubes of labels and the same moved by half a cube: eight of one side overlap one of the other."""
    steps = np.arange(SIDE, dtype=np.uint32) // side
    count = SIDE // side + 1
    true = 1 + steps[:, None, None] * count * count + steps[:, None] * count + steps
    return true, np.roll(true, (side // 2,) * 3, (0, 1, 2))


@grows("counting pairs of 128³ elements in smaller and smaller cubes", "pairs", tuple(8**n for n in range(2, 6)))
def count(size: int) -> Call:
    pair = _blocks(round(SIDE / size ** (1 / 3)))
    return lambda: sm.overlap(*pair)


@grows("counting pairs of a cube", "elements", tuple(n**3 for n in (32, 64, 128, 256)))
def elements(size: int) -> Call:
    side = round(size ** (1 / 3))
    labels = np.kron(np.arange(1, 65, dtype=np.uint32).reshape(4, 4, 4), np.ones((side // 4,) * 3, np.uint32))
    other = np.roll(labels, side // 16, 0)
    return lambda: sm.overlap(labels, other)


@grows("counting pairs of a zarr array", "chunks", (64, 216, 512, 1000))
def chunks(size: int) -> Call:
    create = optional("zarr", "create_array")
    side = round(16 * size ** (1 / 3))
    steps = np.arange(side, dtype=np.uint32) // 16
    labels = 1 + (steps[:, None, None] * 64 + steps[:, None] * 8 + steps) % 200
    folder = Path(tempfile.mkdtemp())
    for name in ("true", "pred"):
        create(folder / f"{name}.zarr", shape=labels.shape, chunks=(16, 16, 16), dtype=labels.dtype)[...] = labels
    return lambda: sm.score(folder / "true.zarr", folder / "pred.zarr", "pq")
