"""Ctrl-C is answered during long kernels, in every engine and on the command line, and leaves a run that resumes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import segmetry as sm
from segmetry.kernels.backend import native

pytestmark = [
    pytest.mark.skipif(native is None, reason="numpy answers by itself, between two of its functions"),
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs the signals of POSIX"),
]

ANSWER = 2.0
"""Seconds within which a test wants an answer; for kernels seconds of work, whatever else the machine does. The
promise is 0.2. Without an answer every input here takes longer: they are large, and take memory only where they are
read or written."""


def same(shape: tuple[int, ...], dtype: type = np.uint8) -> NDArray[Any]:
    """An array whose rows are the same memory."""
    row = np.arange(shape[-1]) // 8 % 2
    return np.broadcast_to(row.astype(dtype), shape)


def zeros(*shape: int) -> NDArray[np.uint8]:
    return np.zeros(shape, np.uint8)


def column(*values: float, dtype: type = np.int64) -> NDArray[Any]:
    return np.array(values, dtype)


def pairs() -> tuple[str, dict[str, Any]]:
    return "count_pairs", {"true": same((10**7, 10**4)), "pred": same((10**7, 10**4))}


def pairs_in_threads() -> tuple[str, dict[str, Any]]:
    return "count_pairs", {"true": same((10**7, 10**4)), "pred": same((10**7, 10**4)), "threads": 2}


def geometry() -> tuple[str, dict[str, Any]]:
    return "segment_geometry", {"labels": same((10**4, 10**4, 10**4)), "axes": 3}


def paint() -> tuple[str, dict[str, Any]]:
    shape, ids = (1, 10**5, 10**4), column(1, dtype=np.uint64)
    values = ids.astype(np.uint32)
    return "paint", {
        "labels": same(shape), "ids": ids, "values": values, "fill": values, "out": np.empty(shape, np.uint32)
    }  # fmt: skip


def components() -> tuple[str, dict[str, Any]]:
    shape = (1, 2 * 10**5, 10**4)
    return "label_components", {
        "labels": same(shape), "neighbours": 4, "ignored": column(0, dtype=np.uint64),
        "weights": column(1, 1, 1), "out": np.empty(shape, np.int32)
    }  # fmt: skip


def band_2d() -> tuple[str, dict[str, Any]]:
    labels = zeros(4 * 10**5, 10**4)
    return "band_2d", {
        "labels": labels, "table": column(2, 1, dtype=np.int16), "farthest": 2, "out": np.empty_like(labels)
    }  # fmt: skip


def band_3d() -> tuple[str, dict[str, Any]]:
    labels, squares = zeros(50, 1000, 1000), (np.arange(2000) ** 2).astype(np.int32)
    limit = int(squares[-1])
    return "band_3d_euclidean", {
        "labels": labels, "first": squares, "second": squares, "third": squares, "limit": limit, "beyond": limit + 1,
        "out": np.empty_like(labels)
    }  # fmt: skip


def chessboard() -> tuple[str, dict[str, Any]]:
    labels = zeros(1000, 2000, 2000)
    return "band_3d_chessboard", {"labels": labels, "d": 9, "out": np.empty_like(labels)}


def boundaries() -> tuple[str, dict[str, Any]]:
    return "label_boundaries", {"labels": zeros(8 * 10**5, 10**4), "ids": column(1, dtype=np.uint64)}


def near() -> tuple[str, dict[str, Any]]:
    points = np.arange(10**6)
    many = np.arange(5000) % 2
    return "count_near", {
        "offsets_a": column(0, 10**6), "points_a": points, "offsets_b": column(0, 5 * 10**5, 10**6), "points_b": points,
        "pairs_a": np.zeros(5000, np.int64), "pairs_b": many, "rows": 1000, "length": 1000, "radius": 3
    }  # fmt: skip


def distances() -> tuple[str, dict[str, Any]]:
    places = np.ones((4, 1500, 1500), bool)
    others = np.zeros_like(places)
    others[0, 0, 0] = True
    steps = [np.arange(float(size)) ** 2 for size in places.shape]
    return "nearest_distances", {
        "places": places, "others": others, "first": steps[0], "second": steps[1], "third": steps[2],
        "out": np.empty(places.size)
    }  # fmt: skip


def matches() -> tuple[str, dict[str, Any]]:
    n = 10**6
    return "match_greedily", {
        "starts": column(0, n), "truths": np.zeros(n, np.int64), "overlaps": np.ones(n), "ignored": np.zeros(1, bool),
        "reusable": np.zeros(1, bool), "thresholds": np.full(9000, 0.5), "out": np.empty((1, 9000), np.int32)
    }  # fmt: skip


def resampled() -> tuple[str, dict[str, Any]]:
    n, samples = 10**5, 10**5
    return "resampled_precision", {
        "outcomes": np.ones((n, 10), np.uint8), "items": np.zeros(n, np.int64), "ties": np.arange(n),
        "starts": column(0, n), "times": np.ones((samples, 1), np.int64), "n_true": np.ones((samples, 1), np.int64),
        "recalls": column(0, 1, dtype=float), "out": np.empty((samples, 1))
    }  # fmt: skip


def png() -> tuple[str, dict[str, Any]]:
    height, width = 4 * 10**5, 10**4
    rows = np.zeros(height * (width + 1), np.uint8)
    return "png_labels", {"rows": rows, "labels": np.empty((height, width), np.uint8)}


def masks() -> tuple[str, dict[str, Any]]:
    """Masks that all overlap: what is counted is quadratic."""
    n = 40_000
    side = (np.arange(n + 1), np.arange(n), np.arange(n) + 10**6)
    names = ("offsets", "starts", "stops")
    return "intersect_run_lengths", {
        f"{name}_{which}": array for which in "ab" for name, array in zip(names, side, strict=True)
    }


def dense_masks() -> tuple[str, dict[str, Any]]:
    return "run_lengths_from_dense", {"stack": zeros(10, 10**9).view(bool)}


def coco_masks() -> tuple[str, dict[str, Any]]:
    return "decode_coco_masks", {"encoded": [b"1" * 10**6] * 20_000, "size": 10**10}


def texts() -> tuple[str, dict[str, Any]]:
    return "number_texts", {"lines": [[str(number) for number in range(10**4)]] * (4 * 10**4)}


def columns() -> tuple[str, dict[str, Any]]:
    """Labels in no order, each once."""
    labels = np.arange(10**7) * 0x1E3779B97F4A7C15 % 2**61
    outside: dict[str, Any] = {f"{side}_{kind}": [] for side in ("true", "pred") for kind in ("outside", "void")}
    return "table_columns", {"true_labels": labels, "pred_labels": labels, "counts": labels, **outside}


def values() -> NDArray[np.float64]:
    return np.zeros(8 * 10**8)


def moments() -> tuple[str, dict[str, Any]]:
    return "moments", {"values": values()}


def counts() -> tuple[str, dict[str, Any]]:
    return "count_up_to", {"values": values(), "below": 1.0, "up_to": 1.0}


def ranks() -> tuple[str, dict[str, Any]]:
    return "at_ranks", {"values": np.arange(3 * 10.0**7), "ranks": [2 * 10**7], "low": -1.0, "high": 0.0}


def sorted_pairs() -> tuple[str, dict[str, Any]]:
    """Pairs that hardly repeat, sorted in many small chunks that are merged: few megabytes, and seconds of merging."""
    labels = np.random.default_rng(0).integers(0, 2**24, 10**7).astype(np.uint32)
    return "count_pairs", {"true": labels, "pred": labels[::-1], "spill_after": 0, "chunk": 1 << 10}


def one_row() -> NDArray[np.uint8]:
    """A line of which every element is a stretch."""
    row = zeros(1, 1, 4 * 10**8)
    row[..., 1::2] = 1
    return row


def geometry_of_a_line() -> tuple[str, dict[str, Any]]:
    return "segment_geometry", {"labels": one_row(), "axes": 1}


def components_of_a_line() -> tuple[str, dict[str, Any]]:
    labels = one_row()
    return "label_components", {
        "labels": labels, "neighbours": 4, "ignored": column(1, dtype=np.uint64), "weights": column(1, 1, 1),
        "out": np.empty(labels.shape, np.int32)
    }  # fmt: skip


def tracks() -> tuple[str, dict[str, Any]]:
    """A frame of two thousand detections that all overlap."""
    n = 2000
    return "match_tracks", {
        **dict.fromkeys(("true_start", "pred_start"), column(0, n)), "cell_start": column(0, n * n),
        **dict.fromkeys(("true_track", "pred_track"), np.arange(n)), "row": np.repeat(np.arange(n), n),
        "column": np.tile(np.arange(n), n), "iou": np.random.default_rng(0).random(n * n),
        "level": np.full(n * n, 12), "n_true": n, "n_pred": n, **dict.fromkeys(("higher", "clear"), np.zeros(n, int)),
        "counts": np.zeros(3, int)
    }  # fmt: skip


def sums_of_one_group() -> tuple[str, dict[str, Any]]:
    return "exact_sums", {"values": values(), "starts": column(0, 8 * 10**8), "out": np.empty(1)}


def groups() -> tuple[str, dict[str, Any]]:
    n = 4 * 10**8
    return "group_order", {"groups": np.zeros(n, int), "order": np.empty(n, int), "starts": column(0, 0)}


def rule() -> tuple[str, dict[str, Any]]:
    rows = np.zeros(8 * 10**8, int)
    return "select_pairs", {
        **dict.fromkeys(("row_true", "row_pred", "shared"), rows), "true_sizes": column(1), "pred_sizes": column(1),
        "allowed": np.zeros(0, bool), "inequalities": np.array([[0, 1, 1, 1, 1]])
    }  # fmt: skip


def divergences() -> tuple[str, dict[str, Any]]:
    ones = np.ones(10**7)
    return "expected_divergences", {"a": ones, "b": ones, "n": 4 * ones, "floor": 0 * ones, "below": ones / 4}


def key_rows() -> tuple[str, dict[str, Any]]:
    keys = np.random.default_rng(0).integers(0, 2**62, 10**7)
    return "sort_key_rows", {"keys": keys, "counts": keys, "true_signed": False, "pred_signed": False}


def one_coco_string() -> tuple[str, dict[str, Any]]:
    return "decode_coco_counts", {"encoded": b"1" * 4 * 10**8}


def one_class() -> tuple[str, dict[str, Any]]:
    n = 2 * 10**9
    return "precision_at_recalls", {
        "outcomes": zeros(n, 1), "starts": column(0, n), "n_true": column(1), "recalls": column(0.5, dtype=float),
        "precision": np.empty((1, 1, 1)), "recall": np.empty((1, 1))
    }  # fmt: skip


LONG = (
    geometry_of_a_line, components_of_a_line, tracks, sums_of_one_group, groups, rule, divergences, key_rows,
    one_coco_string, one_class,
    texts, columns, moments, counts, ranks, sorted_pairs,
    pairs, pairs_in_threads, geometry, paint, components, band_2d, band_3d, chessboard, boundaries, near, distances,
    matches, resampled, png, masks, dense_masks, coco_masks,
)  # fmt: skip
IN_LIGHT = (pairs_in_threads, geometry, band_3d)


@pytest.fixture
def alarm() -> Iterator[Callable[[float], None]]:
    """Sends a signal after some time, whose handler is that of Ctrl-C."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    "kernel",
    [pytest.param(long, marks=() if long in IN_LIGHT else pytest.mark.faults, id=long.__name__) for long in LONG],
)
def test_kernels_answer(kernel: Callable[[], tuple[str, dict[str, Any]]], alarm: Callable[[float], None]) -> None:
    name, arguments = kernel()
    function = getattr(native, name)
    begun = time.process_time()

    def interrupted() -> None:
        alarm(0.02)  # in here: on a busy machine the signal may come before the call
        function(**arguments)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert time.process_time() - begun < ANSWER


