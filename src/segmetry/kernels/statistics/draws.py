"""Count how often each item is drawn, from the outputs of the Mersenne Twister MT19937 [matsumoto1998mersenne]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native

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
        """Return the next outputs.

        >>> Twister.seeded(5489).outputs((2,)).tolist()
        [3499211612, 581869302]
        """
        generator = np.random.RandomState(0)  # any state will do; this one is quick to make
        generator.set_state(("MT19937", self.words, self.used, 0, 0.0))
        outputs: NDArray[np.uint32] = generator.randint(0, 2**32, size=shape, dtype=np.uint32)
        state: Any = generator.get_state(legacy=True)
        self.words, self.used = np.array(state[1], dtype=np.uint32), int(state[2])
        return outputs


def count_draws(twister: Twister, n_items: int, n_samples: int) -> NDArray[np.float64]:
    """Count how often each item (a row) is drawn in each sample (a column).

    A sample has as many draws as there are items; output u of the generator draws the item ⌊u·n / 2³²⌋.

    >>> count_draws(Twister.seeded(1), 3, 2).T.tolist()
    [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]
    """
    if native is None:
        return count_draws_numpy(twister, n_items, n_samples)
    counts = np.empty((n_items, n_samples))
    twister.used = native.count_draws(twister.words, twister.used, counts)
    return counts


def count_draws_numpy(twister: Twister, n_items: int, n_samples: int) -> NDArray[np.float64]:
    """The numpy twin of :func:`count_draws`."""
    drawn = np.multiply(twister.outputs((n_samples, n_items)), np.uint64(n_items), dtype=np.uint64)
    drawn >>= np.uint64(32)
    counts = np.empty((n_samples, n_items))
    for row, items in zip(counts, drawn.view(np.int64), strict=True):
        row[:] = np.bincount(items, minlength=n_items)
    return np.ascontiguousarray(counts.T)
