"""The picture of the segment benchmarks: 1024×2048 elements, 100 segments, and its time-keeping."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SHAPE = (1024, 2048)
SEGMENTS = 100


class Case(NamedTuple):
    """Ours against a peer. A peer that takes minutes is run on a share of the work and its time scaled up."""

    name: str
    ours: Callable[[], object]
    peer: Callable[[], object]
    scale: float = 1.0


def picture(seed: int = 0) -> NDArray[np.int32]:
    """The cells of 100 random points, numbered from 1."""
    from scipy.spatial import cKDTree

    points = np.random.default_rng(seed).uniform((0, 0), SHAPE, (SEGMENTS, 2))
    elements = np.stack(np.indices(SHAPE), axis=-1).reshape(-1, 2)
    nearest: NDArray[Any] = cKDTree(points).query(elements)[1]
    return nearest.reshape(SHAPE).astype(np.int32) + 1


def best_of(work: Callable[[], object], *, seconds: float = 1.0) -> float:
    """The shortest of the runs that fit in about this many seconds, at least two."""
    times: list[float] = []
    while len(times) < 2 or sum(times) < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if times[0] > seconds:
            break
    return min(times)


def show(cases: list[Case]) -> None:
    """One line per case: milliseconds of ours and of the peer, and their ratio."""
    for case in cases:
        ours, peer = best_of(case.ours), best_of(case.peer) * case.scale
        scaled = f" (peer measured on 1/{case.scale:g})" if case.scale != 1 else ""
        print(f"{case.name:62} {ours * 1e3:9.2f} ms {peer * 1e3:11.2f} ms {peer / ours:9.2f} ×{scaled}")
