r"""Precision, recall and F(α) of each true segment with its partner [vanrijsbergen1979information].

With P = s/|h| and R = s/|t|, F(α) = PR/(αR + (1−α)P) = s/(α|h| + (1−α)|t|): one quotient of integers per segment. Three
averages, by name:
``segments`` (the mean of F over true segments), ``means`` (F of the mean P and the mean R) and ``pooled`` (Σs, Σ|h|,
Σ|t| first).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from segmetry._base import IntArray, Threshold, as_python_ints, check_choice, fraction_in, products_fit, ratio, widest
from segmetry.alignments import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partner import NO_TRUTH, TIES, Partners, partners
from segmetry.metrics.score import Score

_TWO = [[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 0, 2, 2]]
_MERGED = [[1, 1, 1, 2, 2, 0]], [[7, 7, 7, 7, 7, 7]]
_UNTOUCHED = "A segment without overlap contributes 0. "
_POOLED = (
    "average='pooled' adds up shared elements and sizes over all true segments before dividing, so large "
    "segments weigh more. "
)
_partner_score = partial(metric, citation="vanrijsbergen1979information", pooled=True, ties_by_id=True)


@_partner_score(
    symbol=r"P_{\mathrm{partner}}",
    order=80,
    formula=r"P = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{|h_t|}",
    summary="The share of its partner that a true segment covers, on average.",
    notes=f"{TIES}{_UNTOUCHED}Without any pred segment it is undefined. "
    + _POOLED
    + "A pred that is the partner of several true segments counts once for each.",
    examples=(Example(*_MERGED, 5 / 12), Example(*_TWO, 1.0)),
)
def partner_precision(overlaps: CountedOverlaps, *, average: Literal["segments", "pooled"] = "segments") -> Score:
    pairing = partners(overlaps)
    if not len(overlaps.table.pred):
        return Score.undefined("partner_precision", "no pred segments", **pairing.details)
    return _mean_share("partner_precision", pairing, average, pairing.pred_sizes)


@_partner_score(
    symbol=r"R_{\mathrm{partner}}",
    formula=r"R = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{|t|}",
    summary="How much of a true segment its partner covers, on average.",
    notes=f"{TIES}{_UNTOUCHED}Without true segments it is undefined. "
    + _POOLED
    + "Elements outside count only through sizes.",
    examples=(Example(*_MERGED, 1.0), Example(*_TWO, 0.875)),
)
def partner_recall(overlaps: CountedOverlaps, *, average: Literal["segments", "pooled"] = "segments") -> Score:
    pairing = partners(overlaps)
    return _mean_share("partner_recall", pairing, average, pairing.true_sizes)


@_partner_score(
    symbol=r"F(\alpha)",
    formula=r"F = \frac{1}{|T|}\sum_{t\in T}\frac{|t\cap h_t|}{\alpha|h_t|+(1-\alpha)|t|}",
    summary="The F score of the true segments and their partners; α is the weight of precision.",
    notes=f"{TIES}{_UNTOUCHED}average='segments' is the mean of F over true segments, 'means' the F of the mean "
    "precision and the mean recall, 'pooled' the F of the summed counts: three different numbers. α is in [0, 1]; 1 is "
    "precision alone, 0 recall alone.",
    examples=(
        Example(*_MERGED, (3 / 4.5 + 2 / 4) / 2),
        Example(*_MERGED, 10 / 17, {"average": "means"}),
        Example(*_MERGED, 10 / 17, {"average": "pooled"}),
        Example(*_MERGED, 5 / 12, {"alpha": 1}),
    ),
)
def partner_f(
    overlaps: CountedOverlaps, *, alpha: Threshold = "1/2", average: Literal["segments", "means", "pooled"] = "segments"
) -> Score:
    pairing = partners(overlaps)
    return Score.of(
        "partner_f", *_f_quotient(pairing, fraction_in(alpha, "alpha", 0, 1), average), NO_TRUTH, **pairing.details
    )


@_partner_score(
    symbol=r"1-F(\alpha)",
    formula=r"1 - F(\alpha)",
    summary="One minus partner_f, so that 0 is perfect.",
    better="lower",
    notes=f"{TIES}A segment without overlap contributes 1. The options are those of partner_f. The value does not show "
    "whether precision or recall is low: read both.",
    examples=(Example(*_MERGED, 1 - (3 / 4.5 + 2 / 4) / 2), Example(*_TWO, 1 - (6 / 7 + 1) / 2)),
)
def partner_f_error(
    overlaps: CountedOverlaps, *, alpha: Threshold = "1/2", average: Literal["segments", "means", "pooled"] = "segments"
) -> Score:
    pairing = partners(overlaps)
    top, bottom = _f_quotient(pairing, fraction_in(alpha, "alpha", 0, 1), average)
    return Score.of("partner_f_error", bottom - top, bottom, NO_TRUTH, **pairing.details)


def _mean_share(key: str, pairing: Partners, average: str, sizes: IntArray) -> Score:
    if average not in ("segments", "pooled"):
        raise OptionError(f"average is {average!r}; {key} takes segments or pooled")
    if average == "pooled":
        shared, total = int(pairing.shared.sum()), int(sizes.sum())
        return Score.of(key, shared, total, "no true segment has a partner", **pairing.details)
    return Score.of(key, _sum_of_shares(pairing, sizes), len(pairing), NO_TRUTH, **pairing.details)


def _sum_of_shares(pairing: Partners, sizes: IntArray) -> float:
    """Return Σ s/size over true segments, 0 where there is no partner."""
    return math.fsum(ratio(pairing.shared, np.maximum(sizes, 1)).tolist())


def _f_quotient(pairing: Partners, alpha: Fraction, average: str) -> tuple[float | Fraction, int | Fraction]:
    """Return F(α) as numerator and denominator; 0/0 exactly when there are no true segments."""
    check_choice("average", average, ("segments", "means", "pooled"))
    if not len(pairing):
        return 0.0, 0
    if average == "pooled":
        bottom = alpha * int(pairing.pred_sizes.sum()) + (1 - alpha) * int(pairing.true_sizes.sum())
        return (Fraction(int(pairing.shared.sum())), bottom) if bottom else (Fraction(0), 1)
    if average == "means":
        p = _sum_of_shares(pairing, pairing.pred_sizes) / len(pairing)
        r = _sum_of_shares(pairing, pairing.true_sizes) / len(pairing)
        return (p * r / (float(alpha) * r + float(1 - alpha) * p) if p * r else 0.0), 1
    return _sum_of_f(pairing, alpha), len(pairing)


def _sum_of_f(pairing: Partners, alpha: Fraction) -> float:
    """Return Σ s/(α|h| + (1−α)|t|), each term a quotient of integers."""
    above, below = alpha.numerator, alpha.denominator
    columns = pairing.shared, pairing.pred_sizes, pairing.true_sizes
    if not products_fit(below, 2 * widest(*columns) + 1):
        columns = tuple(as_python_ints(column) for column in columns)  # type: ignore[assignment]
    shared, preds, trues = columns
    sizes = np.where(pairing.has_partner, above * preds + (below - above) * trues, 1)
    return math.fsum(ratio(below * shared, sizes).tolist())
