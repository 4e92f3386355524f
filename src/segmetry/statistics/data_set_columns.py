"""The tallies of a whole data set as columns: one row per item, and one per item and part (a *cell*)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray
from segmetry.alignments.tally import Tally
from segmetry.metrics.panoptic.pq_dagger import PlainIoU, dagger_of_class
from segmetry.metrics.score import Score
from segmetry.statistics.records import ItemRecord
from segmetry.statistics.tallied import Dagger, Tallies, Values, mean_of_defined, scores_by_key
from segmetry.statistics.tally_columns import PairColumns, TallyColumns, ratio_or_nan


@dataclass(frozen=True, eq=False)
class PlainColumns:
    """The plain IoUs of every cell: all its overlapping pairs, and how many true segments it has.

    ``stuff`` says which parts they stand for; the others are scored by their PQ.
    """

    pairs: PairColumns
    n_true: IntArray
    stuff: frozenset[Hashable]

    def plain(self, start: int, stop: int) -> PlainIoU:
        """The sum of some consecutive cells."""
        return PlainIoU(*self.pairs.cut(start, stop), int(self.n_true[start:stop].sum()))


@dataclass(frozen=True, eq=False)
class ColumnTallies:
    """The tallies of a data set; cells are sorted by part, then by item.

    ``names`` are the parts by number, ``cell_item`` and ``cell_part`` the item and the part of every cell. ``plain`` is
    None when nobody said what is stuff; ``kept`` are the scores of every item that are no function of a tally.
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
    plain: PlainColumns | None = None
    kept: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)

    @property
    def n_items(self) -> int:
        return len(self.items)

    @cached_property
    def _starts(self) -> list[int]:
        """The cells of part ``i`` are ``_starts[i] : _starts[i + 1]``."""
        found: list[int] = np.searchsorted(self.cell_part, np.arange(len(self.names) + 1)).tolist()
        return found

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {name: at for at, name in enumerate(self.names)}

    @cached_property
    def occurs(self) -> NDArray[np.bool_]:
        """Whether a cell holds anything to score."""
        return self.cells.n_true + self.cells.n_pred > 0

    def _cells(self, name: Hashable) -> tuple[int, int]:
        at = self._number[name]
        return self._starts[at], self._starts[at + 1]

    @cached_property
    def parts(self) -> Mapping[Hashable, Tally]:
        """The parts that occur, each summed over all items."""
        found = np.unique(self.cell_part[self.occurs]).tolist()
        return {self.names[at]: self.cells.tally(self._starts[at], self._starts[at + 1]) for at in found}

    @property
    def together(self) -> Tally:
        return self.whole.tally(0, self.n_items)

    @property
    def scores(self) -> Mapping[str, list[Score]]:
        """Scores that are no function of a tally, of the items that have them."""
        return scores_by_key([self.kept.get(name, {}) for name in self.items])

    def of_part(self, name: Hashable) -> Tallies:
        """A part, in the items in which it occurs."""
        return _PartTallies(self, *self._cells(name))

    def of_parts(self, names: Sequence[Hashable]) -> TallyColumns:
        """The sum of some parts, in every item."""
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[[self._number[name] for name in names]] = True
        return self.cells.regrouped(np.where(wanted[self.cell_part], self.cell_item, -1), self.n_items)

    @property
    def has_dagger(self) -> bool:
        """Whether somebody said which classes are stuff."""
        return self.plain is not None

    @property
    def dagger_names(self) -> Sequence[Hashable]:
        """The classes PQ† knows: those that occur, and stuff; none where nobody said what is stuff."""
        if self.plain is None:
            return ()
        return [name for name in self.names if name in self.parts or (name in self.plain.stuff and self._has(name))]

    def _has(self, name: Hashable) -> bool:
        start, stop = self._cells(name)
        return stop > start

    def dagger(self, name: Hashable) -> Dagger:
        """PQ† of a class."""
        start, stop = self._cells(name)
        stuff = self.plain is not None and name in self.plain.stuff
        together = self.plain.plain(start, stop) if self.plain is not None and stuff else None
        pooled = dagger_of_class(self.cells.tally(start, stop), together)
        return Dagger(self._cell_daggers[start:stop].tolist(), pooled)

    @cached_property
    def cell_dagger_fractions(self) -> tuple[FloatArray, FloatArray]:
        """Numerator and denominator of PQ† of every cell: of the plain IoU of stuff, of the PQ of things."""
        tops, bottoms = 2 * self.cells.iou_sum, (self.cells.n_true + self.cells.n_pred).astype(np.float64)
        if self.plain is not None and tops.size:
            stuff = np.array([name in self.plain.stuff for name in self.names])[self.cell_part]
            tops = np.where(stuff, self.plain.pairs.iou_sum, tops)
            bottoms = np.where(stuff, self.plain.n_true, bottoms)
        return tops, bottoms

    @cached_property
    def _cell_daggers(self) -> FloatArray:
        return ratio_or_nan(*self.cell_dagger_fractions)

    def item_daggers(self) -> Values:
        """PQ† of every item: the mean over its classes."""
        order = np.argsort(self.cell_item, kind="stable")
        cut = np.searchsorted(self.cell_item[order], np.arange(self.n_items + 1)).tolist()
        values = self._cell_daggers[order].tolist()
        return [mean_of_defined(values[cut[at] : cut[at + 1]]) for at in range(self.n_items)]

    @cached_property
    def _values(self) -> dict[str, Values]:
        return {}

    def cell_values(self, key: str) -> Values:
        """A metric of every cell, computed once for all parts."""
        if key not in self._values:
            self._values[key] = self.cells.values(key, {})
        return self._values[key]

    def records(self) -> list[ItemRecord]:
        """The same as one record per item."""
        parts: list[dict[Hashable, Tally]] = [{} for _ in self.items]
        plains: list[dict[Hashable, PlainIoU]] = [{} for _ in self.items]
        for at, (item, part) in enumerate(zip(self.cell_item.tolist(), self.cell_part.tolist(), strict=True)):
            name = self.names[part]
            parts[item][name] = self.cells.tally(at, at + 1)
            if self.plain is not None and name in self.plain.stuff:
                plains[item][name] = self.plain.plain(at, at + 1)
        return [
            ItemRecord(
                item=name,
                rule=self.rule,
                policy=self.policy,
                whole=self.whole.tally(at, at + 1),
                by=self.by,
                parts=parts[at],
                plain=None if self.plain is None else plains[at],
                scores=dict(self.kept.get(name, {})),
            )
            for at, name in enumerate(self.items)
        ]


@dataclass(frozen=True, eq=False)
class _PartTallies:
    """The cells of one part that occur; metrics without options are computed for all parts at once."""

    data: ColumnTallies
    start: int
    stop: int

    def values(self, key: str, options: Mapping[str, object]) -> Values:
        """A metric of each of them."""
        occurs = self.data.occurs[self.start : self.stop].tolist()
        if options:
            home = np.full(len(self.data.cells), -1)
            home[self.start : self.stop] = np.arange(self.stop - self.start)
            values = self.data.cells.regrouped(home, self.stop - self.start).values(key, options)
        else:
            values = self.data.cell_values(key)[self.start : self.stop]
        return list(compress(values, occurs))
