"""Notes and examples shared by the clustering metrics."""

from __future__ import annotations

from segmetry.segmentation.spans import Spans

SIX = [[1, 1, 1, 2, 2, 2]], [[1, 1, 2, 2, 3, 3]]
"""Drawn in the docs: two true segments, three predicted ones."""
A = Spans.from_masses([5, 3, 5]), Spans.from_masses([4, 4, 5])
B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
C = Spans.from_masses([2, 3, 3, 1, 3, 6, 3]), Spans.from_masses([2, 6, 4, 2, 4, 3])
ONE = Spans.from_masses([10]), Spans.from_masses([10])
SINGLES = Spans.from_masses([1] * 10), Spans.from_masses([1] * 10)
SPLIT_UP = Spans.from_masses([10]), Spans.from_masses([1] * 10)
PARTIAL = [[1, 1, 1, 0, 0]], [[7, 7, 0, 0, 8]]

UNCOVERED = (
    "Elements in no segment: uncovered='common' (default) uses only elements that both sides cover, 'segment' treats "
    "the outside of a side as one more segment, 'singletons' treats each such element as a segment of its own; void "
    "elements "
    "never count. A segment without overlap is therefore left out under 'common'. There are no ties. "
    "Overlapping segments are an error. "
)
"""The first sentences of the notes of every clustering metric."""
NO_ELEMENTS = "no element counts"
NO_PAIRS = "fewer than two elements count"
