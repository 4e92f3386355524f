"""Records as arrays of counts, items × parts: what resampling items needs, thousands of times over."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.records import ItemRecord, unite


@dataclass(frozen=True, eq=False)
class CountArrays:
    """Matched, missed and spurious segments and Σ IoU of every item (a row, by item name) and part (a column).

    A bootstrap sample is a vector of multiplicities over the items: ``multiplicity @ arrays.n_matched`` are its
    pooled counts.
    """

    items: tuple[str, ...]
    parts: tuple[Hashable, ...]
    n_matched: IntArray
    n_missed: IntArray
    n_spurious: IntArray
    sum_iou: FloatArray

    def pooled_pq(self, multiplicity: IntArray | None = None) -> FloatArray:
        """PQ of every part for a sample of items (all of them once by default); NaN where the part does not occur."""
        times = np.ones(len(self.items), dtype=np.int64) if multiplicity is None else multiplicity
        halves = times @ (2 * self.n_matched + self.n_missed + self.n_spurious)
        with np.errstate(invalid="ignore"):
            found: FloatArray = np.divide(2 * (times @ self.sum_iou), halves)
        return found


def count_arrays(records: Iterable[ItemRecord]) -> CountArrays:
    """The counts of all records; one part called None where they are not broken down.

    >>> import segmetry as sm
    >>> from segmetry.statistics.records import record_of
    >>> arrays = count_arrays([record_of("a", sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 0]])))])
    >>> arrays.n_matched.tolist(), arrays.n_missed.tolist(), arrays.sum_iou.tolist()
    ([[1]], [[1]], [[1.0]])
    """
    united = unite(records)
    names = sorted_names({name for record in united for name in record.parts}) or (None,)
    column = {name: at for at, name in enumerate(names)}
    shape = (len(united), len(names))
    counts = {key: np.zeros(shape, dtype=np.int64) for key in ("n_matched", "n_missed", "n_spurious")}
    sums = np.zeros(shape)
    for row, record in enumerate(united):
        for name, tally in (record.parts or {None: record.whole}).items():
            at = (row, column[name])
            counts["n_matched"][at] = tally.n_pairs
            counts["n_missed"][at] = tally.n_unmatched_true
            counts["n_spurious"][at] = tally.n_unmatched_pred
            sums[at] = tally.total_iou()
    return CountArrays(tuple(record.item for record in united), names, sum_iou=sums, **counts)
