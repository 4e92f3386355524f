r"""WinPR [scaiano2012getting]: precision and recall of boundaries counted in windows, so near misses count in part.

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

from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.windows.sliding_windows import WindowSize, slide_windows
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
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
