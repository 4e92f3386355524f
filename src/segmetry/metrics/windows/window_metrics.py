r"""WindowDiff [pevzner2002critique]: the share of windows with a wrong number of boundaries.

    WD = 1/|windows| · Σ_i [ c_T(i) ≠ c_H(i) ]          weighted: 1/|windows| · Σ_i | c_T(i) - c_H(i) |

The padded form gives every gap the same weight. Its windows number n+k-2: the n-k of the original plus k-1 on either
side, without the windows that contain no gap, so the maximum is 1. (segeval pads with k elements and divides by
n+k+1; its history also has n.)

Pk [beeferman1999statistical]: the share of pairs of elements k apart wrongly put in one segment, or in two.

With c_P(i) the number of boundaries of P in window i (see sliding_windows.py for the windows),

    Pk = 1/|windows| · Σ_i [ (c_T(i) = 0) ≠ (c_H(i) = 0) ]

an error: 0 is perfect. Beeferman et al. define the probability of agreement and report one minus it; later work
reports the error.

Pr_error and its parts, misses and false alarms [georgescul2006analysis].

    Pr_miss = Σ_i [ c_H < c_T ] / Σ_i [ c_T > 0 ]      Pr_fa = Σ_i [ c_H > c_T ] / |windows|
    Pr_error = C_miss · Pr_miss + (1 - C_miss) · Pr_fa

over the windows of sliding_windows.py. The authors' own program counts boundaries in i <= b < i+k, the start and the
end of the text among them, so its first window always contains a boundary and the last gap is never used; that is
not reproduced here.

WinPR [scaiano2012getting]: precision and recall of boundaries counted in windows, so near misses count in part.

Over the padded windows, with r and c the numbers of true and pred boundaries in a window and s the number of gaps it
covers,

    TP = Σ min(r, c)     FP = Σ max(0, c - r)     FN = Σ max(0, r - c)     TN = Σ (s - max(r, c))

Every gap is in exactly k padded windows, so TP + FN = k·|∂T|, TP + FP = k·|∂H| and all four add up to k·(n-1): only
TP has to be counted. With k = 1 this is the exact confusion table of the boundaries, and FP/k and FN/k are numbers of
boundaries for every k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from segmetry._base import IntArray, Threshold, fraction_in, products_fit
from segmetry.kernels import LineWindows, WindowSums, sum_line_windows
from segmetry.metrics.batches.partition_formula import ScoreColumn
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.sliding_windows import (
    LineBoundaries,
    LinePairs,
    WindowSize,
    rounded_quotient,
    slide_windows,
    why_no_window,
    window_size_of,
)
from segmetry.segmentation import Spans


def _pk_of_lines(lines: LinePairs, *, k: WindowSize = None, padded: bool = False) -> ScoreColumn | None:
    return window_quotients(lines, "one_empty", k, padded=padded)


@metric(
    order=10,
    formula=r"P_k = \frac{1}{n-k}\sum_{i=0}^{n-k-1}\big[(c_T(i,i+k)=0)\ne(c_H(i,i+k)=0)\big]",
    summary="The share of windows of k gaps in which only one of the two segmentations has a boundary.",
    citation=("beeferman1999statistical", "lamprier2007evaluation"),
    better="lower",
    pooled=True,
    of_lines=_pk_of_lines,
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


_FARTHEST = 2**59


def window_quotients(lines: LinePairs, name: str, k: WindowSize, *, padded: bool) -> ScoreColumn | None:
    """Return one of the sums over windows (a field of ``WindowSums``) and the number of windows, of every line.

    None where a sum might not fit into 64 bits.
    """
    window_size_of(1, 1, k)  # anything else than a size is refused
    key = ("windows", k, bool(padded))
    if key not in lines.memo:
        lines.memo[key] = _sums(lines, k, padded=padded)
    sums, n_windows, sizes = lines.memo[key]
    if sums is None:
        return None

    def reason(line: int) -> str:
        return why_no_window(int(lines.true.lengths[line]), int(sizes[line]))

    return ScoreColumn.of_quotients(sums[:, WindowSums._fields.index(name)], n_windows, reason, {"k": sizes})


def _sums(lines: LinePairs, k: WindowSize, *, padded: bool) -> tuple[IntArray | None, IntArray, IntArray]:
    """Return the sums, the number of windows and their sizes of every line."""
    n, sizes = lines.true.lengths, window_sizes(lines.true, k)
    starts, stops = (1 - sizes, n - 1) if padded else (np.zeros_like(n), n - sizes)
    stops = np.where(n > 1, stops, starts)
    n_windows = np.maximum(stops - starts, 0)
    most = int(max(n_windows.max(initial=0), sizes.max(initial=0)))
    boundaries = lines.true.positions.size + lines.pred.positions.size
    if most >= _FARTHEST or not products_fit(boundaries + 1, most + 1):
        return None, n_windows, sizes
    true, pred = lines.true, lines.pred
    windows = LineWindows(true.positions, true.offsets, pred.positions, pred.offsets, starts, stops, sizes)
    return sum_line_windows(windows), n_windows, sizes


def window_sizes(true: LineBoundaries, k: WindowSize) -> IntArray:
    """Return the number of gaps in the windows of every line, as ``window_size`` gives one by one."""
    n, segments = true.lengths, true.counts + 1
    if k == "nltk":
        return rounded_quotient(np.maximum(n - 1, 0), 2 * np.maximum(segments - 1, 1))
    half = rounded_quotient(n, 2 * segments)
    if k is None:
        return np.maximum(1, np.minimum(half, n - 1))
    if k == "segeval":
        return np.maximum(2, half)
    return np.full_like(n, window_size_of(1, 1, k))


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


_WORDS = "counted in windows of k gaps, so that a boundary off by less than k is partly right"
_DECISIONS = (
    "Always over the padded windows (n+k-2 of them): without padding, errors at the edges count less and the "
    "identities fail. Default k as for Pk. The published TN is valid for these windows; with a range that includes "
    "windows without a gap it is too large. In a partial segmentation every maximal gap is read as a segment (P*)."
)


@dataclass(frozen=True)
class WindowConfusion:
    """The confusion table of WinPR."""

    k: int
    tp: int
    fp: int
    fn: int
    tn: int


def window_confusion(true: Spans, pred: Spans, k: WindowSize = None) -> WindowConfusion:
    """Return the confusion table of boundaries over the padded windows of k gaps.

    Parameters
    ----------
    true : Spans
        The true segments.
    pred : Spans
        The predicted segments.
    k : int or str, optional
        The number of gaps in a window; by default half the mean length of the true segments. ``'segeval'`` and
        ``'nltk'`` round as these packages do.

    Returns
    -------
    WindowConfusion
        The counts, and k.

    Examples
    --------
    >>> window_confusion(Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5]), 2)
    WindowConfusion(k=2, tp=3, fp=3, fn=1, tn=17)
    """
    sliding = slide_windows(true, pred, k, padded=True)
    tp = sliding.sums.smaller
    fp, fn = sliding.k * sliding.pred.size - tp, sliding.k * sliding.true.size - tp
    return WindowConfusion(sliding.k, tp, fp, fn, sliding.k * max(true.n - 1, 0) - tp - fp - fn)


_window_score = partial(metric, citation="scaiano2012getting", pooled=True)


@_window_score(
    symbol=r"\mathrm{WinP}",
    order=60,
    formula=r"\frac{\sum_w\min(r_w,c_w)}{\sum_w c_w}",
    summary=f"The share of predicted boundaries that are true, {_WORDS}.",
    notes=f"Undefined without pred boundaries. {_DECISIONS}",
    examples=(Example(*_B, 1 / 2),),
)
def winpr_precision(true: Spans, pred: Spans, *, k: WindowSize = None) -> Score:
    table = window_confusion(true, pred, k)
    return Score.of("winpr_precision", table.tp, table.tp + table.fp, "no pred boundary in a window", k=table.k)


@_window_score(
    symbol=r"\mathrm{WinR}",
    formula=r"\frac{\sum_w\min(r_w,c_w)}{\sum_w r_w}",
    summary=f"The share of true boundaries that are predicted, {_WORDS}.",
    notes=f"Undefined without true boundaries. {_DECISIONS}",
    examples=(Example(*_B, 3 / 4),),
)
def winpr_recall(true: Spans, pred: Spans, *, k: WindowSize = None) -> Score:
    table = window_confusion(true, pred, k)
    return Score.of("winpr_recall", table.tp, table.tp + table.fn, "no true boundary in a window", k=table.k)


@_window_score(
    symbol=r"\mathrm{WinF}",
    formula=r"\frac{2\sum_w\min(r_w,c_w)}{\sum_w r_w+\sum_w c_w}",
    summary=f"The F1 score of boundaries, {_WORDS}.",
    notes=f"From the counts, so defined where only one side has boundaries (0). Undefined without any. {_DECISIONS}",
    examples=(Example(*_B, 3 / 5),),
)
def winpr_f1(true: Spans, pred: Spans, *, k: WindowSize = None) -> Score:
    table = window_confusion(true, pred, k)
    return Score.of("winpr_f1", 2 * table.tp, 2 * table.tp + table.fp + table.fn, "no boundary in a window", k=table.k)
