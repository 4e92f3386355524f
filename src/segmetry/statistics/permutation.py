r"""The paired permutation test: would the difference be as large if it did not matter which system an item came from?

Under that hypothesis the two results of an item may be exchanged. The test exchanges them for a random half of the
items, summarises both sides again, and counts how often the difference is at least as large as the observed one,
whatever its sign. With few items all 2ⁿ ways are tried and p is exact; with R random ways p = (1 + count) / (1 + R), so
it is never 0. Items in which both systems have the same numbers are not exchanged.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from segmetry._base import FloatArray, IndexArray
from segmetry.metrics import Reading, Statistics
from segmetry.statistics.random_draws import all_swaps, random_swaps
from segmetry.statistics.readings import Stack

NOISE = 1e-12
"""Differences that agree to this fraction of the values they come from count as equal."""


@dataclass(frozen=True)
class Permuted:
    """p of every output of every reading, by class of all systems together; NaN where no difference is defined."""

    p: list[FloatArray]
    names: list[tuple[Hashable, ...]]
    n_permutations: int
    exact: bool


@np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
def permutation_tests(
    systems: Sequence[Sequence[Reading]], n_permutations: int, seed: int, clusters: IndexArray
) -> dict[tuple[int, int], Permuted]:
    """Test the same readings of every pair of systems; their items are the same, in the same order.

    ``clusters`` are the numbers of what is exchanged as one: each item, or all items of a patient. The same exchanges
    serve all pairs, and the order of the systems changes no digit.
    """
    known: dict[tuple[int, ...], Statistics] = {}
    joined = [one.joined(others, known) for one, *others in zip(*systems, strict=True)]
    n_units = int(clusters.max(initial=-1)) + 1
    stack, pairs = Stack(joined, clusters.size, len(systems)), list(combinations(range(len(systems)), 2))
    differing = {(i, j): _differing(systems[i], systems[j], clusters) for i, j in pairs}
    found: dict[tuple[int, int], Permuted] = {}
    for pair, units in differing.items():
        if 2**units.size <= n_permutations:
            swaps = (block[clusters] for block in _exact_blocks(units, n_units))
            found |= _tested(stack, [pair], swaps, 2**units.size, exact=True)
    others = [pair for pair in pairs if pair not in found]
    if others:
        swaps = (block[clusters] for block in random_swaps(n_units, n_permutations, seed))
        found |= _tested(stack, others, swaps, n_permutations, exact=False)
    return found


def _tested(
    stack: Stack, pairs: Sequence[tuple[int, int]], swaps: Iterable[FloatArray], n: int, *, exact: bool
) -> dict[tuple[int, int], Permuted]:
    """Return p of every reading of some pairs: the share of exchanges with a difference as large as without any."""
    (start,) = stack.exchanged(pairs, [np.zeros((stack.n_items, 1))])
    observed = [[second - first for first, second in zip(*sides, strict=True)] for sides in start]
    least = [
        [
            np.abs(gap) - NOISE * (np.abs(first) + np.abs(second))
            for gap, first, second in zip(gaps, *sides, strict=True)
        ]
        for gaps, sides in zip(observed, start, strict=True)
    ]
    counts = [[np.zeros((2, len(gap))) for gap in gaps] for gaps in observed]
    for every in stack.exchanged(pairs, swaps):
        for own, bounds, sides in zip(counts, least, every, strict=True):
            for count, bound, first, second in zip(own, bounds, *sides, strict=True):
                gaps = second - first
                count += (np.abs(gaps) >= bound).sum(axis=-1), (~np.isnan(gaps)).sum(axis=-1)
    more = 0 if exact else 1
    p = [
        [
            np.where(np.isnan(gap[:, 0]), np.nan, (more + count[0]) / (more + count[1]))
            for gap, count in zip(*one, strict=True)
        ]
        for one in zip(observed, counts, strict=True)
    ]
    names = [reading.names if reading.each_class else () for reading in stack.readings]
    return {pair: Permuted(own, names, n, exact) for pair, own in zip(pairs, p, strict=True)}


def _differing(first: Sequence[Reading], second: Sequence[Reading], clusters: IndexArray) -> IndexArray:
    """Return the units in which the statistics of two systems differ."""
    every = {(id(a.statistics), id(b.statistics)): (a, b) for a, b in zip(first, second, strict=True)}
    differs = np.zeros(clusters.size, dtype=bool)
    for one, other in every.values():
        differs[one.statistics.differing(other.statistics)] = True
    return np.unique(clusters[differs])


def _exact_blocks(differing: IndexArray, n_units: int) -> Iterator[FloatArray]:
    for block in all_swaps(differing.size):
        swaps = np.zeros((n_units, block.shape[1]))
        swaps[differing] = block
        yield swaps
