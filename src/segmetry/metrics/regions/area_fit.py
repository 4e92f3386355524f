r"""Area fit index and RBSB: the area of a true segment compared with that of its partner.

AFI = mean over t of (|t| − |h|)/|t| with h the partner of t [lucieer2004uncertainties]; RBSB = mean over t of
(|t \ h| + |h \ t|)/|t| [feitosa2006genetic].
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import ratio
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partner import NO_TRUTH, TIES, partners
from segmetry.metrics.score import Score

_SHIFTED = [[1, 1, 1, 1, 0]], [[0, 1, 1, 1, 1]]
_TWO = [[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 0, 2, 2]]


@metric(
    symbol="AFI",
    order=30,
    formula=r"\mathrm{AFI} = \frac{1}{|T|}\sum_{t\in T}\frac{|t|-|h_t|}{|t|}",
    summary="The mean relative difference in area between true segments and their partners: above 0 where partners are "
    "smaller.",
    citation=("lucieer2004uncertainties",),
    bounds=(-math.inf, 1),
    better="neither",
    pooled=True,
    value_if_equal=0,
    ties_by_id=True,
    notes=TIES + "A segment without overlap contributes 1. The numerator contains the area of the partner, not of the "
    "intersection. The "
    "index is signed as printed, so errors of opposite sign cancel and 0 does not mean perfect: a segment shifted by "
    "one element has AFI 0 (absolute=True takes the mean of absolute values instead). Elements outside count only "
    "through the sizes of the segments.",
    examples=(
        Example(*_SHIFTED, 0.0),
        Example(*_TWO, 0.125),
        Example([[1, 1, 0, 0]], [[1, 1, 1, 0]], 0.5, {"absolute": True}),
    ),
)
def area_fit_index(overlaps: CountedOverlaps, *, absolute: bool = False) -> Score:
    pairing = partners(overlaps)
    difference = pairing.true_sizes - pairing.pred_sizes
    fits = ratio(np.abs(difference) if absolute else difference, pairing.true_sizes)
    return Score.of("area_fit_index", math.fsum(fits.tolist()), len(pairing), NO_TRUTH, **pairing.details)


@metric(
    symbol="RBSB",
    order=140,
    formula=r"\mathrm{RBSB} = \frac{1}{|T|}\sum_{t\in T}\frac{|t\setminus h_t|+|h_t\setminus t|}{|t|}",
    summary="The area in which a true segment and its partner differ, as a share of the true segment, on average.",
    citation=("feitosa2006genetic",),
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
    value_if_equal=0,
    ties_by_id=True,
    notes=TIES + "A segment without overlap contributes 1. Not bounded by 1, since a partner may be much larger "
    "than the segment. Elements outside count only where a segment of the other side covers them.",
    examples=(Example(*_SHIFTED, 0.5), Example(*_TWO, 0.125)),
)
def rbsb(overlaps: CountedOverlaps) -> Score:
    pairing = partners(overlaps)
    differences = ratio(pairing.missed + pairing.spurious, pairing.true_sizes)
    return Score.of("rbsb", math.fsum(differences.tolist()), len(pairing), NO_TRUTH, **pairing.details)
