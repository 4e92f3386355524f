"""Blocks consist of complete chunks, decoded as often as planned, and give the same table as entire arrays."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

import segmetry as sm
from segmetry.errors import LabelTypeError, NegativeLabelError
from segmetry.overlaps.blocks import LEAST, MOST, plan_blocks
from segmetry.storage.stored_arrays import Edges, regular_edges
from tests.stored_arrays import Chunked, edges_of, label_pairs, small_blocks


@given(st.data(), label_pairs(), st.integers(1, 2))
def test_blocks_give_the_table_of_the_entire_array(
    data: st.DataObject, pair: tuple[NDArray[Any], NDArray[Any]], threads: int
) -> None:
    true, pred = pair
    with small_blocks():
        stored = [Chunked(array, data.draw(edges_of(array.shape))) for array in pair]
        assert sm.overlap(*stored, threads=threads) == sm.overlap(true, pred)
        assert sm.overlap(stored[0], pred) == sm.overlap(true, pred)


@given(st.data(), st.integers(1, 3))
def test_the_plan_states_how_many_elements_are_decoded(data: st.DataObject, axes: int) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=axes, max_size=axes)))
    true, pred = data.draw(edges_of(shape)), data.draw(edges_of(shape))
    least, most = 10, 40
    plan = plan_blocks(true, pred, least, most)
    sides = [Chunked(np.zeros(shape, dtype=np.uint8), edges) for edges in (true, pred)]
    covered = np.zeros(shape, dtype=int)
    for number in range(len(plan)):
        covered[plan.box(number)] += 1
        for side in sides:
            side.read(plan.box(number))
    assert (covered == 1).all()
    assert (sides[0].decoded, sides[1].decoded) == plan.decoded
    chunk = max(np.prod([max(b - a for a, b in pairwise(cuts)) for cuts in edges]) for edges in (true, pred))
    assert max(covered[plan.box(number)].size for number in range(len(plan))) <= max(most, chunk)
    size = np.prod(shape)
    if true == pred:
        assert plan.decoded == (size, size)  # no chunk is split, none decoded twice
    assert sum(plan.decoded) <= min(decoded_by_chunks_of(blocks, (true, pred), shape) for blocks in (true, pred))


def decoded_by_chunks_of(blocks: Edges, both: tuple[Edges, Edges], shape: tuple[int, ...]) -> int:
    """Count the elements the simplest plan decodes, in which every chunk of one side is a block."""
    sides = [Chunked(np.zeros(shape, dtype=np.uint8), edges) for edges in both]
    for box in product(*([slice(*ends) for ends in pairwise(cuts)] for cuts in blocks)):
        for side in sides:
            side.read(box)
    return sum(side.decoded for side in sides)


def cubes(size: int, chunk: int) -> Edges:
    return regular_edges((size,) * 3, (chunk,) * 3)


def largest(edges: Edges) -> int:
    return int(np.prod([max(b - a for a, b in pairwise(cuts)) for cuts in edges]))


@pytest.mark.parametrize("chunk", [16, 32, 64, 128, 160])
def test_chunks_are_merged_to_a_few_million_elements_along_the_last_axes(chunk: int) -> None:
    plan = plan_blocks(cubes(1024, chunk), cubes(1024, chunk))
    assert LEAST <= largest(plan.edges) <= MOST
    assert plan.decoded == (1024**3, 1024**3)
    assert all(set(cuts) <= set(ends) for cuts, ends in zip(plan.edges, cubes(1024, chunk), strict=True))


def test_a_chunk_larger_than_a_block_is_not_split() -> None:
    assert plan_blocks(cubes(1024, 512), cubes(1024, 512)).edges == cubes(1024, 512)


def test_grids_with_common_boundaries_are_cut_there() -> None:
    plan = plan_blocks(cubes(512, 64), regular_edges((512,) * 3, (32, 128, 256)))
    assert plan.decoded == (512**3, 512**3)
    assert largest(plan.edges) <= MOST


def test_grids_without_common_boundaries_decode_little_more_than_necessary() -> None:
    plan = plan_blocks(cubes(1200, 100), cubes(1200, 128))
    assert sum(plan.decoded) < 2.1 * 2 * 1200**3
    assert LEAST <= largest(plan.edges) <= MOST


def test_a_negative_label_is_rejected_before_all_blocks_are_read() -> None:
    array = np.ones((40, 4), dtype=np.int32)
    array[3, 1] = -7
    with small_blocks():
        stored = Chunked(array, regular_edges(array.shape, (4, 4)))
        with pytest.raises(NegativeLabelError, match="true: label -7 is negative"):
            sm.overlap(stored, np.ones((40, 4), dtype=int))
        assert stored.decoded <= 16
        declared = sm.overlap(sm.LabelArray(stored, outside=(0, -7)), np.ones((40, 4), dtype=int))
        assert declared.true.ids.tolist() == [1]


def test_floats_are_checked_block_by_block_and_named_with_their_position() -> None:
    array = np.ones((40, 4))
    array[38, 1] = 2.5
    with small_blocks():
        stored = Chunked(array, regular_edges(array.shape, (4, 4)))
        with pytest.raises(LabelTypeError, match="float64; expected integers"):
            sm.LabelArray(stored)
        labels = sm.LabelArray(stored, allow_float=True)
        assert stored.decoded == 0
        with pytest.raises(LabelTypeError, match=r"2.5 at \(38, 1\)"):
            sm.overlap(labels, np.ones((40, 4), dtype=int))
