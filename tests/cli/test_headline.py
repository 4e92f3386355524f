"""The first line of ``segmetry score``: a value, and its interval unless the items are too few to say anything."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.statistics.bootstrap import FEWEST_ITEMS
from tests.cli.running import Runner


@pytest.mark.parametrize("n_items", [2, FEWEST_ITEMS - 1, FEWEST_ITEMS])
def test_an_interval_from_ten_items_on(segmetry: Runner, tmp_path: Path, n_items: int) -> None:
    numbers = np.random.default_rng(5)
    true = {str(at): np.sort(numbers.integers(0, 5, 40)) for at in range(n_items)}
    pred = {name: np.roll(labels, int(name)) for name, labels in true.items()}
    for side, arrays in (("t", true), ("p", pred)):
        np.savez(tmp_path / f"{side}.npz", **arrays)
    shown = segmetry("score", tmp_path / "t.npz", tmp_path / "p.npz", "--metrics", "pq").out
    low, high = sm.evaluate(true, pred, metrics="pq").intervals().scores["pq"]["by_item"].best
    assert (f"95 % interval {low:.2f} to {high:.2f}" in shown) is (n_items >= FEWEST_ITEMS)
    assert (f"; no interval: {n_items} items are too few" in shown) is (n_items < FEWEST_ITEMS)


def test_the_headline_of_nnunet_is_a_mean_over_cases(segmetry: Runner, tmp_path: Path) -> None:
    """Dice 0.4 of a small case and 1 of a large one are 0.7; pooled over the voxels they would be 66/69."""
    small, large = np.ones((2, 2), np.uint8), np.ones((4, 8), np.uint8)
    np.savez(tmp_path / "t.npz", a=small, b=large)
    np.savez(tmp_path / "p.npz", a=np.array([[1, 0], [0, 0]], np.uint8), b=large)
    shown = segmetry("score", tmp_path / "t.npz", tmp_path / "p.npz", "--protocol", "nnunet").lines
    assert "Dice 0.7000 (foreground mean); no interval: 2 items are too few" in shown
