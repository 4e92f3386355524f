"""The pairs of a local rule: native code against the numpy twin against Python's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from segmetry.alignments.rules.local import Inequality, LocalRule, theta_and, theta_plus
from segmetry.kernels.backend import native
from segmetry.kernels.rule_pairs import RulePairs, TableRows, select_pairs, select_pairs_numpy
from tests.profiles import examples

FACTORS = st.integers(0, 5) | st.sampled_from([2**39, 2**41, 10**30])
INEQUALITIES = st.builds(Inequality, FACTORS, FACTORS, FACTORS, st.booleans())
RULES = st.builds(
    LocalRule,
    st.just("any"),
    st.lists(st.lists(INEQUALITIES, max_size=3).map(tuple), max_size=3).map(tuple),
) | st.sampled_from([theta_plus, theta_and])
COUNTS = st.integers(0, 9) | st.sampled_from([2**20, 2**45, 2**61])


@st.composite
def tables(draw: st.DrawFn) -> TableRows:
    n_true, n_pred = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, n_true - 1), st.integers(0, n_pred - 1), COUNTS), max_size=8, unique=True)
    )
    row_true, row_pred, shared = (np.array([pair[at] for pair in pairs], dtype=np.int64) for at in range(3))

    def sizes(side: int, count: int) -> NDArray[np.int64]:
        least = [max([s for *at, s in pairs if at[side] == segment], default=0) for segment in range(count)]
        return np.array([size + draw(COUNTS) for size in least])

    allowed = draw(st.none() | st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)).map(np.array))
    return TableRows(
        row_true,
        row_pred,
        shared,
        sizes(0, n_true),
        sizes(1, n_pred),
        None if allowed is None else allowed.astype(bool),
    )


def plain(pairs: RulePairs) -> Any:
    return [column.tolist() for column in pairs[:4]], pairs.n_true, pairs.n_pred


def by_hand(table: TableRows, rule: LocalRule) -> Any:
    chosen = []
    for at, (t, h, s) in enumerate(zip(*(column.tolist() for column in table[:3]), strict=True)):
        m, p = int(table.true_sizes[t]) - s, int(table.pred_sizes[h]) - s
        holds = all(
            any(
                one.shared * s > one.missed * m + one.spurious * p
                or (not one.strict and one.shared * s == one.missed * m + one.spurious * p)
                for one in clause
            )
            for clause in rule.clauses
        )
        if s > 0 and holds and (table.allowed is None or table.allowed[at]):
            chosen.append((at, s, m, p, t, h))
    columns = [[pair[number] for pair in chosen] for number in range(4)]
    return columns, len({pair[4] for pair in chosen}), len({pair[5] for pair in chosen})


@given(tables(), RULES)
@examples(5)
def test_pairs_of_a_local_rule(table: TableRows, rule: LocalRule) -> None:
    expected = by_hand(table, rule)
    assert plain(select_pairs(table, rule.inequalities, rule.factors)) == expected
    assert plain(select_pairs_numpy(table, rule.inequalities)) == expected


def test_columns_of_any_strides() -> None:
    spread = [np.repeat(np.array(column), 2)[::2] for column in ([0, 1], [0, 0], [3, 1], [4, 1], [4])]
    table = TableRows(*spread, np.array([True, False, True, False])[::2])
    assert plain(select_pairs(table, theta_plus.inequalities, theta_plus.factors)) == by_hand(table, theta_plus)


def test_a_clause_without_an_inequality_accepts_nothing() -> None:
    one = np.ones(1, dtype=np.int64)
    assert not LocalRule("none", ((),)).accepts(one, 0 * one, 0 * one).any()


@pytest.mark.skipif(native is None, reason="the native kernel decides")
def test_products_beyond_64_bits_are_left_to_the_twin() -> None:
    size = np.array([2**61])
    zero = np.zeros(1, dtype=np.int64)
    assert native is not None
    assert native.select_pairs(zero, zero, size, size, size, np.zeros(0, bool), np.array([[0, 4, 1, 1, 1]])) is None
