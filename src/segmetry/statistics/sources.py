"""What is resampled: the items of a data set by name, with their counts, from records or from the columns of a run."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.alignments.tally import Tally
from segmetry.metrics.panoptic.pq_dagger import dagger_of_class, mean_dagger
from segmetry.metrics.score import Score
from segmetry.statistics.data_set_columns import ColumnTallies
from segmetry.statistics.records import ItemRecord
from segmetry.statistics.tally_columns import ratio_or_nan

Fractions = tuple[FloatArray, FloatArray, FloatArray]
"""Numerators, denominators and values; 0, 0 and NaN where there is no value."""


class Source(Protocol):
    """The items of a data set, sorted by name, and their *cells*: one for each part that an item holds.

    Cells come in any order; ``cell_part`` are positions in ``parts``. Counts are those of a layout's first columns.
    """

    @property
    def items(self) -> Sequence[str]: ...
    @property
    def policy(self) -> str: ...
    @property
    def like(self) -> Tally: ...
    @property
    def parts(self) -> Sequence[Hashable]: ...
    @property
    def cell_item(self) -> IndexArray: ...
    @property
    def cell_part(self) -> IndexArray: ...
    @property
    def other_keys(self) -> list[str]: ...

    def tallies(self) -> Sequence[Tally]:
        """The tally of every item."""
        ...

    def cell_tallies(self) -> Sequence[Tally]:
        """The tally of every cell."""
        ...

    def counts(self) -> FloatArray:
        """The counts of every item."""
        ...

    def cell_counts(self) -> FloatArray:
        """The counts of every cell."""
        ...

    def daggers(self) -> FloatArray:
        """PQ† of every item; NaN where it is undefined."""
        ...

    def cell_daggers(self) -> Fractions:
        """PQ† of every cell."""
        ...

    def scores(self, key: str) -> list[Score | None]:
        """A score of every item that is no function of a tally."""
        ...


class RecordSource:
    """United records."""

    def __init__(self, records: Sequence[ItemRecord]) -> None:
        self.records = records
        self.items = [record.item for record in records]
        self.policy, self.like = records[0].policy, records[0].whole
        self.other_keys = list({key: None for record in records for key in record.scores})
        self.parts = list({name: None for record in records for name in record.parts})
        number = {name: at for at, name in enumerate(self.parts)}
        self._cells = [(at, name) for at, record in enumerate(records) for name in record.parts]
        self.cell_item = np.array([at for at, _ in self._cells], dtype=np.intp)
        self.cell_part = np.array([number[name] for _, name in self._cells], dtype=np.intp)

    def tallies(self) -> Sequence[Tally]:
        """The tally of every item."""
        return [record.whole for record in self.records]

    def cell_tallies(self) -> Sequence[Tally]:
        """The tally of every cell."""
        return [tally for record in self.records for tally in record.parts.values()]

    def counts(self) -> FloatArray:
        """The counts of every item."""
        return _counts(self.tallies())

    def cell_counts(self) -> FloatArray:
        """The counts of every cell."""
        return _counts(self.cell_tallies())

    def daggers(self) -> FloatArray:
        """PQ† of every item; NaN where it is undefined."""
        scores = (mean_dagger(record.parts, record.plain or {}) for record in self.records)
        return np.array([score.value if score.is_defined else np.nan for score in scores])

    def cell_daggers(self) -> Fractions:
        """PQ† of every cell."""
        plain = ((self.records[at].plain or {}).get(name) for at, name in self._cells)
        scores = [dagger_of_class(tally, one) for tally, one in zip(self.cell_tallies(), plain, strict=True)]
        tops, bottoms = (np.array([float(getattr(one, word) or 0) for one in scores]) for word in _WORDS)
        return tops, bottoms, np.array([score.value if score.is_defined else np.nan for score in scores])

    def scores(self, key: str) -> list[Score | None]:
        """A score of every item that is no function of a tally."""
        return [record.scores.get(key) for record in self.records]


class ColumnSource:
    """The columns of a run."""

    def __init__(self, data: ColumnTallies) -> None:
        self.data = data
        self.policy, self.parts, self.like = data.policy, data.names, data.whole.tally(0, 0)
        self._order = sorted(range(data.n_items), key=data.items.__getitem__)
        self.items = [data.items[at] for at in self._order]
        place = np.empty(data.n_items, dtype=np.intp)
        place[self._order] = np.arange(data.n_items)
        self.cell_item, self.cell_part = place[data.cell_item], data.cell_part

    @cached_property
    def other_keys(self) -> list[str]:
        """The scores that are no functions of a tally, in the order of the summary."""
        return list({key: None for name in self.items for key in self.data.kept.get(name, {})})

    def tallies(self) -> Sequence[Tally]:
        """The tally of every item."""
        every = self.data.whole.tallies
        return [every[at] for at in self._order]

    def cell_tallies(self) -> Sequence[Tally]:
        """The tally of every cell."""
        return self.data.cells.tallies

    def counts(self) -> FloatArray:
        """The counts of every item."""
        return self.data.whole.counts()[:, self._order]

    def cell_counts(self) -> FloatArray:
        """The counts of every cell."""
        return self.data.cells.counts()

    def daggers(self) -> FloatArray:
        """PQ† of every item; NaN where it is undefined."""
        return np.array(self.data.item_daggers())[self._order]

    def cell_daggers(self) -> Fractions:
        """PQ† of every cell."""
        tops, bottoms = self.data.cell_dagger_fractions
        return tops, bottoms, ratio_or_nan(tops, bottoms)

    def scores(self, key: str) -> list[Score | None]:
        """A score of every item that is no function of a tally."""
        return [self.data.kept.get(name, {}).get(key) for name in self.items]


_WORDS = ("numerator", "denominator")


def _counts(tallies: Sequence[Tally]) -> FloatArray:
    counts = [(one.n_pairs, one.n_unmatched_true, one.n_unmatched_pred, one.total_iou()) for one in tallies]
    return np.array(counts, dtype=np.float64).reshape(-1, 4).T
