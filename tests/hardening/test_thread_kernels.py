"""Eight threads call every native function and every metric at once; pairs are sorted while their labels change.

``make sanitize-threads`` runs this file and ``test_threads.py`` with kernels that report races among themselves.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from segmetry.kernels.backend import native
from segmetry.metrics.declare import METRICS
from segmetry.testing import contracts
from tests.hardening.test_threads import THREADS, changing
from tests.kernels.test_native_arguments import call, kernels

needs_native = pytest.mark.skipif(native is None, reason="the native kernels are not in use here")
NAMES = sorted(kernels())


def answer(name: str) -> tuple[Any, Any]:
    """What a native function returns and what its arguments are afterwards: some write into one of them."""
    arguments = copy.deepcopy(kernels()[name].arguments)
    result = call(name, arguments)
    return flat(result), flat(arguments)


def flat(value: object) -> object:
    """A value whose parts can be compared, arrays by their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: flat(part) for key, part in value.items()}
    return [flat(part) for part in value] if isinstance(value, list | tuple) else value


def at_once(work: Callable[[int], object]) -> list[object]:
    """What eight threads return that begin together."""
    start = threading.Barrier(THREADS)

    def begin(number: int) -> object:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def turned(names: list[str], number: int) -> list[str]:
    """The names beginning at another place for every thread, so that different functions run beside each other."""
    at = number * len(names) // THREADS
    return names[at:] + names[:at]


@pytest.mark.slow
@needs_native
def test_all_native_functions_at_once() -> None:
    expected = {name: answer(name) for name in NAMES}

    def work(number: int) -> object:
        return [name for _ in range(3) for name in turned(NAMES, number) if answer(name) != expected[name]]

    assert at_once(work) == [[]] * THREADS


@needs_native
@pytest.mark.parametrize("name", NAMES)
def test_one_native_function_in_all_threads_on_the_same_arrays(name: str) -> None:
    """Inputs are shared, outputs are not."""
    shared = kernels()[name].arguments
    outputs = {"out", "labels", "precision", "recall", "higher", "clear", "counts", "state"}
    outputs |= {"order", "starts"} if name == "group_order" else set()
    if name != "png_labels":
        outputs -= {"labels"}
    expected = answer(name)[0]

    def work(_number: int) -> object:
        own = {key: copy.deepcopy(value) if key in outputs else value for key, value in shared.items()}
        return [flat(call(name, own)) for _ in range(3)] == [expected] * 3

    if name == "count_draws":  # it goes on from where the state of its generator was left
        return
    assert at_once(work) == [True] * THREADS


@pytest.mark.slow
def test_all_metrics_at_once() -> None:
    keys = sorted(METRICS)

    def work(number: int) -> object:
        for key in turned(keys, number):
            contracts.check_examples(METRICS[key])
        return None

    assert at_once(work) == [None] * THREADS


@needs_native
@pytest.mark.parametrize(("chunk", "threads"), [(7, 1), (1 << 16, 1), (64, 2)])
def test_pairs_that_are_sorted_while_their_labels_change(chunk: int, threads: int) -> None:
    """The labels are packed by the range they had: a label that leaves it is counted as some other, and once."""
    assert native is not None
    pred = (np.arange(100 * 110).reshape(100, 110) // 7).astype(np.uint16)
    true, stop = pred.copy(), threading.Event()
    other = threading.Thread(target=changing, args=(true, stop))
    other.start()
    try:
        for _ in range(10):
            labels, _, counts = native.count_pairs(true, pred, spill_after=0, chunk=chunk, threads=threads, slab=64)
            assert counts.sum() == true.size
            assert len(labels) == len(counts) and (counts > 0).all()
    finally:
        stop.set()
        other.join()
