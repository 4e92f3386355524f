r"""Pk [beeferman1999statistical]: the share of pairs of elements k apart wrongly put in one segment, or in two.

With c_P(i) the number of boundaries of P in window i (see sliding_windows.py for the windows),

    Pk = 1/|windows| · Σ_i [ (c_T(i) = 0) ≠ (c_H(i) = 0) ]

an error: 0 is perfect. Beeferman et al. define the probability of agreement and report one minus it; later work
reports the error.
"""

from __future__ import annotations

from segmetry.metrics.batches.line_boundaries import LinePairs
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.line_windows import window_quotients
from segmetry.metrics.windows.sliding_windows import WindowSize, slide_windows
from segmetry.segmentation import Spans


def _of_lines(lines: LinePairs, *, k: WindowSize = None, padded: bool = False) -> ScoreColumn | None:
    return window_quotients(lines, "one_empty", k, padded=padded)


@metric(
    symbol="P_k",
    order=10,
    formula=r"P_k = \frac{1}{n-k}\sum_{i=0}^{n-k-1}\big[(c_T(i,i+k)=0)\ne(c_H(i,i+k)=0)\big]",
    summary="The share of windows of k gaps in which only one of the two segmentations has a boundary.",
    citation=("beeferman1999statistical", "lamprier2007evaluation"),
    better="lower",
    pooled=True,
    of_lines=_of_lines,
    notes="An error, not the agreement of the 1999 definition. k counts gaps; by default it is half the mean true "
    "segment length, rounded half to even and kept within 1 … n-1 (k='segeval' and k='nltk' are those packages' "
    "defaults; with nltk's k = 0 every comparison scores 0). padded=True puts every gap in k windows (n+k-2 of them), "
    "so an error at the edge has the same weight as one in the middle: recommended. Undefined where no window fits. 0 "
    "does not mean equal: Pk does not detect a second boundary in a window. In a partial segmentation every maximal "
    "gap is read as a segment (P*), so a gap and a segment in its place score alike.",
    examples=(
        Example(Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5]), 2 / 11),
        Example(Spans.from_masses([6, 6]), Spans.from_masses([1, 5, 6]), 1 / 9),
        Example(Spans.from_masses([6, 6]), Spans.from_masses([1, 5, 6]), 3 / 13, {"padded": True}),
    ),
)
def pk(true: Spans, pred: Spans, *, k: WindowSize = None, padded: bool = False) -> Score:
    sliding = slide_windows(true, pred, k, padded=padded)
    return Score.of("pk", sliding.sums.one_empty, len(sliding), sliding.why_none, k=sliding.k)
