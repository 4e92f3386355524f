"""Registries are filled on first use, also by several threads at the same time."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
        "import segmetry.readers.formats.arrays.hdf5; from segmetry.readers.reader import READERS; print(list(READERS))"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == str(sorted(READERS))


def test_a_name_of_the_index_imports_its_module_alone() -> None:
    code = (
        "import sys; from segmetry.metrics.declare import METRICS, metrics_of_family; METRICS['pk'];"
        "found = 'segmetry.metrics.windows' in str(list(sys.modules)); "
        "assert found and 'segmetry.metrics.video.higher_order_tracking' not in sys.modules;"
        "assert 'pq' in METRICS and 'segmetry.metrics.panoptic.panoptic_quality' not in sys.modules;"
        "keys = [metric.key for metric in metrics_of_family('windows')];"
        "assert 'segmetry.metrics.video.higher_order_tracking' not in sys.modules;"
        "assert keys == [key for key, metric in METRICS.items() if metric.family == 'windows'], keys"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_name_of_the_index_is_taken_before_its_module_is_imported() -> None:
    colours = Registry[int]("colour", package=None, group="segmetry.colours", index={"blue": "no.such.module"})
    with pytest.raises(ValueError, match="declared twice"):
        colours.declare("blue", 3)
    assert "blue" in colours


def test_code_without_a_module_declares_as_well() -> None:
    colours = Registry[int]("colour", package=None, group="segmetry.colours")
    exec(compile("colours.declare('blue', 3)", "<block>", "exec"), {"colours": colours})  # noqa: S102
    assert colours["blue"] == 3
