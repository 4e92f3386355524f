r"""Normalised conditional entropies of labels [lukashevich2008towards], and V-measure in the same form.

S_over = 1 − H(P|T)/log₂ n_P falls when true labels are split, S_under = 1 − H(T|P)/log₂ n_T when they are merged, where
n_P and n_T are the numbers of labels. V-precision and V-recall divide by the entropies H(P) and H(T) instead.
"""

from __future__ import annotations

import math
from typing import Literal

from segmetry._base.exact import Threshold
from segmetry.metrics.clustering.mutual_information import entropy_nats, mutual_nats
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.label_frames import label_contingency
from segmetry.metrics.time.label_pairs import NO_TIME
from segmetry.segmentation.spans import Spans

_NOTES = (
    "All spans of a label are one cluster; without classes every span is a label of its own, and time in no span is "
    "one cluster. Exact by default; frame=0.1 samples as mir_eval does. Undefined (0/0) where the side has one label: "
    "if_one_label is the value there; mir_eval writes 0."
)
_SONG = (
    Spans.from_masses([4, 4, 4], classes=["A", "B", "A"]),
    Spans.from_masses([4, 4, 4], classes=["x", "y", "z"]),
)
_CITATION = "lukashevich2008towards"
SideOfLabels = Literal["true", "pred"]


def explained(
    key: str,
    true: Spans,
    pred: Spans,
    side: SideOfLabels,
    frame: Threshold | None,
    fill: float | None,
    *,
    marginal: bool,
) -> Score:
    """Return 1 − H(side | other) over the largest entropy that its labels can have, or over the one they have.

    H(side | other) = H(side) − I.
    """
    table = label_contingency(true, pred, frame)
    if not table.n:
        return Score.undefined(key, NO_TIME)
    blocks = table.true if side == "true" else table.pred
    if blocks.number == 1:
        reason = f"the {'truth' if side == 'true' else 'prediction'} has one label"
        return Score.undefined(key, reason) if fill is None else Score.number(key, fill)
    entropy = entropy_nats(table, blocks)
    remaining = max(0.0, entropy - mutual_nats(table))
    return Score.number(key, max(0.0, 1 - remaining / (entropy if marginal else math.log(blocks.number))))


def harmonic(key: str, over: Score, under: Score) -> Score:
    """Return the harmonic mean; 0 where both are 0."""
    for score in (over, under):
        if not score.is_defined:
            return Score.undefined(key, score.reason or "")
    return Score.number(key, 2 * over.value * under.value / (over.value + under.value) if over or under else 0)


@metric(
    symbol=r"S_{\mathrm{over}}",
    order=210,
    formula=r"1 - \frac{H(P\mid T)}{\log n_P}",
    summary="Over-segmentation score of labels: low where true labels are split into several predicted ones.",
    citation=_CITATION,
    swaps_with="nce_under",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1 - 2 / 3 * math.log(2) / math.log(3)),),
)
def nce_over(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return explained("nce_over", true, pred, "pred", frame, if_one_label, marginal=False)


@metric(
    symbol=r"S_{\mathrm{under}}",
    formula=r"1 - \frac{H(T\mid P)}{\log n_T}",
    summary="Under-segmentation score of labels: low where a predicted label mixes several true ones.",
    citation=_CITATION,
    swaps_with="nce_over",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1),),
)
def nce_under(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return explained("nce_under", true, pred, "true", frame, if_one_label, marginal=False)


@metric(
    symbol=r"S_F",
    formula=r"\frac{2\,S_{\mathrm{over}}S_{\mathrm{under}}}{S_{\mathrm{over}}+S_{\mathrm{under}}}",
    summary="The harmonic mean of the over- and the under-segmentation score of labels.",
    citation=_CITATION,
    symmetric=True,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1 - (1 / 3 * math.log(2)) / (math.log(3) - 1 / 3 * math.log(2))),),
)
def nce_f(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return harmonic(
        "nce_f",
        explained("nce_f", true, pred, "pred", frame, if_one_label, marginal=False),
        explained("nce_f", true, pred, "true", frame, if_one_label, marginal=False),
    )


@metric(
    symbol=r"V_P",
    formula=r"1 - \frac{H(P\mid T)}{H(P)}",
    summary="V-precision of labels: the share of the entropy of predicted labels that the true ones explain.",
    citation="rosenberg2007vmeasure",
    swaps_with="label_v_recall",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1 - 2 / 3 * math.log(2) / math.log(3)),),
)
def label_v_precision(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return explained("label_v_precision", true, pred, "pred", frame, if_one_label, marginal=True)


@metric(
    symbol=r"V_R",
    formula=r"1 - \frac{H(T\mid P)}{H(T)}",
    summary="V-recall of labels: the share of the entropy of true labels that the predicted ones explain.",
    citation="rosenberg2007vmeasure",
    swaps_with="label_v_precision",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1),),
)
def label_v_recall(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return explained("label_v_recall", true, pred, "true", frame, if_one_label, marginal=True)


@metric(
    symbol=r"V_{\mathrm{label}}",
    formula=r"\frac{2\,V_P V_R}{V_P + V_R}",
    summary="V-measure of labels: the harmonic mean of V-precision and V-recall.",
    citation="rosenberg2007vmeasure",
    symmetric=True,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 2 * (1 - 2 / 3 * math.log(2) / math.log(3)) / (2 - 2 / 3 * math.log(2) / math.log(3))),),
)
def label_v_measure(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return harmonic(
        "label_v_measure",
        explained("label_v_measure", true, pred, "pred", frame, if_one_label, marginal=True),
        explained("label_v_measure", true, pred, "true", frame, if_one_label, marginal=True),
    )
