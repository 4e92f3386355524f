r"""Mean over frames: the share of frames whose label is right, over all frames of a data set [lea2017temporal].

MoF = |{i : l_T(i) = l_P(i)}| / n, where a frame in no span has the label *outside*.
"""

from __future__ import annotations

import numpy as np

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.span_pairs import on_one_long_line, span_pairs
from segmetry.metrics.statistics import Column, Quotient, Sums
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


@metric(
    symbol=r"\mathrm{MoF}",
    order=10,
    aliases=("mof", "mean_over_frames"),
    kinds=("spans",),
    formula=r"\mathrm{MoF} = \frac{|\{i : l_T(i) = l_P(i)\}|}{n}",
    summary="The share of frames that have the right label (MoF, accuracy).",
    citation="lea2017temporal",
    symmetric=True,
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
    statistics=Aggregation(correct_frames, average=POOLED),
)
def frame_accuracy(sums: Sums) -> Quotient:
    return Quotient(sums["correct"], sums["frames"], NO_FRAMES)
