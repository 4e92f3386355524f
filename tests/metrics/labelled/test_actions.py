"""Frame accuracy, edit score and segmental F1 against definitions over Python sets, and worked numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import KindError, OptionError, ShapeMismatchError
from tests.profiles import examples

labels = st.sampled_from(["-", "a", "b", "c"])


@st.composite
def lines(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    n = draw(st.integers(1, 14))
    side = st.lists(labels, min_size=n, max_size=n)
    return draw(side), draw(side)


def spans(line: list[str]) -> sm.Spans:
    return sm.Spans.from_frame_labels(line, outside="-")


def runs(line: list[str]) -> list[tuple[str, frozenset[int]]]:
    edges = [0, *(at for at in range(1, len(line)) if line[at] != line[at - 1]), len(line)]
    return [(line[a], frozenset(range(a, b))) for a, b in pairwise(edges) if line[a] != "-"]


def n_hits(true: list[str], pred: list[str], threshold: Fraction) -> int:
    taken: set[frozenset[int]] = set()
    for label, frames in runs(pred):
        candidates = [other for name, other in runs(true) if name == label and frames & other]
        if candidates:
            best = max(candidates, key=lambda other: Fraction(len(frames & other), len(frames | other)))
            if Fraction(len(frames & best), len(frames | best)) >= threshold:
                taken.add(best)
    return len(taken)


def edits(first: list[str], second: list[str]) -> int:
    if not first or not second:
        return len(first) + len(second)
    if first[0] == second[0]:
        return edits(first[1:], second[1:])
    return 1 + min(edits(first[1:], second[1:]), edits(first[1:], second), edits(first, second[1:]))


@examples(4)
@given(st.lists(lines(), min_size=1, max_size=3))
def test_values_of_a_data_set_equal_the_definitions(videos: list[tuple[list[str], list[str]]]) -> None:
    true, pred = (sm.SpanLines.from_frame_labels([video[side] for video in videos], outside="-") for side in (0, 1))
    right = [t == p for video in videos for t, p in zip(*video, strict=True)]
    assert sm.frame_accuracy(true, pred).value == sum(right) / len(right)
    n = sum(len(runs(side)) for video in videos for side in video)
    for threshold in (Fraction(1, 10), Fraction(1, 2), Fraction(1)):
        score = sm.segmental_f1(true, pred, thresholds=threshold)
        found = sum(n_hits(*video, threshold) for video in videos)
        assert score.value == 2 * found / n if n else not score.is_defined


@examples(4)
@given(lines())
def test_the_edit_score_equals_the_recursive_definition(video: tuple[list[str], list[str]]) -> None:
    first, second = ([label for label, _ in runs(side)] for side in video)
    score = sm.edit_score(*map(spans, video))
    longer = max(len(first), len(second))
    assert score.value == (longer - edits(first, second)) / longer if longer else not score.is_defined


def test_a_prediction_whose_best_truth_is_taken_is_spurious_even_if_another_fits() -> None:
    true, pred = spans(list("aaaaaa--a")), spans(list("aa-aaaaaa"))
    assert sm.segmental_f1(true, pred, thresholds="0.1").value == 2 / 4


def test_the_first_of_equally_good_truths_is_taken() -> None:
    true, pred = spans(list("aa-aa-a")), spans(list("aaaaa-a"))
    assert sm.segmental_f1(true, pred, thresholds="0.4").value == 4 / 5


def test_intervals_and_comparisons_resample_videos() -> None:
    true = {name: spans(list("aabbcc")) for name in "xyz"}
    good = {"x": spans(list("aabbcc")), "y": spans(list("aabbbb")), "z": spans(list("aabbcc"))}
    bad = {"x": spans(list("ccbbaa")), "y": spans(list("aaaaaa")), "z": spans(list("cacbba"))}
    first, second = (sm.evaluate(true, pred, protocol="action", engine="serial") for pred in (good, bad))
    interval = first.intervals(resamples=100)["segmental_f1"]["pooled"]
    assert interval.percentile is not None
    assert interval.percentile[0] <= first.summary()["segmental_f1"]["pooled"].value <= interval.percentile[1]
    differences = sm.compare({"good": first, "bad": second})
    row = next(row for row in differences.rows() if row["key"] == "frame_accuracy" and row["average"] == "pooled")
    assert row["difference"] != 0


def test_wrong_input_is_one_clear_error() -> None:
    line = sm.SpanLines.from_frame_labels([["a"]])
    with pytest.raises(OptionError, match="thresholds are 0; expected numbers above 0 and at most 1"):
        sm.segmental_f1(line, line, thresholds=0)
    with pytest.raises(OptionError, match="ends is 'early'; expected 'whole' or 'ms-tcn2'"):
        sm.segmental_f1(line, line, ends="early")
    with pytest.raises(ShapeMismatchError, match="line 0 has 1 elements in true and 2 in pred"):
        sm.frame_accuracy(line, sm.SpanLines.from_frame_labels([["a", "b"]]))
    with pytest.raises(KindError, match="pk takes one line at a time"):
        sm.pk(line, line)
