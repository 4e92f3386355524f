r"""The paired permutation test: would the difference be as large if it did not matter which system an item came from?

Under that hypothesis the two results of an item may be exchanged. The test exchanges them for a random half of the
items, summarises both sides again, and counts how often the difference is at least as large as the observed one,
whatever its sign. With few items all 2ⁿ ways are tried and p is exact; with R random ways p = (1 + count) / (1 + R), so
it is never 0. Items in which both systems have the same numbers are not exchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from segmetry._base.distinct_values import distinct
from segmetry._base.exact import FloatArray
from segmetry.statistics.random_draws import all_swaps, random_swaps
from segmetry.statistics.sample_sums import PartColumns
from segmetry.statistics.samples import DATA_SET, Samples, SummaryRow, averages_of_part

NOISE = 1e-12
"""Differences that agree to this fraction of the values they come from count as equal."""


@dataclass(frozen=True)
class Permuted:
    """p of every value (averages × metrics) at every place; NaN where no difference is defined."""

    p: Mapping[SummaryRow, FloatArray]
    n_permutations: int
    exact: bool


def permutation_test(
    first: Samples, second: Samples, names: Collection[Hashable], n_permutations: int, seed: int
) -> Permuted:
    """Test the data set, its groups and the parts ``names``; both systems must have the same columns."""
    changes = _Changes(first, second)
    exact = 2**changes.items.size <= n_permutations
    blocks = (
        _exact_blocks(changes.items, len(first.items))
        if exact
        else random_swaps(len(first.items), n_permutations, seed)
    )
    values_of = {
        place: (first_values, second_values)
        for place, first_values, second_values in changes.values(np.zeros((len(first.items), 1)), names)
    }
    observed = {place: second_values - first_values for place, (first_values, second_values) in values_of.items()}
    least = {
        place: np.abs(observed[place]) - NOISE * (np.abs(first_values) + np.abs(second_values))
        for place, (first_values, second_values) in values_of.items()
    }
    at_least = {place: np.zeros(gaps.shape[:-1]) for place, gaps in observed.items()}
    tried = {place: np.zeros(gaps.shape[:-1]) for place, gaps in observed.items()}
    for swaps in blocks:
        for place, first_values, second_values in changes.values(swaps, names):
            gaps = second_values - first_values
            at_least[place] += (np.abs(gaps) >= least[place]).sum(axis=-1)
            tried[place] += (~np.isnan(gaps)).sum(axis=-1)
    more = 0 if exact else 1
    with np.errstate(invalid="ignore"):
        p = {place: (more + at_least[place]) / (more + tried[place]) for place in observed}
    for place, p_values in p.items():
        p_values[np.isnan(observed[place][..., 0])] = np.nan
    return Permuted(p, 2**changes.items.size if exact else n_permutations, exact)


class _Changes:
    """The sums of two systems after items are exchanged: each item moves by the difference between the systems."""

    def __init__(self, first: Samples, second: Samples) -> None:
        self.systems = first, second
        self.whole, self.cells = _change(first.whole, second.whole), _change(first.cells, second.cells)
        pairs = {row: (metric, second.accumulated[row]) for row, metric in first.accumulated.items()}
        self.accumulated = {row: metric.joined(other) for row, (metric, other) in pairs.items()}
        differing = [metric.differs(other) for metric, other in pairs.values()]
        self.items = distinct(np.concatenate([self.whole.items, self.cells.items, *differing]))

    def values(
        self, swaps: FloatArray, names: Collection[Hashable]
    ) -> Iterator[tuple[SummaryRow, FloatArray, FloatArray]]:
        """Yield all values of both sides (averages × rows × permutations) where these items are swapped."""
        first = self.systems[0]
        of_classes = [samples.group_sums(swaps.shape[1]) for samples in self.systems]
        for stretch, start, stop in first.batches():
            moved = self.cells.sums(swaps, start, stop)
            values = []
            for side, samples in enumerate(self.systems):
                sums = samples.cells.totals[start:stop, :, None] + (-moved if side else moved)
                quotients = samples.part_layout.quotients(sums)
                of_classes[side].add(stretch, quotients)
                values.append(quotients.with_nan() if names else quotients.values)
            for part in range(start, stop):
                if first.names[part] in names:
                    first_part, second_part = (averages_of_part(side[part - start]) for side in values)
                    yield first.place(part), first_part, second_part
        moved = self.whole.sums(swaps, 0, first.n_units)
        first_values, second_values = (
            samples.together(samples.whole.totals[:, :, None] + (-moved if side else moved), of_classes[side])
            for side, samples in enumerate(self.systems)
        )
        for row, both in self.accumulated.items():
            average = first.of_data_set(both)
            first_values[DATA_SET][average, row] = both.values(np.concatenate((1 - swaps, swaps)))
            second_values[DATA_SET][average, row] = both.values(np.concatenate((swaps, 1 - swaps)))
        yield from ((place, first_values[place], second_values[place]) for place in first_values)


def _change(first: PartColumns, second: PartColumns) -> PartColumns:
    """Return the second system's columns minus the first system's, in the cells where they differ."""
    n_items = 1 + max(columns.items.max(initial=0) for columns in (first, second))
    keys = [columns.part * n_items + columns.items for columns in (first, second)]
    cells = np.union1d(*keys)
    numbers = np.zeros((first.numbers.shape[0], cells.size))
    for columns, key, sign in zip((first, second), keys, (-1, 1), strict=True):
        numbers[:, np.searchsorted(cells, key)] += sign * columns.numbers
    differs = (numbers != 0).any(axis=0)
    part, items = np.divmod(cells[differs], n_items)
    return PartColumns(items, np.searchsorted(part, np.arange(first.n_parts + 1)), numbers[:, differs])


def _exact_blocks(differing: Any, n_items: int) -> Iterator[FloatArray]:
    for block in all_swaps(differing.size):
        swaps = np.zeros((n_items, block.shape[1]))
        swaps[differing] = block
        yield swaps
