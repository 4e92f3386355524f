"""Count the overlaps of sets of any elements."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from segmetry.overlaps.build import with_classes
from segmetry.overlaps.table import BackgroundCounts, OverlapTable, Side
from segmetry.segmentation.sets import Sets


def count_sets(true: Sets, pred: Sets) -> OverlapTable:
    """Look for every element of a true segment in the predicted ones."""
    preds_of: dict[Hashable, list[int]] = {}
    pred_ids, true_ids = sorted(pred.segments), sorted(true.segments)
    for position, segment in enumerate(pred_ids):
        for element in pred.segments[segment]:
            preds_of.setdefault(element, []).append(position)
    counts: dict[tuple[int, int], int] = {}
    for position, segment in enumerate(true_ids):
        for element in true.segments[segment]:
            for pred_position in preds_of.get(element, ()):
                counts[position, pred_position] = counts.get((position, pred_position), 0) + 1
    universe = true.universe or pred.universe or (true.elements | pred.elements)
    rows = sorted(counts)

    def side(sets: Sets, ids: list[int], opposite: Sets) -> Side:
        return Side(
            ids=np.array(ids, dtype=np.int64),
            sizes=np.array([len(sets.segments[segment]) for segment in ids], dtype=np.int64),
            outside=np.array([len(sets.segments[segment] - opposite.elements) for segment in ids], dtype=np.int64),
            void=np.zeros(len(ids), dtype=np.int64),
            disjoint=sets.is_disjoint,
        )

    table = OverlapTable(
        true=side(true, true_ids, pred),
        pred=side(pred, pred_ids, true),
        row_true=np.array([row[0] for row in rows], dtype=np.intp),
        row_pred=np.array([row[1] for row in rows], dtype=np.intp),
        shared=np.array([counts[row] for row in rows], dtype=np.int64),
        background=BackgroundCounts(outside_outside=len(universe - true.elements - pred.elements)),
        n_elements=len(universe),
    )
    return with_classes(table, true.classes, pred.classes)
