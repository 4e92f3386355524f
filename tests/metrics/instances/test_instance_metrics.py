"""Metrics of instances by their definitions over sets of elements; all matchings are tried."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.metrics.instances.segment_scores import _assign_dense, _assign_sparse
from tests.profiles import examples
from tests.protocols.references.cell_images import data_sets
from tests.protocols.references.table_values import same

Row = list[int]
Sets = list[frozenset[int]]
Pairs = list[tuple[frozenset[int], frozenset[int]]]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Row, Row]:
    n = draw(st.integers(1, 10))
    rows = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    return draw(rows), draw(rows)


def sets(row: Row) -> Sets:
    return [frozenset(at for at, label in enumerate(row) if label == own) for own in sorted(set(row) - {0})]


def iou(t: frozenset[int], h: frozenset[int]) -> Fraction:
    return Fraction(len(t & h), len(t | h))


def dice(t: frozenset[int], h: frozenset[int]) -> Fraction:
    return Fraction(2 * len(t & h), len(t) + len(h))


def matchings(true: Sets, pred: Sets) -> list[Pairs]:
    """All one-to-one pairings of the smaller side with the larger one."""
    if len(true) <= len(pred):
        return [list(zip(true, chosen, strict=True)) for chosen in permutations(pred, len(true))]
    return [list(zip(chosen, pred, strict=True)) for chosen in permutations(true, len(pred))]


def value(number: Fraction | None) -> object:
    return pytest.approx(math.nan if number is None else float(number), rel=1e-12, abs=1e-15, nan_ok=True)


@examples(4)
@given(pairs(), st.sampled_from(["1/5", "1/3", "1/2", "3/4"]), st.booleans())
def test_segment_scores_match_as_many_as_possible(sides: tuple[Row, Row], t: str, strict: bool) -> None:
    true, pred = map(sets, sides)
    reached = Fraction(t)
    hits = max(
        sum(iou(*pair) > reached if strict else iou(*pair) >= reached for pair in matching)
        for matching in matchings(true, pred)
    )
    both = len(true) + len(pred)
    options = {"thresholds": t, "strict": strict}
    assert sm.segment_accuracy(*sides, **options) == value(Fraction(hits, both - hits) if both else None)
    assert sm.segment_f1(*sides, **options) == value(Fraction(2 * hits, both) if both else None)
    assert sm.segment_precision(*sides, **options) == value(Fraction(hits, len(pred)) if pred else None)
    assert sm.segment_recall(*sides, **options) == value(Fraction(hits, len(true)) if true else None)


@given(pairs())
def test_thresholds_are_averaged_and_shown(sides: tuple[Row, Row]) -> None:
    several = sm.segment_f1(*sides, thresholds=(0.5, 0.9))
    alone = [sm.segment_f1(*sides, thresholds=t) for t in (0.5, 0.9)]
    assert several.value == pytest.approx(sum(map(float, alone)) / 2, nan_ok=True)
    assert list(several.details.get("thresholds", {}).values()) == [score.value for score in alone if score.is_defined]


def aggregated(chosen: Pairs, alone: int, unused: int) -> Fraction | None:
    union = sum(len(t | h) for t, h in chosen) + alone + unused
    return Fraction(sum(len(t & h) for t, h in chosen), union) if union else None


def best(t: frozenset[int], pred: Sets, reading: str) -> frozenset[int]:
    order = {
        "hover_net": lambda h: (iou(t, h), len(t | h)),
        "monuseg": lambda h: (iou(t, h),),
        "sortedap": lambda h: (len(t & h),),
    }
    return max(pred, key=order[reading])  # the first of equal ones


@examples(4)
@given(pairs(), st.sampled_from(["hover_net", "monuseg", "sortedap"]))
def test_aji_takes_the_best_prediction_of_each_true_segment(sides: tuple[Row, Row], reading: str) -> None:
    true, pred = map(sets, sides)
    chosen = [(t, best(t, pred, reading)) for t in true if any(t & h for h in pred)]
    used = {h for _, h in chosen} | ({pred[0]} if reading == "sortedap" and len(chosen) < len(true) and pred else set())
    alone = sum(len(t) for t in true if not any(t & h for h in pred))
    expected = aggregated(chosen, alone, sum(len(h) for h in pred if h not in used))
    assert sm.aji(*sides, reading=reading) == value(expected)


@examples(2)
@given(pairs())
def test_one_to_one_aji(sides: tuple[Row, Row]) -> None:
    true, pred = map(sets, sides)
    foreground = len(frozenset().union(*true, *pred))
    every = matchings(true, pred)
    most = max((sum(iou(*p) >= Fraction(1, 2) for p in m), sum(iou(*p) for p in m)) for m in every)
    shares = {
        Fraction(sum(len(t & h) for t, h in m), foreground)
        for m in every
        if foreground and (sum(iou(*p) >= Fraction(1, 2) for p in m), sum(iou(*p) for p in m)) == most
    }
    assert any(sm.aji(*sides, reading="cellpose") == value(share) for share in shares or {None})
    largest = max(sum(iou(*p) for p in m) for m in every)
    plus = set()
    for matching in (m for m in every if sum(iou(*p) for p in m) == largest):
        chosen = [(t, h) for t, h in matching if t & h]
        alone = sum(len(t) for t in true if t not in {pair[0] for pair in chosen})
        plus.add(aggregated(chosen, alone, sum(len(h) for h in pred if h not in {pair[1] for pair in chosen})))
    assert any(sm.aji_plus(*sides) == value(number) for number in plus)


@given(pairs())
def test_best_and_ensemble_dice(sides: tuple[Row, Row]) -> None:
    true, pred = map(sets, sides)
    directions = [
        sum((max((dice(a, b) for b in other), default=Fraction(0)) for a in own), Fraction(0)) / len(own) if own else 0
        for own, other in ((true, pred), (pred, true))
    ]
    assert sm.sbd(*sides) == value(Fraction(min(directions)) if true or pred else None)
    touching = [(t, h) for t in true for h in pred if t & h]
    sizes = sum(len(t) + len(h) for t, h in touching)
    shared = 2 * sum(len(t & h) for t, h in touching)
    assert sm.ensemble_dice(*sides) == value(Fraction(shared, sizes) if sizes else None)


@examples(2)
@given(st.lists(pairs(), min_size=1, max_size=3))
def test_seg_and_det_over_frames(frames: list[tuple[Row, Row]]) -> None:
    ious, cost, n_true = Fraction(0), 0, 0
    for frame in frames:
        true, pred = map(sets, frame)
        n_true += len(true)
        matches = [(t, h) for t in true for h in pred if 2 * len(t & h) > len(t)]
        ious += sum(iou(*match) for match in matches)
        covered = [sum(h == own for _, h in matches) for own in pred]
        cost += 5 * sum(max(k - 1, 0) for k in covered) + 10 * (len(true) - len(matches)) + covered.count(0)
    sides = ({f"{at}": np.array([frame[side]]) for at, frame in enumerate(frames)} for side in (0, 1))
    summary = sm.evaluate(*sides, metrics="seg,det", engine="serial").summary()
    assert summary["seg"]["pooled"] == value(ious / n_true if n_true else None)
    d0 = 10 * n_true
    assert summary["det"]["pooled"] == value(1 - Fraction(min(cost, d0), d0) if n_true else None)


@given(pairs())
def test_sorted_ap_is_the_area_under_the_steps(sides: tuple[Row, Row]) -> None:
    true, pred = map(sets, sides)
    both = len(true) + len(pred)
    every = matchings(true, pred)
    largest = max(sum(iou(*p) for p in m) for m in every)
    areas: set[Fraction | None] = set()
    for matching in (m for m in every if sum(iou(*p) for p in m) == largest):
        steps = sorted(iou(*p) for p in matching)
        area, before = Fraction(0), Fraction(0)
        for at, step in enumerate(steps):
            hits = len(steps) - at
            area, before = area + (step - before) * Fraction(hits, both - hits), step
        areas.add(area if both else None)
    assert any(sm.sorted_ap(*sides) == value(area) for area in areas)


CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}


@given(pairs())
def test_binary_and_multiclass_pq(sides: tuple[Row, Row]) -> None:
    def pq(true: Sets, pred: Sets) -> Fraction:
        ious = [iou(t, h) for t in true for h in pred if iou(t, h) > Fraction(1, 2)]
        return Fraction(2 * sum(ious, Fraction(0)), len(true) + len(pred))

    arrays = [sm.LabelArray([row], classes=CLASSES) for row in sides]
    true, pred = map(sets, sides)
    assert sm.bpq(*arrays) == value(pq(true, pred) if true or pred else None)
    assert sm.bpq(*arrays, skip_without_truth=True) == value(pq(true, pred) if true else None)
    of_class = [
        [sets([label if CLASSES.get(label) == name else 0 for label in row]) for row in sides] for name in "abc"
    ]
    values = [pq(*both) for both in of_class if both[0]]
    assert sm.mpq(*arrays) == value(sum(values, Fraction(0)) / len(values) if values else None)


@given(pairs())
def test_both_ways_of_assigning_reach_the_same_sum(sides: tuple[Row, Row]) -> None:
    table = sm.overlap(*sides)
    if not len(table):
        return
    gains = table.shared / (table.shared + table.missed + table.spurious)
    arguments = table.row_true, table.row_pred, gains, len(table.true), len(table.pred)
    sums = [gains[assign(*arguments)].sum() for assign in (_assign_dense, _assign_sparse)]
    assert sums[0] == pytest.approx(sums[1])


def test_seg_is_a_weighted_recall() -> None:
    rule = {"rule": "tversky(alpha=0,beta=1,above=1/2)", "resolve": "keep"}
    for true, pred in (image for images in list(data_sets(62))[:20] for image in images if image[0].any()):
        kept = sm.align(sm.overlap(true, pred), **rule)
        assert same(sm.seg(true, pred).value, float(kept.exact_total("iou")) / len(kept.table.true))


def test_single_precision_decides_for_millions_of_elements() -> None:
    """An IoU of 0.6999999 is a match at 0.7 in single precision, and none exactly: the reason for ``compare``."""
    union = 2**27
    shared = math.ceil(0.7 * union) - 1
    assert shared / union < 0.7 and np.float32(shared / union) >= np.float32(0.7)
    table = sm.OverlapTable.from_rows([(1, 1, shared)], {1: union}, {1: shared}, n_elements=union)
    assert sm.segment_accuracy(table, thresholds=0.7) == 0
    assert sm.segment_accuracy(table, thresholds=0.7, compare="float32") == 1
