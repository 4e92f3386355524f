r"""How long each true label and each predicted label go together: clustering of time by label.

All spans of one label are one cluster. Exactly, elements of the line are counted, and elements in no span are a cluster
of their own. With a frame length, the labels are sampled as mir_eval does: at k·frame, in single precision, up to the
end of the last true span; labels are compared without case, a first gap and an early end are labels of their own.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, Threshold, distinct
from segmetry.errors import OptionError
from segmetry.metrics.time.labelled_line import LabelledLine, seconds
from segmetry.overlaps.contingency import Blocks, Contingency
from segmetry.segmentation.spans import Spans

FIRST_GAP, LAST_GAP, GAP = "__t_min", "__t_max", "none"
"""The labels that mir_eval gives to time before the first span, after the last one, and between two of them."""


def label_contingency(true: Spans, pred: Spans, frame: Threshold | None = None) -> Contingency:
    """Return the contingency table of labels, in elements or in frames of ``frame`` seconds.

    >>> true, pred = (Spans.from_masses([2, 3, 2], classes=list(names)) for names in ("aba", "abb"))
    >>> table = label_contingency(true, pred)
    >>> table.true.size.tolist(), table.shared.tolist()
    ([4, 3], [2, 2, 3])
    """
    if frame is None:
        counts = _exact_counts(true, pred)
    else:
        length = seconds(frame, "frame")
        if not length:
            raise OptionError(f"frame is {frame!r}; expected a positive number of seconds, or None")
        counts = _frame_counts(true, pred, length)
    return _contingency(counts)


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
        labels = _sampled(side, end, times)
        codes.append(np.unique(labels, return_inverse=True)[1] if labels.size else np.zeros(0, dtype=np.intp))
    counts = np.zeros([int(code.max(initial=-1)) + 1 for code in codes], dtype=np.int64)
    np.add.at(counts, tuple(codes), 1)
    return counts


def _sampled(side: Spans, end: float, times: FloatArray) -> NDArray[np.str_]:
    """Return the label at each time, as text in lower case; a time at an end belongs to the later span."""
    names = side.class_list or list(range(1, side.starts.size + 1))
    ends = zip(side.starts.tolist(), side.stops.tolist(), names, strict=True)
    rows = [(float(start * side.tick), float(stop * side.tick), str(name).lower()) for start, stop, name in ends]
    if not rows:
        rows = [(0.0, end, FIRST_GAP)]
    if rows[0][0] > 0:
        rows.insert(0, (0.0, rows[0][0], FIRST_GAP))
    rows = [(start, min(stop, end), name) for start, stop, name in rows if start <= end]
    if rows[-1][1] < end:
        rows.append((rows[-1][1], end, LAST_GAP))
    labels = np.full(times.size, GAP, dtype=object)
    for start, stop, name in rows:
        labels[np.searchsorted(times, start, side="left") : np.searchsorted(times, stop, side="right")] = name
    return labels.astype(str)


def _contingency(counts: IntArray) -> Contingency:
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
