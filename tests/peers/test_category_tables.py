"""Matched segments of each class from tables of categories, against sets of elements in Python."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.adapters.torchmetrics import tables_of_categories
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import POLICIES, Policy
from segmetry.alignments.rules.local import LocalRule
from segmetry.kernels.pairs import CategoryPairs
from segmetry.metrics.tally_quotient import segment_sums
from segmetry.run.run_data_set import segments_of
from segmetry.run.settings import Settings
from segmetry.statistics.data_set import DataSet

CATEGORIES = st.sampled_from([1, 2, 3, 9, -5, 2**40])
INSTANCES = st.sampled_from([0, 1, -1, 2**62])
KINDS: list[dict[int, bool]] = [{1: True, 2: False, 3: True}, {-5: True, 1: True, 2**40: False}, {2: False}]
"""Which categories count, and whether they are things."""
RULES = ["theta_plus", "theta_and", "iou(above=3/4)", "dice(at_least=0.9)"]
Item = list[list[int]]


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    """Rows of up to three items; the same pair may occur in several rows."""
    row = st.tuples(CATEGORIES, INSTANCES, CATEGORIES, INSTANCES, st.integers(1, 6)).map(list)
    return draw(st.lists(st.lists(row, max_size=12), min_size=1, max_size=3))


def columns(listed: list[Item], things: dict[int, bool], policy: str, rule: LocalRule) -> list[list[Any]]:
    """Return matched, missed and spurious segments and the sum of the IoU of every category."""
    rows = np.array([row for item in listed for row in item], dtype=np.int64).reshape(-1, 5)
    item = np.repeat(np.arange(len(listed)), [len(item) for item in listed])
    of_kind = [[name for name, is_thing in things.items() if is_thing is kind] for kind in (True, False)]
    tables = tables_of_categories(CategoryPairs(item, *rows.T), [str(at) for at in range(len(listed))], *of_kind)
    segments = segments_of(tables, Settings.of(rule=rule, policy=policy, metrics=["pq"])).segments()
    sums = segment_sums(segments, "class")
    by_name: list[dict[Any, Any]] = [
        dict(zip(sums.names, sums[name][:, 0].tolist(), strict=True)) for name in ("matched", "missed", "spurious")
    ]
    names = [str(at) for at in range(len(listed))]
    scores = DataSet.of_segments(names, segments, "class", policy, ["sq"]).class_scores("sq")
    by_name.append({name: score.numerator for name, score in scores.items()})
    return [[column.get(name, 0) for name in things] for column in by_name]


def rule_of(text: str) -> LocalRule:
    rule = as_rule(text)
    assert isinstance(rule, LocalRule)
    return rule


def totals_of_sets(listed: list[Item], things: dict[int, bool], void: Policy, rule: LocalRule) -> list[list[Any]]:
    """Build every segment as a set of numbered elements, and compare each true segment with each predicted one."""
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


@given(items(), st.sampled_from(KINDS), st.sampled_from(sorted(POLICIES)), st.sampled_from(RULES))
def test_segments_are_matched_as_sets_are(listed: list[Item], things: dict[int, bool], policy: str, text: str) -> None:
    rule = rule_of(text)
    assert columns(listed, things, policy, rule) == totals_of_sets(listed, things, POLICIES[policy], rule)


@pytest.mark.parametrize("elements", [2**53 + 1, 2**61])
def test_counts_beyond_a_double_are_exact(elements: int) -> None:
    found = columns([[[1, 1, 1, 1, elements], [1, 1, 1, 2, elements // 3]]], KINDS[0], "none", rule_of("theta_plus"))
    assert found == [[1, 0, 0], [0, 0, 0], [1, 0, 0], [elements / (elements + elements // 3), 0.0, 0.0]]
