r"""Edit score: how much the order of labels agrees, whatever their lengths [lea2017temporal, levenshtein1966binary].

With the labels t and p of the spans of each side, from left to right, and the number L of insertions, deletions and
replacements that turn one into the other:  Edit = 1 − L(t, p) / max(|t|, |p|).
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import IndexArray
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.span_pairs import on_one_long_line
from segmetry.metrics.score import Score
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

NO_SPANS = "no span on either side"


def levenshtein(first: IndexArray, second: IndexArray) -> int:
    """Return the number of insertions, deletions and replacements between two sequences.

    >>> levenshtein(np.array([1, 2, 3]), np.array([2, 3, 4]))
    2
    """
    steps = np.arange(second.size + 1)
    row = steps.copy()
    for label in first.tolist():
        best = np.empty_like(row)
        best[0] = row[0] + 1
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (second != label))
        # An insertion costs 1, so best[j] = min over i ≤ j of best[i] + (j − i).
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


@metric(
    symbol=r"\mathrm{Edit}",
    order=20,
    aliases=("segmental_edit_score",),
    kinds=("spans",),
    formula=r"\mathrm{Edit} = 1 - \frac{L(t, p)}{\max(|t|, |p|)}",
    summary="One minus the edit distance of the sequences of labels, divided by the length of the longer one.",
    citation=("lea2017temporal", "levenshtein1966binary"),
    symmetric=True,
    notes="Lengths and places of spans do not matter, so it punishes wrong order and fragments alone. Frames outside "
    "have no label, so they divide two runs of one label. Without classes all spans have the same label. Papers print "
    "it times 100. Several lines: the mean over those where it is defined. Undefined without a span on either side.",
    examples=(
        Example(
            Spans.from_frame_labels(["cut", "cut", "pour", "stir"]),
            Spans.from_frame_labels(["cut", "stir", "stir", "cut"]),
            1 / 3,
        ),
    ),
)
def edit_score(true: SpanLines, pred: SpanLines) -> Score:
    first, second, _ = on_one_long_line(true, pred)
    quotients = []
    for line in range(len(true)):
        labels = [
            side.codes[slice(*np.searchsorted(lines, [line, line + 1]).tolist())]
            for side, lines in ((first, true.lines), (second, pred.lines))
        ]
        longer = max(map(len, labels))
        if longer:
            quotients.append((longer - levenshtein(*labels), longer))
    if len(true) == 1 and quotients:
        return Score.of("edit_score", *quotients[0])
    return Score.of("edit_score", math.fsum(top / bottom for top, bottom in quotients), len(quotients), NO_SPANS)
