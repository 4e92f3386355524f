"""Random label volumes for the protocols of connectomics, degenerate ones included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.protocols.references.table_values import DATA_SETS

Volume = NDArray[Any]


def blocks(rng: np.random.Generator, shape: tuple[int, ...], labels: int) -> Volume:
    """Blocks of two voxels a side, some of them 0."""
    coarse = rng.integers(0, labels + 1, [-(-n // 2) for n in shape])
    for axis in range(len(shape)):
        coarse = coarse.repeat(2, axis=axis)
    return coarse[tuple(slice(n) for n in shape)]


def data_sets(seed: int) -> Iterator[list[tuple[Volume, Volume]]]:
    """Data sets of one to three volumes; then one voxel, one segment, an empty prediction, zeros on both sides."""
    rng = np.random.default_rng(seed)
    for _ in range(DATA_SETS):
        volumes = []
        for _ in range(rng.integers(1, 4)):
            shape = tuple(rng.integers(1, 6, 3).tolist())
            true = blocks(rng, shape, int(rng.integers(1, 6)))
            pred = np.where(rng.random(shape) < 0.7, true * 7 % 11, blocks(rng, shape, 4))
            volumes.append((true, pred))
        yield volumes
    one, two = np.ones((1, 1, 1), dtype=int), np.array([[[1, 1, 2, 2]]])
    yield [(one, one)]
    yield [(two, np.ones_like(two))]
    yield [(two, np.zeros_like(two))]
    yield [(np.array([[[0, 1, 1, 2]]]), np.array([[[0, 0, 3, 3]]]))]
