"""The entities of each class on both sides, and those found exactly: same line, same first and last token, same class.

A count needs no alignment: spans of a side are disjoint, so at most one predicted entity has the first token of a true
one.
"""

from __future__ import annotations

import numpy as np

from segmetry.metrics.labelled.span_pairs import on_one_long_line
from segmetry.metrics.statistics import Column
from segmetry.segmentation.span_lines import SpanLines

NO_ENTITIES = "no entity on either side"


def entity_counts(true: SpanLines, pred: SpanLines) -> dict[str, Column]:
    """Collect the number of true, predicted and exactly found entities of each class.

    >>> lines = [SpanLines.from_tags([["B-PER", tag, "B-LOC"]]) for tag in ("I-PER", "O")]
    >>> counts = entity_counts(*lines)
    >>> counts["class"], counts["correct"].tolist()
    (['LOC', 'PER'], [1, 0])
    """
    first, second, names = on_one_long_line(true, pred)
    at = np.searchsorted(second.starts, first.starts)
    at[at == second.starts.size] = 0
    found = np.zeros(first.starts.size, dtype=np.bool_)
    if second.starts.size:
        found = (
            (second.starts[at] == first.starts) & (second.stops[at] == first.stops) & (second.codes[at] == first.codes)
        )
    columns = (first.codes, second.codes, first.codes[found])
    counts = (np.bincount(codes, minlength=len(names)) for codes in columns)
    return {"class": list(names), **dict(zip(("true", "pred", "correct"), counts, strict=True))}
