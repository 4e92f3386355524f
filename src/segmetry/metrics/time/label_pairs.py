r"""Clustering of time by label: pairs of moments under one label [levy2008structural], Rand, mutual information.

Each is the clustering metric of the same name, on labels instead of segments: all spans of a label are one cluster.
"""

from __future__ import annotations

import math
from dataclasses import replace

from segmetry._base.exact import Threshold
from segmetry.errors import KindError
from segmetry.metrics.clustering.element_pairs import count_pairs_of_elements
from segmetry.metrics.clustering.mutual_information import ami, entropies_nats, mutual_nats
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.rand_index import adjusted_rand_index
from segmetry.metrics.score import Result, Score
from segmetry.metrics.time.label_frames import label_contingency
from segmetry.segmentation.spans import Spans

NO_TIME = "no time to compare"
_FRAMES = (
    "All spans of a label are one cluster; without classes every span is a label of its own, and time in no span is "
    "one cluster. Exact by default; frame=0.1 samples as mir_eval does. "
)
_SPLIT = Spans.from_masses([2, 2]), Spans.from_masses([4])
_WHOLE = Spans.from_masses([4]), Spans.from_masses([4])
_SONG = (
    Spans.from_masses([4, 4, 4], classes=["A", "B", "A"]),
    Spans.from_masses([4, 4, 4], classes=["x", "y", "y"]),
)


@metric(
    symbol=r"P_{\mathrm{pair}}",
    order=110,
    formula=r"\frac{|\{\{s,t\} : T(s)=T(t),\ H(s)=H(t)\}|}{|\{\{s,t\} : H(s)=H(t)\}|}",
    summary="The share of pairs of moments under one predicted label that are under one true label.",
    citation="levy2008structural",
    swaps_with="label_pair_recall",
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined without such a pair.",
    examples=(Example(*_SONG, (6 + 6 + 6) / (6 + 28)),),
)
def label_pair_precision(true: Spans, pred: Spans, *, frame: Threshold | None = None) -> Score:
    table = label_contingency(true, pred, frame)
    return Score.of("label_pair_precision", table.together, table.pred.together, "no pair under one predicted label")


@metric(
    symbol=r"R_{\mathrm{pair}}",
    formula=r"\frac{|\{\{s,t\} : T(s)=T(t),\ H(s)=H(t)\}|}{|\{\{s,t\} : T(s)=T(t)\}|}",
    summary="The share of pairs of moments under one true label that are under one predicted label.",
    citation="levy2008structural",
    swaps_with="label_pair_precision",
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined without such a pair.",
    examples=(Example(*_SONG, (6 + 6 + 6) / (28 + 6)),),
)
def label_pair_recall(true: Spans, pred: Spans, *, frame: Threshold | None = None) -> Score:
    table = label_contingency(true, pred, frame)
    return Score.of("label_pair_recall", table.together, table.true.together, "no pair under one true label")


@metric(
    symbol=r"F_{\mathrm{pair}}",
    formula=r"\frac{2\,P_{\mathrm{pair}}R_{\mathrm{pair}}}{P_{\mathrm{pair}}+R_{\mathrm{pair}}}",
    summary="The pairwise F measure of labels: whether pairs of moments are under one label on both sides.",
    citation="levy2008structural",
    symmetric=True,
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined without a pair under one label.",
    examples=(Example(*_SONG, 18 / 34),),
)
def label_pair_f(true: Spans, pred: Spans, *, frame: Threshold | None = None) -> Score:
    table = label_contingency(true, pred, frame)
    return Score.of(
        "label_pair_f", 2 * table.together, table.true.together + table.pred.together, "no pair under one label"
    )


@metric(
    symbol=r"\mathrm{RI}_{\mathrm{label}}",
    formula=r"\frac{|\{\{s,t\} : [T(s)=T(t)]=[H(s)=H(t)]\}|}{\binom{n}{2}}",
    summary="The Rand index of labels: the share of pairs of moments that are treated alike.",
    citation="rand1971objective",
    symmetric=True,
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined for fewer than two moments.",
    examples=(Example(*_SONG, (66 - 2 * 16) / 66),),
)
def label_rand_index(true: Spans, pred: Spans, *, frame: Threshold | None = None) -> Score:
    pairs = count_pairs_of_elements(label_contingency(true, pred, frame))
    return Score.of("label_rand_index", pairs.n11 + pairs.n00, pairs.total, "fewer than two moments")


