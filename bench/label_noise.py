"""Counting labels without runs, in short runs, in two memory orders and of many segments: where a dense table, bands of
rows and sorting matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, call_of, case, optional
from bench.overlap import READ, UNIQUE, combined_keys
from bench.shapes import cells, shifted
from segmetry.kernels.backend import native
from segmetry.kernels.pairs import count_pairs

BINCOUNT = "np.bincount on combined keys (a dense matrix)"
NUMBA = "numba: a loop into a dense matrix"
SHAPE = (1024, 2048)


def _bincount(true: NDArray[Any], pred: NDArray[Any]) -> object:
    n_pred = int(pred.max()) + 1
    keys = true.ravel().astype(np.int64) * n_pred + pred.ravel()
    return np.bincount(keys, minlength=(int(true.max()) + 1) * n_pred)


def _matrix(true: NDArray[Any], pred: NDArray[Any]) -> NDArray[Any]:
    """The loop of packages that count with numba, such as StarDist."""
    counts = np.zeros((true.max() + 1, pred.max() + 1), dtype=np.uint32)
    for at in range(true.size):
        counts[true[at], pred[at]] += 1
    return counts


def _contest(true: NDArray[Any], pred: NDArray[Any]) -> Contest:
    compile_loop = optional("numba", "njit")
    loop = compile_loop(_matrix) if compile_loop else None
    if loop is not None:
        loop(true.ravel()[:9], pred.ravel()[:9])
    peers = {BINCOUNT: call_of(_bincount, true, pred), NUMBA: call_of(loop, true.ravel(), pred.ravel())}
    return Contest(lambda: count_pairs(true, pred), peers)


def _noise(n_ids: int, dtype: str = "int32") -> Contest:
    true, pred = np.random.default_rng(3).integers(0, n_ids, (2, *SHAPE)).astype(dtype)
    return _contest(true, pred)


AS_FAST = Limit(BINCOUNT, at_least=1), Limit(NUMBA, at_least=1)


@case("noise of 2 ids, 1024×2048 int32", *AS_FAST)
def noise_of_2() -> Contest:
    return _noise(2)


@case("noise of 10 ids, 1024×2048 int32", *AS_FAST)
def noise_of_10() -> Contest:
    return _noise(10)


@case("noise of 100 ids, 1024×2048 int32", *AS_FAST)
def noise_of_100() -> Contest:
    return _noise(100)


@case("noise of 1,000 ids, 1024×2048 int32: 877,000 rows", *AS_FAST)
def noise_of_1000() -> Contest:
    return _noise(1000)


@case("noise of 100 ids, 1024×2048 uint8", *AS_FAST)
def noise_of_bytes() -> Contest:
    return _noise(100, "uint8")


@case("runs of 4 to 8 pixels, 1024×2048 int32", Limit(BINCOUNT, at_least=1.5), Limit(NUMBA, at_least=1.5))
def short_runs() -> Contest:
    rng = np.random.default_rng(4)
    size = SHAPE[0] * SHAPE[1]
    sides = [np.repeat(rng.integers(0, 100, size // 4), rng.integers(4, 9, size // 4))[:size] for _ in range(2)]
    return _contest(*(side.reshape(SHAPE).astype(np.int32) for side in sides))


@case("C order against Fortran order, 1024×2048 int32, 100 segments", Limit(READ, at_most=8))
def two_orders() -> Contest:
    true = cells(SHAPE, 100, seed=1)
    pred = np.asfortranarray(shifted(true, 4))
    return Contest(lambda: count_pairs(true, pred), {READ: call_of(getattr(native, "read_sum", None), true, pred.T)})


@case("256³ uint32, 262,144 segments of 4³ voxels: 2,097,152 rows", Limit(UNIQUE, at_least=3), quick=False)
def many_segments() -> Contest:
    side = np.arange(256) // 4
    true = ((side[:, None, None] * 64 + side[:, None]) * 64 + side).astype(np.uint32)
    pred = np.roll(true, (1, 1, 1), (0, 1, 2))
    return Contest(lambda: count_pairs(true, pred), {UNIQUE: call_of(combined_keys, true, pred)})
