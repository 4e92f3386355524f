"""Matched segments of each class: the native kernel and its numpy twin against sets of elements in Python."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import POLICIES
from segmetry.alignments.rules.local import LocalRule
from segmetry.kernels.tables.class_totals import (
    CategoryRows,
    ClassKinds,
    ClassTotals,
    VoidUse,
    class_totals,
    class_totals_numpy,
)

CATEGORIES = st.sampled_from([1, 2, 3, 9, -5, 2**40])
INSTANCES = st.sampled_from([0, 1, -1, 2**62])
KINDS = [
    ClassKinds(np.array([1, 2, 3]), np.array([True, False, True])),
    ClassKinds(np.array([-5, 1, 2**40]), np.array([True, True, False])),
    ClassKinds(np.array([2]), np.array([False])),
    ClassKinds(np.zeros(0, np.int64), np.zeros(0, bool)),
]
RULES = ["theta_plus", "theta_and", "iou(above=3/4)", "dice(at_least=0.9)"]
Item = list[list[int]]


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    """Rows of up to three items; the same pair may occur in several rows."""
    row = st.tuples(CATEGORIES, INSTANCES, CATEGORIES, INSTANCES, st.integers(1, 6)).map(list)
    return draw(st.lists(st.lists(row, max_size=12), max_size=3))


def counted(listed: list[Item]) -> CategoryRows:
    rows = [row for item in listed for row in item]
    return CategoryRows(
        np.array(rows, dtype=np.int64).reshape(-1, 5), np.array([len(item) for item in listed], dtype=np.int64)
    )


def rule_of(text: str) -> LocalRule:
    rule = as_rule(text)
    assert isinstance(rule, LocalRule)
    return rule


def totals_of_sets(listed: list[Item], kinds: ClassKinds, void: VoidUse, rule: LocalRule) -> list[list[Any]]:
    """Build every segment as a set of numbered elements, and compare each true segment with each predicted one."""
    things = dict(zip(kinds.categories.tolist(), kinds.is_thing.tolist(), strict=True))
    n_pairs, n_missed, n_spurious = (dict.fromkeys(things, 0) for _ in range(3))
    weights: dict[int, list[float]] = {name: [] for name in things}
    for item in listed:
        sides: list[dict[tuple[int, int], set[int]]] = [defaultdict(set), defaultdict(set)]
        is_void: list[set[int]] = [set(), set()]
        element = 0
        for *names, count in item:
            elements = set(range(element, element + count))
            element += count
            for side, (category, instance) in enumerate((names[:2], names[2:])):
                if category in things:
                    sides[side][category, instance if things[category] else 0] |= elements
                else:
                    is_void[side] |= elements
        left: list[set[tuple[int, int]]] = [set(sides[0]), set(sides[1])]
        for (t, truth), (h, guess) in product(sides[0].items(), sides[1].items()):
            shared = truth & guess
            missed = truth - guess - (is_void[1] if void.true_void else set())
            spurious = guess - truth - (is_void[0] if void.pred_void else set())
            sizes = [np.array([len(part)]) for part in (shared, missed, spurious)]
            if t[0] == h[0] and rule.accepts(*sizes)[0]:
                weights[t[0]].append(len(shared) / len(shared | missed | spurious))
                n_pairs[t[0]] += 1
                left[0].discard(t)
                left[1].discard(h)
        for side, drops, counts in ((0, void.drop_trues, n_missed), (1, void.drop_preds, n_spurious)):
            for name in left[side]:
                segment = sides[side][name]
                rest = segment - is_void[1 - side]
                is_dropped = drops and len(rest) * 2 < len(segment)
                counts[name[0]] += not is_dropped and not (void.removes_void and not rest)
    columns = [[counts[name] for name in things] for counts in (n_pairs, n_missed, n_spurious)]
    return [*columns, [math.fsum(weights[name]) for name in things]]


def as_lists(totals: ClassTotals) -> list[list[Any]]:
    return [column.tolist() for column in totals]


@given(items(), st.sampled_from(KINDS), st.sampled_from(sorted(POLICIES)), st.sampled_from(RULES))
def test_both_versions_count_as_sets_do(listed: list[Item], kinds: ClassKinds, policy: str, text: str) -> None:
    void = VoidUse._make(getattr(POLICIES[policy], name) for name in VoidUse._fields)
    rule = rule_of(text)
    expected = totals_of_sets(listed, kinds, void, rule)
    rows = counted(listed)
    assert as_lists(class_totals(rows, kinds, void, rule.inequalities, rule.factors)) == expected
    assert as_lists(class_totals_numpy(rows, kinds, void, rule.inequalities)) == expected


@pytest.mark.parametrize("elements", [2**53 + 1, 2**61])
def test_counts_beyond_a_double_are_exact(elements: int) -> None:
    rows = np.array([[1, 1, 1, 1, elements], [1, 1, 1, 2, elements // 3]])
    rule = rule_of("theta_plus")
    totals = class_totals(
        CategoryRows(rows, np.array([2])), KINDS[0], VoidUse(*[False] * 5), rule.inequalities, rule.factors
    )
    assert totals.iou_sum.tolist() == [elements / (elements + elements // 3), 0.0, 0.0]
    assert (totals.n_true.tolist(), totals.n_pred.tolist()) == ([1, 0, 0], [2, 0, 0])


def test_many_segments_of_one_item_are_found_again() -> None:
    rng = np.random.default_rng(0)
    instances: NDArray[np.int64] = rng.permutation(5000)
    rows = np.stack([instances % 3 + 1, instances, instances % 3 + 1, -instances, np.full(5000, 4)], axis=1)
    kinds, rule = ClassKinds(np.array([1, 2, 3]), np.ones(3, bool)), rule_of("theta_and")
    totals = class_totals(
        CategoryRows(rows, np.array([5000])), kinds, VoidUse(*[False] * 5), rule.inequalities, rule.factors
    )
    assert as_lists(totals) == [[1667, 1667, 1666], [0] * 3, [0] * 3, [1667.0, 1667.0, 1666.0]]


@pytest.mark.parametrize(("in_void", "n_rest"), [(2, 1), (3, 0)])
def test_a_segment_is_dropped_where_more_than_half_of_it_is_void(in_void: int, n_rest: int) -> None:
    """Of four elements two void ones are half of it, and three are more; 9 is neither thing nor stuff."""
    rows = np.array(
        [[1, 1, 9, 0, in_void], [1, 1, 3, 1, 4 - in_void], [9, 0, 1, 1, in_void], [3, 2, 1, 1, 4 - in_void]]
    )
    counted_rows, void, rule = CategoryRows(rows, np.array([4])), VoidUse(*[True] * 4, False), rule_of("theta_plus")
    for totals in (
        class_totals(counted_rows, KINDS[0], void, rule.inequalities, rule.factors),
        class_totals_numpy(counted_rows, KINDS[0], void, rule.inequalities),
    ):
        assert (totals.n_true[0], totals.n_pred[0]) == (n_rest, n_rest)
