"""The cost of one call on tiny arrays, 16×16 elements: what a loop over many small masks or a training step pays.

Against numpy code for the same number, written as people write it, and against calls of scikit-learn. No targets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import segmetry as sm
from bench.cases import Call, Contest, Limit, case, optional
from bench.shapes import cells, shifted

NUMPY, LEARN = "plain numpy", "scikit-learn"
SHAPE = (16, 16)


def _labels() -> tuple[NDArray[Any], NDArray[Any]]:
    true = cells(SHAPE, 5, seed=1) + 1
    return true, shifted(true, 1)


def _contest(ours: Callable[[], float], peers: dict[str, Call | None]) -> Contest:
    """Return the calls, after checking that all of them give the same number."""
    for name, peer in peers.items():
        value = ours() if peer is None else float(peer())
        if abs(value - ours()) > 1e-12:
            raise AssertionError(f"{name} gives {value}, segmetry {ours()}")
    return Contest(ours, peers)


def _numpy_pq(true: NDArray[Any], pred: NDArray[Any]) -> float:
    keys, counts = np.unique(true.astype(np.int64) << 32 | pred, return_counts=True)
    true_ids, true_sizes = np.unique(true, return_counts=True)
    pred_ids, pred_sizes = np.unique(pred, return_counts=True)
    union = (
        true_sizes[np.searchsorted(true_ids, keys >> 32)]
        + pred_sizes[np.searchsorted(pred_ids, keys & 0xFFFFFFFF)]
        - counts
    )
    matched = 2 * counts > union
    return float(2 * (counts[matched] / union[matched]).sum() / (true_ids.size + pred_ids.size))


@case("sm.pq of two label arrays, 16×16, 5 segments", Limit(NUMPY))
def pq() -> Contest:
    true, pred = _labels()
    return _contest(lambda: sm.pq(true, pred).value, {NUMPY: lambda: _numpy_pq(true, pred)})


@case("sm.iou of two masks, 16×16", Limit(NUMPY), Limit(LEARN))
def iou() -> Contest:
    true, pred = (side > 2 for side in _labels())
    learn = optional("sklearn.metrics", "jaccard_score")
    peers: dict[str, Call | None] = {
        NUMPY: lambda: (true & pred).sum() / (true | pred).sum(),
        LEARN: None if learn is None else lambda: learn(true.ravel(), pred.ravel()),
    }
    return _contest(lambda: sm.iou(true, pred).value, peers)


@case("sm.overlap of two label arrays, 16×16, 5 segments", Limit(NUMPY), Limit(LEARN))
def overlap() -> Contest:
    true, pred = _labels()
    learn = optional("sklearn.metrics", "confusion_matrix")
    peers: dict[str, Call | None] = {
        NUMPY: lambda: np.unique(true.astype(np.int64) << 32 | pred, return_counts=True)[1].size,
        LEARN: None if learn is None else lambda: np.count_nonzero(learn(true.ravel(), pred.ravel())),
    }
    return _contest(lambda: len(sm.overlap(true, pred)), peers)


@case("sm.adjusted_rand_index of two label arrays, 16×16, 5 segments", Limit(LEARN))
def adjusted_rand() -> Contest:
    true, pred = _labels()
    learn = optional("sklearn.metrics", "adjusted_rand_score")
    peers: dict[str, Call | None] = {
        LEARN: None if learn is None else lambda: learn(true.ravel(), pred.ravel()),
    }
    return _contest(lambda: sm.adjusted_rand_index(true, pred).value, peers)
