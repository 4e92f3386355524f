"""Counting label pairs: against reading the arrays, numpy, scikit-image and scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import cells, coarse_volume, shifted
from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.pairs import count_pairs

READ = "reading both arrays"
UNIQUE = "np.unique on combined keys"
SKIMAGE = "skimage.metrics.contingency_table"
SKLEARN = "sklearn.metrics.cluster.contingency_matrix"
TWIN = "our numpy version"


def combined_keys(true: NDArray[Any], pred: NDArray[Any]) -> object:
    return np.unique(true.astype(np.int64) * (int(pred.max()) + 1) + pred, return_counts=True)


def _sklearn(true: NDArray[Any], pred: NDArray[Any]) -> object:
    matrix = optional("sklearn.metrics.cluster", "contingency_matrix")
    return matrix(true.ravel(), pred.ravel(), sparse=True)


def _contest(true: NDArray[Any], pred: NDArray[Any]) -> Contest:
    return Contest(
        lambda: count_pairs(true, pred),
        {
            READ: call_of(getattr(native, "read_sum", None), true, pred),
            UNIQUE: call_of(combined_keys, true, pred),
            SKIMAGE: call_of(optional("skimage.metrics", "contingency_table"), true, pred),
            SKLEARN: call_of(optional("sklearn.metrics.cluster", "contingency_matrix") and _sklearn, true, pred),
            TWIN: call_of(numpy_twin(count_pairs), true, pred),
        },
    )


@case(
    "1024×2048 int32, 100 segments",
    Limit(READ, at_most=1.7),
    Limit(SKIMAGE, at_least=50),
    Limit(UNIQUE, at_least=30),
    Limit(SKLEARN, at_least=100),
)
def image() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    return _contest(true, shifted(true, 4))


@case("1024×2048 uint8, 100 segments", Limit(READ, at_most=4))
def image_of_bytes() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    return _contest(true.astype(np.uint8), shifted(true, 4).astype(np.uint8))


@case("our numpy version on 1024×2048 int32, 100 segments", Limit(SKIMAGE, at_least=4))
def image_numpy() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    pred = shifted(true, 4)
    skimage = optional("skimage.metrics", "contingency_table")
    return Contest(lambda: numpy_twin(count_pairs)(true, pred), {SKIMAGE: call_of(skimage, true, pred)})


@case("1024×2048, uint8 against int64", Limit(READ, at_most=2.5))
def mixed_dtypes() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    small, wide = true.astype(np.uint8), shifted(true, 4).astype(np.int64)
    return Contest(lambda: count_pairs(small, wide), {READ: call_of(getattr(native, "read_sum", None), small, wide)})


@case("both in Fortran order, 1024×2048 int32", Limit(READ, at_most=2.5))
def fortran() -> Contest:
    true = cells((1024, 2048), 100, seed=1)
    columns, other = np.asfortranarray(true), np.asfortranarray(shifted(true, 4))
    read = call_of(getattr(native, "read_sum", None), columns.T, other.T)
    return Contest(lambda: count_pairs(columns, other), {READ: read})


@case("arrays far larger than the caches: 20480×2048 int32, 100 segments a tile", Limit(READ, at_most=1.3), quick=False)
def large() -> Contest:
    tile = cells((1024, 2048), 100, seed=1)
    true, pred = np.tile(tile, (20, 1)), np.tile(shifted(tile, 4), (20, 1))
    return Contest(lambda: count_pairs(true, pred), {READ: call_of(getattr(native, "read_sum", None), true, pred)})


@case("512³ uint32, 2,000 instances", Limit(READ, at_most=1.7), quick=False)
def volume() -> Contest:
    true = coarse_volume(512, 2000, seed=2)
    pred = shifted(true, 3)
    return Contest(lambda: count_pairs(true, pred), {READ: call_of(getattr(native, "read_sum", None), true, pred)})


@case("random labels, 10⁵ ids, no runs, 1024×2048 int32", Limit(UNIQUE, at_least=5), Limit(SKIMAGE, at_least=2))
def random_labels() -> Contest:
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 100_000, (2, 1024, 2048)).astype(np.int32)
    return _contest(true, pred)


@case("64×64 int32, 10 segments: the cost of a call", Limit(SKIMAGE, at_least=5), Limit(UNIQUE, at_least=3))
def small() -> Contest:
    true = cells((64, 64), 10, seed=4)
    return _contest(true, shifted(true, 2))
