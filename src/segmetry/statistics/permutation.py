r"""The paired permutation test: would the difference be as large if it did not matter which system an item came from?

Under that hypothesis the two results of an item may be exchanged. The test exchanges them for a random half of the
items, summarises both sides again, and counts how often the difference is at least as large as the observed one,
whatever its sign. With few items all 2ⁿ ways are tried and p is exact; with R random ways p = (1 + count) / (1 + R), so
it is never 0. Items in which both systems have the same numbers are not exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from segmetry._base import FloatArray, IndexArray
from segmetry.metrics import Statistics
from segmetry.statistics.data_set import Reading
from segmetry.statistics.random_draws import all_swaps, random_swaps
from segmetry.statistics.readings import Stack

NOISE = 1e-12
"""Differences that agree to this fraction of the values they come from count as equal."""


@dataclass(frozen=True)
class Permuted:
    """p of every output of every reading; NaN where no difference is defined."""

    p: list[FloatArray]
    n_permutations: int
    exact: bool


def permutation_test(
    first: Sequence[Reading], second: Sequence[Reading], n_items: int, n_permutations: int, seed: int
) -> Permuted:
    """Test the same readings of two systems; their items are the same, in the same order.

    The items of both systems are one data set, of which an exchange puts each item on one of two sides.
    """
    joined, differing = _joined(first, second, n_items)
    stack = Stack(joined, 2 * n_items)
    exact = 2**differing.size <= n_permutations
    swaps = _exact_blocks(differing, n_items) if exact else random_swaps(n_items, n_permutations, seed)
    (start,) = stack.both_sides([_weights(np.zeros((n_items, 1)))])
    observed = [second_values - first_values for first_values, second_values in zip(*start, strict=True)]
    least = [
        np.abs(gap) - NOISE * (np.abs(first_values) + np.abs(second_values))
        for gap, first_values, second_values in zip(observed, *start, strict=True)
    ]
    at_least, tried = ([np.zeros(len(gap)) for gap in observed] for _ in range(2))
    for sides in stack.both_sides(map(_weights, swaps)):
        for at, (first_values, second_values) in enumerate(zip(*sides, strict=True)):
            gaps = second_values - first_values
            at_least[at] += (np.abs(gaps) >= least[at]).sum(axis=-1)
            tried[at] += (~np.isnan(gaps)).sum(axis=-1)
    more = 0 if exact else 1
    with np.errstate(invalid="ignore"):
        p = [
            np.where(np.isnan(gap[:, 0]), np.nan, (more + count) / (more + total))
            for gap, count, total in zip(observed, at_least, tried, strict=True)
        ]
    own = [_of_classes(one, both, values) for one, both, values in zip(first, joined, p, strict=True)]
    return Permuted(own, 2**differing.size if exact else n_permutations, exact)


def _of_classes(first: Reading, joined: Reading, values: FloatArray) -> FloatArray:
    """Return the outputs of the classes of the first system: both together may have more."""
    if not first.each_class:
        return values
    number = {name: at for at, name in enumerate(joined.names)}
    return values[[number[name] for name in first.names]]


def _weights(swaps: FloatArray) -> FloatArray:
    """Return which items of the first and of the second system count on the first side; the rest is on the other."""
    return np.concatenate((1 - swaps, swaps))


def _joined(first: Sequence[Reading], second: Sequence[Reading], n_items: int) -> tuple[list[Reading], IndexArray]:
    """Return readings of the items of both systems, and the items in which their statistics differ."""
    together: dict[tuple[int, int], Statistics] = {}
    differs = np.zeros(n_items, dtype=bool)
    readings = []
    for one, other in zip(first, second, strict=True):
        key = id(one.statistics), id(other.statistics)
        if key not in together:
            together[key] = Statistics.concatenate([one.statistics, other.statistics])
            differs[one.statistics.differing(other.statistics)] = True
        readings.append(one.of(together[key]))
    return readings, np.flatnonzero(differs)


def _exact_blocks(differing: IndexArray, n_items: int) -> Iterator[FloatArray]:
    for block in all_swaps(differing.size):
        swaps = np.zeros((n_items, block.shape[1]))
        swaps[differing] = block
        yield swaps
