r"""Clustering of time by label: all spans of one label are one cluster, and each metric is the clustering metric of the
same name on labels instead of segments [levy2008structural, lukashevich2008towards].

Exactly, elements of the line are counted, and elements in no span are a cluster of their own. With a frame length, the
labels are sampled as mir_eval does: at k·frame, in single precision, up to the end of the last true span; labels are
compared without case, a first gap and an early end are labels of their own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, Threshold, common_step, distinct, fraction
from segmetry.errors import KindError, OptionError
from segmetry.kernels import united
from segmetry.metrics.clustering.element_pairs import count_pairs_of_elements
from segmetry.metrics.clustering.mutual_information import ami, entropies_nats, entropy_nats, mutual_nats
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.rand_index import adjusted_rand_index
from segmetry.metrics.score import Result, Score
from segmetry.overlaps import Blocks, Contingency
from segmetry.segmentation import Spans, TimeIntervals

TimeLine = Spans | TimeIntervals
FIRST_GAP, LAST_GAP = "__t_min", "__t_max"
"""The labels that mir_eval gives to time before the first span and after the last one."""
Section = tuple[float, float, str]


@dataclass(frozen=True, eq=False)
class LabelledLine:
    """Runs by start, each with the position of its label in ``names``."""

    starts: IntArray
    stops: IntArray
    label: IntArray
    names: tuple[Hashable, ...]

    @classmethod
    def of(cls, line: TimeLine, factor: int = 1) -> LabelledLine:
        """Return the runs of a line, in ticks that are ``factor`` times as short."""
        labels: list[Hashable] = line.class_list or list(range(1, line.starts.size + 1))
        names = tuple(sorted(set(labels), key=str)) if line.classes is not None else tuple(labels)
        place = {name: at for at, name in enumerate(names)}
        codes = np.array([place[label] for label in labels], dtype=np.int64)
        return cls(line.starts * factor, line.stops * factor, codes, names)

    @property
    def united(self) -> LabelledLine:
        """The maximal runs of each label: what overlaps or touches under one label is one run."""
        starts, stops, label = united(self.starts, self.stops, self.label)
        order = np.lexsort((stops, starts))
        return LabelledLine(starts[order], stops[order], label[order], self.names)


def seconds(value: Any, name: str) -> Fraction:
    """Return an option in seconds as an exact number, 0 or more."""
    number = fraction(value, name)
    if number < 0:
        raise OptionError(f"{name} is {value!r}; expected a duration of 0 seconds or more")
    return number


def positive_seconds(value: Any, name: str, *, or_none: bool = False) -> Fraction:
    """Return an option in seconds as an exact number above 0; ``or_none`` is for an option that may be left out."""
    length = seconds(value, name)
    if not length:
        raise OptionError(f"{name} is {value!r}; expected a positive number of seconds{', or None' if or_none else ''}")
    return length


def sections_in_seconds(level: Spans, end: float) -> list[Section]:
    """Return start, end and label of every span in seconds, from 0 to the end of the truth, as mir_eval takes them.

    Labels are text in lower case; time before the first span, and after the last one, has a label of its own.
    """
    names = level.class_list or list(range(1, level.starts.size + 1))
    rows = [
        (float(start * level.tick), float(stop * level.tick), str(name).lower())
        for start, stop, name in zip(level.starts.tolist(), level.stops.tolist(), names, strict=True)
    ]
    if not rows:
        return [(0.0, end, FIRST_GAP)]
    if rows[0][0] > 0:
        rows.insert(0, (0.0, rows[0][0], FIRST_GAP))
    rows = [(min(start, end), min(stop, end), name) for start, stop, name in rows if start <= end]
    if rows[-1][1] < end:
        rows.append((rows[-1][1], end, LAST_GAP))
    return rows


def finer_ticks(tick: Fraction, *durations: Fraction) -> tuple[int, tuple[int, ...]]:
    """Return by how much a tick must be divided for some durations to be whole ticks, and the durations in those."""
    step = tick
    for duration in durations:
        step = common_step(step, duration) if duration else step
    return int(tick / step), tuple(int(duration / step) for duration in durations)


GAP = "none"
"""The label that mir_eval gives to time between two spans."""


def label_contingency(true: Spans, pred: Spans, frame: Threshold | None = None) -> Contingency:
    """Return the contingency table of labels, in elements or in frames of ``frame`` seconds."""
    if frame is None:
        counts = _exact_counts(true, pred)
    else:
        counts = _frame_counts(true, pred, positive_seconds(frame, "frame", or_none=True))
    return _contingency_of(counts)


def _exact_counts(true: Spans, pred: Spans) -> IntArray:
    """Cut the line at every end of either side; each piece has one label on each side."""
    edges = distinct(np.concatenate((true.starts, true.stops, pred.starts, pred.stops, [0, true.n])))
    sides = [LabelledLine.of(side) for side in (true, pred)]
    at = [_label_at(side, edges[:-1]) for side in sides]
    counts = np.zeros([len(side.names) + 1 for side in sides], dtype=np.int64)
    np.add.at(counts, tuple(at), np.diff(edges))
    return counts


def _label_at(side: LabelledLine, points: IntArray) -> IntArray:
    """Return the label at each point; one more label for gaps."""
    gap = np.full(points.size, len(side.names), dtype=np.int64)
    if not side.starts.size:
        return gap
    at = np.searchsorted(side.starts, points, side="right") - 1
    return np.where((at >= 0) & (points < side.stops[at]), side.label[at], gap)


def _frame_counts(true: Spans, pred: Spans, frame: Fraction) -> IntArray:
    if not true.starts.size:
        return np.zeros((0, 0), dtype=np.int64)
    end = float(int(true.stops[-1]) * true.tick)
    step = float(frame)
    times = (np.arange(int(np.floor(end / step)), dtype=np.float32) * step).astype(np.float64)
    codes = []
    for side in (true, pred):
        labels = _sampled_labels(side, end, times)
        codes.append(np.unique(labels, return_inverse=True)[1] if labels.size else np.zeros(0, dtype=np.intp))
    counts = np.zeros([int(code.max(initial=-1)) + 1 for code in codes], dtype=np.int64)
    np.add.at(counts, tuple(codes), 1)
    return counts


def _sampled_labels(side: Spans, end: float, times: FloatArray) -> NDArray[np.str_]:
    """Return the label at each time, as text in lower case; a time at an end belongs to the later span."""
    labels = np.full(times.size, GAP, dtype=object)
    for start, stop, name in sections_in_seconds(side, end):
        labels[np.searchsorted(times, start, side="left") : np.searchsorted(times, stop, side="right")] = name
    return labels.astype(str)


def _contingency_of(counts: IntArray) -> Contingency:
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    at_true, at_pred = np.nonzero(counts)
    true, pred = (Blocks(counts.sum(axis=axis), np.ones(counts.shape[1 - axis], dtype=np.int64)) for axis in (1, 0))
    shared = counts[at_true, at_pred]
    return Contingency(
        true=true,
        pred=pred,
        at_true=at_true,
        at_pred=at_pred,
        shared=shared,
        count=np.ones(shared.size, dtype=np.int64),
        true_whole=true.size[at_true],
        pred_whole=pred.size[at_pred],
        n_elements=int(counts.sum()),
    )


NO_TIME = "no time to compare"
_FRAMES = (
    "All spans of a label are one cluster; without classes every span is a label of its own, and time in no span is "
    "one cluster. Exact by default; frame=0.1 samples as mir_eval does. "
)
_SPLIT = Spans.from_masses([2, 2]), Spans.from_masses([4])
_WHOLE = Spans.from_masses([4]), Spans.from_masses([4])
_SONG = (Spans.from_masses([4, 4, 4], classes=["A", "B", "A"]), Spans.from_masses([4, 4, 4], classes=["x", "y", "y"]))


@metric(
    symbol=r"P_{\mathrm{pair}}",
    order=110,
    formula=r"\frac{|\{\{s,t\} : T(s)=T(t),\ H(s)=H(t)\}|}{|\{\{s,t\} : H(s)=H(t)\}|}",
    summary="The share of pairs of moments under one predicted label that are under one true label.",
    citation="levy2008structural",
    swaps_with="label_pair_recall",
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


_NOTES = f"{_FRAMES}Undefined (0/0) where the side has one label: if_one_label is the value there; mir_eval writes 0."
_SPLIT_SONG = (
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
    # mir_eval writes 0 here, also for two equal annotations of one label; scikit-learn writes 1.
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


_label_entropy = partial(metric, notes=_NOTES)


@_label_entropy(
    symbol=r"S_{\mathrm{over}}",
    order=210,
    formula=r"1 - \frac{H(P\mid T)}{\log n_P}",
    summary="Over-segmentation score of labels: low where true labels are split into several predicted ones.",
    citation=_CITATION,
    swaps_with="nce_under",
    examples=(Example(*_SPLIT_SONG, 1 - 2 / 3 * math.log(2) / math.log(3)),),
)
def nce_over(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return explained("nce_over", true, pred, "pred", frame, if_one_label, marginal=False)


@_label_entropy(
    symbol=r"S_{\mathrm{under}}",
    formula=r"1 - \frac{H(T\mid P)}{\log n_T}",
    summary="Under-segmentation score of labels: low where a predicted label mixes several true ones.",
    citation=_CITATION,
    examples=(Example(*_SPLIT_SONG, 1),),
)
def nce_under(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return explained("nce_under", true, pred, "true", frame, if_one_label, marginal=False)


@_label_entropy(
    symbol=r"S_F",
    formula=r"\frac{2\,S_{\mathrm{over}}S_{\mathrm{under}}}{S_{\mathrm{over}}+S_{\mathrm{under}}}",
    summary="The harmonic mean of the over- and the under-segmentation score of labels.",
    citation=_CITATION,
    symmetric=True,
    examples=(Example(*_SPLIT_SONG, 1 - (1 / 3 * math.log(2)) / (math.log(3) - 1 / 3 * math.log(2))),),
)
def nce_f(true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None) -> Score:
    return harmonic(
        "nce_f",
        explained("nce_f", true, pred, "pred", frame, if_one_label, marginal=False),
        explained("nce_f", true, pred, "true", frame, if_one_label, marginal=False),
    )


@_label_entropy(
    symbol=r"V_P",
    formula=r"1 - \frac{H(P\mid T)}{H(P)}",
    summary="V-precision of labels: the share of the entropy of predicted labels that the true ones explain.",
    citation="rosenberg2007vmeasure",
    swaps_with="label_v_recall",
    examples=(Example(*_SPLIT_SONG, 1 - 2 / 3 * math.log(2) / math.log(3)),),
)
def label_v_precision(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return explained("label_v_precision", true, pred, "pred", frame, if_one_label, marginal=True)


@_label_entropy(
    symbol=r"V_R",
    formula=r"1 - \frac{H(T\mid P)}{H(T)}",
    summary="V-recall of labels: the share of the entropy of true labels that the predicted ones explain.",
    citation="rosenberg2007vmeasure",
    examples=(Example(*_SPLIT_SONG, 1),),
)
def label_v_recall(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return explained("label_v_recall", true, pred, "true", frame, if_one_label, marginal=True)


@_label_entropy(
    symbol=r"V_{\mathrm{label}}",
    formula=r"\frac{2\,V_P V_R}{V_P + V_R}",
    summary="V-measure of labels: the harmonic mean of V-precision and V-recall.",
    citation="rosenberg2007vmeasure",
    symmetric=True,
    examples=(
        Example(*_SPLIT_SONG, 2 * (1 - 2 / 3 * math.log(2) / math.log(3)) / (2 - 2 / 3 * math.log(2) / math.log(3))),
    ),
)
def label_v_measure(
    true: Spans, pred: Spans, *, frame: Threshold | None = None, if_one_label: float | None = None
) -> Score:
    return harmonic(
        "label_v_measure",
        explained("label_v_measure", true, pred, "pred", frame, if_one_label, marginal=True),
        explained("label_v_measure", true, pred, "true", frame, if_one_label, marginal=True),
    )
