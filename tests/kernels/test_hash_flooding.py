"""Ids that were made to collide in a hash table with fixed constants are counted as fast as others."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.painting import paint
from segmetry.kernels.pairs import count_pairs

pytestmark = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")

NUMBERS = 2**64
FIRST, LAST = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9
"""The constants of the hash function before it had a seed: a product, a fold of 29 bits, and another product."""
IDS = 20_000


def crafted() -> NDArray[np.uint64]:
    """Return ids whose hashes, without a seed, have the same highest 20 bits, so that they want the same slot."""
    before_last, before_first = pow(LAST, -1, NUMBERS), pow(FIRST, -1, NUMBERS)
    ids = []
    for number in range(IDS):
        folded = ((5 << 44) | number) * before_last % NUMBERS
        unfolded = folded
        for _ in range(3):
            unfolded = folded ^ (unfolded >> 29)
        ids.append(unfolded * before_first % NUMBERS)
    return np.sort(np.array(ids, dtype=np.uint64))


def seconds(call: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def test_crafted_ids_cost_what_random_ids_cost() -> None:
    ids = crafted()
    others = np.sort(np.random.default_rng(0).integers(0, 2**63, IDS).astype(np.uint64))
    nothing, values = np.zeros(IDS, dtype=np.uint64), np.ones(IDS)
    for kernel in (lambda labels: count_pairs(labels, nothing), lambda labels: paint(labels, labels, values, 0.0)):
        assert seconds(lambda: kernel(ids)) < 20 * seconds(lambda: kernel(others))  # noqa: B023 - called at once
