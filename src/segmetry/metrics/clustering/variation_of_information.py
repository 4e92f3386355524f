r"""Variation of information [meila2007comparing] and its two terms, splits and merges [nuneziglesias2013machine].

VI = H(H|T) + H(T|H), in bits. H(H|T) grows when true segments are split up, H(T|H) when they are merged. The score of
CREMI [funke2016cremi] is the geometric mean of VI and the adapted Rand error, √(VI · ARE), where elements outside in
the truth are left out and the outside of the prediction is one segment.

Which segments the variation of information comes from: splits of true segments, merges by predicted ones.

A true segment t that is divided among predicted segments h adds Σ_h (|t∩h|/n)·log₂(|t|/|t∩h|) bits to vi_split, a
predicted segment h that contains parts of several true ones adds Σ_t (|t∩h|/n)·log₂(|h|/|t∩h|) bits to vi_merge
[meila2007comparing, nuneziglesias2013machine]. The two columns of bits add up to the two metrics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from segmetry._base import FloatArray, IntArray, computed_once, ratio, sum_by
from segmetry.metrics.batches.partition_formula import FormulaValue
from segmetry.metrics.clustering.element_pairs import adapted_rand_error
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS, SPLIT_UP
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Blocks, Contingency, Ids, OverlapTable, contingency
from segmetry.results import ColumnType

SPLIT_TYPES: dict[str, ColumnType] = {
    "item": "text",
    "error": "text",
    "id": "integer",
    "n_elements": "integer",
    "n_parts": "integer",
    "parts": "text",
    "bits": "number",
    "share": "number",
}
SHOWN_PARTS = 5
"""How many of the largest parts of a segment are named."""


def splits_and_merges_of(table: OverlapTable, background: str = "segment") -> Iterator[dict[str, Any]]:
    """Yield a row for every true segment that is split and every predicted segment that merges, by bits.

    ``id`` is None for what lies outside, where the convention takes it as a segment; ``parts`` names the largest
    parts, ``n_parts`` counts them all.
    """
    parts = contingency(table, background)
    if not parts.n:
        return
    sides = (
        ("split", (parts.true, parts.at_true, table.true.ids), (parts.pred, parts.at_pred, table.pred.ids)),
        ("merge", (parts.pred, parts.at_pred, table.pred.ids), (parts.true, parts.at_true, table.true.ids)),
    )
    for error, (blocks, at, ids), (other, other_at, other_ids) in sides:
        number = sum_by(at, parts.count, blocks.size.size)
        bits = _bits_of_blocks(parts, blocks, at)
        several = np.flatnonzero((number > 1) & (bits > 0))
        for block in several[np.argsort(-bits[several], kind="stable")].tolist():
            cells = np.flatnonzero(at == block)
            cells = cells[np.argsort(-parts.shared[cells], kind="stable")][:SHOWN_PARTS]
            named = [
                f"{_segment_name(other_ids, other, int(other_at[cell]))}: {int(parts.shared[cell])}"
                for cell in cells.tolist()
            ]
            more = int(number[block]) - len(named)
            yield {
                "error": error,
                "id": _segment_id(ids, blocks, block),
                "n_elements": int(blocks.size[block]),
                "n_parts": int(number[block]),
                "parts": ", ".join(named) + (f", … {more} more" if more > 0 else ""),
                "bits": float(bits[block]),
                "share": float(bits[block] / math.fsum(bits.tolist())),
            }


def _bits_of_blocks(parts: Contingency, blocks: Blocks, at: Any) -> Any:
    shared, size = parts.shared, blocks.size[at]
    logs = np.log1p(ratio(size - shared, shared)) / math.log(2)
    terms = ratio(shared, np.full(shared.size, parts.n)) * logs * parts.count
    return np.bincount(at, weights=terms, minlength=blocks.size.size)


def _segment_id(ids: Ids, blocks: Blocks, block: int) -> int | None:
    segment = int(blocks.segments[block])
    return int(ids[segment]) if segment < len(ids) else None


def _segment_name(ids: Ids, blocks: Blocks, block: int) -> str:
    found = _segment_id(ids, blocks, block)
    return "outside" if found is None else str(found)


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
