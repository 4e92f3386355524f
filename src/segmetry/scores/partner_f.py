r"""Precision, recall and F(α) of each true segment with its partner [vanrijsbergen1979information].

With P = s/|h| and R = s/|t|, F(α) = PR/(αR + (1−α)P) = s/(α|h| + (1−α)|t|): one quotient of integers per segment. Three averages, by name:
``segments`` (the mean of F over true segments), ``means`` (F of the mean P and the mean R) and ``pooled`` (Σs, Σ|h|, Σ|t| first).
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from segmetry.alignments.counted import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.exact import Threshold, as_python_ints, fraction_in, products_fit, ratio, widest
from segmetry.scores.metric import Example, metric
from segmetry.scores.partners import NO_TRUTH, TIES, Partners, partners
from segmetry.scores.score import Score

AVERAGES = ("segments", "means", "pooled")
_RIJSBERGEN = ("vanrijsbergen1979information",)
_TWO = [[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 0, 2, 2]]
_MERGED = [[1, 1, 1, 2, 2, 0]], [[7, 7, 7, 7, 7, 7]]
_UNTOUCHED = "An untouched segment contributes 0. "
_POOLED = "average='pooled' adds up shared elements and sizes over all true segments before dividing, so large segments weigh more. "


@metric(
    symbol=r"P_{\mathrm{partner}}",
    family="regions",
    needs="overlaps",
    formula=r"P = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{|h_t|}",
    words="How much of its partner a true segment fills, on average.",
    citation=_RIJSBERGEN,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean", "pooled"),
    perfect=1,
    ties_by_id=True,
    decisions=TIES + _UNTOUCHED + "Without any pred segment it is undefined. " + _POOLED
    + "A pred that is the partner of several true segments counts once for each.",
    examples=(Example(*_MERGED, 5 / 12), Example(*_TWO, 1.0)),
)
def partner_precision(overlaps: CountedOverlaps, *, average: str = "segments") -> Score:
    found = partners(overlaps)
    if not len(overlaps.table.pred):
        return Score.undefined("partner_precision", "no pred segments", **found.details)
    return _mean("partner_precision", found, average, found.pred_sizes)


@metric(
    symbol=r"R_{\mathrm{partner}}",
    family="regions",
    needs="overlaps",
    formula=r"R = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{|t|}",
    words="How much of a true segment its partner covers, on average.",
    citation=_RIJSBERGEN,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean", "pooled"),
    perfect=1,
    ties_by_id=True,
    decisions=TIES + _UNTOUCHED + "Without true segments it is undefined. " + _POOLED + "Elements outside count only through sizes.",
    examples=(Example(*_MERGED, 1.0), Example(*_TWO, 0.875)),
)
def partner_recall(overlaps: CountedOverlaps, *, average: str = "segments") -> Score:
    found = partners(overlaps)
    return _mean("partner_recall", found, average, found.true_sizes)


@metric(
    symbol=r"F(\alpha)",
    family="regions",
    needs="overlaps",
    formula=r"F = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{\alpha|h_t|+(1-\alpha)|t|}",
    words="Precision and recall of the true segments and their partners in one number; α weighs precision.",
    citation=_RIJSBERGEN,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean", "pooled"),
    perfect=1,
    ties_by_id=True,
    decisions=TIES + _UNTOUCHED + "average='segments' is the mean of F over true segments, 'means' the F of the mean precision and the mean "
    "recall, 'pooled' the F of the summed counts: three different numbers. α lies in [0, 1]; 1 is precision alone, 0 recall alone.",
    examples=(
        Example(*_MERGED, (3 / 4.5 + 2 / 4) / 2),
        Example(*_MERGED, 10 / 17, {"average": "means"}),
        Example(*_MERGED, 10 / 17, {"average": "pooled"}),
        Example(*_MERGED, 5 / 12, {"alpha": 1}),
    ),
)
def partner_f(overlaps: CountedOverlaps, *, alpha: Threshold = "1/2", average: str = "segments") -> Score:
    found = partners(overlaps)
    return Score.of("partner_f", *_f(found, fraction_in(alpha, "alpha", 0, 1), average), NO_TRUTH, **found.details)


@metric(
    symbol=r"1-F(\alpha)",
    family="regions",
    needs="overlaps",
    formula=r"1 - F(\alpha)",
    words="One minus partner_f, so that 0 is perfect.",
    citation=_RIJSBERGEN,
    bounds=(0, 1),
    better="lower",
    symmetric=False,
    aggregation=("mean", "pooled"),
    perfect=0,
    ties_by_id=True,
    decisions=TIES + "An untouched segment contributes 1. The options are those of partner_f. A low value does not say whether precision "
    "or recall is good: look at both.",
    examples=(Example(*_MERGED, 1 - (3 / 4.5 + 2 / 4) / 2), Example(*_TWO, 1 - (6 / 7 + 1) / 2)),
)
def partner_f_error(overlaps: CountedOverlaps, *, alpha: Threshold = "1/2", average: str = "segments") -> Score:
    found = partners(overlaps)
    top, bottom = _f(found, fraction_in(alpha, "alpha", 0, 1), average)
    return Score.of("partner_f_error", bottom - top, bottom, NO_TRUTH, **found.details)


def _mean(key: str, found: Partners, average: str, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Score:
    if average not in ("segments", "pooled"):
        raise OptionError(f"average is {average!r}; {key} takes segments or pooled")
    if average == "pooled":
        return Score.of(key, int(found.shared.sum()), int(sizes.sum()), "no true segment has a partner", **found.details)
    return Score.of(key, math.fsum(_over(found, sizes)), len(found), NO_TRUTH, **found.details)


def _over(found: Partners, sizes: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[float]:
    """s/size of every true segment, 0 where there is no partner."""
    quotients = ratio(found.shared, np.maximum(sizes, 1))
    return quotients.tolist()


def _f(found: Partners, alpha: Fraction, average: str) -> tuple[float | Fraction, float | int | Fraction]:
    """F(α) as numerator and denominator; 0/0 exactly when there are no true segments."""
    if average not in AVERAGES:
        raise OptionError(f"average is {average!r}; expected one of {', '.join(AVERAGES)}")
    if not len(found):
        return 0.0, 0
    if average == "pooled":
        shared, preds, trues = (int(a.sum()) for a in (found.shared, found.pred_sizes, found.true_sizes))
        bottom = alpha * preds + (1 - alpha) * trues
        return (Fraction(shared), bottom) if bottom else (Fraction(0), 1)
    if average == "means":
        p = math.fsum(_over(found, found.pred_sizes)) / len(found)
        r = math.fsum(_over(found, found.true_sizes)) / len(found)
        weighed = float(alpha) * r + float(1 - alpha) * p
        return (p * r / weighed if p * r else 0.0), 1
    above, below = alpha.numerator, alpha.denominator
    shared, preds, trues = found.shared, found.pred_sizes, found.true_sizes
    if not products_fit(below, 2 * widest(preds, trues) + 1):
        shared, preds, trues = (as_python_ints(a) for a in (shared, preds, trues))  # type: ignore[assignment]
    weighed_sizes = np.where(found.found, above * preds + (below - above) * trues, 1)
    return math.fsum(ratio(below * shared, weighed_sizes).tolist()), len(found)
