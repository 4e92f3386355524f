"""The alignment index against its words, over Python sets."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given

import segmetry as sm
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.oracle import as_sets


def jaccard(one: frozenset[object], other: frozenset[object]) -> Fraction:
    return Fraction(len(one & other), len(one | other))


@given(pair=span_pairs())
def test_mean_jaccard_index_of_the_pairs_that_point_to_each_other(pair: tuple[Spans, Spans]) -> None:
    true, pred = (as_sets(Spans.from_masses(result.masses)) for result in pair)
    edges = set()
    for t, segment in true.items():
        best = max(pred, key=lambda h, own=segment: (len(own & pred[h]), jaccard(own, pred[h]), -h))  # type: ignore[misc]
        edges.add((t, best))
    for h, segment in pred.items():
        best = max(true, key=lambda t, own=segment: (len(own & true[t]), jaccard(own, true[t]), -t))  # type: ignore[misc]
        edges.add((best, h))
    expected = sum(jaccard(true[t], pred[h]) for t, h in edges) / len(edges)
    assert math.isclose(sm.alignment_index(*pair).value, expected, rel_tol=1e-14)


def test_ties_are_counted_and_go_to_the_left() -> None:
    result = sm.alignment_index(Spans.from_masses([6]), Spans.from_masses([3, 3]))
    assert result.details["ties"] == 1
    assert result.value == 1 / 2


def test_no_elements() -> None:
    empty = Spans.from_masses([])
    assert sm.alignment_index(empty, empty).reason == "no elements"
