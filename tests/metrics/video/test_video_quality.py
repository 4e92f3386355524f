"""Tubes in windows and over whole videos, against sets of (frame, element) and against element-by-element counting."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, InputError, KindError, OptionError, SegmetryError
from segmetry.metrics.declare import METRICS, as_metric_inputs
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.video.video_panoptic_quality import frame_tables
from tests.metrics.samples import sampled

# Small random videos may have no class in common, of which evaluate() gives notice.
pytestmark = pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")

CLASSES = {1: "car", 2: "car", 3: "road", 4: "sky", 9: "car"}
Tubes = dict[int, set[tuple[int, ...]]]


@st.composite
def videos(draw: st.DrawFn, *, frames: tuple[int, int] = (1, 5)) -> tuple[sm.LabelArray, sm.LabelArray]:
    """A video of few tubes and a prediction that agrees with most of it; 8 is void, 9 a crowd of cars."""
    shape = (draw(st.integers(*frames)), 1, draw(st.integers(1, 6)))
    labels = st.sampled_from([0, 1, 2, 3, 4, 8, 9])
    true = np.array([draw(labels) for _ in range(shape[0] * shape[2])]).reshape(shape)
    if draw(st.booleans()):
        true[:] = true[0]
    pred = true.copy()
    for _ in range(draw(st.integers(0, 6))):
        pred[draw(st.integers(0, shape[0] - 1)), 0, draw(st.integers(0, shape[2] - 1))] = draw(
            st.sampled_from([0, 1, 2, 3, 4])
        )
    pred[pred >= 8] = 2
    return (
        sm.LabelArray(true, classes=CLASSES, void=8, crowd=9),
        sm.LabelArray(pred, classes=CLASSES),
    )


def tubes(result: sm.LabelArray, start: int, stop: int) -> Tubes:
    homes: Tubes = {}
    for at in np.ndindex(result.labels.shape):
        label = int(result.labels[at])
        if start <= at[0] < stop and label not in (*result.outside, *result.void):
            homes.setdefault(label, set()).add(at)
    return homes


def accepted(rule: str, shared: int, missed: int, spurious: int) -> bool:
    return shared > missed + spurious if rule == "theta_plus" else shared > missed and shared > spurious


def window_by_definition(
    true: sm.LabelArray, pred: sm.LabelArray, start: int, k: int, rule: str
) -> dict[Hashable, tuple[Fraction, int, int]]:
    """Σ IoU, pairs and unmatched tubes of every class in one window."""
    trues, preds = tubes(true, start, start + k), tubes(pred, start, start + k)
    counts: dict[Hashable, tuple[Fraction, int, int]] = {}
    for name in {CLASSES[label] for label in (*trues, *preds)}:
        mine = [tube for label, tube in trues.items() if CLASSES[label] == name]
        theirs = [tube for label, tube in preds.items() if CLASSES[label] == name]
        pairs = [(t, h) for t, h in product(mine, theirs) if accepted(rule, len(t & h), len(t - h), len(h - t))]
        total = sum((Fraction(len(t & h), len(t | h)) for t, h in pairs), Fraction(0))
        counts[name] = total, len(pairs), len(mine) + len(theirs) - 2 * len(pairs)
    return counts


def pooled_by_definition(windows: list[dict[Hashable, tuple[Fraction, int, int]]]) -> Fraction | None:
    names = {name for window in windows for name in window}
    values = []
    for name in names:
        parts = [window[name] for window in windows if name in window]
        iou, pairs, unmatched = (sum(part[at] for part in parts) for at in range(3))
        values.append(2 * iou / (2 * pairs + unmatched))
    return Fraction(sum(values), len(values)) if values else None


@given(videos(), st.sampled_from(["theta_plus", "theta_and"]))
def test_vpq_equals_its_definition(pair: tuple[sm.LabelArray, sm.LabelArray], rule: str) -> None:
    true, pred = pair
    n_frames = true.domain[0]
    lengths = tuple(range(1, n_frames + 1))
    windows = {
        k: [window_by_definition(true, pred, start, k, rule) for start in range(n_frames - k + 1)] for k in lengths
    }
    expected = {k: pooled_by_definition(result) for k, result in windows.items()}
    result = sm.vpq(true, pred, k=lengths, rule=rule, policy="none")
    for k, value in expected.items():
        assert result.details["k"][str(k)] == (None if value is None else pytest.approx(float(value), abs=1e-12))
    defined = [value for value in expected.values() if value is not None]
    if not defined:
        assert not result.is_defined
        return
    assert result.value == pytest.approx(float(sum(defined) / len(defined)), abs=1e-12)
    for k in lengths:
        values = [pooled_by_definition([window]) for window in windows[k]]
        known = [float(value) for value in values if value is not None]
        assert sm.vpq(true, pred, k=k, rule=rule, policy="none", windows="mean").value == pytest.approx(
            np.mean(known), abs=1e-12
        )


@given(videos(frames=(2, 5)))
def test_window_tables_are_sums_of_frame_tables(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    true, pred = pair
    added = frame_tables(true, pred)[0] + frame_tables(true, pred)[1]
    facts: dict[str, Any] = {"classes": CLASSES}
    both = sm.overlap(sm.LabelArray(true.labels[:2], void=8, crowd=9, **facts), sm.LabelArray(pred.labels[:2], **facts))
    assert added == both


def test_one_frame_windows_are_panoptic_quality_pooled_over_frames() -> None:
    rng = np.random.default_rng(3)
    true = rng.integers(0, 4, (6, 5, 7))
    pred = np.where(rng.random(true.shape) < 0.8, true, 1)
    totals = [sm.align(sm.overlap(t, h), "theta_plus") for t, h in zip(true, pred, strict=True)]
    iou = sum(result.exact_total() for result in totals)
    count = sum(2 * result.n_pairs + result.n_unmatched_true + result.n_unmatched_pred for result in totals)
    assert sm.vpq(true, pred, k=1).value == pytest.approx(float(2 * iou / count), abs=1e-12)


def coco_window(
    true: sm.LabelArray, pred: sm.LabelArray, start: int, k: int
) -> dict[Hashable, tuple[Fraction, int, int]]:
    """The same as the published program counts it: void (8) leaves the union and, with a crowd (9), excuses tubes."""
    trues, preds = tubes(true, start, start + k), tubes(pred, start, start + k)
    void = {at for at in np.ndindex(true.labels.shape) if int(true.labels[at]) == 8}
    crowd = trues.pop(9, set())
    counts: dict[Hashable, tuple[Fraction, int, int]] = {}
    for name in sorted({CLASSES[label] for label in (*trues, *preds)}):
        mine = [tube for label, tube in trues.items() if CLASSES[label] == name]
        theirs = [tube for label, tube in preds.items() if CLASSES[label] == name]
        pairs = [(t, h) for t, h in product(mine, theirs) if 2 * len(t & h) > len((t | h) - (void - t))]
        excused = void | (crowd if name == CLASSES[9] else set())
        matched = [h for _, h in pairs]
        spurious = [h for h in theirs if h not in matched and 2 * len(h & excused) <= len(h)]
        total = sum((Fraction(len(t & h), len((t | h) - (void - t))) for t, h in pairs), Fraction(0))
        if pairs or spurious or mine:
            counts[name] = total, len(pairs), len(mine) - len(pairs) + len(spurious)
    return counts


@given(st.lists(videos(frames=(1, 4)), min_size=1, max_size=3))
def test_vpq_under_the_coco_policy_is_the_published_program(pairs: list[tuple[sm.LabelArray, sm.LabelArray]]) -> None:
    lengths = list(range(1, max(true.domain[0] for true, _ in pairs) + 1))
    values = [
        pooled_by_definition(
            [coco_window(true, pred, start, k) for true, pred in pairs for start in range(true.domain[0] - k + 1)]
        )
        for k in lengths
    ]
    defined = [value for value in values if value is not None]
    expected = float(sum(defined) / len(defined)) if defined else math.nan
    found = over("vpq", pairs, k=lengths, policy="coco")
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_coco_policy_reaches_the_windows() -> None:
    true = sm.LabelArray([[[1, 1, 8, 8, 9]]] * 2, classes=CLASSES, void=8, crowd=9)
    pred = sm.LabelArray([[[1, 1, 1, 1, 2]]] * 2, classes=CLASSES)
    assert sm.vpq(true, pred, k=2, policy="coco").value == 1
    assert sm.vpq(true, pred, k=2, policy="none").value < 1


Video = tuple[sm.LabelArray, sm.LabelArray]


def over(key: str, pairs: Sequence[Video], **options: Any) -> sm.Score:
    """The value of a data set of videos."""
    true, pred = ({f"{at:03}": pair[side] for at, pair in enumerate(pairs)} for side in (0, 1))
    score = sm.evaluate(true, pred, metrics=key, options={key: options}).summary()[key].over_data_set
    assert score is not None
    return score


def stq_by_counting(pairs: Sequence[Video], things: set[str], *, unpredicted: str = "class") -> float:
    """The published computation over all videos, one element at a time; outside of the truth nothing is void."""
    associations: list[float] = []
    confusion: Counter[tuple[str | None, str | None]] = Counter()
    for true, pred in pairs:
        trues: Counter[int] = Counter()
        preds: Counter[int] = Counter()
        both: Counter[tuple[int, int]] = Counter()
        for t, h in zip(true.labels.ravel().tolist(), pred.labels.ravel().tolist(), strict=True):
            true_class = None if t in (0, 8) else CLASSES[t]
            pred_class = None if h == 0 else CLASSES[h]
            if t != 8:
                confusion[true_class, pred_class] += 1
            on_crowd = t in true.crowd and true_class in things
            is_true, is_pred = true_class in things and not on_crowd, pred_class in things and not on_crowd
            trues[t] += is_true
            preds[h] += is_pred
            both[t, h] += is_true and is_pred
        associations += [
            sum(both[t, h] * both[t, h] / (trues[t] + preds[h] - both[t, h]) for h in preds if both[t, h]) / trues[t]
            for t, size in trues.items()
            if size
        ]
    if not associations:
        return math.nan
    ious = []
    for name in {name for pair in confusion for name in pair if name is not None}:
        shared = confusion[name, name]
        union = sum(count for pair, count in confusion.items() if name in pair)
        ious.append(shared / union)
    if unpredicted == "class" and any(pair[1] is None and pair[0] is not None for pair in confusion):
        ious.append(0)
    return math.sqrt(sum(associations) / len(associations) * sum(ious) / len(ious))


@given(
    st.lists(videos(), min_size=1, max_size=3),
    st.sets(st.sampled_from(["car", "road", "sky"]), min_size=1),
    st.sampled_from(["class", "missed"]),
)
def test_stq_equals_counting_elements(pairs: list[Video], things: set[str], unpredicted: Any) -> None:
    options: dict[str, Any] = {"things": sorted(things), "unpredicted": unpredicted}
    for pair in pairs:
        expected = stq_by_counting([pair], things, unpredicted=unpredicted)
        assert sm.stq(*pair, **options).value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    expected = stq_by_counting(pairs, things, unpredicted=unpredicted)
    assert over("stq", pairs, **options).value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tubes_of_all_videos_are_averaged_together() -> None:
    """One video with a perfect tube, one with three missed ones: AQ is 1/4, not the mean 1/2 of the two videos."""
    first = [sm.LabelArray([[[1, 1]]], classes=CLASSES) for _ in range(2)]
    second = [sm.LabelArray([[labels]], classes=CLASSES) for labels in ([1, 2, 9], [3, 3, 3])]
    score = over("stq", [(first[0], first[1]), (second[0], second[1])], things=["car"])
    assert score.details["association_quality"] == 0.25
    assert score.details["segmentation_quality"] == pytest.approx((2 / 5 + 0) / 2)


def test_elements_without_a_predicted_class_are_a_class_as_in_the_reference() -> None:
    """A quarter of a perfect prediction is left out: one more class of IoU 0 by default, not with 'missed'."""
    true, pred = (sm.LabelArray([row], classes=CLASSES) for row in ([1, 1, 3, 3], [1, 1, 3, 0]))
    assert sm.stq(true, pred, things=["car"]).value == math.sqrt(0.5)
    assert sm.stq(true, pred, things=["car"], unpredicted="missed").value == math.sqrt(0.75)


@given(st.lists(videos(frames=(1, 4)), min_size=1, max_size=3), st.sampled_from(["theta_plus", "theta_and"]))
def test_vpq_of_a_data_set_adds_up_the_windows_of_all_videos(pairs: list[Video], rule: str) -> None:
    """As published: tubes of all windows of k frames by class, the mean over classes, the mean over k."""
    longest = max(true.domain[0] for true, _ in pairs)
    values = []
    for k in range(1, longest + 1):
        windows = [
            window_by_definition(true, pred, start, k, rule)
            for true, pred in pairs
            for start in range(true.domain[0] - k + 1)
        ]
        values.append(pooled_by_definition(windows))
    defined = [value for value in values if value is not None]
    expected = float(sum(defined) / len(defined)) if defined else math.nan
    options: dict[str, Any] = {"k": list(range(1, longest + 1)), "rule": rule, "policy": "none"}
    assert over("vpq", pairs, **options).value == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("vpq", {"k": (1, 3)}),
        ("vpq", {"k": (1, 2), "windows": "mean"}),
        ("stq", {"things": ["car"]}),
        ("stq", {"unpredicted": "missed"}),
    ],
)
@given(st.lists(videos(frames=(1, 4)), min_size=1, max_size=4), st.data())
def test_many_samples_at_once_are_each_sample(
    key: str, options: dict[str, Any], pairs: list[Video], data: st.DataObject
) -> None:
    aggregation = METRICS[key].statistics
    assert aggregation is not None
    facts = [
        aggregation.collect(
            *as_metric_inputs(*pair).give(METRICS[key].needs, key), **aggregation.collect_options(options)
        )
        for pair in pairs
    ]
    numbers = st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs))
    times = np.array(data.draw(st.lists(numbers, min_size=1, max_size=4))).T
    counted = Statistics.of(facts)
    samples = [counted.select(np.repeat(np.arange(len(pairs)), sample)) for sample in times.T]
    each = [aggregation.reading(key, sample, options).score().value for sample in samples]
    assert sampled(key, counted, times, options).tolist() == pytest.approx(each, abs=1e-12, nan_ok=True)


def test_several_videos_add_up_their_windows_or_average_them() -> None:
    sides = ([[[1, 1, 2]]] * 3, [[[1, 1, 2]]] * 3), ([[[1, 1, 1]]] * 2, [[[2, 2, 0]]] * 2)
    pairs = [(sm.LabelArray(true), sm.LabelArray(pred)) for true, pred in sides]
    one = Fraction(2 * 6 + 2 * 2 * Fraction(2, 3), 2 * 6 + 2 * 2)
    two = Fraction(2 * 4 + 2 * Fraction(2, 3), 2 * 4 + 2)
    assert over("vpq", pairs, k=[1, 2]).value == pytest.approx(float((one + two) / 2), abs=1e-12)
    averaged = over("vpq", pairs, k=[1], windows="mean")
    assert averaged.value == pytest.approx(float((3 * 1 + 2 * Fraction(2, 3)) / 5), abs=1e-12)


def test_a_window_that_no_video_has_makes_it_undefined() -> None:
    score = sm.vpq(OK, OK)
    assert not score.is_defined and score.reason == "no video has 4 frames, a window of k"
    assert sm.vpq(OK, OK, k=(1, 2, 3)).value == 1


def test_stq_of_huge_tubes_does_not_overflow() -> None:
    size = 2**62
    table = sm.OverlapTable.from_rows([(1, 1, size)], true_sizes={1: size + 2**61}, pred_sizes={1: size})
    share = Fraction(size, size + 2**61)
    assert sm.stq(table, unpredicted="missed").value == pytest.approx(math.sqrt(share * share * share))


OK = [[[1, 1]], [[1, 1]], [[1, 2]]]
CASES: dict[str, tuple[Callable[[], Any], type[SegmetryError], str]] = {
    "k of 0": (
        lambda: sm.vpq(OK, OK, k=0),
        OptionError,
        "k contains 0; expected integer numbers of frames, at least 1",
    ),
    "half a frame": (lambda: sm.vpq(OK, OK, k=1.5), OptionError, "k contains 1.5"),
    "k of words": (lambda: sm.vpq(OK, OK, k="12"), OptionError, "k contains '1'"),
    "no k": (lambda: sm.vpq(OK, OK, k=()), OptionError, "k is empty"),
    "k twice": (lambda: sm.vpq(OK, OK, k=(1, 1)), OptionError, "each number of frames once"),
    "windows": (
        lambda: sm.vpq(OK, OK, k=1, windows="sum"),
        OptionError,
        "windows is 'sum'; expected 'pooled' or 'mean'",
    ),
    "an image": (lambda: sm.vpq([[1, 1]], [[1, 1]], k=1), KindError, "vpq takes label arrays of 3 to 4 axes; found 2"),
    "images as videos": (
        lambda: frame_tables(*[sm.LabelArray([[1, 1]])] * 2),
        InputError,
        r"shape \(1, 2\); expected frames on the first axis .* the rows of an image are not frames",
    ),
    "masks": (
        lambda: sm.vpq(*[sm.Masks.from_dense(np.ones((1, 2, 2), dtype=bool))] * 2),
        KindError,
        "vpq takes labels; found masks",
    ),
    "unpredicted": (lambda: sm.stq(OK, OK, unpredicted="void"), OptionError, "unpredicted is 'void'"),
    "things without classes": (lambda: sm.stq(OK, OK, things=["car"]), OptionError, "the segments carry none"),
    "a tube without class": (
        lambda: sm.vpq(*[sm.LabelArray(OK, classes={1: "car"})] * 2, k=1),
        ClassesError,
        "true: segment 2 has no class",
    ),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_clear_error(case: str) -> None:
    act, error, message = CASES[case]
    with pytest.raises(error, match=message):
        act()
