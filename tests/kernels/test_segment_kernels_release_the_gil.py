"""Other Python threads go on while a native kernel works: the threads engine rests on it."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from segmetry.kernels.backend import native

pytestmark = pytest.mark.skipif(native is None, reason="the numpy twins hold no native code")

# Numpy gives the lock up in many of its own functions, so the kernels are called directly, on arrays made beforehand.
LABELS = np.random.default_rng(0).integers(0, 5, (30, 100, 100)).astype(np.uint32)
FLAT = LABELS.reshape(300, 1000)
BAND, FLAT_BAND = np.empty(LABELS.shape, np.uint8), np.empty(FLAT.shape, np.uint8)
IDS, VALUES, PICTURE = np.arange(3, dtype=np.uint64), np.arange(3, dtype=np.uint64), np.empty(LABELS.shape, np.uint64)
STOPS = np.arange(1, 100_001)
REACH = np.full(6, 5, np.int16)
SQUARES = np.arange(6) ** 2
WHOLE, REAL = SQUARES.astype(np.int32), SQUARES.astype(np.float64)
FOUND = np.empty(np.count_nonzero(LABELS == 1))


def steps_along(size: int) -> NDArray[np.float64]:
    return np.arange(float(size)) ** 2


ARGUMENTS: dict[str, tuple[str, tuple[object, ...]]] = {
    "draws": ("count_draws", (np.ones(624, np.uint32), 624, np.empty((5000, 48)))),
    "order by group": ("group_order", (np.zeros(10**6, np.int64), np.empty(10**6, np.int64), np.empty(2, np.int64))),
    "sums of groups": ("exact_sums", (np.ones(10**6), np.array([0, 10**6]), np.empty(1))),
    "distances": ("nearest_distances", (LABELS == 1, LABELS == 2, *map(steps_along, LABELS.shape), FOUND)),
    "surfaces": ("surface_distances", (LABELS == 1, LABELS == 2, 3, *map(steps_along, LABELS.shape))),
    "geometry": ("segment_geometry", (LABELS, 3)),
    "paint": ("paint", (LABELS, IDS, VALUES, VALUES[:1], PICTURE)),
    "rows of an image": ("png_labels", (np.zeros(300 * 1001, np.uint8), np.empty((300, 1000), np.uint8))),
    "runs of an image": ("png_run_lengths", (np.zeros(300 * 1001, np.uint8), 300, 1000, 1, 9)),
    "pairs of runs": ("count_run_length_pairs", (STOPS, STOPS, STOPS, STOPS)),
    "sizes of runs": ("run_length_sizes", (STOPS, STOPS)),
    "columns of a table": ("table_columns", (STOPS, STOPS, STOPS, [], [], [], [])),
    "pairs of a rule": (
        "select_pairs",
        (STOPS - 1, STOPS - 1, STOPS, STOPS, STOPS, np.zeros(0, bool), np.array([[0, 1, 1, 1, 1]])),
    ),
    "spans of a line": ("line_overlaps", (STOPS - 1, STOPS, STOPS - 1, STOPS)),
    "windows of a line": ("line_window_counts", (STOPS, STOPS, 0, 100_000, 9)),
    "windows": (
        "window_counts",
        (STOPS, np.array([0, 100_000]), STOPS, np.array([0, 100_000]), np.zeros(1, int), STOPS[-1:], np.full(1, 9)),
    ),
    "boundaries": ("label_boundaries", (FLAT, IDS)),
    "band": ("band_2d", (FLAT, REACH, 5, FLAT_BAND)),
    "chessboard band of a volume": ("band_3d_chessboard", (LABELS, 5, BAND)),
    "band of a volume": ("band_3d_euclidean", (LABELS, WHOLE, WHOLE, WHOLE, 25, 26, BAND)),
    "spaced band of a volume": ("band_3d_euclidean", (LABELS, REAL, REAL, REAL, 25.0, 26.0, BAND)),
}


@pytest.fixture
def _no_forced_switch() -> Iterator[None]:
    """Python takes the lock from no thread; a thread only gives it up by itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


def moves_on_during(kernel: Callable[..., object], arguments: tuple[object, ...]) -> bool:
    """Whether the main thread gets a turn between the worker's last line before the call and its first after it."""
    state = ["waiting"]

    def worker() -> None:
        state[0] = "calling"
        kernel(*arguments)
        state[0] = "finished"

    thread = threading.Thread(target=worker)
    thread.start()
    moved = False
    while state[0] != "finished":
        moved |= state[0] == "calling"
        time.sleep(0)
    thread.join()
    return moved


@pytest.mark.usefixtures("_no_forced_switch")
@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_main_thread_moves_on(name: str) -> None:
    function, arguments = ARGUMENTS[name]
    # A busy machine may not give the main thread a turn in time: one of many calls suffices.
    assert any(moves_on_during(getattr(native, function), arguments) for _ in range(100))
