"""Counting label pairs without long runs, against the dense tables that people write for few labels.

``np.bincount`` of combined labels is the plain numpy version. The loop is that of label-image packages, compiled by
numba where that is installed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Call, Contest, Limit, case, optional
from segmetry.kernels.pairs import count_pairs

BINCOUNT, LOOP = "np.bincount of combined labels", "a dense table filled by a loop in numba"
SHAPE = (1024, 2048)
Labels = NDArray[np.integer[Any]]


def _bincount(true: Labels, pred: Labels) -> object:
    width = int(pred.max()) + 1
    counts = np.bincount((true.astype(np.int64) * width + pred).ravel())
    rows = np.flatnonzero(counts)
    return rows // width, rows % width, counts[rows]


def _loop(true: Labels, pred: Labels) -> Call | None:
    compile_loop = optional("numba", "njit")
    if compile_loop is None:
        return None

    def fill(first: Any, second: Any, table: Any) -> None:
        for at in range(first.size):
            table[first[at], second[at]] += 1

    compiled = compile_loop(fill)

    def call() -> object:
        table = np.zeros((int(true.max()) + 1, int(pred.max()) + 1), np.uint32)
        compiled(true.ravel(), pred.ravel(), table)
        return table

    call()
    return call


def _contest(true: Labels, pred: Labels) -> Contest:
    return Contest(lambda: count_pairs(true, pred), {BINCOUNT: lambda: _bincount(true, pred), LOOP: _loop(true, pred)})


def _noise(ids: int, dtype: str = "int32") -> Contest:
    true, pred = np.random.default_rng(3).integers(0, ids, (2, *SHAPE)).astype(dtype)
    return _contest(true, pred)


LIMITS = Limit(BINCOUNT, at_least=1), Limit(LOOP, at_least=1)


@case("noise of 2 labels, 1024×2048 int32", *LIMITS)
def noise_2() -> Contest:
    return _noise(2)


@case("noise of 100 labels, 1024×2048 int32", *LIMITS)
def noise_100() -> Contest:
    return _noise(100)


@case("noise of 1,000 labels, 1024×2048 int32", *LIMITS)
def noise_1000() -> Contest:
    return _noise(1000)


@case("noise of 100 labels, 1024×2048 uint8", *LIMITS)
def noise_bytes() -> Contest:
    return _noise(100, "uint8")


@case("runs of 4 to 8 pixels, 1024×2048 int32", Limit(BINCOUNT, at_least=1.5), Limit(LOOP, at_least=1.5))
def short_runs() -> Contest:
    numbers = np.random.default_rng(3)
    size = SHAPE[0] * SHAPE[1]

    def labels() -> Labels:
        lengths = numbers.integers(4, 9, size // 4)
        return np.repeat(numbers.integers(0, 100, lengths.size), lengths)[:size].reshape(SHAPE).astype(np.int32)

    return _contest(labels(), labels())
