r"""WindowDiff [pevzner2002critique]: the share of windows with a wrong number of boundaries.

    WD = 1/|windows| · Σ_i [ c_T(i) ≠ c_H(i) ]          weighted: 1/|windows| · Σ_i | c_T(i) - c_H(i) |

The padded form gives every gap the same weight. Its windows number n+k-2: the n-k of the original plus k-1 on either
side, without the windows that contain no gap, so the maximum is 1. (segeval pads with k elements and divides by
n+k+1; its history also has n.)
"""

from __future__ import annotations

from segmetry.metrics.batches.line_boundaries import LinePairs
from segmetry.metrics.batches.score_column import ScoreColumn
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.line_windows import window_quotients
from segmetry.metrics.windows.sliding_windows import WindowSize, slide_windows
from segmetry.segmentation import Spans

_SECOND_BOUNDARY = Spans.from_masses([6, 6]), Spans.from_masses([5, 1, 1, 5])


def _of_lines(
    lines: LinePairs, *, k: WindowSize = None, padded: bool = False, weighted: bool = False
) -> ScoreColumn | None:
    return window_quotients(lines, "difference" if weighted else "unequal", k, padded=padded)


@metric(
    symbol="WD",
    order=20,
    aliases=("windowdiff", "wd"),
    formula=r"\mathrm{WD} = \frac{1}{n-k}\sum_{i=0}^{n-k-1}\big[c_T(i,i+k)\ne c_H(i,i+k)\big]",
    summary="The share of windows of k gaps in which the two segmentations have different numbers of boundaries.",
    citation=("pevzner2002critique", "lamprier2007evaluation"),
    better="lower",
    pooled=True,
    of_lines=_of_lines,
    notes="Windows and default k as for Pk; Pk is never larger. padded=True is recommended: of Pk and WindowDiff, "
    "plain or padded, only this one is 0 exactly when the two segmentations are equal. weighted=True sums the "
    "differences and may exceed 1. Undefined where no window fits. In a partial segmentation every maximal gap is read "
    "as a segment (P*).",
    examples=(
        Example(*_SECOND_BOUNDARY, 5 / 9),
        Example(*_SECOND_BOUNDARY, 5 / 13, {"padded": True}),
        Example(*_SECOND_BOUNDARY, 2 / 3, {"weighted": True}),
    ),
)
def window_diff(
    true: Spans, pred: Spans, *, k: WindowSize = None, padded: bool = False, weighted: bool = False
) -> Score:
    sliding = slide_windows(true, pred, k, padded=padded)
    wrong = sliding.sums.difference if weighted else sliding.sums.unequal
    return Score.of("window_diff", wrong, len(sliding), sliding.why_none, k=sliding.k)
