"""Draws that are kept are those that were drawn, in blocks of any size; seeds and numbers of resamples are checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from segmetry.errors import OptionError
from segmetry.statistics import random_draws
from segmetry.statistics.random_draws import Draws, all_swaps, checked_resamples, checked_seed, random_swaps


@pytest.mark.parametrize(("keep", "largest"), [(True, 15), (True, 1), (False, 15)])
def test_draws_are_the_same_each_time(keep: bool, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_draws, "_BLOCK_VALUES", 50)
    monkeypatch.setattr(random_draws, "_LARGEST_KEPT", largest)
    draws = Draws(5, 25, seed=3, keep=keep)
    first, again = list(draws), list(draws)
    assert [block.shape[1] for block in first] == [10, 10, 5]
    assert all(np.array_equal(one, other) for one, other in zip(first, again, strict=True))
    assert (draws._kept is not None) is (keep and largest == 15)
    weights = np.concatenate(first, axis=1)
    drawn = np.random.RandomState(3).randint(0, 2**32, (25, 5), dtype=np.uint32).astype(np.uint64) * 5 >> 32
    assert weights.T.tolist() == [np.bincount(row, minlength=5).tolist() for row in drawn.astype(int)]


def test_too_many_draws_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    for most in (125, 124):
        monkeypatch.setattr(random_draws, "_MOST_KEPT", most)
        draws = Draws(5, 25)
        list(draws)
        assert (draws._kept is not None) is (most == 125)


def test_blocks_have_at_least_eight_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_draws, "_BLOCK_VALUES", 1)
    assert [block.shape for block in random_swaps(3, 20)] == [(3, 8), (3, 8), (3, 4)]
    ways = np.concatenate(list(all_swaps(5)), axis=1)
    assert ways.shape == (5, 32) and np.unique(ways, axis=1).shape == (5, 32)


@pytest.mark.parametrize("seed", [-1, 2**32, True, 1.5, "1", None])
def test_seeds_are_checked(seed: Any) -> None:
    assert [checked_seed(known) for known in (0, 2**32 - 1)] == [0, 2**32 - 1]
    with pytest.raises(OptionError, match=r"expected an integer from 0 to 2\^32 - 1"):
        checked_seed(seed)


@pytest.mark.parametrize("resamples", [99, 10_000_001, True, 100.0, "100", None])
def test_numbers_of_resamples_are_checked(resamples: Any) -> None:
    assert [checked_resamples(known) for known in (100, 10_000_000)] == [100, 10_000_000]
    with pytest.raises(OptionError, match="expected an integer from 100 to 10,000,000"):
        checked_resamples(resamples)
