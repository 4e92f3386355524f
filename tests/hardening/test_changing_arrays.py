"""Arrays that another thread changes while a native function reads them: an error or some result, never a crash.

A function that checks an array, or counts in it, and then trusts what it found would read or write foreign memory here.
``make sanitize`` runs this file with kernels that report any such access.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from tests.hardening.large_arguments import LARGE
from tests.kernels.test_native_arguments import kernels

pytestmark = [
    pytest.mark.skipif(native is None, reason="the native kernels are not in use here"),
    pytest.mark.faults,
]

CALLS = 40
AMOUNTS = frozenset({"times"})
"""How often something is repeated: another number is more work, and no place in memory."""
WITHOUT_ARRAYS = frozenset({"decode_coco_counts", "decode_coco_masks", "number_texts", "stop_threads"})


def others(array: NDArray[Any]) -> list[NDArray[Any]]:
    """What an array becomes: any bits, its elements backwards, and elements that are a little off."""
    chance = np.random.default_rng(array.size)
    bits = np.frombuffer(chance.bytes(array.nbytes), array.dtype).reshape(array.shape)
    off = chance.integers(-2, 3, array.shape)
    return [bits, array[::-1].copy(), (array + off).astype(array.dtype)]


class Changes:
    """Changes one array after the other and back again, in a thread of its own."""

    def __init__(self, arrays: list[NDArray[Any]]) -> None:
        self.changes = [(array, array.copy(), other) for array in arrays for other in others(array)]
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work)

    def work(self) -> None:
        order = np.random.default_rng(0).permutation(len(self.changes))
        while not self.stop.is_set():
            for at in order:
                array, good, bad = self.changes[at]
                array[...] = bad
                array[...] = good

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join()


def test_every_native_function_has_large_arguments() -> None:
    assert {name.partition(" ")[0] for name in LARGE} == set(kernels()) - WITHOUT_ARRAYS


@pytest.mark.parametrize("name", LARGE)
def test_no_crash(name: str) -> None:
    function = getattr(native, name.partition(" ")[0])
    arguments = {key: value.copy() if isinstance(value, np.ndarray) else value for key, value in LARGE[name]().items()}
    function(**arguments)  # as they are, they are accepted
    arrays = [value for key, value in arguments.items() if isinstance(value, np.ndarray) and key not in AMOUNTS]
    with Changes(arrays):
        for _ in range(CALLS):
            try:
                function(**arguments)
            except (ValueError, MemoryError):
                continue
