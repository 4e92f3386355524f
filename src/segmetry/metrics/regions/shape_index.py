r"""Shape index: the compactness of true segments compared with their partners [neubert2003evaluation].

SI = perimeter/(4·√area), so a square has 1. The perimeter is the crack length: unit edges between the segment and its
complement, the frame of the image included. In three dimensions SI = surface/(6·volume^{2/3}), so a cube has 1.

Compactness of superpixels [schick2012measuring]: how round they are, weighted by size.

CO = Σ_s |s|/N · 4π|s|/per(s)². The perimeter counts unit edges, the frame of the image included.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from segmetry._base import FloatArray, check_choice
from segmetry.alignments import CountedOverlaps
from segmetry.geometry import label_geometry
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partners import NO_TRUTH, TIES, partners
from segmetry.metrics.score import Score
from segmetry.overlaps import Side
from segmetry.segmentation import LabelArray

_SQUARE = [[1, 1, 0, 0], [1, 1, 0, 0]]
_LINE = [[1, 1, 1, 1], [0, 0, 0, 0]]


@metric(
    symbol="SI",
    order=40,
    needs="shapes",
    formula=r"\mathrm{SI} = \frac{1}{|T|}\sum_{t\in "
    r"T}\left(\frac{\rho_t}{4\sqrt{|t|}}-\frac{\rho_{h_t}}{4\sqrt{|h_t|}}\right)",
    summary="The mean difference in shape index between true segments and their partners: above 0 where the true "
    "segments are less compact.",
    citation=("neubert2003evaluation",),
    bounds=(-math.inf, math.inf),
    better="neither",
    pooled=True,
    value_if_equal=0,
    kinds=("labels",),
    ties_by_id=True,
    dimensions=(2, 3),
    notes=f"{TIES}A segment without overlap contributes its own shape index. Signed as printed, so 0 does not mean "
    "perfect (a shifted square has 0); absolute=True takes the mean of absolute differences. perimeter='crack' counts "
    "unit edges, the frame of the image included; 'inside_frame' leaves the frame out; 'pixels' counts elements of the "
    "segment with a neighbour along an axis outside it. In three dimensions faces are counted and the index is "
    "surface/(6·volume^(2/3)), 1 for a cube. The shape is that of the whole segment, void elements included. The "
    "printed text calls it a ratio of area to perimeter; the formula is the reverse.",
    examples=(
        Example(_SQUARE, _LINE, 1 - 10 / 8),
        Example(_SQUARE, _LINE, 0.25, {"absolute": True}),
        Example(_SQUARE, _LINE, 2 / 8 - 4 / 8, {"perimeter": "inside_frame"}),
        Example(_SQUARE, _LINE, 0.0, {"perimeter": "pixels"}),
    ),
)
def shape_index(
    overlaps: CountedOverlaps,
    true: LabelArray,
    pred: LabelArray,
    *,
    absolute: bool = False,
    perimeter: Literal["crack", "inside_frame", "pixels"] = "crack",
) -> Score:
    check_choice("perimeter", perimeter, ("crack", "inside_frame", "pixels"))
    pairing = partners(overlaps)
    true_shapes = segment_shapes(true, overlaps.table.true, perimeter)[pairing.at_true]
    pred_shapes = np.append(segment_shapes(pred, overlaps.table.pred, perimeter), 0.0)[pairing.at_pred]
    differences = true_shapes - pred_shapes
    terms = np.abs(differences) if absolute else differences
    return Score.of("shape_index", math.fsum(terms.tolist()), len(pairing), NO_TRUTH, **pairing.details)


def segment_shapes(labels: LabelArray, side: Side, perimeter: str = "crack") -> FloatArray:
    """Return the shape index of every segment of one side, in the order of its ids."""
    geometry = label_geometry(labels, pixels=perimeter == "pixels")
    at = np.searchsorted(geometry.labels, side.ids.astype(geometry.labels.dtype))
    length = {
        "crack": geometry.perimeter,
        "inside_frame": geometry.perimeter - geometry.frame,
        "pixels": geometry.inner_pixels,
    }[perimeter][at]
    area = geometry.area[at].astype(np.float64)
    axes = labels.axes
    square: FloatArray = 2 * axes * (np.sqrt(area) if axes == 2 else np.cbrt(area) ** 2)
    shapes: FloatArray = length / square
    return shapes


_SQUARES = [[1, 1, 2, 2], [1, 1, 2, 2]]
_LINES = [[1, 1, 1, 1], [2, 2, 2, 2]]


@metric(
    symbol=r"\mathrm{CO}",
    order=240,
    aliases=("superpixel_compactness",),
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
