r"""Variation of information [meila2007comparing] and its two terms, splits and merges [nuneziglesias2013machine].

VI = H(H|T) + H(T|H), in bits. H(H|T) grows when true segments are split up, H(T|H) when they are merged.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import ratio
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, SPLIT_UP
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.contingency import Contingency

_BITS = "In bits (base 2), as scikit-image; nats elsewhere. "
_MERGED = [[1, 1, 2, 2]], [[1, 1, 1, 1]]
_CROSSED = [[1, 1, 2, 2]], [[1, 2, 1, 2]]


@metric(
    symbol="VI",
    family="clustering",
    order=90,
    aliases=("voi", "vi"),
    needs="contingency",
    formula=r"\mathrm{VI} = H(H\mid T)+H(T\mid H)",
    summary="The information, in bits per element, that differs between the two segmentations: the sum of vi_split and "
    "vi_merge.",
    citation=("meila2007comparing",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    value_if_equal=0,
    notes=BACKGROUND + _BITS + "Not normalised: at most log2 of the number of elements.",
    examples=(Example(*_CROSSED, 2.0), Example(*_MERGED, 1.0), Example(*SPLIT_UP, math.log2(10))),
)
def variation_of_information(contingency: Contingency) -> Score:
    both = [
        *_conditional_terms(contingency, contingency.true_size),
        *_conditional_terms(contingency, contingency.pred_size),
    ]
    return _bits("variation_of_information", contingency, both)


@metric(
    symbol=r"\mathrm{VI}_{\mathrm{split}}",
    family="clustering",
    order=100,
    aliases=("voi_split",),
    needs="contingency",
    formula=r"H(H\mid T) = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{|t|}{|t\cap h|}",
    summary="Over-segmentation in bits: the uncertainty about the predicted segment of an element when its true "
    "segment is known.",
    citation=("nuneziglesias2013machine", "meila2007comparing"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    swaps_with="vi_merge",
    value_if_equal=0,
    notes=BACKGROUND + _BITS + "0 when no true segment is split.",
    examples=(Example(*_CROSSED, 1.0), Example(*_MERGED, 0.0), Example(*SPLIT_UP, math.log2(10))),
)
def vi_split(contingency: Contingency) -> Score:
    return _bits("vi_split", contingency, _conditional_terms(contingency, contingency.true_size))


@metric(
    symbol=r"\mathrm{VI}_{\mathrm{merge}}",
    family="clustering",
    order=110,
    aliases=("voi_merge",),
    needs="contingency",
    formula=r"H(T\mid H) = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{|h|}{|t\cap h|}",
    summary="Under-segmentation in bits: the uncertainty about the true segment of an element when its predicted "
    "segment is known.",
    citation=("nuneziglesias2013machine", "meila2007comparing"),
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    swaps_with="vi_split",
    value_if_equal=0,
    notes=BACKGROUND + _BITS + "0 when no predicted segment contains elements of two true ones.",
    examples=(Example(*_CROSSED, 1.0), Example(*_MERGED, 1.0)),
)
def vi_merge(contingency: Contingency) -> Score:
    return _bits("vi_merge", contingency, _conditional_terms(contingency, contingency.pred_size))


def _conditional_terms(contingency: Contingency, sizes: NDArray[Any]) -> list[float]:
    """Return (s/n)·ln(size/s) of every cell: all ≥ 0, exactly 0 where the cell is its whole block."""
    shared = contingency.shared
    logs = np.log1p(ratio(sizes - shared, shared))
    terms: list[float] = (ratio(shared, np.full(shared.size, contingency.n)) * logs * contingency.count).tolist()
    return terms


def _bits(key: str, contingency: Contingency, terms: list[float]) -> Score:
    if not contingency.n:
        return Score.undefined(key, NO_ELEMENTS)
    return Score.number(key, math.fsum(terms) / math.log(2))
