"""Curves, areas and NPQ against sums over Python sets and fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.curves import MEASURES, Curves, iou_lower_bound
from segmetry.alignments.weights import WEIGHTS
from segmetry.errors import InputError, OptionError
from segmetry.geometry.matched_shapes import closeness
from segmetry.testing.strategies import label_pairs
from tests.oracle import as_sets

F = Fraction
RULES = ("theta_plus", "theta_and", "iou(above=3/4)", "maximum_weight(above=1/10)", "greedy(weight=dice,above=2/3)")


def set_weight(weight: str, t: frozenset[Any], h: frozenset[Any]) -> F:
    shared, of_true, of_pred = len(t & h), F(len(t & h), len(t)), F(len(t & h), len(h))
    return {
        "iou": F(shared, len(t | h)),
        "dice": F(2 * shared, len(t) + len(h)),
        "coverage_true": of_true,
        "coverage_pred": of_pred,
        "min_coverage": min(of_true, of_pred),
        "max_coverage": max(of_true, of_pred),
        "half_link_force": (of_true**2 + of_pred**2) / 2,
    }[weight]


@given(
    label_pairs(),
    st.sampled_from(RULES),
    st.sampled_from(WEIGHTS),
    st.fractions(0, 1, max_denominator=12),
    st.booleans(),
)
def test_curves_count_the_pairs_that_reach_t(
    pair: tuple[sm.LabelArray, sm.LabelArray], rule: str, weight: str, t: F, strict: bool
) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair), rule)
    curves = sm.curves(alignment, weight=weight)
    kept = 0
    for p in alignment.pairs():
        reached = set_weight(weight, true[p.true_id], pred[p.pred_id])
        kept += reached > t if strict else reached >= t
    denominators = {"precision": F(len(pred)), "recall": F(len(true)), "f1": F(len(pred) + len(true), 2)}
    for measure in MEASURES:
        expected = kept / denominators[measure] if denominators[measure] else None
        assert curves.at(t, measure, strict=strict) == expected


@given(label_pairs(), st.sampled_from(RULES), st.sampled_from(WEIGHTS), st.fractions(0, F(9, 10), max_denominator=12))
def test_areas_are_exact(pair: tuple[sm.LabelArray, sm.LabelArray], rule: str, weight: str, alpha: F) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair), rule)
    weights = [set_weight(weight, true[p.true_id], pred[p.pred_id]) for p in alignment.pairs()]
    segments = len(true) + len(pred)
    curves = sm.curves(alignment, weight=weight)
    if not segments:
        assert curves.exact_area() is None
        assert curves.exact_npq() is None
        return
    assert curves.exact_area() == 2 * sum(weights, F(0)) / segments
    if weight == "iou":
        assert math.isclose(alignment.pq.value, float(curves.exact_area() or 0), rel_tol=1e-15, abs_tol=0)
    if pred:
        assert curves.exact_area("precision") == sum(weights, F(0)) / len(pred)
    expected = 2 * sum((max(w - alpha, F(0)) for w in weights), F(0)) / (segments * (1 - alpha))
    assert curves.exact_npq(alpha) == expected
    rounded = sm.npq(alignment.tally, alpha=alpha, weight=weight).value
    assert math.isclose(rounded, float(expected), rel_tol=1e-15, abs_tol=0)
    # The second form in the literature requires that every weight is above α, which the default α guarantees.
    a, area, at_alpha = curves.alpha, curves.exact_area(), curves.at(curves.alpha)
    assert area is not None
    assert at_alpha is not None
    assert all(w > a for w in weights)
    assert curves.exact_npq() == (area - a * at_alpha) / (1 - a)


@given(label_pairs(), st.sampled_from(RULES))
def test_the_arrays_are_the_step_function(pair: tuple[sm.LabelArray, sm.LabelArray], rule: str) -> None:
    curves = sm.curves(*pair, rule=rule)
    arrays = curves.arrays()
    t = arrays["t"]
    assert t[0] == 0
    assert t[-1] == 1
    assert (np.diff(t) > 0).all()
    for measure in MEASURES:
        assert arrays[measure].size == t.size - 1
        if curves.at(0, measure) is None:
            assert np.isnan(arrays[measure]).all()
        else:
            middles = [F(float(a + b) / 2) for a, b in pairwise(t)]
            assert [float(curves.at(m, measure) or 0) for m in middles] == arrays[measure].tolist()
            assert math.isclose(float(np.sum(np.diff(t) * arrays[measure])), curves.area(measure), abs_tol=1e-12)


@pytest.mark.parametrize(
    ("rule", "weight", "alpha"),
    [
        ("theta_plus", "iou", "1/2"),
        ("theta_and", "iou", "1/3"),
        ("theta_and", "dice", "1/2"),
        ("theta_and", "min_coverage", "1/2"),
        ("dice(above=2/3)", "dice", "2/3"),
        ("largest_overlap", "iou", "0"),
        ("maximum_weight(weight=dice,above=2/3)", "iou", "1/2"),
        ("greedy(weight=min_coverage,above=1/2)", "iou", "1/3"),
        ("greedy(weight=max_coverage,above=1/2)", "coverage_true", "0"),
        ("greedy(weight=half_link_force,above=1/2)", "iou", "0"),
        ("theta_and", "half_link_force", "0"),
    ],
)
def test_alpha_is_the_least_weight_the_rule_admits(rule: str, weight: str, alpha: str) -> None:
    from segmetry.alignments.candidates import as_rule

    assert iou_lower_bound(as_rule(rule), weight) == F(alpha)


def test_statistics_use_all_pairs_not_distinct_weights() -> None:
    """IoUs {1, 1, 0.6}: the published tool averages distinct values and gives 0.8."""
    true = sm.Spans.from_masses([5, 5, 5])
    pred = sm.Spans.from_spans([(0, 5), (5, 10), (10, 13)], 15)
    assert sm.sq(true, pred).value == pytest.approx(2.6 / 3, abs=1e-15)
    assert sm.curves(true, pred).exact_area() == F(13, 15)


def test_curves_of_reweighted_pairs() -> None:
    alignment = sm.align(sm.overlap([[1, 1, 1, 2, 2]], [[1, 1, 2, 2, 2]]))
    tally = sm.reweight(alignment, [0.25, 1.0], "hausdorff")
    curves = sm.curves(tally)
    assert (curves.weight, curves.alpha, curves.steps) == ("hausdorff", 0, [F(1, 4), F(1)])
    assert curves.exact_area() == F(5, 8)
    assert sm.npq(tally).value == 0.625
    assert sm.npq(tally, alpha="1/4").value == 0.5
    assert sm.f1_at(tally, t=0.5).value == 0.5
    assert sm.pq(tally).value == alignment.pq.value
    assert sm.f1_at(tally, t="2/3", weight="iou").value == 1
    assert Curves.of(tally, "dice").steps == [F(4, 5)]


def test_curves_of_pairs_weighted_by_distance() -> None:
    from segmetry.geometry.matched_shapes import matched_shapes

    true = np.zeros((8, 8), dtype=np.int64)
    true[1:4, 1:5], true[5:8, 2:6] = 1, 2
    pred = np.roll(true, 1, axis=1)
    shapes = matched_shapes(true, pred, rule="theta_plus")
    tally = sm.reweight(shapes.alignment, shapes.weights("hausdorff", furthest=4), "hausdorff")
    curves = sm.curves(tally)
    assert (curves.weight, curves.steps, curves.exact_area(), curves.exact_npq()) == (
        "hausdorff",
        [F(3, 4)],
        F(3, 4),
        F(3, 4),
    )
    assert sm.precision_at(tally, t=0.75).value == 1
    assert sm.precision_at(tally, t=0.75, strict=True).value == 0


def test_closeness_of_degenerate_distances() -> None:
    assert closeness(np.array([math.inf, 2.0]), 1.0).tolist() == [0.0, 0.0]
    assert closeness(np.array([0.0, 1.0]), np.array([1.0, 2.0])).tolist() == [1.0, 0.5]
    assert closeness(np.array([]), 3.0).tolist() == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: sm.reweight(a, [0.5]), "1 weights for 2 pairs"),
        (lambda a: sm.reweight(a, [0.5, math.nan]), "pair 1 is nan"),
        (lambda a: sm.reweight(a, [0.5, 1.5]), "pair 1 is 1.5"),
        (lambda a: sm.reweight(a, [-1, 0]), "pair 0 is -1"),
        (lambda a: sm.reweight(a, [True, 0]), "pair 0 is True"),
        (lambda _: closeness(np.array([1.0]), 0.0), "furthest"),
        (lambda _: closeness(np.array([1.0]), math.inf), "furthest"),
        (lambda _: closeness(np.array([]), math.nan), "furthest"),
    ],
)
def test_bad_weights_are_named(call: Any, message: str) -> None:
    alignment = sm.align(sm.overlap([[1, 1, 1, 2, 2]], [[1, 1, 2, 2, 2]]))
    with pytest.raises(InputError, match=message):
        call(alignment)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1}, "alpha is 1"),
        ({"alpha": "nan"}, "alpha is 'nan'"),
        ({"alpha": math.nan}, "alpha is nan"),
        ({"alpha": -0.1}, "alpha is -0.1"),
        ({"alpha": True}, "alpha is True"),
    ],
)
def test_bad_alphas_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        sm.npq([[1, 1]], [[1, 1]], **options)


@pytest.mark.parametrize("t", [math.nan, 1.1, -1, "half", math.inf])
def test_bad_thresholds_are_named(t: Any) -> None:
    with pytest.raises(OptionError, match="t is"):
        sm.precision_at([[1, 1]], [[1, 1]], t=t)


def test_unknown_weights_and_measures_are_named() -> None:
    with pytest.raises(sm.SegmetryError, match="there is no weight 'area'"):
        sm.npq([[1]], [[1]], weight="area")
    with pytest.raises(sm.SegmetryError, match="there is no weight 'foo'"):
        sm.curves([[1]], [[1]], weight="foo")
    with pytest.raises(OptionError, match="measure is 'f2'"):
        sm.curves([[1]], [[1]]).area("f2")
