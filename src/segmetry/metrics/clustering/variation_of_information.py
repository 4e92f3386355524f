r"""Variation of information [meila2007comparing] and its two terms, splits and merges [nuneziglesias2013machine].

VI = H(H|T) + H(T|H), in bits. H(H|T) grows when true segments are split up, H(T|H) when they are merged. The score of
CREMI [funke2016cremi] is the geometric mean of VI and the adapted Rand error, √(VI · ARE), where elements outside in
the truth are left out and the outside of the prediction is one segment.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base import FloatArray, IntArray, computed_once, ratio
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.element_pairs import adapted_rand_error
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, SPLIT_UP
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Contingency, OverlapTable, contingency

_BITS = "In bits (base 2), as scikit-image; nats elsewhere. "
_MERGED = [[1, 1, 2, 2]], [[1, 1, 1, 1]]
_CROSSED = [[1, 1, 2, 2]], [[1, 2, 1, 2]]


@metric(
    symbol="VI",
    order=90,
    aliases=("voi", "vi"),
    formula=r"\mathrm{VI} = H(H\mid T)+H(T\mid H)",
    summary="The information, in bits per element, that differs between the two segmentations: the sum of vi_split and "
    "vi_merge.",
    citation=("meila2007comparing",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    notes=BACKGROUND + _BITS + "Not normalised: at most log2 of the number of elements.",
    examples=(Example(*_CROSSED, 2.0), Example(*_MERGED, 1.0), Example(*SPLIT_UP, math.log2(10))),
)
def variation_of_information(partitions: Contingency) -> FormulaValue:
    return _sum_in_bits(partitions, _split_terms(partitions), _merge_terms(partitions))


@metric(
    symbol=r"\mathrm{VI}_{\mathrm{split}}",
    aliases=("voi_split",),
    formula=r"H(H\mid T) = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{|t|}{|t\cap h|}",
    summary="Over-segmentation in bits: the uncertainty about the predicted segment of an element when its true "
    "segment is known.",
    citation=("nuneziglesias2013machine", "meila2007comparing"),
    bounds=(0, math.inf),
    better="lower",
    swaps_with="vi_merge",
    notes=BACKGROUND + _BITS + "0 when no true segment is split.",
    examples=(Example(*_CROSSED, 1.0), Example(*_MERGED, 0.0), Example(*SPLIT_UP, math.log2(10))),
)
def vi_split(partitions: Contingency) -> FormulaValue:
    return _sum_in_bits(partitions, _split_terms(partitions))


@metric(
    symbol=r"\mathrm{VI}_{\mathrm{merge}}",
    aliases=("voi_merge",),
    formula=r"H(T\mid H) = \sum_{t,h}\frac{|t\cap h|}{n}\log_2\frac{|h|}{|t\cap h|}",
    summary="Under-segmentation in bits: the uncertainty about the true segment of an element when its predicted "
    "segment is known.",
    citation=("nuneziglesias2013machine", "meila2007comparing"),
    bounds=(0, math.inf),
    better="lower",
    swaps_with="vi_split",
    notes=BACKGROUND + _BITS + "0 when no predicted segment contains elements of two true ones.",
    examples=(Example(*_CROSSED, 1.0), Example(*_MERGED, 1.0)),
)
def vi_merge(partitions: Contingency) -> FormulaValue:
    return _sum_in_bits(partitions, _merge_terms(partitions))


@computed_once
def _split_terms(partitions: Contingency) -> FloatArray:
    return _conditional_terms(partitions, partitions.true_size)


@computed_once
def _merge_terms(partitions: Contingency) -> FloatArray:
    return _conditional_terms(partitions, partitions.pred_size)


def _conditional_terms(partitions: Contingency, sizes: IntArray) -> FloatArray:
    """Return (s/n)·ln(size/s) of every cell: all ≥ 0, exactly 0 where the cell is its whole block."""
    shared = partitions.shared
    logs = np.log1p(ratio(sizes - shared, shared))
    terms: FloatArray = ratio(shared, partitions.n_of_cells) * logs * partitions.count
    return terms


def _sum_in_bits(partitions: Contingency, *terms: FloatArray) -> FormulaValue:
    return FormulaValue(partitions.sum_of_cells(*terms) / math.log(2), undefined=((partitions.n == 0, NO_ELEMENTS),))


@metric(
    symbol=r"\mathrm{CREMI}",
    order=115,
    formula=r"\sqrt{\mathrm{VI}\cdot\mathrm{ARE}}",
    summary="The geometric mean of the variation of information, in bits, and the adapted Rand error; 0 is perfect.",
    citation=("funke2016cremi",),
    bounds=(0, math.inf),
    better="lower",
    notes="Elements outside in the truth are left out and the outside of the prediction is one segment, whatever "
    "background is: the convention 'cremi' of variation_of_information and adapted_rand_error. details contain both "
    "factors and the share of the elements that counts. The script of the challenge scales predicted zeros wrongly, so "
    "that its value differs where the prediction leaves elements outside. Overlapping segments are an error. "
    "Undefined without a true segment.",
    examples=(
        Example([[1, 1, 2, 2, 0]], [[1, 1, 1, 1, 2]], math.sqrt(1 * 1 / 3)),
        Example([[1, 1, 2, 2, 0]], [[3, 3, 4, 4, 4]], 0.0),
    ),
)
def cremi_score(table: OverlapTable) -> Score:
    parts = contingency(table, "cremi")
    if not parts.n:
        return Score.undefined("cremi_score", NO_ELEMENTS, **parts.details)
    information = variation_of_information.compute(parts).value
    error = adapted_rand_error.compute(parts).value
    return Score.number(
        "cremi_score",
        math.sqrt(information * error),
        **parts.details,
        variation_of_information=information,
        adapted_rand_error=error,
    )
