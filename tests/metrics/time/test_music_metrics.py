"""Metrics of labelled sections against counts over Python lists."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.segmentation.spans import Spans

N = 9


@st.composite
def songs(draw: st.DrawFn) -> Spans:
    """Spans with labels that cover a line of nine elements, gaps left out."""
    labels = draw(st.lists(st.sampled_from("AB."), min_size=N, max_size=N))
    spans = Spans.from_labels([".AB".index(label) for label in labels])
    return Spans(spans.starts, spans.stops, N, classes=[labels[start] for start in spans.starts.tolist()])


def labels_of(song: Spans) -> list[object]:
    names = song.class_list or []
    found: list[object] = [None] * song.n
    for start, stop, name in zip(song.starts.tolist(), song.stops.tolist(), names, strict=True):
        found[start:stop] = [name] * (stop - start)
    return found


@given(songs(), songs())
def test_pairs_of_moments_are_counted_one_by_one(true: Spans, pred: Spans) -> None:
    first, second = labels_of(true), labels_of(pred)
    pairs = list(combinations(range(N), 2))
    in_true = {(s, t) for s, t in pairs if first[s] == first[t]}
    in_pred = {(s, t) for s, t in pairs if second[s] == second[t]}
    precision, recall = sm.label_pair_precision(true, pred), sm.label_pair_recall(true, pred)
    assert (precision.numerator, precision.denominator) == (len(in_true & in_pred), len(in_pred))
    assert (recall.numerator, recall.denominator) == (len(in_true & in_pred), len(in_true))
    assert sm.label_rand_index(true, pred).numerator == len(pairs) - len(in_true ^ in_pred)


def entropy(values: list[object]) -> float:
    return -math.fsum(count / N * math.log(count / N) for count in Counter(values).values())


@given(songs(), songs())
def test_conditional_entropies_follow_from_the_joint_one(true: Spans, pred: Spans) -> None:
    first, second = labels_of(true), labels_of(pred)
    joint = entropy(list(zip(first, second, strict=True)))
    n_pred = len(set(second))
    over, v = sm.nce_over(true, pred), sm.label_v_precision(true, pred)
    if n_pred == 1:
        assert not over.is_defined and sm.nce_over(true, pred, if_one_label=0).value == 0
        return
    remaining = joint - entropy(first)
    assert over.value == pytest.approx(1 - remaining / math.log(n_pred), abs=1e-12)
    assert v.value == pytest.approx(1 - remaining / entropy(second), abs=1e-12)


def test_frames_are_sampled_at_their_starts() -> None:
    true = Spans.from_seconds([(0, 0.25), (0.25, 1)], classes=["A", "B"])
    pred = Spans.from_seconds([(0, 1)], classes=["x"])
    assert sm.label_pair_recall(true, pred, frame="0.1").denominator == 3 + 21  # 3 frames of A, 7 of B
    assert sm.label_pair_recall(true, pred).denominator == 25 * 24 // 2 + 75 * 74 // 2


def test_deviations_are_medians_in_seconds() -> None:
    true = Spans.from_seconds([(0, 4.5), (4.5, 10), (10, 20)])
    pred = Spans.from_seconds([(0, 5), (5, 20)])
    assert sm.median_deviation_true(true, pred, trim=True).value == (0.5 + 5) / 2
    assert sm.median_deviation_pred(true, pred, trim=True).value == 0.5


def test_a_frame_has_a_length() -> None:
    song = Spans.from_masses([3])
    with pytest.raises(OptionError, match="frame is 0; expected a positive number of seconds, or None"):
        sm.nce_f(song, song, frame=0)