def test_a_kernel_in_another_thread_is_stopped() -> None:
    assert native is not None
    ended = []

    def work() -> None:
        try:
            native.segment_geometry(**geometry()[1])
        except KeyboardInterrupt:
            ended.append("stopped")

    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)
    native.stop_threads([thread.ident], True)
    thread.join(60)
    native.stop_threads([thread.ident], False)
    assert ended == ["stopped"]


PROGRAM = """
import os, sys, time, numpy as np
import segmetry.segmentation.pair as pair
from segmetry.cli.main import main
def slow(*arguments):
    os.write(1, b"begun\\n")  # at once: several threads write
    {body}
import segmetry.evaluation.stages as stages
stages.MetricInputs.of = staticmethod(lambda *a, **k: slow())
sys.argv = ["segmetry", "score", "t.npz", "p.npz", "--out", "run.segm", "--engine", "{engine}"]
main()
"""
LONG_STEPS = {
    "one long call of numpy": "np.sort(np.random.default_rng(0).random(3 * 10**8))",
    "a kernel": "import tests.hardening.test_interrupts as long; long.native.segment_geometry(**long.geometry()[1])",
    "a loop": "[0 for _ in range(10**10)]",
}


@pytest.mark.faults
@pytest.mark.parametrize("engine", ["serial", "threads"])
@pytest.mark.parametrize("step", LONG_STEPS)
def test_the_command_line_ends_at_once(engine: str, step: str, tmp_path: Path) -> None:
    arrays = {f"item {number}": np.full((4, 4), number) for number in range(3)}
    for name in ("t", "p"):
        np.savez(tmp_path / f"{name}.npz", **arrays)
    checkout = Path(__file__).resolve().parents[2]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(engine=engine, body=LONG_STEPS[step])],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(checkout), *filter(None, sys.path)))},
    )  # fmt: skip
    try:
        assert program.stdout is not None and program.stdout.readline() == "begun\n"
        time.sleep(0.3)
        begun = time.monotonic()
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=60)
        assert time.monotonic() - begun < ANSWER
    finally:
        program.kill()
    assert program.returncode == 130
    assert "interrupted" in said and "resume" in said and "Traceback" not in said
    run = sm.evaluate(
        tmp_path / "t.npz", tmp_path / "p.npz", also=["theta_and"], out=tmp_path / "run.segm", resume=True
    )
    assert run.is_complete
