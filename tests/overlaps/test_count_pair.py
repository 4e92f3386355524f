"""The overlap table against set intersection, for every kind of segmentation, in one block and in several."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, InputError
from segmetry.overlaps.merge_tables import merge
from segmetry.segmentation.base import Segmentation
from segmetry.testing.strategies import label_arrays, label_pairs, mask_pairs, set_pairs, span_pairs
from tests.oracle import as_sets, overlap_rows, void_elements
from tests.profiles import examples

EXTREME_IDS = (0, 1, 2**16, 2**32, 2**53 + 1, 2**63 - 1, 2**64 - 1)


def check_table(true: Segmentation, pred: Segmentation) -> None:
    """Check every number of the table against sets of elements."""
    table = sm.overlap(true, pred)
    true_sets, pred_sets = as_sets(true), as_sets(pred)
    assert list(table.rows()) == overlap_rows(true_sets, pred_sets)
    for side, family, opposite, opposite_void in (
        (table.true, true_sets, pred_sets, void_elements(pred)),
        (table.pred, pred_sets, true_sets, void_elements(true)),
    ):
        covered = frozenset().union(*opposite.values())
        assert side.ids.tolist() == sorted(family)
        assert side.sizes.tolist() == [len(family[k]) for k in sorted(family)]
        assert side.void.tolist() == [len(family[k] & opposite_void) for k in sorted(family)]
        assert side.outside.tolist() == [len(family[k] - covered - opposite_void) for k in sorted(family)]
        assert side.disjoint is (sum(map(len, family.values())) == len(frozenset().union(*family.values())))
    assert table.shared.dtype == np.int64
    covered = frozenset().union(*true_sets.values(), *pred_sets.values())
    assert sum(table.background) == table.n_elements - len(covered)
    assert table.swapped() == sm.overlap(pred, true)
    assert table.swapped().swapped() == table


@examples(5)
@given(label_pairs())
def test_label_arrays(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    check_table(*pair)


@examples(5)
@given(span_pairs())
def test_spans(pair: tuple[sm.Spans, sm.Spans]) -> None:
    check_table(*pair)


@examples(5)
@given(mask_pairs())
def test_masks(pair: tuple[sm.Masks, sm.Masks]) -> None:
    check_table(*pair)


@examples(5)
@given(st.booleans().flatmap(lambda disjoint: set_pairs(disjoint=disjoint)))
def test_sets(pair: tuple[sm.Sets, sm.Sets]) -> None:
    check_table(*pair)


@given(st.data())
def test_void_labels(data: st.DataObject) -> None:
    shape = (data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5)))
    arrays = [data.draw(label_arrays(shape)) for _ in range(2)]
    voids = [data.draw(st.sets(st.sampled_from([1, 2, 3]), max_size=2)) for _ in range(2)]
    outside = [data.draw(st.sampled_from([0, None])) for _ in range(2)]
    true, pred = (
        sm.LabelArray(array, void=void, outside=out) for array, void, out in zip(arrays, voids, outside, strict=True)
    )
    check_table(true, pred)


def test_background_counts_of_outside_and_void() -> None:
    true = sm.LabelArray([0, 0, 9, 9, 9], void=9)
    pred = sm.LabelArray([0, 8, 0, 8, 8], void=8)
    counts = sm.overlap(true, pred).background
    assert (counts.outside_outside, counts.outside_void, counts.void_outside, counts.void_void) == (1, 1, 1, 2)


@examples(2)
@given(label_pairs(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_blocks_in_any_number_and_order_give_the_same_table(
    pair: tuple[sm.LabelArray, sm.LabelArray], count: int, random: object
) -> None:
    true, pred = pair
    parts = [
        sm.overlap(sm.LabelArray(t), sm.LabelArray(p))
        for t, p in zip(
            np.array_split(true.labels.ravel(), count), np.array_split(pred.labels.ravel(), count), strict=True
        )
        if t.size
    ]
    random.shuffle(parts)  # type: ignore[attr-defined]
    table = sm.overlap(true, pred)
    assert merge(parts) == table
    assert reduce(add, parts) == table


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64, np.uint64, bool])
def test_the_table_does_not_depend_on_the_dtype(dtype: type) -> None:
    true = np.array([[1, 1, 0], [0, 1, 0]])
    assert sm.overlap(true.astype(dtype), true.T.reshape(2, 3).astype(dtype)) == sm.overlap(true, true.T.reshape(2, 3))


def test_ids_of_every_size_keep_their_value() -> None:
    ids = np.array(EXTREME_IDS, dtype=np.uint64)
    table = sm.overlap(ids, ids[::-1])
    assert table.true.ids.tolist() == sorted(EXTREME_IDS[1:])
    assert sm.overlap(ids[:6], ids[:6]).true.ids.dtype == np.int64
    assert [row[:2] for row in table.rows()] == [
        (int(a), int(b)) for a, b in zip(ids, ids[::-1], strict=True) if a and b
    ]


def test_blocks_with_small_and_huge_ids_merge() -> None:
    small, huge = np.array([1, 1], dtype=np.uint64), np.array([2**64 - 1, 1], dtype=np.uint64)
    merged = sm.overlap(small, small) + sm.overlap(huge, huge)
    assert merged == sm.overlap(np.concatenate((small, huge)), np.concatenate((small, huge)))


def test_blocks_with_different_classes_merge() -> None:
    classes = {1: "car", 2: "sky", 3: "tree"}

    def part(labels: list[int]) -> sm.OverlapTable:
        array = sm.LabelArray(labels, classes=classes)
        return sm.overlap(array, array)

    assert part([1, 1]) + part([2, 3]) == part([1, 1, 2, 3])
    assert part([2, 3]) + part([1, 1]) == part([1, 1, 2, 3])


def test_blocks_that_disagree_about_a_class_are_rejected() -> None:
    first = sm.LabelArray([1], classes={1: "car"})
    second = sm.LabelArray([1], classes={1: "sky"})
    with pytest.raises(ClassesError, match="segment 1 has a different class in another block"):
        sm.overlap(first, first) + sm.overlap(second, second)
    bare = sm.overlap([1], [1])
    with pytest.raises(ClassesError, match="all or none"):
        bare + sm.overlap(first, first)


def test_tables_from_rows_must_be_consistent() -> None:
    with pytest.raises(InputError, match="has size 1 but shares 2"):
        sm.OverlapTable.from_rows([(1, 1, 2)], {1: 1})
    with pytest.raises(InputError, match="n_elements is 1"):
        sm.OverlapTable.from_rows([(1, 1, 2)], n_elements=1)
    with pytest.raises(InputError, match="twice"):
        sm.OverlapTable.from_rows([(1, 1, 2), (1, 1, 3)])
    with pytest.raises(InputError, match="below 1"):
        sm.OverlapTable.from_rows([(1, 1, 0)])
    with pytest.raises(InputError, match="no tables"):
        merge([])


@given(label_pairs())
def test_a_table_from_rows_equals_a_counted_one(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    table = sm.overlap(*pair)
    from_rows = sm.OverlapTable.from_rows(
        table.rows(),
        dict(zip(table.true.ids.tolist(), table.true.sizes.tolist(), strict=True)),
        dict(zip(table.pred.ids.tolist(), table.pred.sizes.tolist(), strict=True)),
        n_elements=table.n_elements,
    )
    assert from_rows == table


def test_threads_give_the_same_table() -> None:
    rng = np.random.default_rng(3)
    true = np.repeat(rng.integers(0, 50, 5000), 17).reshape(50, -1)
    pred = np.roll(true, 11)
    assert sm.overlap(true, pred, threads=3) == sm.overlap(true, pred)


def test_threads_must_be_positive() -> None:
    with pytest.raises(InputError, match="threads is 0"):
        sm.overlap([1], [1], threads=0)


@given(st.lists(st.integers(0, 4), min_size=2, max_size=12), st.permutations([1, 2, 3, 4]), st.data())
def test_blocks_know_which_crowd_is_listed_last(labels: list[int], crowd: list[int], data: st.DataObject) -> None:
    """A block without a superseded crowd has no column of them; the sum has, where any block has one."""
    cut = data.draw(st.integers(1, len(labels) - 1))
    classes = {1: "a", 2: "a", 3: "b", 4: "a"}
    whole, first, second = (
        sm.overlap(*(sm.LabelArray(part, classes=classes, crowd=crowd[:3]) for _ in range(2)))
        for part in ([labels], [labels[:cut]], [labels[cut:]])
    )
    assert first + second == whole
    last = {classes[segment]: segment for segment in crowd[:3]}
    superseded = [segment in crowd[:3] and segment not in last.values() for segment in whole.true.ids.tolist()]
    assert (whole.true.superseded is None) is not any(superseded)
    assert whole.true.superseded is None or whole.true.superseded.tolist() == superseded
