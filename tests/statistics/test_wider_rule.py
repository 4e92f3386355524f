"""Two rules side by side: from alignments as from plain lists, against scipy and numpy, false hits and classes."""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import segmetry as sm
from segmetry.errors import InputError, OptionError
from segmetry.statistics.wider_rule import Distribution, TwoAlignments, two_rules
from segmetry.testing.strategies import label_pairs


@given(st.lists(label_pairs(), min_size=1, max_size=4))
def test_alignments_and_plain_lists_agree(pairs: list[tuple[sm.LabelArray, sm.LabelArray]]) -> None:
    items, listed = [], []
    for at, pair in enumerate(pairs):
        table = sm.overlap(*pair)
        rules = [sm.align(table, rule) for rule in ("theta_plus", "theta_and")]
        items.append(TwoAlignments.of(str(at), *rules))
        lists = [([(p.true_id, p.pred_id) for p in a.pairs()], [float(p.iou) for p in a.pairs()]) for a in rules]
        listed.append(TwoAlignments.of_lists(str(at), lists[0], lists[1], len(table.true), len(table.pred)))
    comparison, plain = two_rules(items), two_rules(listed[::-1]).to_dict()
    data = comparison.to_dict()
    for key in ("n_false_hits", "false_hit_sizes", "false_hits_below_small"):
        assert plain.pop(key) is None
        data.pop(key)
    assert data == plain
    json.dumps(comparison.to_dict(), allow_nan=False)
    wide = [sm.align(sm.overlap(*pair), "theta_and") for pair in pairs]
    assert comparison.n_additional == sum(int(a.additional_pairs.value) for a in wide)
    assert comparison.n_false_hits == sum(int(a.false_hits.value) for a in wide)
    assert (comparison.wide_pq is None) == (not any(a.tally.occurs for a in wide))
    if comparison.wide_pq is not None:
        total = sum((a.tally for a in wide[1:]), wide[0].tally)
        assert comparison.wide_pq == pytest.approx(sm.pq(total).value, abs=1e-15)
    assert comparison.wide_not_one_to_one == ()


@given(
    st.lists(st.sampled_from([k / 8 for k in range(9)]), min_size=1, max_size=30),
    st.lists(st.sampled_from([k / 8 for k in range(9)]), min_size=1, max_size=30),
    st.lists(st.integers(0, 6), min_size=1, max_size=6),
)
def test_statistics_are_those_of_scipy_and_numpy(first: list[float], second: list[float], segments: list[int]) -> None:
    narrow, wide = ({(k, k): w for k, w in enumerate(values)} for values in (first, second))
    others = [TwoAlignments(f"b{k}", {}, {(j, j): 0.4 for j in range(n)}, n + k, n) for k, n in enumerate(segments)]
    alone = two_rules([TwoAlignments("a", narrow, wide, 40, 40)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        expected = stats.ks_2samp(first, second)
    assert alone.ks_statistic == pytest.approx(float(expected.statistic), abs=1e-15)
    assert alone.ks_p == float(expected.pvalue)
    assert alone.correlation is None
    several = two_rules(others)
    added, counts = segments, [n + k for k, n in enumerate(segments)]
    if len(set(added)) > 1 and len(set(counts)) > 1:
        assert several.correlation == pytest.approx(float(np.corrcoef(added, counts)[0, 1]), abs=1e-12)
    else:
        assert several.correlation is None
    distribution = Distribution.of(first, bins=8)
    assert distribution.mean == pytest.approx(float(np.mean(first)), abs=1e-15)
    if len(first) > 1:
        assert distribution.sd == pytest.approx(float(np.std(first, ddof=1)), abs=1e-12)
    assert list(distribution.histogram) == np.histogram(first, bins=8, range=(0, 1))[0].tolist()


def test_false_hits_and_classes_are_reported() -> None:
    true = sm.LabelArray(np.array([1] * 7 + [2] * 3 + [3] * 5), classes={1: "a", 2: "a", 3: "b"})
    pred = sm.LabelArray(np.array([1] * 3 + [2] * 7 + [3] * 5), classes={1: "a", 2: "a", 3: "b"})
    table = sm.overlap(true, pred)
    item = TwoAlignments.of("x", table.align("theta_plus"), table.align("theta_and"))
    comparison = two_rules([item], small=7)
    assert (comparison.n_narrow, comparison.n_wide, comparison.n_additional) == (1, 2, 1)
    assert (comparison.n_false_hits, comparison.false_hit_sizes, comparison.false_hits_below_small) == (1, (7,), 0.0)
    assert two_rules([item]).false_hits_below_small == 1.0
    assert comparison.class_ks_statistic == 0.5  # all pairs: a, b; additional ones: a
    expected = stats.ks_2samp([0, 1], [0])
    assert comparison.class_ks_p == float(expected.pvalue)


def test_nothing_is_none() -> None:
    comparison = two_rules([])
    assert (comparison.n_items, comparison.ks_statistic, comparison.wide_pq, comparison.additional_fraction) == (
        0,
        None,
        None,
        None,
    )
    assert comparison.wide_iou == Distribution(0, None, None, None, (0,) * 20)
    only_wide = two_rules([TwoAlignments("a", {}, {(1, 1): 0.4}, 1, 1)])
    assert (only_wide.ks_statistic, only_wide.ks_p) == (1.0, None)


def test_segments_with_two_partners_are_named() -> None:
    item = TwoAlignments("clash", {(1, 1): 0.9}, {(1, 1): 0.9, (2, 1): 0.4}, 2, 1)
    comparison = two_rules([item])
    assert (comparison.narrow_not_one_to_one, comparison.wide_not_one_to_one) == ((), ("clash",))
    assert comparison.wide_pq == pytest.approx(2 * 1.3 / 4)


def _bad(kind: str) -> Any:
    first, second = sm.overlap([[1]], [[1]]), sm.overlap([[1]], [[1]])
    calls = {
        "tables": lambda: TwoAlignments.of("a", first.align(), second.align()),
        "lengths": lambda: TwoAlignments.of_lists("a", ([(1, 1)], [0.5, 0.6]), ([], []), 1, 1),
        "twice": lambda: TwoAlignments.of_lists("a", ([(1, 1), (1, 1)], [0.5, 0.6]), ([], []), 1, 1),
        "bins": lambda: two_rules([], bins=0),
    }
    return calls[kind]()


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("tables", InputError, "item 'a': the two alignments come from different tables"),
        ("lengths", InputError, "item 'a' lists 1 pairs and 2 IoUs"),
        ("twice", InputError, "each once"),
        ("bins", OptionError, "bins is 0"),
    ],
)
def test_bad_input_is_named(kind: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        _bad(kind)
