"""Count how often each item is drawn, from the outputs of the Mersenne Twister MT19937 [matsumoto1998mersenne].

Statistics of a bootstrap distribution for intervals: moments, counts below a bound, and order statistics.

Values must not be NaN, except for the moments, which are NaN if a value is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import kernel

# The size of the state of MT19937 in words of 32 bits.
WORDS = 624


@dataclass(eq=False)
class Twister:
    """The generator: its words, and how many of them are used; drawing advances it."""

    words: NDArray[np.uint32]
    used: int

    @classmethod
    def seeded(cls, seed: int) -> Twister:
        """Return the generator as its authors initialise it with one number."""
        # RandomState is frozen by numpy's promise (NEP 19), and takes an integer as MT19937's own initialisation.
        _, words, used, *_ = np.random.RandomState(seed).get_state(legacy=True)
        return cls(np.array(words, dtype=np.uint32), int(used))

    def outputs(self, shape: tuple[int, ...]) -> NDArray[np.uint32]:
        """Return the next outputs."""
        generator = np.random.RandomState(0)  # any state will do; this one is quick to make
        generator.set_state(("MT19937", self.words, self.used, 0, 0.0))
        outputs: NDArray[np.uint32] = generator.randint(0, 2**32, size=shape, dtype=np.uint32)
        state: Any = generator.get_state(legacy=True)
        self.words, self.used = np.array(state[1], dtype=np.uint32), int(state[2])
        return outputs


def _count_native(native: ModuleType, twister: Twister, n_items: int, n_samples: int) -> NDArray[np.float64]:
    counts = np.empty((n_items, n_samples))
    twister.used = native.count_draws(twister.words, twister.used, counts)
    return counts


@kernel(_count_native)
def count_draws(twister: Twister, n_items: int, n_samples: int) -> NDArray[np.float64]:
    """Count how often each item (a row) is drawn in each sample (a column): output u draws the item ⌊u·n / 2³²⌋."""
    drawn = np.multiply(twister.outputs((n_samples, n_items)), np.uint64(n_items), dtype=np.uint64)
    drawn >>= np.uint64(32)
    counts = np.empty((n_samples, n_items))
    for row, items in zip(counts, drawn.view(np.int64), strict=True):
        row[:] = np.bincount(items, minlength=n_items)
    return np.ascontiguousarray(counts.T)


SampleValues = NDArray[np.float64]


class Moments(NamedTuple):
    """The mean m, Σ (x − m)² and Σ (x − m)³."""

    mean: float
    squares: float
    cubes: float


@kernel(lambda native, values: Moments(*native.moments(np.ascontiguousarray(values, np.float64))))
def moments(values: SampleValues) -> Moments:
    """Return the first moments of at least one value."""
    mean = values.mean()
    gaps = values - mean
    squares = gaps * gaps
    return Moments(float(mean), float(squares.sum()), float((squares * gaps).sum()))


@kernel(lambda native, values, *bounds: native.count_up_to(np.ascontiguousarray(values, np.float64), *bounds))
def count_up_to(values: SampleValues, below: float, up_to: float) -> tuple[int, int]:
    """Count how many values are smaller than ``below``, and how many are not larger than ``up_to``."""
    return int(np.count_nonzero(values < below)), int(np.count_nonzero(values <= up_to))


@kernel(
    lambda native, values, ranks, low, high: native.at_ranks(
        np.ascontiguousarray(values, np.float64), list(ranks), low, high
    )
)
def at_ranks(values: SampleValues, ranks: Sequence[int], low: float, high: float) -> list[float]:
    """Return the values at ascending ranks, 0 the smallest.

    Those of the lower half are searched among the values up to ``low``, the others among those from ``high`` on;
    where these are too few, among all.
    """
    size, selected = values.size, []
    lower, upper = ([rank for rank in ranks if (rank < size // 2) == is_low] for is_low in (True, False))
    if lower:
        # Interval ends are far out in the tails: a few per cent of the values are partitioned instead of all.
        tail = values[values <= low]
        ordered = np.partition(tail if tail.size > lower[-1] else values, lower)
        selected += ordered[lower].tolist()
    if upper:
        tail = values[values >= high]
        tail = tail if tail.size >= size - upper[0] else values
        places = [rank - (size - tail.size) for rank in upper]
        selected += np.partition(tail, places)[places].tolist()
    return selected
