r"""Compactness of superpixels [schick2012measuring]: how round they are, weighted by size.

CO = Σ_s |s|/N · 4π|s|/per(s)². The perimeter counts unit edges, the frame of the image included.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry.geometry.label_geometry import label_geometry
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.labels import LabelArray

_SQUARES = [[1, 1, 2, 2], [1, 1, 2, 2]]
_LINES = [[1, 1, 1, 1], [2, 2, 2, 2]]


@metric(
    symbol=r"\mathrm{CO}",
    order=240,
    aliases=("superpixel_compactness",),
    kinds=("labels",),
    dimensions=(2, 2),
    formula=r"\sum_s\frac{|s|}{N}\cdot\frac{4\pi|s|}{\mathrm{per}(s)^2}",
    summary="Compactness of the predicted segments: area over that of a circle of the same perimeter, by size.",
    citation=("schick2012measuring", "stutz2018superpixels"),
    value_if_equal=None,
    notes="Of the prediction alone; the truth is not used. The perimeter counts unit edges, the frame of the image "
    "included, so a square has π/4. N is the number of elements in a predicted segment. Undefined without one.",
    examples=(Example(_LINES, _SQUARES, math.pi / 4), Example(_SQUARES, _LINES, 4 * math.pi * 4 / 100)),
)
def compactness(true: LabelArray, pred: LabelArray) -> Score:
    del true
    geometry = label_geometry(pred, pixels=False)
    segments = ~np.isin(geometry.labels, [*pred.outside, *pred.void])
    area, perimeter = (column[segments].astype(np.float64) for column in (geometry.area, geometry.perimeter))
    terms = 4 * math.pi * area**2 / perimeter**2
    return Score.of("compactness", math.fsum(terms.tolist()), float(area.sum()), "no pred segments")
