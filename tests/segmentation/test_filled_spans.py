"""P*, the distance δ^P, and the window measures that are means over it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.segmentation.spans import as_tick, label_runs, outside_labels
from tests.profiles import examples


@examples(2)
@given(st.data())
def test_filled_and_distance_by_their_definitions(data: st.DataObject) -> None:
    """P* has a segment for every maximal gap; δ^P counts the first elements after the earlier one, up to the later."""
    n = data.draw(st.integers(1, 12))
    cuts = sorted(data.draw(st.sets(st.integers(0, n), max_size=8)))
    spans = sm.Spans(cuts[0 : len(cuts) - 1 : 2], cuts[1::2], n)
    covered = {at for start, stop in zip(spans.starts, spans.stops, strict=True) for at in range(start, stop)}
    total = [(int(a), int(b)) for a, b in zip(spans.starts, spans.stops, strict=True)]
    at = 0
    while at < n:
        stop = at
        while stop < n and stop not in covered:
            stop += 1
        if stop > at:
            total.append((at, stop))
        at = stop + 1
    total.sort()
    filled = spans.filled()
    assert list(zip(filled.starts.tolist(), filled.stops.tolist(), strict=True)) == total
    assert filled.is_total
    firsts = {start for start, _ in total}
    for e in range(n):
        for other in range(n):
            low, high = sorted((e, other))
            assert int(spans.distance(e, other)) == len({first for first in firsts if low < first <= high})
    everything = spans.distance(np.arange(n)[:, None], np.arange(n))
    inside = [next(k for k, (start, stop) in enumerate(total) if start <= e < stop) for e in range(n)]
    assert ((everything == 0) == np.equal.outer(inside, inside)).all()


def test_pk_and_window_diff_are_means_over_distances() -> None:
    true, pred, k = sm.Spans.from_masses([4, 3, 5]), sm.Spans([0, 5, 9], [3, 9, 12], 12), 3
    ends = np.arange(12 - k), np.arange(k, 12)
    of_true, of_pred = true.distance(*ends), pred.distance(*ends)
    assert sm.window_diff(true, pred, k=k, padded=False).value == pytest.approx(np.mean(of_true != of_pred))
    assert sm.pk(true, pred, k=k).value == pytest.approx(np.mean((of_true == 0) != (of_pred == 0)))


@pytest.mark.parametrize("element", [-1, 3, 0.5])
def test_distance_is_between_elements_of_the_line(element: float) -> None:
    with pytest.raises(sm.SegmetryError, match="expected numbers from 0 to 2"):
        sm.Spans.from_masses([2, 1]).distance(0, element)


def test_the_example_of_outside_labels() -> None:
    assert (sorted(outside_labels(["SIL", "background"])), outside_labels("SIL"), outside_labels(None)) == (
        ["SIL", "background"],
        frozenset({"SIL"}),
        frozenset(),
    )


def test_the_example_of_label_runs() -> None:
    runs = label_runs([["a", "a", "-"], ["a", "b"]], frozenset("-"))
    assert (runs.starts.tolist(), runs.stops.tolist(), [runs.names[code] for code in runs.codes]) == (
        [0, 3, 4],
        [2, 4, 5],
        ["a", "a", "b"],
    )


def test_the_example_of_as_tick() -> None:
    assert as_tick(0.01) == Fraction(1, 100)
