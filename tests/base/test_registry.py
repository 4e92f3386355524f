"""Registries are filled on first use, also by several threads at the same time."""

from __future__ import annotations

import subprocess
import sys

from segmetry._base.registry import Registry
from segmetry.readers.reader import READERS

PROGRAM = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from segmetry.readers.reader import READERS
barrier = Barrier(8)
def count_readers(_):
    barrier.wait()
    return len(READERS)
with ThreadPoolExecutor(8) as pool:
    print(len(set(pool.map(count_readers, range(8)))))
"""


def test_no_thread_sees_a_partly_filled_registry() -> None:
    process = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "1"


def test_keys_values_and_items_have_the_same_order() -> None:
    colours = Registry[int]("colour", package=None, group="segmetry.colours", order=lambda number: -number)
    for name, number in {"azure": 1, "blue": 3, "cyan": 2}.items():
        colours.declare(name, number)
    assert list(colours) == ["blue", "cyan", "azure"]
    assert list(zip(colours, colours.values(), strict=True)) == list(colours.items())
    colours.declare("dun", 9)
    assert list(colours.values()) == [9, 3, 2, 1]
    assert list(zip(READERS, READERS.values(), strict=True)) == list(READERS.items())


def test_the_order_does_not_depend_on_what_was_imported_first() -> None:
    program = (
        "import segmetry.readers.formats.arrays.zarr; from segmetry.readers.reader import READERS; print(list(READERS))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == str(sorted(READERS))
