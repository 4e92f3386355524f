"""The columns of a data set: one row per item, and one per item and part (a *cell*).

Summaries, intervals, comparisons and permutation tests are computed from these columns and from nothing else,
whether they come from a run (:mod:`segmetry.run.alignment_columns`) or from records of items
(:mod:`segmetry.statistics.record_columns`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.alignments.tally import Tally
from segmetry.metrics.class_quotient import ClassSum, ClassSums
from segmetry.metrics.score import Score
from segmetry.statistics.accumulated import AccumulatedColumns
from segmetry.statistics.tally_columns import TallyColumns, Values


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """The items of a data set with their tallies; cells are sorted by part, then by item.

    ``names`` are the parts (classes, sizes, …) by number, ``cell_item`` and ``cell_part`` the item and the part of
    every cell. ``class_sums`` are the sums, by cell, of the metrics that are means over classes; ``scores`` are those
    of every item that do not follow from a tally; ``accumulated`` are the columns of metrics of the data set, by key.
    """

    items: tuple[str, ...]
    rule: str
    policy: str
    by: str | None
    whole: TallyColumns
    names: tuple[Hashable, ...]
    cells: TallyColumns
    cell_item: IndexArray
    cell_part: IndexArray
    class_sums: Mapping[str, ClassSums] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    accumulated: Mapping[str, AccumulatedColumns] = field(default_factory=dict)

    @property
    def n_items(self) -> int:
        return len(self.items)

    @property
    def total(self) -> Tally:
        """The tally of all items."""
        return self.whole.tally(0, self.n_items)

    @cached_property
    def by_name(self) -> list[int]:
        """The positions of the items in the order of their names: the order in which they are drawn at random."""
        return sorted(range(self.n_items), key=self.items.__getitem__)

    @cached_property
    def other_keys(self) -> list[str]:
        """The keys of scores that do not follow from a tally."""
        return list({key: None for at in self.by_name for key in self.scores.get(self.items[at], {})})

    def item_scores(self, key: str) -> list[Score | None]:
        """Return a score of every item that does not follow from a tally, by name of the item."""
        return [self.scores.get(self.items[at], {}).get(key) for at in self.by_name]

    @cached_property
    def starts(self) -> list[int]:
        """Where the cells of every part are: those of part ``i`` are ``starts[i] : starts[i + 1]``."""
        bounds: list[int] = np.searchsorted(self.cell_part, np.arange(len(self.names) + 1)).tolist()
        return bounds

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {name: at for at, name in enumerate(self.names)}

    def _cells(self, name: Hashable) -> tuple[int, int]:
        at = self._number[name]
        return self.starts[at], self.starts[at + 1]

    @cached_property
    def occurs(self) -> NDArray[np.bool_]:
        """Whether a cell contains anything to score."""
        return self.cells.n_true + self.cells.n_pred > 0

    @cached_property
    def parts(self) -> Mapping[Hashable, Tally]:
        """The parts that occur, each summed over all items."""
        present = np.unique(self.cell_part[self.occurs]).tolist()
        return {self.names[at]: self.cells.tally(self.starts[at], self.starts[at + 1]) for at in present}

    def part_values(self, name: Hashable, key: str, options: Mapping[str, Any]) -> Values:
        """Return a metric of a part in every item in which it occurs."""
        start, stop = self._cells(name)
        if options:
            home = np.full(len(self.cells), -1)
            home[start:stop] = np.arange(stop - start)
            values = self.cells.regrouped(home, stop - start).values(key, options)
        else:
            values = self._values_of_cells(key)[start:stop]
        return list(compress(values, self.occurs[start:stop].tolist()))

    @cached_property
    def _known_values(self) -> dict[str, Values]:
        return {}

    def _values_of_cells(self, key: str) -> Values:
        """Return a metric of every cell, computed once for all parts."""
        if key not in self._known_values:
            self._known_values[key] = self.cells.values(key, {})
        return self._known_values[key]

    def sum_of_parts(self, names: Sequence[Hashable]) -> TallyColumns:
        """Return the sum of some parts in every item."""
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[[self._number[name] for name in names]] = True
        return self.cells.regrouped(np.where(wanted[self.cell_part], self.cell_item, -1), self.n_items)

    def classes_of(self, key: str) -> list[Hashable]:
        """Return the classes of a mean over classes: those that occur, and those it has terms for."""
        has_terms = np.zeros(len(self.names), dtype=bool)
        has_terms[self.cell_part[self.class_sums[key].has_terms]] = True
        return [name for name, known in zip(self.names, has_terms.tolist(), strict=True) if known or name in self.parts]

    def class_values(self, key: str, name: Hashable) -> Values:
        """Return the quotient of a class in every item that contains it."""
        start, stop = self._cells(name)
        return self.class_sums[key].values[start:stop]

    def class_total(self, key: str, name: Hashable) -> ClassSum:
        """Return the sum of a class over all items."""
        return self.class_sums[key].cut(*self._cells(name))

    def means_over_classes(self, key: str) -> Values:
        """Return the mean over the classes of every item; NaN where no class has a value."""
        order = np.argsort(self.cell_item, kind="stable")
        bounds = np.searchsorted(self.cell_item[order], np.arange(self.n_items + 1)).tolist()
        values = np.array(self.class_sums[key].values)[order].tolist()
        return [_mean_of_defined(values[bounds[at] : bounds[at + 1]]) for at in range(self.n_items)]

    def class_fractions(self, key: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return numerator, denominator and value of every cell."""
        sums = self.class_sums[key]
        return np.array(sums.numerators, dtype=np.float64), sums.denominators.astype(np.float64), np.array(sums.values)


def _mean_of_defined(values: Sequence[float]) -> float:
    used = [value for value in values if not math.isnan(value)]
    return math.fsum(used) / len(used) if used else math.nan
