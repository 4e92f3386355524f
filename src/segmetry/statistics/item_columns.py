"""The columns of a data set: one row per item, and one per item and part (a *cell*).

Summaries, intervals, comparisons and permutation tests are computed from these columns and from nothing else,
whether they come from a run (:mod:`segmetry.run.alignment_columns`) or from records of items
(:mod:`segmetry.statistics.record_columns`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.tally import Tally
from segmetry.kernels.statistics.group_sums import group_order, group_sums
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.class_quotient import ClassSum, ClassSums, added
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.statistics.accumulated import AccumulatedColumns
from segmetry.statistics.tally_columns import TallyColumns, ratio_or_nan


@frozen_dataclass(eq=False)
class ItemColumns:
    """The items of a data set with their tallies; cells are sorted by part, then by item.

    ``average`` says whether the scores of an item are means over its classes (``"class"``) or of all ``"segments"``.
    ``names`` are the parts (classes, sizes, …) by number, ``cell_item`` and ``cell_part`` the item and the part of
    every cell. ``class_sums`` are the sums, by cell, of the metrics that are means over classes; ``scores`` are those
    of every item that do not follow from a tally, and ``score_columns`` further ones by key, which every item has;
    ``accumulated`` are the columns of metrics of the data set, by key.
    """

    items: tuple[str, ...]
    rule: str
    policy: str
    by: str | None
    average: str
    whole: TallyColumns
    names: tuple[Hashable, ...]
    cells: TallyColumns
    cell_item: IndexArray
    cell_part: IndexArray
    class_sums: Mapping[str, ClassSums] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    score_columns: Mapping[str, ScoreColumn] = field(default_factory=dict)
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
        """The keys of scores that do not follow from a tally, in the order of metrics."""
        of_items = {key for scores in self.scores.values() for key in scores}
        return list(METRICS.only({*of_items, *self.score_columns}))

    def item_scores(self, key: str) -> list[Score | None]:
        """Return a score of every item that does not follow from a tally, by name of the item."""
        if key in self.score_columns:
            scores = self.score_columns[key].scores()
            return [scores[at] for at in self.by_name]
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
        present = np.flatnonzero(np.bincount(self.cell_part[self.occurs])).tolist()
        return {self.names[at]: self.cells.tally(self.starts[at], self.starts[at + 1]) for at in present}

    def part_values(self, name: Hashable, key: str, options: Mapping[str, Any]) -> FloatArray:
        """Return a metric of a part in every item in which it occurs."""
        start, stop = self._cells(name)
        return self._values_of_cells(key, options)[start:stop][self.occurs[start:stop]]

    @cached_property
    def _known_values(self) -> dict[tuple[str, str], FloatArray]:
        return {}

    def _values_of_cells(self, key: str, options: Mapping[str, Any]) -> FloatArray:
        """Return a metric of every cell, computed once for all parts; what does not occur is left undefined."""
        place = key, repr(sorted(options.items()))
        if place not in self._known_values:
            self._known_values[place] = self.cells.values(key, options)
        return self._known_values[place]

    def item_values(
        self,
        key: str,
        options: Mapping[str, Any],
        undefined: float | None,
        names: Sequence[Hashable] | None = None,
    ) -> FloatArray:
        """Return a metric of every item: the mean over its classes, or of all its segments; NaN where it is undefined.

        ``undefined`` replaces an undefined class, None leaves it out. ``names`` restricts items to some classes.
        """
        place = key, repr(sorted(options.items())), undefined, None if names is None else tuple(names)
        if place not in self._known_item_values:
            self._known_item_values[place] = self._item_values(key, options, undefined, names)
        return self._known_item_values[place]

    @cached_property
    def _known_item_values(self) -> dict[tuple[Any, ...], FloatArray]:
        return {}

    def _item_values(
        self, key: str, options: Mapping[str, Any], undefined: float | None, names: Sequence[Hashable] | None
    ) -> FloatArray:
        if self.average == "segments" or METRICS[key].is_count:
            tallies = self.whole if names is None else self.sum_of_parts(names)
            return tallies.values(key, options)
        return ratio_or_nan(*self.class_totals(key, options, undefined, names))

    def class_totals(
        self,
        key: str,
        options: Mapping[str, Any],
        undefined: float | None,
        names: Sequence[Hashable] | None = None,
    ) -> tuple[FloatArray, IntArray]:
        """Return the sum of a metric over the classes of every item, and over how many; see :meth:`item_values`."""
        return self._sums_by_item(self._values_of_cells(key, options), self._cells_by_item(names), undefined)

    def _wanted(self, names: Sequence[Hashable]) -> NDArray[np.bool_]:
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[[self._number[name] for name in names]] = True
        return wanted

    def _sums_by_item(
        self, values: FloatArray, cells: IndexArray, undefined: float | None
    ) -> tuple[FloatArray, IntArray]:
        """Return the exactly rounded sum of some cells of every item, and how many there are; they are sorted by item.

        ``undefined`` replaces a value that is NaN, None leaves it out.
        """
        numbers, items = values[cells], self.cell_item[cells]
        is_undefined = np.isnan(numbers)
        if not is_undefined.any():
            pass
        elif undefined is None:
            numbers, items = numbers[~is_undefined], items[~is_undefined]
        else:
            numbers[is_undefined] = undefined
        counts = np.bincount(items, minlength=self.n_items)
        return group_sums(numbers, np.concatenate(([0], np.cumsum(counts)))), counts

    @cached_property
    def _by_item(self) -> IndexArray:
        """The cells in the order of their items."""
        return group_order(self.cell_item, self.n_items)[0]

    @cached_property
    def _known_cells(self) -> dict[tuple[Hashable, ...] | None, IndexArray]:
        return {}

    def _cells_by_item(self, names: Sequence[Hashable] | None) -> IndexArray:
        """Return the cells of some parts in which something occurs, sorted by item; None for all parts."""
        place = None if names is None else tuple(names)
        if place not in self._known_cells:
            used = self.occurs if names is None else self.occurs & self._wanted(names)[self.cell_part]
            self._known_cells[place] = self._by_item if used.all() else self._by_item[used[self._by_item]]
        return self._known_cells[place]

    def items_with(self, names: Sequence[Hashable]) -> NDArray[np.bool_]:
        """Return the items in which one of these parts occurs."""
        present = np.zeros(self.n_items, dtype=bool)
        present[self.cell_item[self.occurs & self._wanted(names)[self.cell_part]]] = True
        return present

    def sum_of_parts(self, names: Sequence[Hashable]) -> TallyColumns:
        """Return the sum of some parts in every item."""
        place = tuple(names)
        if place not in self._known_sums:
            home = np.where(self._wanted(names)[self.cell_part], self.cell_item, -1)
            self._known_sums[place] = self.cells.regrouped(home, self.n_items)
        return self._known_sums[place]

    @cached_property
    def _known_sums(self) -> dict[tuple[Hashable, ...], TallyColumns]:
        return {}

    def classes_of(self, key: str) -> list[Hashable]:
        """Return the classes of a mean over classes: those that occur, and those it has terms for."""
        has_terms = np.zeros(len(self.names), dtype=bool)
        has_terms[self.cell_part[self.class_sums[key].has_terms]] = True
        return [name for name, known in zip(self.names, has_terms.tolist(), strict=True) if known or name in self.parts]

    def class_values(self, key: str, name: Hashable) -> Sequence[float]:
        """Return the quotient of a class in every item that contains it."""
        start, stop = self._cells(name)
        return self.class_sums[key].values[start:stop]

    def class_total(self, key: str, name: Hashable) -> ClassSum:
        """Return the sum of a class over all items."""
        return self.class_sums[key].cut(*self._cells(name))

    def sum_over_classes(self, key: str, names: Sequence[Hashable]) -> ClassSum:
        """Return the sum of some classes over all items."""
        return added([self.class_total(key, name) for name in names])

    def means_over_classes(self, key: str, names: Sequence[Hashable] | None = None) -> FloatArray:
        """Return the mean over the classes of every item, or over some of them; NaN where no class has a value."""
        if names is None and key in self.other_keys:
            return np.array([_value(self.scores.get(item, {}).get(key)) for item in self.items])
        values, cells = np.array(self.class_sums[key].values, dtype=np.float64), self._by_item
        if names is not None:
            cells = cells[self._wanted(names)[self.cell_part[cells]]]
        return ratio_or_nan(*self._sums_by_item(values, cells, None))

    def sums_by_item(self, key: str, names: Sequence[Hashable] | None) -> tuple[FloatArray, FloatArray]:
        """Return numerator and denominator of a mean over classes, added over the classes of every item."""
        used = np.ones(self.cell_item.size, dtype=bool) if names is None else self._wanted(names)[self.cell_part]
        if "all_segments" not in METRICS[key].aggregation:
            used = np.zeros_like(used)
        tops, bottoms, _ = self.class_fractions(key)
        item = self.cell_item[used]
        totals: list[FloatArray] = [
            np.bincount(item, weights=column[used], minlength=self.n_items).astype(np.float64)
            for column in (tops, bottoms)
        ]
        return totals[0], totals[1]

    def class_fractions(self, key: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return numerator, denominator and value of every cell."""
        sums = self.class_sums[key]
        return np.array(sums.numerators, dtype=np.float64), sums.denominators.astype(np.float64), np.array(sums.values)


def _value(score: Score | None) -> float:
    return math.nan if score is None or not score.is_defined else score.value
