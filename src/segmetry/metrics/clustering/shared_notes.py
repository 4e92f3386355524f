"""Notes and examples shared by the clustering metrics."""

from __future__ import annotations

from segmetry.segmentation import Spans

SIX = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
"""Drawn in the docs: two true segments, three predicted ones."""
A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
C = Spans.from_masses([2, 3, 3, 1, 3, 6, 3]), Spans.from_masses([2, 6, 4, 2, 4, 3])
ONE = Spans.from_masses([10]), Spans.from_masses([10])
SINGLES = Spans.from_masses([1] * 10), Spans.from_masses([1] * 10)
SPLIT_UP = Spans.from_masses([10]), Spans.from_masses([1] * 10)
PARTIAL = [[1, 1, 1, 0, 0]], [[7, 7, 0, 0, 8]]

BACKGROUND = (
    "Elements in no segment: background='segment' (default) treats the outside of a side as one more segment, as "
    "scikit-learn does with label 0; 'singletons' treats each such element as a segment of its own; 'common' counts "
    "only elements with a segment on both sides, so a segment that is missed costs nothing. Three conventions leave "
    "out what is outside in the truth: 'cremi' and 'foreground' (FG-ARI) treat the outside of the prediction as one "
    "segment, 'snemi' each such element as a segment of its own. Where elements are left out, details['counted_share'] "
    "is the share that counts; void elements never count. There are no ties. Overlapping segments are an error. "
)
"""The first sentences of the notes of every clustering metric."""
NO_ELEMENTS = "no element counts"
NO_PAIRS = "fewer than two elements count"
