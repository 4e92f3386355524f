"""Arrays that are changed while a native function reads them: an error or some result, never a crash.

A function that checks an array, or counts in it, and then trusts what it found would read or write foreign memory here.
``make sanitize`` runs this file with kernels that report any such access.
"""

from __future__ import annotations

import mmap
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from tests.hardening.large_arguments import LARGE
from tests.kernels.test_native_arguments import kernels

pytestmark = [
    pytest.mark.skipif(native is None, reason="the native kernels are not in use here"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the processes of POSIX"),
    pytest.mark.faults,
]

CALLS = 40
AMOUNTS = frozenset({"times"})
"""How often something is repeated: another number is more work, and no place in memory."""
WITHOUT_ARRAYS = frozenset(
    {
        "count_png_pairs", "decode_coco_counts", "decode_coco_masks", "is_plain_json", "load_libdeflate",
        "number_texts", "png_file_labels", "scan_coco", "scan_integer_lists", "scan_tags", "scan_turns", "stop_threads",
    }
)  # fmt: skip


def others(array: NDArray[Any]) -> list[NDArray[Any]]:
    """What an array becomes: any bits, its elements backwards, and elements that are a little off."""
    chance = np.random.default_rng(array.size)
    bits = np.frombuffer(chance.bytes(array.nbytes), array.dtype).reshape(array.shape)
    off = chance.integers(-2, 3, array.shape)
    return [bits, array[::-1].copy(), (array + off).astype(array.dtype)]


def shared(array: NDArray[Any]) -> NDArray[Any]:
    """A copy in memory that forked processes share."""
    memory = mmap.mmap(-1, max(1, array.nbytes))
    copy = np.frombuffer(memory, array.dtype, array.size).reshape(array.shape)
    copy[...] = array
    return copy


def change(arrays: list[NDArray[Any]], pause: float) -> None:
    """Change one array after the other and back again, for ever, with pauses as long as a call takes."""
    chance, parent = np.random.default_rng(0), os.getppid()
    changes = [(array, array.copy(), other) for array in arrays for other in others(array)]
    while os.getppid() == parent:
        array, good, bad = changes[chance.integers(len(changes))]
        until = time.perf_counter() + 2 * pause * chance.random()
        while time.perf_counter() < until:
            pass
        array[...] = bad
        array[...] = good


def share(argument: Any, arrays: list[NDArray[Any]]) -> Any:
    """Return the argument with its arrays, also those of a sequence, as shared copies, added to ``arrays``."""
    if isinstance(argument, tuple | list):
        return type(argument)(share(part, arrays) for part in argument)
    if isinstance(argument, np.ndarray):
        arrays.append(argument := shared(argument))
    return argument


@contextmanager
def changing(arrays: list[NDArray[Any]], pause: float) -> Iterator[None]:
    """Another process does it: unlike a thread, it does not wait for this one's interpreter."""
    process = os.fork()
    if process == 0:
        try:
            change(arrays, pause)
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_every_native_function_has_large_arguments() -> None:
    assert set(kernels()) - WITHOUT_ARRAYS <= {name.partition(" ")[0] for name in LARGE}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of newer Pythons: the child uses no lock of this process
@pytest.mark.parametrize("name", LARGE)
def test_no_crash(name: str) -> None:
    function = getattr(native, name.partition(" ")[0])
    of_argument: dict[str, list[NDArray[Any]]] = {}
    arguments = {key: share(value, of_argument.setdefault(key, [])) for key, value in LARGE[name]().items()}
    begun = time.perf_counter()
    function(**arguments)  # as they are, they are accepted
    pause = min(0.01, time.perf_counter() - begun)
    arrays = [array for key, own in of_argument.items() if key not in AMOUNTS for array in own]
    with changing(arrays, pause):
        for _ in range(CALLS):
            try:
                function(**arguments)
            except (ValueError, MemoryError):
                continue
