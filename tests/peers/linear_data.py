"""Random pairs of linear segmentations in the notations of the peers, the same in every run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from segmetry.segmentation.spans import Spans

PAIRS = 2000


def random_pairs(
    seed: int, count: int = PAIRS, *, shortest: int = 2, longest: int = 40
) -> Iterator[tuple[Spans, Spans]]:
    """Total segmentations of one line: from no boundary to all of them, and some that lie near each other."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(shortest, longest + 1))
        true = np.flatnonzero(rng.random(n - 1) < rng.choice([0, 0.05, 0.2, 0.5, 1])) + 1
        if rng.random() < 0.5:
            pred = np.unique(np.clip(true + rng.integers(-2, 3, true.size), 1, n - 1))
        else:
            pred = np.flatnonzero(rng.random(n - 1) < rng.choice([0, 0.1, 0.3, 1])) + 1
        yield Spans.from_boundaries(true, n), Spans.from_boundaries(pred, n)


def gap_string(found: Spans) -> str:
    """One character for each gap: nltk's window count is right for this notation."""
    bits = np.zeros(found.n - 1, dtype=int)
    bits[found.boundaries - 1] = 1
    return "".join(map(str, bits.tolist()))


def masses(found: Spans) -> tuple[int, ...]:
    """segeval's notation."""
    return tuple(found.masses.tolist())
