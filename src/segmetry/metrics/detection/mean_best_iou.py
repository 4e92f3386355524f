"""The mean best IoU: how well the best-fitting predicted segment covers each true one [ponttuset2016supervised]."""

from __future__ import annotations

import math

import numpy as np

from segmetry.alignments.policy import as_policy, candidates_of
from segmetry.alignments.weights import weigh
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.spans import Spans

NO_TRUE = "no true segments"


@metric(
    symbol=r"\overline{\mathrm{IoU}}^{*}",
    family="panoptic",
    order=170,
    formula=r"\frac{1}{|T|}\sum_{t\in T}\max_{h\in H}\mathrm{IoU}(t,h)",
    summary="Mean best IoU: how well the best-fitting predicted segment covers each true one, whether or not they are "
    "matched.",
    citation="ponttuset2016supervised",
    pooled=True,
    notes="A true segment without overlap counts 0. A predicted segment may be the best for several true ones. "
    "Where both sides have classes only segments of the same class are compared. Undefined without true segments.",
    examples=(Example(Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5]), (0.8 + 0.5 + 1) / 3),),
)
def mean_best_iou(table: OverlapTable) -> Score:
    pairs, _ = candidates_of(table, as_policy("none"), "match")
    best = np.zeros(len(table.true))
    np.maximum.at(best, pairs.at_true, weigh("iou", pairs.shared, pairs.missed, pairs.spurious))
    return Score.of("mean_best_iou", math.fsum(best.tolist()), best.size, NO_TRUE)
