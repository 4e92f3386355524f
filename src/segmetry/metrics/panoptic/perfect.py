"""Whether a prediction is perfect; its mean over items is the share of perfect items [heidenreich2024large]."""

from __future__ import annotations

import numpy as np

from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.spans import Spans


@metric(
    symbol=r"[T=H]",
    family="alignments",
    order=60,
    formula=r"\begin{cases}1 & T = H\\0 & \text{otherwise}\end{cases}",
    summary="1 if every segment is found exactly and nothing else is predicted, else 0.",
    citation="heidenreich2024large",
    symmetric=True,
    pooled=True,
    notes="The mean over items is the share of perfect items, which need no correction by hand (straight-through "
    "processing). Where both sides have classes, they must agree. Ids do not matter. Void elements count as others. "
    "Undefined without a segment on either side.",
    examples=(
        Example(Spans.from_masses([2, 3]), Spans.from_masses([2, 3]), 1),
        Example(Spans.from_masses([2, 3]), Spans.from_masses([2, 2, 1]), 0),
    ),
)
def perfect(table: OverlapTable) -> Score:
    true, pred = table.true, table.pred
    same = (table.shared == true.sizes[table.row_true]) & (table.shared == pred.sizes[table.row_pred])
    if true.classes is not None and pred.classes is not None:
        same &= true.classes[table.row_true] == pred.classes[table.row_pred]
    n_same, n_segments = int(np.count_nonzero(same)), (len(true), len(pred))
    return Score.of("perfect", int((n_same, n_same) == n_segments), int(any(n_segments)), NO_SEGMENTS)
