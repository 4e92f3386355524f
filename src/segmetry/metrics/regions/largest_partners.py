r"""Precision, recall and F(α) of each true segment with its partner [vanrijsbergen1979information].

With P = s/|h| and R = s/|t|, F(α) = PR/(αR + (1−α)P) = s/(α|h| + (1−α)|t|): one quotient of integers per segment. Three
averages, by name:
``segments`` (the mean of F over true segments), ``means`` (F of the mean P and the mean R) and ``pooled`` (Σs, Σ|h|,
Σ|t| first).

Covering: how well the best overlapping segment covers each segment, weighted by size [arbelaez2011contour].

The area fit index [lucieer2004uncertainties] and RBSB [feitosa2006genetic] compare the area of a true segment with that
of its partner.

Undersegmentation errors of superpixels: how much of them leaks across true borders.

Three definitions have this name: one minus achievable segmentation accuracy [stutz2018superpixels], that of Neubert and
Protzel [neubert2012superpixel], and that of Levinshtein et al. [levinshtein2009turbopixels].
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    IntArray,
    Threshold,
    as_python_ints,
    check_choice,
    fraction_in,
    frozen_dataclass,
    products_fit,
    ratio,
    sum_by,
    widest,
)
from segmetry.alignments import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.metrics.clustering.purity import purity
from segmetry.metrics.clustering.shared_notes import BACKGROUND, NO_ELEMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import Contingency
from segmetry.segmentation import Spans

TIES = (
    "Ties for the largest intersection go to the larger IoU, then to the smaller pred id; details count them as ties, "
    "and true segments without a partner as untouched. "
)
"""The first sentence of the notes of every partner metric."""
NO_TRUTH = "no true segments"


@frozen_dataclass(eq=False)
class Partners:
    """One entry per counted true segment; without overlap the partner is -1, and its size and the shared size are 0."""

    at_true: NDArray[np.intp]
    at_pred: NDArray[np.intp]
    true_sizes: IntArray
    pred_sizes: IntArray
    shared: IntArray
    ties: int

    def __len__(self) -> int:
        return int(self.at_true.size)

    @property
    def has_partner(self) -> NDArray[np.bool_]:
        """Which true segments have a partner."""
        return self.at_pred >= 0

    @property
    def missed(self) -> IntArray:
        r"""|t \ h| of every true segment; |t| where there is no partner."""
        return self.true_sizes - self.shared

    @property
    def spurious(self) -> IntArray:
        r"""|h \ t| of every true segment; 0 where there is no partner."""
        return self.pred_sizes - self.shared

    @property
    def details(self) -> dict[str, Any]:
        """The details that every partner metric reports with its value."""
        return {"ties": self.ties, "untouched": int(np.count_nonzero(~self.has_partner))}


def partners(overlaps: CountedOverlaps) -> Partners:
    """Return the partner of every true segment that counts."""
    selection = overlaps.partners
    chosen = overlaps.pairs.take(selection.chosen)
    at_pred = np.full(len(overlaps.table.true), -1, dtype=np.intp)
    shared = np.zeros(len(overlaps.table.true), dtype=np.int64)
    at_pred[chosen.at_true] = chosen.at_pred
    shared[chosen.at_true] = chosen.shared
    counted = np.flatnonzero(overlaps.counted(*overlaps.touched)[0] & (overlaps.true_sizes > 0))
    at_pred, shared = at_pred[counted], shared[counted]
    pred_sizes = np.zeros(counted.size, dtype=np.int64)
    pred_sizes[at_pred >= 0] = overlaps.pred_sizes[at_pred[at_pred >= 0]]
    return Partners(counted, at_pred, overlaps.true_sizes[counted], pred_sizes, shared, selection.ties)


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
    return Score.of("covering", *_covered_size(overlaps, of, divide_by), f"no {of} segments")


@metric(
    symbol="1-C",
    formula=r"1 - C",
    summary="One minus the covering, so that 0 is perfect.",
    citation=("arbelaez2011contour",),
    better="lower",
    pooled=True,
    notes="With divide_by='domain' a perfect prediction of a partial segmentation does not reach 0. " + _DECISIONS,
    examples=(Example(*_HALF, 0.5), Example(*_A, 7 / 52), Example(*_B, 14 / 65)),
)
def covering_error(
    overlaps: CountedOverlaps,
    *,
    of: Literal["true", "pred"] = "true",
    divide_by: Literal["segments", "domain"] = "segments",
) -> Score:
    covered, total = _covered_size(overlaps, of, divide_by)
    return Score.of("covering_error", total - covered, total, f"no {of} segments")


def _covered_size(overlaps: CountedOverlaps, of: str, divide_by: str) -> tuple[float, int]:
    """Return Σ |t|·max IoU and its denominator; 0 where there is nothing to cover."""
    check_choice("of", of, ("true", "pred"))
    check_choice("divide_by", divide_by, ("segments", "domain"))
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


_SHIFTED = [[1, 1, 1, 1, 0]], [[0, 1, 1, 1, 1]]


@metric(
    symbol="AFI",
    order=30,
    formula=r"\mathrm{AFI} = \frac{1}{|T|}\sum_{t\in T}\frac{|t|-|h_t|}{|t|}",
    summary="The mean relative difference in area between true segments and their partners: above 0 where partners are "
    "smaller.",
    citation=("lucieer2004uncertainties",),
    bounds=(-math.inf, 1),
    better="neither",
    pooled=True,
    value_if_equal=0,
    ties_by_id=True,
    notes=TIES + "A segment without overlap contributes 1. The numerator contains the area of the partner, not of the "
    "intersection. The index is signed as printed, so errors of opposite sign cancel and 0 does not mean perfect: a "
    "segment shifted by one element has AFI 0 (absolute=True takes the mean of absolute values instead). Elements "
    "outside count only through the sizes of the segments.",
    examples=(
        Example(*_SHIFTED, 0.0),
        Example(*_TWO, 0.125),
        Example([[1, 1, 0, 0]], [[1, 1, 1, 0]], 0.5, {"absolute": True}),
    ),
)
def area_fit_index(overlaps: CountedOverlaps, *, absolute: bool = False) -> Score:
    pairing = partners(overlaps)
    difference = pairing.true_sizes - pairing.pred_sizes
    fits = ratio(np.abs(difference) if absolute else difference, pairing.true_sizes)
    return Score.of("area_fit_index", math.fsum(fits.tolist()), len(pairing), NO_TRUTH, **pairing.details)


@metric(
    symbol="RBSB",
    order=140,
    formula=r"\mathrm{RBSB} = \frac{1}{|T|}\sum_{t\in T}\frac{|t\setminus h_t|+|h_t\setminus t|}{|t|}",
    summary="The area in which a true segment and its partner differ, as a share of the true segment, on average.",
    citation=("feitosa2006genetic",),
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
    ties_by_id=True,
    notes=TIES + "A segment without overlap contributes 1. Not bounded by 1, since a partner may be much larger "
    "than the segment. Elements outside count only where a segment of the other side covers them.",
    examples=(Example(*_SHIFTED, 0.5), Example(*_TWO, 0.125)),
)
def rbsb(overlaps: CountedOverlaps) -> Score:
    pairing = partners(overlaps)
    differences = ratio(pairing.missed + pairing.spurious, pairing.true_sizes)
    return Score.of("rbsb", math.fsum(differences.tolist()), len(pairing), NO_TRUTH, **pairing.details)


_SIX = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
_LEAK = [[1, 1, 1, 1, 2, 2]], [[1, 1, 1, 3, 3, 3]]
_superpixel_error = partial(metric, bounds=(0, math.inf), better="lower", pooled=True)


@_superpixel_error(
    symbol=r"\mathrm{UE}",
    bounds=(0, 1),
    order=210,
    aliases=("ue",),
    formula=r"\frac1N\sum_s\min_g|s\setminus g| = 1-\mathrm{ASA}",
    summary="Undersegmentation error: the share of elements outside the true segment that overlaps their superpixel "
    "most.",
    citation=("stutz2018superpixels",),
    notes=BACKGROUND + "One minus purity, which is called achievable segmentation accuracy of superpixels.",
    examples=(Example(*_SIX, 1 / 6), Example(*_LEAK, 1 / 6)),
)
def undersegmentation_error(contingency: Contingency) -> Score:
    inside = purity.compute(contingency)
    largest = int(inside.numerator or 0) if isinstance(inside, Score) else 0
    return Score.of("undersegmentation_error", contingency.n - largest, contingency.n, NO_ELEMENTS)


@_superpixel_error(
    symbol=r"\mathrm{UE}_{NP}",
    aliases=("undersegmentation_error_np",),
    formula=r"\frac1N\sum_g\sum_{s\cap g\ne\emptyset}\min(|s\cap g|,|s\setminus g|)",
    summary="Undersegmentation error of Neubert and Protzel: for each overlap, the smaller of the parts of the "
    "superpixel inside and outside.",
    citation=("neubert2012superpixel", "stutz2018superpixels"),
    notes=BACKGROUND + "A superpixel that leaks into several true segments counts once for each, so the value may "
    "exceed UE.",
    examples=(Example(*_SIX, 2 / 6), Example(*_LEAK, 2 / 6)),
)
def ue_np(contingency: Contingency) -> Score:
    sizes = contingency.pred.size[contingency.at_pred]
    parts = np.minimum(contingency.shared, sizes - contingency.shared) * contingency.count
    return Score.of("ue_np", int(parts.sum()), contingency.n, NO_ELEMENTS)


@_superpixel_error(
    symbol=r"\mathrm{UE}_{Levin}",
    aliases=("undersegmentation_error_levin",),
    formula=r"\frac{1}{|G|}\sum_g\frac{\sum_{s\cap g\ne\emptyset}|s|-|g|}{|g|}",
    summary="Undersegmentation error of Levinshtein: how much larger than a true segment its superpixels are.",
    citation=("levinshtein2009turbopixels", "stutz2018superpixels"),
    notes=BACKGROUND + "A superpixel that touches a true segment counts with its whole size.",
    examples=(Example(*_SIX, (1 / 3 + 1 / 3) / 2), Example(*_LEAK, (2 / 4 + 1 / 2) / 2)),
)
def ue_levin(contingency: Contingency) -> Score:
    blocks = contingency.true
    covering = contingency.pred.size[contingency.at_pred] * contingency.count
    total = sum_by(contingency.at_true, covering, blocks.size.size)
    terms = ratio(total - blocks.size * blocks.count, blocks.size)
    return Score.of("ue_levin", math.fsum(terms.tolist()), blocks.number if contingency.n else 0, NO_ELEMENTS)
