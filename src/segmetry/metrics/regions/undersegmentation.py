r"""Undersegmentation errors of superpixels: how much of them leaks across true borders.

Three definitions have this name: one minus achievable segmentation accuracy [stutz2018superpixels], that of Neubert and
Protzel [neubert2012superpixel], and that of Levinshtein et al. [levinshtein2009turbopixels].
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from segmetry._base import ratio, sum_by
from segmetry.metrics.clustering.purity import purity
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Contingency

_SIX = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
_LEAK = [[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 3, 3, 3]]
_superpixel_error = partial(metric, bounds=(0, math.inf), better="lower", pooled=True)


@_superpixel_error(
    symbol=r"\mathrm{UE}",
    bounds=(0, 1),
    order=210,
    aliases=("ue",),
    formula=r"\frac1N\sum_s\min_g|s\setminus g| = 1-\mathrm{ASA}",
    summary="Undersegmentation error: the share of elements outside the true segment that overlaps their superpixel "
    "most.",
    citation=("stutz2018superpixels",),
    notes=BACKGROUND + "One minus purity, which is called achievable segmentation accuracy of superpixels.",
    examples=(Example(*_SIX, 1 / 6), Example(*_LEAK, 1 / 6)),
)
def undersegmentation_error(contingency: Contingency) -> Score:
    inside = purity.compute(contingency)
    largest = int(inside.numerator or 0) if isinstance(inside, Score) else 0
    return Score.of("undersegmentation_error", contingency.n - largest, contingency.n, NO_ELEMENTS)


@_superpixel_error(
    symbol=r"\mathrm{UE}_{NP}",
    aliases=("undersegmentation_error_np",),
    formula=r"\frac1N\sum_g\sum_{s\cap g\ne\emptyset}\min(|s\cap g|,|s\setminus g|)",
    summary="Undersegmentation error of Neubert and Protzel: for each overlap, the smaller of the parts of the "
    "superpixel inside and outside.",
    citation=("neubert2012superpixel", "stutz2018superpixels"),
    notes=BACKGROUND + "A superpixel that leaks into several true segments counts once for each, so the value may "
    "exceed UE.",
    examples=(Example(*_SIX, 2 / 6), Example(*_LEAK, 2 / 6)),
)
def ue_np(contingency: Contingency) -> Score:
    sizes = contingency.pred.size[contingency.at_pred]
    parts = np.minimum(contingency.shared, sizes - contingency.shared) * contingency.count
    return Score.of("ue_np", int(parts.sum()), contingency.n, NO_ELEMENTS)


@_superpixel_error(
    symbol=r"\mathrm{UE}_{Levin}",
    aliases=("undersegmentation_error_levin",),
    formula=r"\frac{1}{|G|}\sum_g\frac{\sum_{s\cap g\ne\emptyset}|s|-|g|}{|g|}",
    summary="Undersegmentation error of Levinshtein: how much larger than a true segment its superpixels are.",
    citation=("levinshtein2009turbopixels", "stutz2018superpixels"),
    notes=BACKGROUND + "A superpixel that touches a true segment counts with its whole size.",
    examples=(Example(*_SIX, (1 / 3 + 1 / 3) / 2), Example(*_LEAK, (2 / 4 + 1 / 2) / 2)),
)
def ue_levin(contingency: Contingency) -> Score:
    blocks = contingency.true
    covering = contingency.pred.size[contingency.at_pred] * contingency.count
    total = sum_by(contingency.at_true, covering, blocks.size.size)
    terms = ratio(total - blocks.size * blocks.count, blocks.size)
    return Score.of("ue_levin", math.fsum(terms.tolist()), blocks.number if contingency.n else 0, NO_ELEMENTS)
