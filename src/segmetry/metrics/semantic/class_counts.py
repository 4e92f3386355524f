"""The elements of each class of an item on both sides; elements that are void on a side are left out."""

from __future__ import annotations

import numpy as np

from segmetry.metrics.semantic.region_counts import region_counts
from segmetry.metrics.statistics import Column
from segmetry.overlaps.table import OverlapTable


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
