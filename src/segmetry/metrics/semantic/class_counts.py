"""The elements of each class on both sides, in one item and in a data set; elements that are void on a side are left
out.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.metrics.accumulator import Collected, Column
from segmetry.metrics.semantic.region_counts import region_counts
from segmetry.overlaps.table import OverlapTable


@dataclass(frozen=True, eq=False)
class ClassElements:
    """One number per class: elements of the class on both sides, in the truth, and in the prediction."""

    names: tuple[Hashable, ...]
    shared: IntArray
    true: IntArray
    pred: IntArray

    @property
    def union(self) -> IntArray:
        """Elements of the class on either side."""
        return self.true + self.pred - self.shared


def class_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the elements of each class of one item; no classes where its segments carry none."""
    if table.class_names is None:
        nothing = np.zeros(0, dtype=np.int64)
        return {"class": [], "shared": nothing, "true": nothing, "pred": nothing}
    if not (table.true.disjoint and table.pred.disjoint):
        regions = region_counts(table)
        return {"class": list(regions.names), "shared": regions.shared, "true": regions.true, "pred": regions.pred}
    classes = table.by_class()
    return {
        "class": list(classes.names),
        "shared": classes.shared,
        "true": classes.true_sizes,
        "pred": classes.pred_sizes,
    }


def sum_class_counts(collected: Collected) -> ClassElements:
    """Add up the items, each as often as it counts.

    >>> items = [{"class": ["sky"], "shared": np.array([2]), "true": np.array([3]), "pred": np.array([4])}] * 2
    >>> sum_class_counts(Collected.of(items)).union.tolist()
    [10]
    """
    return sum_samples(collected, collected.times)


def sum_samples(collected: Collected, times: IntArray) -> ClassElements:
    """Add up the items as often as ``times`` says; with one column per sample, the sums have one column per sample."""
    shared, true, pred = (table @ times for table in counts_by_item(collected))
    return ClassElements(collected.labels["class"], shared, true, pred)


def counts_by_item(collected: Collected) -> tuple[IntArray, IntArray, IntArray]:
    """Return the elements on both sides, in the truth and in the prediction, by class and item.

    >>> items = [{"class": ["sky"], "shared": np.array([2]), "true": np.array([3]), "pred": np.array([4])}] * 2
    >>> counts_by_item(Collected.of(items))[0].tolist()
    [[2, 2]]
    """
    if "classes × items" not in collected.memo:
        place = collected.columns["class"], collected.item_of("class")
        tables = []
        for name in ("shared", "true", "pred"):
            column = collected.columns[name]
            table = np.zeros((len(collected.labels["class"]), collected.n_items), dtype=column.dtype)
            np.add.at(table, place, column)
            tables.append(table)
        collected.memo["classes × items"] = tuple(tables)
    tables_by_item: tuple[IntArray, IntArray, IntArray] = collected.memo["classes × items"]
    return tables_by_item
