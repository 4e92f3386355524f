r"""Covering: how well the best overlapping segment of the other side covers each segment, weighted by size
[arbelaez2011contour].

C(H → T) = Σ_t |t|·max_h IoU(t, h) / Σ_t |t|.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from segmetry._base.exact import as_python_ints, products_fit, ratio, widest
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

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
    return Score.of("covering", *_covered(overlaps, of, divide_by), f"no {of} segments")


@metric(
    symbol="1-C",
    formula=r"1 - C",
    summary="One minus the covering, so that 0 is perfect.",
    citation=("arbelaez2011contour",),
    better="lower",
    pooled=True,
    value_if_equal=0,
    notes="With divide_by='domain' a perfect prediction of a partial segmentation does not reach 0. " + _DECISIONS,
    examples=(Example(*_HALF, 0.5), Example(*_A, 7 / 52), Example(*_B, 14 / 65)),
)
def covering_error(
    overlaps: CountedOverlaps,
    *,
    of: Literal["true", "pred"] = "true",
    divide_by: Literal["segments", "domain"] = "segments",
) -> Score:
    covered, total = _covered(overlaps, of, divide_by)
    return Score.of("covering_error", total - covered, total, f"no {of} segments")


def _covered(overlaps: CountedOverlaps, of: str, divide_by: str) -> tuple[float, int]:
    """Return Σ |t|·max IoU and its denominator; 0 where there is nothing to cover."""
    if of not in ("true", "pred"):
        raise OptionError(f"of is {of!r}; expected 'true' (the truth is covered) or 'pred'")
    if divide_by not in ("segments", "domain"):
        raise OptionError(f"divide_by is {divide_by!r}; expected 'segments' or 'domain'")
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
