"""The columns of a table: native code against the numpy twin against Python dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.kernels.backend import native, numpy_twin
from segmetry.kernels.counted_sides import Special, TableColumns, table_columns
from segmetry.kernels.pairs import PairCounts
from tests.profiles import examples

LABELS = st.sampled_from([-7, 0, 1, 2, 3, 255, 2**40, 2**63 - 1])
LARGE = st.sampled_from([0, 1, 5, 2**63, 2**64 - 1])
SPECIAL = st.sets(st.sampled_from([-7, 0, 3, 255, 2**63, 2**64 - 1]), max_size=3)


def plain(found: TableColumns) -> Any:
    sides = [[column.tolist() for column in side] for side in found[:2]]
    return sides, [column.tolist() for column in found[2:5]], tuple(found.background)


def by_hand(counts: dict[tuple[int, int], int], true: Special, pred: Special) -> Any:
    special = (true, pred)

    def role(label: int, side: int) -> str:
        return "void" if label in special[side].void else "outside" if label in special[side].outside else "segment"

    ids = [sorted({pair[side] for pair in counts if role(pair[side], side) == "segment"}) for side in (0, 1)]
    sums: Counter[Any] = Counter()
    for pair, count in counts.items():
        for side in (0, 1):
            sums[side, pair[side], role(pair[1 - side], 1 - side)] += count
        sums[role(pair[0], 0), role(pair[1], 1)] += count
    sides = [
        [
            ids[side],
            [sum(sums[side, one, word] for word in ("segment", "outside", "void")) for one in ids[side]],
            [sums[side, one, "outside"] for one in ids[side]],
            [sums[side, one, "void"] for one in ids[side]],
        ]
        for side in (0, 1)
    ]
    rows = [pair for pair in sorted(counts) if pair[0] in ids[0] and pair[1] in ids[1]]
    columns = [[ids[0].index(t) for t, _ in rows], [ids[1].index(p) for _, p in rows], [counts[pair] for pair in rows]]
    words = ("outside", "void")
    return sides, columns, tuple(sums[first, second] for first in words for second in words)


def counted(counts: dict[tuple[int, int], int], dtypes: tuple[type, type] = (np.int64, np.int64)) -> PairCounts:
    rows = sorted(counts)
    columns = [np.array([pair[side] for pair in rows], dtypes[side]) for side in (0, 1)]
    return PairCounts(*columns, np.array([counts[pair] for pair in rows], np.int64))


@given(
    st.dictionaries(st.tuples(LABELS, LABELS), st.integers(1, 2**50), max_size=30), SPECIAL, SPECIAL, SPECIAL, SPECIAL
)
@examples(2)
def test_columns(
    counts: dict[tuple[int, int], int], first: set[int], second: set[int], third: set[int], fourth: set[int]
) -> None:
    true, pred = Special(sorted(first - second), sorted(second)), Special(sorted(third - fourth), sorted(fourth))
    expected = by_hand(counts, true, pred)
    for columns in (table_columns, numpy_twin(table_columns)):
        assert plain(columns(counted(counts), true, pred)) == expected


@given(st.dictionaries(st.tuples(LARGE, LARGE), st.integers(1, 9), max_size=12), SPECIAL)
def test_ids_beyond_a_signed_integer(counts: dict[tuple[int, int], int], void: set[int]) -> None:
    true, pred = Special((), sorted(void)), Special((0,), ())
    expected = by_hand(counts, true, pred)
    for columns in (table_columns, numpy_twin(table_columns)):
        found = columns(counted(counts, (np.uint64, np.uint64)), true, pred)
        assert plain(found) == expected
        for side in found[:2]:
            assert side.ids.dtype == (np.uint64 if side.ids.size and int(side.ids[-1]) >= 2**63 else np.int64)


def test_many_labels() -> None:
    rng = np.random.default_rng(5)
    pairs = Counter(
        zip(rng.integers(-2000, 2000, 30_000).tolist(), rng.integers(0, 4000, 30_000).tolist(), strict=True)
    )
    true, pred = Special((-2,), (0, 7)), Special((0,), (3999,))
    assert plain(table_columns(counted(pairs), true, pred)) == plain(
        numpy_twin(table_columns)(counted(pairs), true, pred)
    )


@pytest.mark.skipif(native is None, reason="the arguments are checked by the native kernel")
def test_columns_must_be_of_one_length() -> None:
    with pytest.raises(ValueError, match="as many labels as counts"):
        native.table_columns(np.zeros(2, int), np.zeros(2, int), np.ones(3, int), [], [], [], [])  # type: ignore[union-attr]
