"""From many items to one summary: mean over items and pooled counts, per class and per group, always named.

Every item leaves one :class:`ItemRecord`: the tallies of its segments, whole and per part (class, size, …), and
whatever other scores it has. Records are facts about one item, so they unite by item name in any order;
:func:`summarise` turns them into means and pooled scores, :func:`intervals` into the confidence intervals of those,
:func:`count_arrays` into plain arrays of counts.
"""

from __future__ import annotations

from segmetry.aggregate.aggregated import Aggregated, Summary
from segmetry.aggregate.arrays import CountArrays, count_arrays
from segmetry.aggregate.bootstrap import Interval
from segmetry.aggregate.column_tallies import ColumnTallies
from segmetry.aggregate.records import ItemRecord, item_rows, record_of, split_records, unite
from segmetry.aggregate.resampled import IntervalPair, Intervals, intervals
from segmetry.aggregate.summary import summarise, summarise_tallied

__all__ = [
    "Aggregated",
    "ColumnTallies",
    "CountArrays",
    "Interval",
    "IntervalPair",
    "Intervals",
    "ItemRecord",
    "Summary",
    "count_arrays",
    "intervals",
    "item_rows",
    "record_of",
    "split_records",
    "summarise",
    "summarise_tallied",
    "unite",
]
