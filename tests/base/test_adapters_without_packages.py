"""An adapter whose package is missing says what to install."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from segmetry.adapters.epoch import batch_pairs, check_follows_from_tables, count_items, names_of
from segmetry.errors import MissingExtraError

NEEDED = {
    "ignite": ("ignite", "pytorch-ignite"),
    "item_widget": ("anywidget", "anywidget"),
    "mmengine": ("torch", "mmengine torch"),
    "monai": ("torch", "monai"),
    "torchmetrics": ("torch", r"'segmetry\[torch\]'"),
}


@pytest.mark.parametrize("adapter", NEEDED)
def test_the_remedy_is_stated(adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    package, installed = NEEDED[adapter]
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith("segmetry.adapters.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"^segmetry\.adapters\.{adapter} needs .*: pip install {installed}$"):
        importlib.import_module(f"segmetry.adapters.{adapter}")


def test_the_example_of_count_items() -> None:
    counted = count_items(np.array([[7, 7, 8]]), np.array([[1, 0, 0]]), ["a"])
    assert (counted.rows[:, 3:].tolist(), names_of(counted.names)[counted.rows[0, :2].tobytes()]) == (
        [[1, 7, 0, 1], [1, 7, 1, 1], [1, 8, 0, 1]],
        "a",
    )


def test_the_example_of_check_follows_from_tables() -> None:
    assert check_follows_from_tables({"metrics": "pq,dice"}) == ("pq", "dice")


def test_the_example_of_batch_pairs() -> None:
    axes, (item,) = batch_pairs(np.array([[1, 1, 2]]), np.array([[5, 5, 5]]))
    assert (axes, item.true_labels.tolist(), item.counts.tolist()) == (1, [1, 2], [2, 1])