@metric(
    symbol=r"\mathrm{ARI}_{\mathrm{label}}",
    formula=r"\frac{\mathrm{RI} - \mathbb{E}[\mathrm{RI}]}{1 - \mathbb{E}[\mathrm{RI}]}",
    summary="The Rand index of labels, corrected for chance.",
    citation="hubert1985comparing",
    bounds=(-1, 1),
    symmetric=True,
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined (0/0) where chance alone is perfect, as where both sides have one label: if_one_label "
    "is the value there; mir_eval writes 1.",
    examples=(Example(*_SONG, (18 - 34 * 34 / 66) / (34 - 34 * 34 / 66)),),
)
def label_ari(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return filled(adjusted_rand_index.compute(label_contingency(true, pred, frame)), "label_ari", if_one_label)


@metric(
    symbol=r"I_{\mathrm{label}}",
    formula=r"\sum_{t,h} p(t,h)\log\frac{p(t,h)}{p(t)\,p(h)}",
    summary="The mutual information of true and predicted labels, in nats.",
    citation="vinh2010information",
    bounds=(0, math.inf),
    symmetric=True,
    value_if_equal=None,
    kinds=("spans",),
    notes=f"{_FRAMES}Undefined without time.",
    examples=(Example(*_SONG, math.log(3) - 2 / 3 * math.log(2) - 2 / 3 * math.log(2) + 1 / 3 * math.log(1)),),
)
def label_mutual_information(true: Spans, pred: Spans, *, frame: Threshold | None = None) -> Score:
    table = label_contingency(true, pred, frame)
    if not table.n:
        return Score.undefined("label_mutual_information", NO_TIME)
    return Score.number("label_mutual_information", mutual_nats(table))


@metric(
    symbol=r"\mathrm{AMI}_{\mathrm{label}}",
    formula=r"\frac{I-\mathbb{E}[I]}{\max(H(T), H(H))-\mathbb{E}[I]}",
    summary="The mutual information of labels, corrected for chance.",
    citation="vinh2010information",
    bounds=(-math.inf, 1),
    symmetric=True,
    kinds=("spans",),
    notes=f"{_FRAMES}Divided by the larger entropy, as in mir_eval. Undefined (0/0) where both sides have one label: "
    "if_one_label is the value there; mir_eval writes 1.",
    examples=(Example(*_SPLIT, 0), Example(*_WHOLE, None)),
)
def label_ami(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return filled(ami.compute(label_contingency(true, pred, frame), average="max"), "label_ami", if_one_label)


@metric(
    symbol=r"\mathrm{NMI}_{\mathrm{label}}",
    formula=r"\frac{I}{\sqrt{H(T)\,H(H)}}",
    summary="The mutual information of labels over the geometric mean of their entropies.",
    citation="vinh2010information",
    symmetric=True,
    kinds=("spans",),
    notes=f"{_FRAMES}0 where one side has one label. Undefined (0/0) where both have: if_one_label is the value there; "
    "mir_eval writes 1.",
    examples=(Example(*_SPLIT, 0), Example(*_WHOLE, None)),
)
def label_nmi(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    table = label_contingency(true, pred, frame)
    if not table.n:
        return Score.undefined("label_nmi", NO_TIME)
    bottom = math.sqrt(math.prod(entropies_nats(table)))
    if not bottom:
        one_of_two = max(table.true.number, table.pred.number) > 1
        same = Score.undefined("label_nmi", "both sides have one label")
        return Score.number("label_nmi", 0) if one_of_two else filled(same, "label_nmi", if_one_label)
    return Score.number("label_nmi", min(1.0, mutual_nats(table) / bottom))


def filled(score: Result, key: str, value: float | None) -> Score:
    """Return a score under another name; where it is undefined, the stated value."""
    if not isinstance(score, Score):
        raise KindError(f"{key} is made of {score.key}, which has several values; expected one")
    if score.is_defined or value is None:
        return replace(score, key=key)
    return Score.number(key, value)
