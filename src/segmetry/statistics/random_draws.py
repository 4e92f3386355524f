"""Drawing items at random, reproducible in every language.

The random numbers are the 32-bit outputs u₀, u₁, … of the Mersenne Twister MT19937, initialised with the seed alone
[matsumoto1998mersenne]: ``std::mt19937(seed)`` in C++ gives the same ones. With n items, resample r draws the items
⌊u·n / 2³²⌋ for u = u[r·n], …, u[r·n + n − 1]; exchange r of a permutation test swaps item j between two systems where
the highest bit of u[r·n + j] is set.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IndexArray
from segmetry.errors import OptionError
from segmetry.kernels import Twister, count_draws

SEED = 2024
"""The default seed; it is printed with every result."""
RESAMPLES = 10_000

MOST_SAMPLES = 48
"""The number of samples that are summed at once: a class of a few hundred items is one piece."""
_BLOCK_VALUES = 2**22
"""The most counts of a block: 32 MB."""
_MOST_KEPT = 2**29
"""The most counts that are kept, two in a byte."""
_LARGEST_KEPT = 15


def resampled_weights(n_items: int, n_resamples: int, seed: int = SEED) -> Iterator[FloatArray]:
    """Yield how often each item (a row) is drawn in each resample (a column), in blocks of resamples."""
    twister = Twister.seeded(checked_seed(seed))
    for start, stop in _blocks(n_items, n_resamples):
        yield count_draws(twister, n_items, stop - start)


class Draws:
    """The resamples of a data set, drawn once for all that is resampled together, as long as memory allows.

    ``keep=False`` says that they are asked for once. ``clusters`` are the numbers of what is drawn as a whole, such as
    the patient of each item; by default every item is drawn by itself.
    """

    def __init__(
        self, n_items: int, n_resamples: int, seed: int = SEED, *, keep: bool = True, clusters: IndexArray | None = None
    ) -> None:
        self.n_resamples, self.seed, self.keep, self.clusters = n_resamples, seed, keep, clusters
        self.n_items = n_items if clusters is None else int(clusters.max(initial=-1)) + 1
        self._kept: list[NDArray[np.uint8]] | None = None

    def __iter__(self) -> Iterator[FloatArray]:
        return self._units() if self.clusters is None else (block[self.clusters] for block in self._units())

    def _units(self) -> Iterator[FloatArray]:
        if self._kept is not None:
            widths = (stop - start for start, stop in _blocks(self.n_items, self.n_resamples))
            yield from (_unpacked(block, width) for block, width in zip(self._kept, widths, strict=True))
            return
        small = self.keep and self.n_items * self.n_resamples <= _MOST_KEPT
        kept: list[NDArray[np.uint8]] = []
        for block in resampled_weights(self.n_items, self.n_resamples, self.seed):
            small = small and bool(block.max() <= _LARGEST_KEPT)
            if small:
                kept.append(_packed(block))
            yield block
        self._kept = kept if small else None


def _packed(block: FloatArray) -> NDArray[np.uint8]:
    """Return counts below 16, two neighbours of a row in a byte."""
    counts = block.astype(np.uint8)
    packed = counts[:, ::2].copy()
    packed[:, : counts.shape[1] // 2] |= counts[:, 1::2] << 4
    return packed


def _unpacked(packed: NDArray[np.uint8], width: int) -> FloatArray:
    block = np.empty((packed.shape[0], width))
    block[:, ::2] = packed & 15
    block[:, 1::2] = packed[:, : width // 2] >> 4
    return block


def random_swaps(n_items: int, n_permutations: int, seed: int = SEED) -> Iterator[FloatArray]:
    """Yield which items (rows) are swapped, 1 or 0, in each permutation (a column), in blocks of permutations."""
    twister = Twister.seeded(checked_seed(seed))
    for start, stop in _blocks(n_items, n_permutations):
        numbers = twister.outputs((stop - start, n_items))
        yield np.ascontiguousarray((numbers >> np.uint32(31)).astype(np.float64).T)


def all_swaps(n_items: int) -> Iterator[FloatArray]:
    """Yield every way to swap some of the items, 2ⁿ in all, in blocks."""
    bits = np.arange(n_items, dtype=np.int64)[:, None]
    for start, stop in _blocks(n_items, 2**n_items):
        yield ((np.arange(start, stop, dtype=np.int64) >> bits) & 1).astype(np.float64)


def checked_seed(rng: Any) -> int:
    """Return a checked seed, valid for every implementation of the generator.

    A ``numpy.random.Generator`` is rejected: its draws could not be repeated from what a result prints, nor outside
    of numpy.
    """
    try:
        number = index(rng)
    except TypeError:
        number = -1
    if isinstance(rng, bool) or not 0 <= number < 2**32:
        raise OptionError(f"the seed (rng) is {rng!r}; expected an integer from 0 to 2^32 - 1")
    return number


def checked_resamples(resamples: Any) -> int:
    """Return a checked number of resamples, large enough for quantiles."""
    try:
        number = index(resamples)
    except TypeError:
        number = 0
    if isinstance(resamples, bool) or not 100 <= number <= 10_000_000:
        raise OptionError(f"resamples is {resamples!r}; expected an integer from 100 to 10,000,000")
    return number


def _blocks(width: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield ranges so small that a block fits in the processor's caches; results do not depend on them."""
    step = max(8, min(MOST_SAMPLES, _BLOCK_VALUES // max(width, 1)))
    for start in range(0, count, step):
        yield start, min(start + step, count)
