r"""Pr_error and its parts, misses and false alarms [georgescul2006analysis].

    Pr_miss = Σ_i [ c_H < c_T ] / Σ_i [ c_T > 0 ]      Pr_fa = Σ_i [ c_H > c_T ] / |windows|
    Pr_error = C_miss · Pr_miss + (1 - C_miss) · Pr_fa

over the windows of sliding_windows.py. The authors' own program counts boundaries in i <= b < i+k, the start and the
end of the text among them, so its first window always contains a boundary and the last gap is never used; that is
not reproduced here.
"""

from __future__ import annotations

from functools import partial

from segmetry._base import Threshold, fraction_in
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.sliding_windows import WindowSize, slide_windows
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
NO_TRUE_BOUNDARY = "no window contains a true boundary"


_window_error = partial(metric, citation="georgescul2006analysis", better="lower")


@_window_error(
    symbol=r"\mathrm{Pr}_{\mathrm{error}}",
    order=30,
    formula=r"C_{\mathrm{miss}}\,\mathrm{Pr}_{\mathrm{miss}} + (1-C_{\mathrm{miss}})\,\mathrm{Pr}_{\mathrm{fa}}",
    summary="The weighted mean of the rates of missed and of spurious boundaries in windows of k gaps.",
    notes="Windows, default k and padded= as for Pk. Undefined where no window contains a true boundary (the "
    "authors' program gives -1). The windows are those of Pk, not those of that program, which counts the start of "
    "the text as a boundary.",
    examples=(Example(*_B, 19 / 88), Example(*_B, 1 / 4, {"c_miss": 1})),
)
def pr_error(
    true: Spans, pred: Spans, *, c_miss: Threshold = "1/2", k: WindowSize = None, padded: bool = False
) -> Score:
    weight = fraction_in(c_miss, "c_miss", 0, 1)
    sliding = slide_windows(true, pred, k, padded=padded)
    sums, n = sliding.sums, len(sliding)
    cost = weight * sums.fewer * n + (1 - weight) * sums.more * sums.with_true
    return Score.of("pr_error", cost, sums.with_true * n, sliding.why_none or NO_TRUE_BOUNDARY, k=sliding.k)


@_window_error(
    symbol=r"\mathrm{Pr}_{\mathrm{miss}}",
    formula=r"\frac{\sum_i [c_H(i,i+k)<c_T(i,i+k)]}{\sum_i [c_T(i,i+k)>0]}",
    summary="Among the windows with a true boundary, the share with too few predicted ones.",
    pooled=True,
    notes="Windows, default k and padded= as for Pk. Undefined where no window contains a true boundary.",
    examples=(Example(*_B, 1 / 4),),
)
def pr_miss(true: Spans, pred: Spans, *, k: WindowSize = None, padded: bool = False) -> Score:
    sliding = slide_windows(true, pred, k, padded=padded)
    sums, reason = sliding.sums, sliding.why_none or NO_TRUE_BOUNDARY
    return Score.of("pr_miss", sums.fewer, sums.with_true, reason, k=sliding.k)


@_window_error(
    symbol=r"\mathrm{Pr}_{\mathrm{fa}}",
    formula=r"\frac{1}{n-k}\sum_{i=0}^{n-k-1} [c_H(i,i+k)>c_T(i,i+k)]",
    summary="The share of windows with too many predicted boundaries.",
    pooled=True,
    notes="Windows, default k and padded= as for Pk: all windows count, also those that could not contain more. "
    "Undefined where no window fits.",
    examples=(Example(*_B, 2 / 11),),
)
def pr_false_alarm(true: Spans, pred: Spans, *, k: WindowSize = None, padded: bool = False) -> Score:
    sliding = slide_windows(true, pred, k, padded=padded)
    return Score.of("pr_false_alarm", sliding.sums.more, len(sliding), sliding.why_none, k=sliding.k)
