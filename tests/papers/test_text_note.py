"""The definitions of the note on text segmentation metrics, each by its name, over sets of elements."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.testing.strategies import span_pairs
from tests.oracle import as_sets
from tests.papers.by_sets import aligned, iou, theta_and

Pair = tuple[sm.Spans, sm.Spans]


def filled(side: sm.Spans) -> list[set[int]]:
    """P*: every maximal gap becomes one segment."""
    found: list[set[int]] = []
    owner = {element: number for number, segment in as_sets(side).items() for element in segment}
    for element in range(side.n):
        if element and owner.get(element) == owner.get(element - 1):
            found[-1].add(element)
        else:
            found.append({element})
    return found


def distance(side: sm.Spans, first: int, last: int) -> int:
    """δ: the first elements after one element, up to another."""
    return sum(first < min(segment) <= last for segment in filled(side))


@given(span_pairs())
def test_p_star_is_the_smallest_total_segmentation(pair: Pair) -> None:
    for side in pair:
        total = side.filled()
        assert total.is_total and [set(range(*ends)) for ends in zip(total.starts, total.stops, strict=True)] == filled(
            side
        )


@given(span_pairs(shortest=2), st.data())
def test_distance(pair: Pair, data: st.DataObject) -> None:
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, pair[0].n - 1)] * 2)))
    for side in pair:
        assert side.distance(first, last) == distance(side, first, last)
        assert (side.distance(first, last) == 0) == any({first, last} <= segment for segment in filled(side))


@given(span_pairs(shortest=2), st.integers(1, 5))
def test_window_diff(pair: Pair, k: int) -> None:
    k = min(k, pair[0].n - 1)
    starts = range(pair[0].n - k)
    wrong = sum(distance(pair[0], i, i + k) != distance(pair[1], i, i + k) for i in starts)
    assert sm.window_diff(*pair, k=k).value == pytest.approx(wrong / len(starts))


@given(span_pairs(shortest=2), st.integers(1, 5))
def test_pk(pair: Pair, k: int) -> None:
    k = min(k, pair[0].n - 1)
    starts = range(pair[0].n - k)
    wrong = sum((distance(pair[0], i, i + k) == 0) != (distance(pair[1], i, i + k) == 0) for i in starts)
    assert sm.pk(*pair, k=k).value == pytest.approx(wrong / len(starts))


@given(span_pairs(shortest=2))
def test_the_repaired_window_diff_is_zero_for_equal_texts_only(pair: Pair) -> None:
    equal = filled(pair[0]) == filled(pair[1])
    assert (sm.window_diff(*pair, padded=True, k=2).value == 0) == equal


@given(span_pairs(total=True))
def test_bcubed_over_pairs(pair: Pair) -> None:
    true, pred = map(as_sets, pair)
    both = [(t, h) for t in true.values() for h in pred.values() if t & h]
    formulas = {
        "bcubed_precision": lambda t, h: len(t & h) / len(h),
        "bcubed_recall": lambda t, h: len(t & h) / len(t),
        "bcubed_f1": lambda t, h: len(t & h) / (len(t & h) + 0.5 * (len(h - t) + len(t - h))),
    }
    for key, formula in formulas.items():
        found = getattr(sm, key)(*pair, over="pairs")
        assert found.is_defined == bool(both)
        assert not both or found.value == pytest.approx(sum(formula(t, h) for t, h in both) / len(both))


@given(span_pairs())
def test_panoptic_quality_of_texts(pair: Pair) -> None:
    """P, R and F1 of H and of T with every aligned segment replaced by its partner; weighted by the mean IoU."""
    true, pred = map(as_sets, pair)
    matched = aligned(true, pred, theta_and)
    partner = {a: h for (a, _), (_, h) in matched.items()}
    replaced = {partner.get(a, t) if a in partner else ("missed", t) for a, t in true.items()}
    common = len(replaced & set(pred.values()))
    if pred and true:
        assert sm.precision(*pair, rule="theta_and").value == pytest.approx(common / len(pred))
        assert sm.recall(*pair, rule="theta_and").value == pytest.approx(common / len(true))
        assert sm.f1(*pair, rule="theta_and").value == pytest.approx(2 * common / (len(true) + len(pred)))
        weight = float(sum(iou(t, h) for t, h in matched.values()))
        assert sm.weighted_f1(*pair, rule="theta_and").value == pytest.approx(2 * weight / (len(true) + len(pred)))
