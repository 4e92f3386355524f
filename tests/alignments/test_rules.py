"""Every rule against its definition over Python sets and exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import segmetry as sm
from segmetry.alignments.candidates import RULES, as_rule
from segmetry.alignments.curves import attains_bound, iou_lower_bound
from segmetry.alignments.rules.local import Inequality, LocalRule, attains_least_weight, least_weight, tversky
from segmetry.alignments.weights import WEIGHTS, argsort_descending, quotient, weigh
from segmetry.errors import ClashError, OptionError, UnknownNameError
from segmetry.metrics.declare import METRICS
from segmetry.segmentation.base import Segmentation
from segmetry.testing.strategies import label_pairs, set_pairs, span_pairs
from tests.oracle import as_sets, overlap_rows
from tests.profiles import examples

F = Fraction
Condition = Callable[[int, int, int], bool]


def _cov(s: int, m: int, p: int) -> tuple[Fraction, Fraction]:
    return F(s, s + p), F(s, s + m)


DEFINITIONS: dict[str, Condition] = {
    "theta_plus": lambda s, m, p: F(s, s + m + p) > F(1, 2),
    "theta_and": lambda s, m, p: s > m and s > p,
    "iou(above=0.3)": lambda s, m, p: F(s, s + m + p) > F(3, 10),
    "iou(above=3/4)": lambda s, m, p: F(s, s + m + p) > F(3, 4),
    "dice(above=2/3)": lambda s, m, p: F(2 * s, 2 * s + m + p) > F(2, 3),
    "tversky(alpha=0.3,beta=0.9,above=0.6)": lambda s, m, p: s / (s + F(3, 10) * p + F(9, 10) * m) > F(6, 10),
    "iou(at_least=1/2)": lambda s, m, p: F(s, s + m + p) >= F(1, 2),
    "iou(at_least=0.3)": lambda s, m, p: F(s, s + m + p) >= F(3, 10),
    "iou(at_least=1)": lambda s, m, p: (m, p) == (0, 0),
    "dice(at_least=2/3)": lambda s, m, p: F(2 * s, 2 * s + m + p) >= F(2, 3),
    "tversky(alpha=0,beta=1,at_least=0.5)": lambda s, m, p: F(s, s + m) >= F(1, 2),
    "mutual_coverage(above=1/2)": lambda s, m, p: s > m and s > p,
    "mutual_coverage(at_least=0.8)": lambda s, m, p: min(_cov(s, m, p)) >= F(4, 5),
    "mutual_coverage(at_least=1/2)": lambda s, m, p: min(_cov(s, m, p)) >= F(1, 2),
    "coverage(min_above=0.1,max_above=0.5)": lambda s, m, p: (
        min(_cov(s, m, p)) > F(1, 10) and max(_cov(s, m, p)) > F(1, 2)
    ),
    "coverage(min_at_least=1/4,max_at_least=3/4)": lambda s, m, p: (
        min(_cov(s, m, p)) >= F(1, 4) and max(_cov(s, m, p)) >= F(3, 4)
    ),
}
STRATEGIES = {
    "sets": set_pairs(),
    "overlapping sets": set_pairs(disjoint=False),
    "line": span_pairs(),
    "1-D": label_pairs(dimensions=(1, 1)),
    "2-D": label_pairs(dimensions=(2, 2)),
    "3-D": label_pairs(dimensions=(3, 3)),
}


@pytest.mark.parametrize("kind", STRATEGIES)
@examples(10)
@given(data=st.data())
def test_local_rules_by_definition(kind: str, data: st.DataObject) -> None:
    """2,000 pairs per kind and dimension, each under every rule."""
    true, pred = data.draw(STRATEGIES[kind])
    true_sets, pred_sets = as_sets(true), as_sets(pred)
    table = sm.overlap(true, pred)
    for rule, holds in DEFINITIONS.items():
        expected = [
            (t, h, s, len(true_sets[t]) - s, len(pred_sets[h]) - s)
            for t, h, s in overlap_rows(true_sets, pred_sets)
            if holds(s, len(true_sets[t]) - s, len(pred_sets[h]) - s)
        ]
        alignment = sm.align(table, rule, resolve="keep")
        assert [(p.true_id, p.pred_id, p.shared, p.missed, p.spurious) for p in alignment.pairs()] == expected, rule
        clash = len({t for t, *_ in expected}) < len(expected) or len({h for _, h, *_ in expected}) < len(expected)
        assert alignment.is_one_to_one is not clash
        if table.is_disjoint and as_rule(rule).guarantees_one_to_one:
            assert not clash, rule


@pytest.mark.parametrize("kind", STRATEGIES)
@examples(10)
@given(data=st.data())
def test_largest_overlap_by_definition(kind: str, data: st.DataObject) -> None:
    pair = data.draw(STRATEGIES[kind])
    true_sets, pred_sets = as_sets(pair[0]), as_sets(pair[1])
    expected, ties = [], 0
    for t in sorted(true_sets):
        ranked = sorted(
            (-s, -F(s, len(true_sets[t] | pred_sets[h])), h) for u, h, s in overlap_rows(true_sets, pred_sets) if u == t
        )
        if ranked:
            expected.append((t, ranked[0][2]))
            ties += sum(-entry[0] == -ranked[0][0] for entry in ranked) > 1
    alignment = sm.align(sm.overlap(*pair), "largest_overlap", resolve="keep")
    assert [(p.true_id, p.pred_id) for p in alignment.pairs()] == expected
    assert alignment.ties == ties


def _all_matchings(edges: list[tuple[int, int, Fraction]]) -> list[list[tuple[int, int, Fraction]]]:
    if not edges:
        return [[]]
    (t, h, w), rest = edges[0], edges[1:]
    free = [edge for edge in rest if edge[0] != t and edge[1] != h]
    return _all_matchings(rest) + [[(t, h, w), *chosen] for chosen in _all_matchings(free)]


@pytest.mark.parametrize("kind", STRATEGIES)
@examples(10)
@given(
    data=st.data(), weight=st.sampled_from(WEIGHTS), at=st.sampled_from([F(0), F(1, 4), F(1, 2)]), strict=st.booleans()
)
def test_maximum_weight_is_the_best_of_all_matchings(
    kind: str, data: st.DataObject, weight: str, at: Fraction, strict: bool
) -> None:
    pair = data.draw(STRATEGIES[kind])
    threshold = {"above": at} if strict or not at else {"at_least": at}
    edges = [edge for edge in _edges(pair, weight) if edge[2] > at or ("at_least" in threshold and edge[2] == at)]
    assume(len(edges) <= 9)
    best = max(sum((w for *_, w in chosen), F(0)) for chosen in _all_matchings(edges))
    alignment = sm.align(sm.overlap(*pair), sm.rules.maximum_weight(weight=weight, **threshold))
    weight_of = {(t, h): w for t, h, w in edges}
    assert alignment.is_one_to_one
    assert float(sum(weight_of[p.true_id, p.pred_id] for p in alignment.pairs())) == pytest.approx(
        float(best), abs=1e-12
    )


@pytest.mark.parametrize("kind", STRATEGIES)
@examples(10)
@given(
    data=st.data(), weight=st.sampled_from(WEIGHTS), at=st.sampled_from([F(0), F(1, 3), F(1, 2)]), strict=st.booleans()
)
def test_greedy_by_definition(kind: str, data: st.DataObject, weight: str, at: Fraction, strict: bool) -> None:
    pair = data.draw(STRATEGIES[kind])
    threshold = {"above": at} if strict or not at else {"at_least": at}
    expected: list[tuple[int, int]] = []
    for t, h, w in sorted(_edges(pair, weight), key=lambda edge: (-edge[2], edge[0], edge[1])):
        if (w > at or ("at_least" in threshold and w == at)) and all(t != u and h != g for u, g in expected):
            expected.append((t, h))
    alignment = sm.align(sm.overlap(*pair), sm.rules.greedy(weight=weight, **threshold))
    assert [(p.true_id, p.pred_id) for p in alignment.pairs()] == sorted(expected)


def _edges(pair: tuple[Segmentation, Segmentation], weight: str) -> list[tuple[int, int, Fraction]]:
    true_sets, pred_sets = as_sets(pair[0]), as_sets(pair[1])
    return [
        (t, h, _weight(weight, s, len(true_sets[t]) - s, len(pred_sets[h]) - s))
        for t, h, s in overlap_rows(true_sets, pred_sets)
    ]


def _weight(weight: str, s: int, m: int, p: int) -> Fraction:
    of_pred, of_true = _cov(s, m, p)
    return {
        "iou": F(s, s + m + p),
        "dice": F(2 * s, 2 * s + m + p),
        "coverage_true": of_true,
        "coverage_pred": of_pred,
        "min_coverage": min(of_true, of_pred),
        "max_coverage": max(of_true, of_pred),
        "half_link_force": (of_true**2 + of_pred**2) / 2,
    }[weight]


@pytest.mark.parametrize("weight", WEIGHTS)
@given(s=st.integers(1, 2**40), m=st.integers(0, 2**40), p=st.integers(0, 2**40))
def test_weights_are_correctly_rounded(weight: str, s: int, m: int, p: int) -> None:
    arrays = [np.array([value]) for value in (s, m, p)]
    exact = _weight(weight, s, m, p)
    top, bottom = quotient(weight, *arrays)
    assert F(int(top[0]), int(bottom[0])) == exact
    assert weigh(weight, *arrays)[0] == exact.numerator / exact.denominator


def test_an_iou_slightly_above_one_half_matches() -> None:
    """(2²⁴+1)/2²⁵ > 1/2, which float32 cannot represent; 1/2 itself does not match."""
    table = sm.OverlapTable.from_rows([(1, 1, 2**24 + 1)], {1: 2**25}, {1: 2**24 + 1})
    half = sm.OverlapTable.from_rows([(1, 1, 2**24)], {1: 2**25}, {1: 2**24})
    assert len(sm.align(table, "theta_plus")) == 1
    assert len(sm.align(half, "theta_plus")) == 0


@pytest.mark.parametrize("size", [2**61, 2**62 - 1])
def test_thresholds_are_exact_beyond_int64_products(size: int) -> None:
    """s·den - num·(s+m+p) would wrap in int64; the neighbours of the threshold must still be distinguished."""
    shared = size * 4 // 5
    table = sm.OverlapTable.from_rows([(1, 1, shared)], {1: size}, {1: shared})
    assert len(sm.align(table, "iou(above=0.8)")) == int(5 * shared > 4 * size)
    more = sm.OverlapTable.from_rows([(1, 1, shared + 1)], {1: size}, {1: shared + 1})
    assert len(sm.align(more, "iou(above=0.8)")) == 1


def test_descending_order_distinguishes_quotients_that_round_to_the_same_float() -> None:
    top, bottom = np.array([2**60 - 1, 2**60]), np.array([2**60, 2**60 + 1])
    assert weigh("iou", top, bottom - top, np.zeros(2, dtype=np.int64)).tolist() == [1.0, 1.0]
    assert argsort_descending(top, bottom).tolist() == [1, 0]


GRID = [F(k, 6) for k in range(7)]


@pytest.mark.parametrize("gamma", GRID)
def test_theorem_four_is_exact(gamma: Fraction) -> None:
    """A grid of (α, β, γ): the prediction of Theorem 4 agrees with a search for a clash among all partitions of
    small sets.
    """
    for alpha, beta in product(GRID, GRID):
        rule = tversky(alpha=alpha, beta=beta, above=gamma)
        assert rule.guarantees_one_to_one is (gamma * alpha >= 1 - gamma and gamma * beta >= 1 - gamma)
        assert rule.guarantees_one_to_one is not _clash_exists(rule)
        if gamma > 0:
            weak = tversky(alpha=alpha, beta=beta, at_least=gamma)
            assert weak.guarantees_one_to_one is (gamma * alpha > 1 - gamma and gamma * beta > 1 - gamma)
            assert weak.guarantees_one_to_one is not _clash_exists(weak)


def _clash_exists(rule: LocalRule) -> bool:
    """Two preds inside one true segment, or two true segments inside one pred, of all sizes up to 7 and 7."""
    sizes = [(a, b) for a in range(1, 8) for b in range(1, a + 1)]
    first, second = np.array(sizes).T
    zeros = np.zeros_like(first)
    split = rule.accepts(first, second, zeros) & rule.accepts(second, first, zeros)
    merge = rule.accepts(first, zeros, second) & rule.accepts(second, zeros, first)
    return bool((split | merge).any())


@pytest.mark.parametrize(
    ("rule", "guaranteed"),
    [
        ("theta_plus", True),
        ("theta_and", True),
        ("iou(above=0.5)", True),
        ("iou(above=0.4999999999999999)", False),
        ("dice(above=2/3)", True),
        ("dice(above=0.6666)", False),
        ("mutual_coverage(at_least=0.5)", False),
        ("mutual_coverage(at_least=0.51)", True),
        ("tversky(alpha=1,beta=1,above=1)", True),
        ("coverage(min_above=0.1,max_above=0.5)", False),
        ("iou(at_least=1/2)", False),
        ("iou(at_least=0.5000000000000001)", True),
        ("iou(at_least=1)", True),
        ("dice(at_least=2/3)", False),
        ("mutual_coverage(above=1/2)", True),
        ("coverage(min_at_least=0.51,max_at_least=1)", True),
        ("largest_overlap", False),
        ("maximum_weight", True),
        ("greedy(weight=dice)", True),
    ],
)
def test_guarantees_are_computed(rule: str, guaranteed: bool) -> None:
    assert as_rule(rule).guarantees_one_to_one is guaranteed


@pytest.mark.parametrize(
    ("rule", "weight", "bound"),
    [
        ("theta_plus", "iou", F(1, 2)),
        ("theta_and", "iou", F(1, 3)),
        ("theta_and", "dice", F(1, 2)),
        ("theta_and", "min_coverage", F(1, 2)),
        ("dice(above=2/3)", "dice", F(2, 3)),
        ("iou(above=0.8)", "iou", F(4, 5)),
        ("coverage(min_above=0.1,max_above=0.5)", "min_coverage", F(1, 10)),
        ("iou(at_least=0.8)", "iou", F(4, 5)),
        ("iou(at_least=1)", "iou", F(1)),
        ("mutual_coverage(at_least=1/2)", "iou", F(1, 3)),
        ("theta_and", "max_coverage", F(0)),
    ],
)
def test_least_weight_of_a_rule(rule: str, weight: str, bound: Fraction) -> None:
    assert least_weight(as_rule(rule), weight) == bound  # type: ignore[arg-type]


@given(st.sampled_from(sorted(DEFINITIONS)), st.integers(1, 60), st.integers(0, 60), st.integers(0, 60))
def test_no_accepted_pair_is_below_the_least_weight(rule: str, s: int, m: int, p: int) -> None:
    local_rule = as_rule(rule)
    assert isinstance(local_rule, LocalRule)
    if DEFINITIONS[rule](s, m, p):
        for weight in ("iou", "dice", "coverage_true", "coverage_pred", "min_coverage"):
            least = least_weight(local_rule, weight)
            assert _weight(weight, s, m, p) >= least
            assert _weight(weight, s, m, p) > least or attains_least_weight(local_rule, weight)


@pytest.mark.parametrize("rule", DEFINITIONS)
def test_a_bound_is_attained_by_a_small_pair_or_by_none(rule: str) -> None:
    local_rule = as_rule(rule)
    assert isinstance(local_rule, LocalRule)
    pairs = [(s, m, p) for s, m, p in product(range(1, 13), repeat=3) if DEFINITIONS[rule](s, m - 1, p - 1)]
    for weight in ("iou", "dice", "coverage_true", "coverage_pred", "min_coverage"):
        least = min(_weight(weight, s, m - 1, p - 1) for s, m, p in pairs)
        assert attains_least_weight(local_rule, weight) is (least == least_weight(local_rule, weight)), weight


@pytest.mark.parametrize(
    ("rule", "weight", "bound", "attained"),
    [
        ("greedy(weight=dice,at_least=2/3)", "dice", F(2, 3), True),
        ("greedy(weight=dice,at_least=2/3)", "iou", F(1, 2), True),
        ("maximum_weight(weight=min_coverage,above=1/2)", "iou", F(1, 3), False),
        ("maximum_weight(weight=half_link_force,at_least=1/2)", "iou", F(0), False),
        ("largest_overlap", "iou", F(0), False),
    ],
)
def test_bounds_of_assignments(rule: str, weight: str, bound: Fraction, attained: bool) -> None:
    assert (iou_lower_bound(as_rule(rule), weight), attains_bound(as_rule(rule), weight)) == (bound, attained)


def test_halves_tie_at_one_half() -> None:
    """A segment cut in two halves: IoU ≥ 1/2 gives it two partners, which somebody must resolve."""
    table = sm.overlap([[1, 1]], [[1, 2]])
    clash = sm.align(table, "iou(at_least=1/2)")
    assert not clash.is_one_to_one
    with pytest.raises(ClashError, match=r"maximum_weight\(…\), greedy\(…\)"):
        _ = clash.pq
    assert sm.align(table, "iou(at_least=1/2)", resolve="assign").pq.value == pytest.approx(1 / 3)
    for remedy in ("maximum_weight(at_least=1/2)", "greedy(at_least=1/2)"):
        assert [(p.true_id, p.pred_id) for p in sm.align(table, remedy).pairs()] == [(1, 1)]
    assert len(sm.align(table, "theta_plus")) == 0


def test_the_namespace_of_rules_is_the_registry() -> None:
    assert set(sm.rules.__all__) == set(RULES)
    for name in sm.rules.__all__:
        rule = getattr(sm.rules, name)
        assert not hasattr(sm, name) or name in METRICS, "the top level has metrics, not rules"
        make = RULES[name].make
        assert (rule is make and "Parameters\n" in rule.__doc__) if RULES[name].parameters else rule is make()


def test_every_rule_is_declared_with_a_summary_and_examples_that_are_its_own() -> None:
    for name, rule in RULES.items():
        assert rule.summary.endswith("."), name
        assert all(as_rule(example).name == example for example in rule.examples), name
        assert rule.examples or not rule.parameters, name


def test_rules_are_read_from_text() -> None:
    assert as_rule(" tversky( alpha=1, beta=0.5, above=2/3 ) ").name == "tversky(alpha=1,beta=1/2,above=2/3)"
    assert as_rule(as_rule("iou(above=0.8)").name).name == "iou(above=4/5)"
    assert set(RULES) >= {"theta_plus", "theta_and", "iou", "dice", "tversky", "mutual_coverage", "coverage"}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("theta", "did you mean theta_"),
        ("iou", "no above or at_least is given; expected exactly one"),
        ("iou(above=0.5,at_least=0.5)", "both above and at_least are given; expected exactly one"),
        ("iou(at_least=0)", r"at_least is 0; expected a number in \(0, 1\]"),
        ("mutual_coverage", "no above or at_least is given"),
        ("coverage(min_above=0.1)", "no max_above or max_at_least is given"),
        ("greedy(above=0.5,at_least=0.5)", "both above and at_least"),
        ("tversky(alpha=1,above=0.5)", r"write it as tversky\(alpha=1,beta=1/2,above=2/3\) or"),
        ("iou(above=1.5)", r"above is 1.5; expected a number in \[0, 1\]"),
        ("iou(above=abc)", "above is 'abc'"),
        ("iou(above)", "expected option=value"),
        ("iou(over=0.5)", "write it as iou"),
        ("iou[0.5]", "expected a name with options"),
        ("greedy(weight=size)", "no weight 'size'"),
        ("mutual_coverage(at_least=0)", r"expected a number in \(0, 1\]"),
        ("tversky(alpha=-1,beta=1,above=0.5)", "alpha is -1"),
    ],
)
def test_invalid_rules_are_rejected_with_the_reason(rule: str, message: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=message):
        as_rule(rule)


def test_negative_factors_are_rejected() -> None:
    with pytest.raises(ValueError, match="negative factor"):
        Inequality.of(F(1), F(-1), F(0))
