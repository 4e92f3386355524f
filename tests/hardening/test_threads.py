"""Many threads at once, arrays that another thread changes meanwhile, and processes forked while threads run."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.kernels.backend import native
from segmetry.kernels.components import label_components
from segmetry.kernels.painting import paint
from segmetry.kernels.pairs import count_pairs

THREADS = 8
TRUE = (np.arange(120 * 130).reshape(120, 130) // 77 % 19).astype(np.uint16)
PRED = np.roll(TRUE, 3, axis=1)
METRICS = ("pq", "rand_index", "boundary_iou", "assd", "ami", "seg", "dice", "variation_of_information")


def everything() -> str:
    """The values of metrics of many kinds, and of a small data set."""
    values = [getattr(sm, name)(TRUE, PRED).value for name in METRICS]
    run = sm.evaluate({"a": TRUE, "b": PRED}, {"a": PRED, "b": PRED}, metrics=["pq", "rand_index"], engine="threads")
    return repr((values, run.content_digest()))


def test_threads_at_once_compute_what_one_computes() -> None:
    expected = everything()
    start = threading.Barrier(THREADS)

    def work(_number: int) -> str:
        start.wait()
        return everything()

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(work, range(THREADS))) == {expected}


def changing(labels: NDArray[Any], stop: threading.Event) -> None:
    """Write other labels into an array, few and many of them in turn, until told to stop."""
    chance = np.random.default_rng(0)
    others = [chance.integers(0, high, labels.shape).astype(labels.dtype) for high in (2, 200, 60_000)]
    number = 0
    while not stop.is_set():
        labels[:] = others[number % len(others)]
        number += 1


KERNELS: dict[str, Callable[[NDArray[Any]], object]] = {
    "count_pairs": lambda labels: count_pairs(labels, TRUE),
    "geometry": lambda labels: native and native.segment_geometry(labels[None], 3),
    "components": lambda labels: label_components(labels, 8),
    "paint": lambda labels: paint(labels, np.arange(9, dtype=np.uint64), np.arange(9.0), 0.0),
    "pq": lambda labels: sm.pq(labels, TRUE),
    "boundary_iou": lambda labels: sm.boundary_iou(labels, TRUE),
    "assd": lambda labels: sm.assd(labels, TRUE),
}


@pytest.mark.parametrize("name", KERNELS)
def test_an_array_that_changes_meanwhile_never_crashes(name: str) -> None:
    """There may be an error, or a result of some mixture; every element is counted once."""
    labels, stop = TRUE.copy(), threading.Event()
    other = threading.Thread(target=changing, args=(labels, stop))
    other.start()
    try:
        for _ in range(10):
            try:
                result: Any = KERNELS[name](labels)
            except (ValueError, RuntimeError, TypeError, LookupError):
                continue
            if name == "count_pairs":
                assert result.counts.sum() == labels.size
    finally:
        stop.set()
        other.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the processes of POSIX")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of newer Pythons: what is tested here is what they warn of
def test_a_process_forked_while_threads_run_works() -> None:
    expected, stop = everything(), threading.Event()

    def work() -> None:
        while not stop.is_set():
            count_pairs(TRUE, PRED)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        child = os.fork()
        if child == 0:
            os._exit(0 if sm.pq(TRUE, PRED).value == sm.pq(TRUE, PRED).value else 1)
        assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert everything() == expected
