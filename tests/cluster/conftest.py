"""A scheduler and two workers as processes of their own on loopback, and data sets with small and with large items."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

SECONDS = 60.0
PATIENCE = 5.0
"""How long a worker may take to end by itself: distributed sometimes waits for connections that are gone."""


def _dask(*words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def _end(program: subprocess.Popen[bytes]) -> None:
    """Wait until a program has ended; one that does not react to the polite signal is killed."""
    try:
        program.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        program.kill()
        program.wait(SECONDS)


def _address(file: Path) -> str:
    for _ in range(int(SECONDS / 0.1)):
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.1)
    raise TimeoutError("the scheduler does not start")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What distributed leaves to the collector of garbage (sockets of workers that died) is collected unheard."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a scheduler with two workers of one thread, three processes beside this one."""
    file = tmp_path_factory.mktemp("dask") / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(file)]
    programs = [_dask("scheduler", *words)]
    try:
        address = _address(file)
        programs += [
            _dask("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
            for _ in range(2)
        ]
        yield address
    finally:
        for program in reversed(programs):
            program.terminate()
        for program in programs:
            _end(program)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders true and pred of 40 small label images."""
    root = tmp_path_factory.mktemp("folders")
    numbers = np.random.default_rng(7)
    for side in ("true", "pred"):
        (root / side).mkdir()
        for at in range(40):
            np.save(root / side / f"{at:02}.npy", numbers.integers(0, 4 + at % 5, (8, 9)))  # instances, not classes
    return root


@pytest.fixture(scope="session")
def volumes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Zarr arrays true and pred of 8 million elements, with chunks that do not end at the same places."""
    import zarr

    root = tmp_path_factory.mktemp("volumes")
    numbers = np.random.default_rng(8)
    coarse = numbers.integers(0, 40, (20, 20, 20)).astype(np.uint16)
    for side, chunks, shift in (("true", (100, 100, 100), 0), ("pred", (50, 200, 80), 3)):
        labels = np.roll(np.kron(coarse, np.ones((10, 10, 10), dtype=np.uint16)), shift, axis=1)
        found = zarr.create_array(root / f"{side}.zarr", shape=labels.shape, chunks=chunks, dtype=labels.dtype)
        found[...] = labels
    return root


@pytest.fixture(scope="session")
def many_blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Zarr arrays true and pred of 40 blocks."""
    import zarr

    root = tmp_path_factory.mktemp("many-blocks")
    labels = np.kron(np.arange(80 * 8 * 4, dtype=np.uint8).reshape(80, 8, 4) % 251, np.ones((1, 128, 256), np.uint8))
    for side, shift in (("true", 0), ("pred", 9)):
        found = zarr.create_array(root / f"{side}.zarr", shape=labels.shape, chunks=(2, 1024, 1024), dtype=labels.dtype)
        found[...] = np.roll(labels, shift, axis=1)
    return root
