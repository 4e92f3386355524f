r"""Covering: how well the best overlapping segment covers each segment, weighted by size [arbelaez2011contour].

The area fit index [lucieer2004uncertainties] and RBSB [feitosa2006genetic] compare the area of a true segment with that
of its partner.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from segmetry._base import as_python_ints, check_choice, products_fit, ratio, widest
from segmetry.alignments import CountedOverlaps
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partner import NO_TRUTH, TIES, partners
from segmetry.metrics.score import Score
from segmetry.segmentation import Spans

_A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_HALF = [[1, 1, 1, 1, 0, 0, 0, 0]], [[2, 2, 0, 0, 0, 0, 0, 0]]
_DECISIONS = (
    "The best IoU is taken over all overlapping segments, not of the partner with the largest intersection, so ties "
    "do not matter. A segment without overlap contributes 0. of='pred' covers the predicted segments by the true ones. "
    "Elements outside do not count unless divide_by='domain' divides by the number of all elements (the paper's "
    "total number of pixels; the same for total segmentations). The denominator is a number "
    "of elements, even where a text prints a number of segments."
)


@metric(
    symbol="C",
    order=120,
    aliases=("segmentation_covering",),
    formula=r"C = \frac{\sum_{t}|t|\max_h\mathrm{IoU}(t,h)}{\sum_t|t|}",
    summary="The mean IoU of each true segment with the pred that fits it best, weighted by the size of the true "
    "segment.",
    citation=("arbelaez2011contour",),
    pooled=True,
    notes=_DECISIONS,
    examples=(
        Example(*_HALF, 0.5),
        Example(*_A, 45 / 52),
        Example(*_B, 51 / 65),
        Example(*_HALF, 0.25, {"divide_by": "domain"}),
        Example(*_HALF, 0.5, {"of": "pred"}),
    ),
)
def covering(
    overlaps: CountedOverlaps,
    *,
    of: Literal["true", "pred"] = "true",
    divide_by: Literal["segments", "domain"] = "segments",
) -> Score:
    return Score.of("covering", *_covered_size(overlaps, of, divide_by), f"no {of} segments")


@metric(
    symbol="1-C",
    formula=r"1 - C",
    summary="One minus the covering, so that 0 is perfect.",
    citation=("arbelaez2011contour",),
    better="lower",
    pooled=True,
    notes="With divide_by='domain' a perfect prediction of a partial segmentation does not reach 0. " + _DECISIONS,
    examples=(Example(*_HALF, 0.5), Example(*_A, 7 / 52), Example(*_B, 14 / 65)),
)
def covering_error(
    overlaps: CountedOverlaps,
    *,
    of: Literal["true", "pred"] = "true",
    divide_by: Literal["segments", "domain"] = "segments",
) -> Score:
    covered, total = _covered_size(overlaps, of, divide_by)
    return Score.of("covering_error", total - covered, total, f"no {of} segments")


def _covered_size(overlaps: CountedOverlaps, of: str, divide_by: str) -> tuple[float, int]:
    """Return Σ |t|·max IoU and its denominator; 0 where there is nothing to cover."""
    check_choice("of", of, ("true", "pred"))
    check_choice("divide_by", divide_by, ("segments", "domain"))
    pairs = overlaps.pairs
    covers_truth = of == "true"
    sizes, at = (overlaps.true_sizes, pairs.at_true) if covers_truth else (overlaps.pred_sizes, pairs.at_pred)
    counts = overlaps.counted(*overlaps.touched)[0 if covers_truth else 1]
    own, shared, union = sizes[at], pairs.shared, pairs.shared + pairs.missed + pairs.spurious
    if not products_fit(widest(own), widest(shared)):
        own = as_python_ints(own)  # type: ignore[assignment]
    # Rounding keeps the order, so the largest of the rounded quotients is the largest quotient rounded.
    best = np.zeros(sizes.size)
    np.maximum.at(best, at, ratio(own * shared, union))
    total = int(sizes[counts].sum())
    return math.fsum(best[counts].tolist()), overlaps.n_elements if divide_by == "domain" and total else total


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
    "intersection. The index is signed as printed, so errors of opposite sign cancel and 0 does not mean perfect: a "
    "segment shifted by one element has AFI 0 (absolute=True takes the mean of absolute values instead). Elements "
    "outside count only through the sizes of the segments.",
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
    ties_by_id=True,
    notes=TIES + "A segment without overlap contributes 1. Not bounded by 1, since a partner may be much larger "
    "than the segment. Elements outside count only where a segment of the other side covers them.",
    examples=(Example(*_SHIFTED, 0.5), Example(*_TWO, 0.125)),
)
def rbsb(overlaps: CountedOverlaps) -> Score:
    pairing = partners(overlaps)
    differences = ratio(pairing.missed + pairing.spurious, pairing.true_sizes)
    return Score.of("rbsb", math.fsum(differences.tolist()), len(pairing), NO_TRUTH, **pairing.details)
