r"""Mean over frames: the share of frames whose label is right, over all frames of a data set [lea2017temporal].

MoF = |{i : l_T(i) = l_P(i)}| / n, where a frame in no span has the label *outside*.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.span_pairs import on_one_long_line, span_pairs
from segmetry.metrics.score import Score
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

NO_FRAMES = "the line has no elements"


def correct_frames(true: SpanLines, pred: SpanLines) -> dict[str, Column]:
    """Collect the number of frames with the right label, and of all frames."""
    first, second, _ = on_one_long_line(true, pred)
    pairs = span_pairs(first, second)
    total = int(true.lengths.sum())
    covered = int((first.stops - first.starts).sum() + (second.stops - second.starts).sum() - pairs.shared.sum())
    right = int(pairs.shared[pairs.same_class].sum()) + total - covered
    return {"correct": np.array([right]), "frames": np.array([total])}


def _accuracy(collected: Collected) -> Combined:
    return Combined(Score.of("frame_accuracy", collected.total("correct"), collected.total("frames"), NO_FRAMES))


def _accuracies(collected: Collected, times: IntArray) -> FloatArray:
    """The same for many samples at once."""
    correct, frames = (collected.columns[name] @ times for name in ("correct", "frames"))
    return np.where(frames > 0, correct / np.maximum(frames, 1), math.nan)


_POOLED = Accumulator(correct_frames, _accuracy, pooled=True, resampled=_accuracies)


@metric(
    symbol=r"\mathrm{MoF}",
    family="labelled",
    order=10,
    aliases=("mof", "mean_over_frames"),
    needs="lines",
    kinds=("spans",),
    formula=r"\mathrm{MoF} = \frac{|\{i : l_T(i) = l_P(i)\}|}{n}",
    summary="The share of frames that have the right label (MoF, accuracy).",
    citation="lea2017temporal",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes="A frame in no span has a label of its own, so a frame that is outside on both sides is right: ms-tcn counts "
    "background likewise. Without classes all spans have the same label. Over a data set, frames of all lines are "
    "counted together, so long videos weigh more. Undefined where a line has no elements.",
    examples=(
        Example(
            Spans.from_frame_labels(["bg", "pour", "pour", "stir"], outside="bg"),
            Spans.from_frame_labels(["bg", "pour", "stir", "stir"], outside="bg"),
            3 / 4,
        ),
    ),
    accumulator=_POOLED,
)
def frame_accuracy(true: SpanLines, pred: SpanLines) -> Score:
    return _POOLED.score(true, pred)
