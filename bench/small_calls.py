"""The cost of one call on tiny arrays, 16×16 elements: what a loop over many small masks or a training step pays.

Against numpy code for the same number, written as people write it or as fast as it can be, and against scikit-learn.
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
DENSE = "numpy, dense bincount"
ONE = "sm.mean_iou alone"
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


def _dense_pq(true: NDArray[Any], pred: NDArray[Any]) -> float:
    """PQ of small positive labels, counted in a dense table."""
    columns = int(pred.max()) + 1
    table = np.bincount((true * columns + pred).ravel(), minlength=(int(true.max()) + 1) * columns).reshape(-1, columns)
    true_sizes, pred_sizes = table.sum(axis=1), table.sum(axis=0)
    shared = table[1:, 1:]
    union = true_sizes[1:, None] + pred_sizes[1:] - shared
    matched = 2 * shared > union
    segments = np.count_nonzero(true_sizes[1:]) + np.count_nonzero(pred_sizes[1:])
    return float(2 * (shared[matched] / union[matched]).sum() / segments)


@case("sm.pq of two label arrays, 16×16, 5 segments", Limit(NUMPY, at_most=2), Limit(DENSE, at_most=3))
def pq() -> Contest:
    true, pred = _labels()
    peers: dict[str, Call | None] = {NUMPY: lambda: _numpy_pq(true, pred), DENSE: lambda: _dense_pq(true, pred)}
    return _contest(lambda: sm.pq(true, pred).value, peers)


@case("sm.score of two label arrays with PQ, SQ and RQ, 16×16, 5 segments", Limit(DENSE, at_most=8))
def score() -> Contest:
    true, pred = _labels()
    ours = lambda: sm.score(true, pred, ("pq", "sq", "rq"))["pq"].value  # noqa: E731 - a call to be timed
    return _contest(ours, {DENSE: lambda: _dense_pq(true, pred)})


@case("sm.score of two class maps by a protocol of five metrics and a table, 64×64", Limit(ONE, at_most=6))
def protocol() -> Contest:
    """Two arrays in memory cost as much as the five metrics of the protocol, not as much as a run."""
    true = np.random.default_rng(0).integers(0, 4, (64, 64))
    pred = np.where(np.random.default_rng(1).random(true.shape) < 0.8, true, 1)

    def one() -> float:
        return sm.mean_iou(*(sm.LabelArray.from_classes(side, outside=None) for side in (true, pred))).value

    return _contest(lambda: sm.score(true, pred, protocol="semantic")["mean_iou"].value, {ONE: one})


@case("sm.score_batch of 1,000 pairs of label arrays, 16×16, 5 segments: PQ, SQ and RQ", Limit(DENSE, at_least=1.5))
def stack() -> Contest:
    true, pred = (np.stack([np.roll(side, at, axis=0) for at in range(1000)]) for side in _labels())
    peers: dict[str, Call | None] = {
        DENSE: lambda: sum(_dense_pq(first, second) for first, second in zip(true, pred, strict=True)) / len(true)
    }
    return _contest(lambda: sm.score_batch(true, pred).means()["pq"], peers)


@case("sm.iou of two masks, 16×16", Limit(NUMPY), Limit(LEARN))
def iou() -> Contest:
    true, pred = (side > 2 for side in _labels())
    learn = optional("sklearn.metrics", "jaccard_score")
    peers: dict[str, Call | None] = {
        NUMPY: lambda: (true & pred).sum() / (true | pred).sum(),
        LEARN: None if learn is None else lambda: learn(true.ravel(), pred.ravel()),
    }
    return _contest(lambda: sm.iou(true, pred).value, peers)


@case("sm.overlap of two label arrays, 16×16, 5 segments", Limit(NUMPY, at_most=2.5), Limit(LEARN))
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
