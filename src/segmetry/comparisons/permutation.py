r"""The paired permutation test: would the difference be as large if it did not matter which system an item came from?

Under that hypothesis the two results of an item may be exchanged. The test exchanges them for a random half of the
items, summarises both sides again, and counts how often the difference is at least as large as the observed one,
whatever its sign. With few items all 2ⁿ ways are tried and p is exact; with R random ways p = (1 + count) / (1 + R), so
it is never 0. Items in which both systems have the same numbers need no exchange.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from segmetry.aggregate.additive import Columns
from segmetry.aggregate.resampled import values_of
from segmetry.aggregate.resampling import all_swaps, random_swaps
from segmetry.aggregate.samples import Place, Samples
from segmetry.exact import FloatArray

NOISE = 1e-12


@dataclass(frozen=True)
class Permuted:
    """p of every value (words × metrics) at every place; NaN where no difference is defined."""

    p: Mapping[Place, FloatArray]
    n_permutations: int
    exact: bool


def permutation_test(
    first: Samples, second: Samples, names: Sequence[Hashable] | None, n_permutations: int, seed: int
) -> Permuted:
    """The test for the data set and its groups (``names`` is None) or for parts; both must have the same columns."""
    changes = {name: _change(first.columns[name], second.columns[name]) for name in first.columns}
    differing = np.unique(np.concatenate([change.items for change in changes.values()]))
    exact = 2**differing.size <= n_permutations
    blocks = (
        _exact_blocks(differing, len(first.items)) if exact else random_swaps(len(first.items), n_permutations, seed)
    )

    totals = [{name: columns.total() for name, columns in one.columns.items()} for one in (first, second)]

    def gap(swaps: FloatArray) -> dict[Place, FloatArray]:
        moved: dict[Any, FloatArray] = {}

        def sums(side: int, name: Any) -> FloatArray:
            """What one system's sums become: the exchanged items bring what the other one has more."""
            if name not in moved:
                moved[name] = changes[name].sums(swaps)
            return totals[side][name] + (moved[name] if side == 0 else -moved[name])

        one, two = (values_of(samples, names, partial(sums, side)) for side, samples in enumerate((first, second)))
        return {place: two[place] - one[place] for place in one}

    observed = gap(np.zeros((len(first.items), 1)))
    at_least = {place: np.zeros(found.shape[:-1]) for place, found in observed.items()}
    tried = {place: np.zeros(found.shape[:-1]) for place, found in observed.items()}
    for swaps in blocks:
        for place, found in gap(swaps).items():
            at_least[place] += (np.abs(found) >= np.abs(observed[place]) - NOISE).sum(axis=-1)
            tried[place] += (~np.isnan(found)).sum(axis=-1)
    more = 0 if exact else 1
    with np.errstate(invalid="ignore"):
        p = {place: (more + at_least[place]) / (more + tried[place]) for place in observed}
    for place, found in p.items():
        found[np.isnan(observed[place][..., 0])] = np.nan
    return Permuted(p, 2**differing.size if exact else n_permutations, exact)


def _change(first: Columns, second: Columns) -> Columns:
    """The second system's columns minus the first one's, at the items where they differ."""
    items = np.union1d(first.items, second.items)
    numbers = np.zeros((first.numbers.shape[0], items.size))
    for columns, sign in ((first, -1), (second, 1)):
        numbers[:, np.searchsorted(items, columns.items)] += sign * columns.numbers
    differs = (numbers != 0).any(axis=0)
    return Columns(items[differs], numbers[:, differs])


def _exact_blocks(differing: Any, n_items: int) -> Iterator[FloatArray]:
    for block in all_swaps(differing.size):
        swaps = np.zeros((n_items, block.shape[1]))
        swaps[differing] = block
        yield swaps
