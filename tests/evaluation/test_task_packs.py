"""Packs of quick tasks: of one kind, as many as finish within a hundredth of a second, stopped by an error."""

from __future__ import annotations

import threading
import time

import pytest

from segmetry.evaluation.engines.pools import MOST_TASKS, SECONDS, FinishedPack, TaskPacks, run_pack


def finished(packs: TaskPacks, seconds_each: float) -> int:
    """Take a pack, let it take so many seconds for each task, and return its size."""
    _, pack = next(packs)
    packs.learn(FinishedPack(pack, None, type(pack[0][1]), seconds_each * len(pack), []))
    return len(pack)


def test_packs_of_quick_tasks_double_up_to_the_most() -> None:
    packs = TaskPacks(enumerate(range(10**4)))
    assert [finished(packs, 1e-6) for _ in range(8)] == [1, 2, 4, 8, 16, MOST_TASKS, MOST_TASKS, MOST_TASKS]


def test_packs_are_as_long_as_their_time_allows_and_shrink_at_once() -> None:
    packs = TaskPacks(enumerate(range(10**4)))
    assert [finished(packs, SECONDS / 4.5) for _ in range(5)] == [1, 2, 4, 4, 4]
    assert [finished(packs, SECONDS) for _ in range(3)] == [4, 1, 1]


def test_tasks_of_two_kinds_are_not_mixed() -> None:
    packs = TaskPacks(enumerate([1, 2, 3, "a", "b", "c", 4, 5, 6]))
    for _ in range(2):
        finished(packs, 1e-6)
    assert [pack for _, pack in packs] == [[(3, "a")], [(4, "b")], [(5, "c")], [(6, 4), (7, 5), (8, 6)]]


def test_every_task_is_in_one_pack_and_packs_have_their_own_numbers() -> None:
    packs = TaskPacks((number, chr(number) if number % 3 else number) for number in range(100))
    taken = []
    for at, (number, pack) in enumerate(packs):
        assert number == at
        packs.learn(FinishedPack(pack, None, type(pack[0][1]), 1e-9, []))
        taken += [number for number, _ in pack]
    assert taken == list(range(100))


def test_an_error_ends_a_pack_and_keeps_the_results_before_it() -> None:
    pack = run_pack(lambda number: 12 // number, threading.Event().is_set, [(0, 3), (1, 4), (2, 0), (3, 6)])
    assert pack.results == [(0, 4), (1, 3)]
    assert isinstance(pack.problem, ZeroDivisionError)


def test_a_pack_that_takes_too_long_leaves_the_rest_for_others() -> None:
    def work(number: int) -> int:
        time.sleep(2 * SECONDS if number == 8 else 0)
        return number

    pack = run_pack(work, threading.Event().is_set, list(enumerate([7, 8, 9, 10])))
    assert pack.results == [(0, 7), (1, 8)]
    assert pack.rest == [(2, 9), (3, 10)]
    packs = TaskPacks(enumerate([11, 12], start=4))
    packs.learn(pack)
    assert [numbered for _, pack in packs for numbered in pack] == [(2, 9), (3, 10), (4, 11), (5, 12)]


def test_a_pack_that_is_stopped_goes_no_further() -> None:
    stopped, done = threading.Event(), []

    def work(number: int) -> None:
        done.append(number)
        stopped.set()

    assert run_pack(work, stopped.is_set, [(0, 7), (1, 8)]).results == [(0, None)]
    assert done == [7]


def test_an_empty_iterator_has_no_pack() -> None:
    with pytest.raises(StopIteration):
        next(TaskPacks([]))
