"""The entities of each class on both sides, and those found exactly: same line, same first and last token, same class.

A count needs no alignment: spans of a side are disjoint, so at most one predicted entity has the first token of a true
one.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Collected, Column
from segmetry.metrics.labelled.span_pairs import on_one_long_line
from segmetry.segmentation.span_lines import SpanLines

NO_ENTITIES = "no entity on either side"


def entity_counts(true: SpanLines, pred: SpanLines) -> dict[str, Column]:
    """Collect the number of true, predicted and exactly found entities of each class.

    >>> lines = [SpanLines.from_tags([["B-PER", tag, "B-LOC"]]) for tag in ("I-PER", "O")]
    >>> counts = entity_counts(*lines)
    >>> counts["class"], counts["correct"].tolist()
    (['LOC', 'PER'], [1, 0])
    """
    first, second, names = on_one_long_line(true, pred)
    at = np.searchsorted(second.starts, first.starts)
    at[at == second.starts.size] = 0
    found = np.zeros(first.starts.size, dtype=np.bool_)
    if second.starts.size:
        found = (
            (second.starts[at] == first.starts) & (second.stops[at] == first.stops) & (second.codes[at] == first.codes)
        )
    columns = (first.codes, second.codes, first.codes[found])
    counts = (np.bincount(codes, minlength=len(names)) for codes in columns)
    return {"class": list(names), **dict(zip(("true", "pred", "correct"), counts, strict=True))}


@dataclass(frozen=True)
class EntityCounts:
    """True, predicted and exactly found entities."""

    true: int
    pred: int
    correct: int


def sum_entities(collected: Collected) -> tuple[EntityCounts, Mapping[Hashable, EntityCounts]]:
    """Return the counts of all items, each as often as it counts: of all entities, and of each class that occurs."""
    times = collected.times_of("class")
    classes = collected.columns["class"]
    labels = collected.labels["class"]
    sums = []
    for name in ("true", "pred", "correct"):
        column = np.zeros(len(labels), dtype=np.int64)
        np.add.at(column, classes, times * collected.columns[name])
        sums.append(column.tolist())
    by_class = {
        name: EntityCounts(*counts) for name, *counts in zip(labels, *sums, strict=True) if counts[0] + counts[1]
    }
    return EntityCounts(*(sum(column) for column in sums)), by_class


def sampled_totals(collected: Collected, times: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return true, predicted and found entities of many samples (the columns of ``times``)."""
    if "entities by item" not in collected.memo:
        rows = collected.item_of("class")
        by_item = np.zeros((3, collected.n_items), dtype=np.int64)
        for at, name in enumerate(("true", "pred", "correct")):
            np.add.at(by_item[at], rows, collected.columns[name])
        collected.memo["entities by item"] = by_item
    true, pred, correct = collected.memo["entities by item"] @ times
    return true, pred, correct


def sampled_quotient(top: IntArray, bottom: IntArray, either: IntArray) -> FloatArray:
    """Return quotients of samples: 0 where the denominator is 0, NaN where no side has an entity."""
    values = np.where(bottom > 0, top / np.maximum(bottom, 1), 0.0)
    return np.where(either > 0, values, math.nan)
