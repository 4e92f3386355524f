"""The fewest moves against a search over all partitions that single moves lead to."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.segmentation.spans import Spans
from tests.profiles import examples

Partition = frozenset[frozenset[int]]


def partition(labels: list[int]) -> Partition:
    return frozenset(frozenset(at for at, other in enumerate(labels) if other == label) for label in set(labels))


def moved(blocks: Partition) -> Iterator[Partition]:
    """Every partition that one move leads to."""
    for source in blocks:
        for element in source:
            rest = (blocks - {source}) | ({source - {element}} if len(source) > 1 else set())
            yield rest | {frozenset({element})}
            for target in blocks - {source}:
                yield (rest - {target}) | {target | {element}}


def fewest_moves(start: Partition, goal: Partition) -> int:
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        blocks, n_moves = queue.popleft()
        if blocks == goal:
            return n_moves
        for following in moved(blocks):
            if following not in seen:
                seen.add(following)
                queue.append((following, n_moves + 1))
    raise AssertionError


@examples(1)
@given(st.integers(1, 5).flatmap(lambda n: st.tuples(*[st.lists(st.integers(1, 4), min_size=n, max_size=n)] * 2)))
def test_no_fewer_moves_lead_to_the_truth(pair: tuple[list[int], list[int]]) -> None:
    true, pred = pair
    assert sm.minimum_moves([true], [pred]).value == fewest_moves(partition(pred), partition(true))


@examples(1)
@given(st.integers(1, 6).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 3), min_size=n, max_size=n)] * 2)))
def test_elements_outside_may_be_segments_of_their_own(pair: tuple[list[int], list[int]]) -> None:
    alone = [[label or 10 + at for at, label in enumerate(side)] for side in pair]
    expected = sm.minimum_moves(*([side] for side in alone)).value
    assert sm.minimum_moves(*([side] for side in pair), background="singletons").value == expected


def test_a_stream_of_pages() -> None:
    """Two pages of the third document were put into the second, and the first one was cut."""
    true, pred = Spans.from_masses([3, 2, 5]), Spans.from_masses([2, 1, 4, 3])
    assert sm.minimum_moves(true, pred).value == 1 + 2
    assert sm.mndd(true, pred).value == 3
    run = sm.evaluate({"a": true, "b": true}, {"a": pred, "b": true}, protocol="page-streams")
    assert run.summary()["minimum_moves"]["by_item"].value == 1.5


def test_large_segments_are_counted_exactly() -> None:
    rng = np.random.default_rng(0)
    true, pred = rng.integers(1, 40, (2, 200, 200))
    from scipy.optimize import linear_sum_assignment

    counts = np.zeros((40, 40), dtype=np.int64)
    np.add.at(counts, (true, pred), 1)
    assert sm.minimum_moves(true, pred).value == true.size - counts[linear_sum_assignment(counts, maximize=True)].sum()


def test_nothing_to_move_is_undefined() -> None:
    assert not sm.minimum_moves([[0]], [[0]], background="common").is_defined
