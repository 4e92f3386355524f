"""Equations 1–16 of Chazalon and Carlinet 2021, each by its number: "Revisiting the COCO Panoptic Metric …"."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.testing.strategies import label_pairs
from tests.metrics.graph.test_splits_and_merges import PRICES, deteval, objects_and_parts
from tests.oracle import as_sets
from tests.papers.by_sets import aligned, iou, theta_plus

Pair = tuple[sm.LabelArray, sm.LabelArray]
QUARTERS = st.integers(0, 8).map(lambda eighths: Fraction(eighths, 8))


def counts(pair: Pair) -> tuple[int, int, int]:
    """T_c, |P|, |T|."""
    true, pred = map(as_sets, pair)
    return len(aligned(true, pred, theta_plus)), len(pred), len(true)


def shares(score: sm.Score, top: float, bottom: float) -> bool:
    return score.value == pytest.approx(top / bottom) if bottom else not score.is_defined


@given(label_pairs())
def test_equation_1_precision(pair: Pair) -> None:
    matched, n_pred, _ = counts(pair)
    assert shares(sm.precision(*pair), matched, n_pred)


@given(label_pairs())
def test_equation_2_recall(pair: Pair) -> None:
    matched, _, n_true = counts(pair)
    assert shares(sm.recall(*pair), matched, n_true)


@given(label_pairs())
def test_equation_3_f_score(pair: Pair) -> None:
    matched, n_pred, n_true = counts(pair)
    assert shares(sm.f1(*pair), 2 * matched, n_pred + n_true)


@given(label_pairs())
def test_equation_4_there_is_a_threshold_of_bijection(pair: Pair) -> None:
    table = sm.overlap(*pair)
    for rule in (
        sm.rules.iou(above="1/2"),
        sm.rules.dice(above="2/3"),
        sm.rules.coverage(min_above="1/2", max_above=0),
    ):
        assert sm.align(table, rule).is_one_to_one


@given(label_pairs())
def test_equation_5_npq(pair: Pair) -> None:
    found = sm.curves(*pair)
    value = found.exact_npq()
    if value is None:
        return
    steps = sorted({Fraction(1, 2), *found.steps, Fraction(1)})
    area = sum((found.at(b) or 0) * (b - a) for a, b in pairwise(steps))
    assert value == area * 2


@given(label_pairs())
def test_equation_6_pq_is_the_area_under_f(pair: Pair) -> None:
    found = sm.curves(*pair)
    steps = sorted({Fraction(0), *found.steps, Fraction(1)})
    area = sum((found.at(b) or 0) * (b - a) for a, b in pairwise(steps))
    assert (found.exact_area() or 0) == area
    score = sm.pq(*pair)
    assert not score.is_defined or score.value == pytest.approx(float(area))


@given(label_pairs(), QUARTERS)
def test_equation_7_the_f_score_falls_with_the_kept_pairs(pair: Pair, t: Fraction) -> None:
    found = sm.curves(*pair)
    start, here = found.at(0), found.at(t)
    if start:
        assert here == start * Fraction(found.n_kept(t), found.n_kept(0))


@given(label_pairs())
def test_equation_8_recognition_times_segmentation_quality(pair: Pair) -> None:
    alignment = sm.align(sm.overlap(*pair))
    area = sm.curves(alignment).exact_area()
    if alignment.n_pairs:
        mean = sum(one.iou for one in alignment.pairs()) / alignment.n_pairs
        assert area == mean * (sm.curves(alignment).at(0) or 0)


@given(label_pairs())
def test_equation_9_the_marginal_coverages(pair: Pair) -> None:
    _check_weights(pair, {"coverage_true": lambda t, h: (t & h, t), "coverage_pred": lambda t, h: (t & h, h)})


@given(label_pairs())
def test_equation_10_iou(pair: Pair) -> None:
    _check_weights(pair, {"iou": lambda t, h: (t & h, t | h)})


@given(label_pairs())
def test_equation_11_dice(pair: Pair) -> None:
    true, pred = map(as_sets, pair)
    for one, weight in _weights(pair, "dice"):
        t, h = true[one.true_id], pred[one.pred_id]
        assert weight == pytest.approx(2 * len(t & h) / (len(t) + len(h)))


@given(label_pairs())
def test_equation_12_least_coverage_and_link_force(pair: Pair) -> None:
    true, pred = map(as_sets, pair)
    for key, formula in (("min_coverage", min), ("half_link_force", lambda a, b: (a * a + b * b) / 2)):
        for one, weight in _weights(pair, key):
            t, h = true[one.true_id], pred[one.pred_id]
            assert weight == pytest.approx(formula(len(t & h) / len(t), len(t & h) / len(h)))  # type: ignore[operator]


def _weights(pair: Pair, key: str) -> list[tuple[object, float]]:
    alignment = sm.align(sm.overlap(*pair), "theta_and")
    return list(zip(alignment.pairs(), alignment.tally.weights(key).tolist(), strict=True))  # type: ignore[return-value]


def _check_weights(pair: Pair, formulas: dict[str, object]) -> None:
    true, pred = map(as_sets, pair)
    for key, formula in formulas.items():
        for one, weight in _weights(pair, key):
            top, bottom = formula(true[one.true_id], pred[one.pred_id])  # type: ignore[operator,attr-defined]
            assert weight == len(top) / len(bottom)


THRESHOLDS = st.tuples(*[st.sampled_from([Fraction(tenths, 10) for tenths in (2, 4, 5, 6, 8)])] * 2)


@given(label_pairs(), THRESHOLDS)
def test_equation_13_precision_of_objects_and_parts(pair: Pair, gammas: tuple[Fraction, Fraction]) -> None:
    """Objects, parts by β and fragmentation of the original definition: the printed sum gives 2 for equal sides."""
    true, pred = map(as_sets, pair)
    options = {"object_above": gammas[0], "part_above": gammas[1]}
    found = sm.fine_segmentation_score(*pair, policy="none", **options)
    assert shares(found, float(objects_and_parts(pred, true, *gammas, Fraction(1, 10))), len(pred))
    assert sm.fine_segmentation_score(pair[0], pair[0]).value == (1 if true else pytest.approx(math.nan, nan_ok=True))


@given(label_pairs(outside=False))
def test_equation_14_recall_is_maximal_for_a_refinement(pair: Pair) -> None:
    """Cutting the truth further costs no recall: the coarse segmentation score."""
    true, other = pair
    cut = _numbered(true) * (int(_numbered(other).max()) + 1) + _numbered(other) + 1
    assert sm.coarse_segmentation_score(true, sm.LabelArray(cut)).value == pytest.approx(1)
    assert sm.objects_and_parts_f(true, true).value == 1


def _numbered(side: sm.LabelArray) -> np.ndarray:
    return np.unique(side.labels, return_inverse=True)[1].reshape(side.labels.shape)


@given(label_pairs(), THRESHOLDS)
def test_equation_15_precision_of_deteval(pair: Pair, thresholds: tuple[Fraction, Fraction]) -> None:
    """A predicted segment that merges k true ones counts 1/(1 + ln k)."""
    true, pred = map(as_sets, pair)
    _, worth = deteval(true, pred, *thresholds, PRICES["logarithmic"])
    options = dict(zip(("t_r", "t_p"), thresholds, strict=True)) | {"fragmentation": "logarithmic", "policy": "none"}
    assert shares(sm.deteval_precision(*pair, **options), math.fsum(worth), len(pred))


@given(label_pairs(), THRESHOLDS)
def test_equation_16_recall_of_deteval(pair: Pair, thresholds: tuple[Fraction, Fraction]) -> None:
    """A true segment that is split into k counts 1/(1 + ln k), over the true segments (the paper prints |P|)."""
    true, pred = map(as_sets, pair)
    worth, _ = deteval(true, pred, *thresholds, PRICES["logarithmic"])
    options = dict(zip(("t_r", "t_p"), thresholds, strict=True)) | {"fragmentation": "logarithmic", "policy": "none"}
    assert shares(sm.deteval_recall(*pair, **options), math.fsum(worth), len(true))


@given(label_pairs())
def test_maps_show_the_best_incident_edge(pair: Pair) -> None:
    """G_precision and G_recall."""
    true, pred = map(as_sets, pair)
    for row in sm.maps(*pair, policy="none").edges():
        own, others = (true, pred) if row["side"] == "true" else (pred, true)
        best = max((iou(own[row["id"]], other) for other in others.values()), default=Fraction(0))
        assert row["weight"] == pytest.approx(float(best))
        if best:
            assert iou(own[row["id"]], others[row["partner"]]) == best
        else:
            assert row["partner"] is None
