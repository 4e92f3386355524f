"""The smallest images in which the four readings of the aggregated Jaccard index differ, by exhaustive search.

An image counts only by its overlap table, so all tables of n pixels are tried, for n = 1, 2, …, with up to two true and
three predicted objects: how many pixels each pair shares, and how many of each object are background on the other side.
"""

from __future__ import annotations

from collections.abc import Iterator

import segmetry as sm
from segmetry.metrics.instances.aggregated_jaccard import JaccardReading

READINGS: tuple[JaccardReading, ...] = ("hover_net", "monuseg", "sortedap", "cellpose")
N_TRUE, N_PRED = 2, 3
CELLS = [(t, p) for t in range(N_TRUE + 1) for p in range(N_PRED + 1) if t or p]
"""Object 0 is the background."""


def divisions(n: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to divide n pixels into this many cells."""
    if parts == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in divisions(n - first, parts - 1):
            yield first, *rest


def table_of(counts: tuple[int, ...]) -> sm.OverlapTable | None:
    """Return the table, None where an object has no pixel or nothing overlaps."""
    cells = dict(zip(CELLS, counts, strict=True))
    true = {t: sum(cells[t, p] for p in range(N_PRED + 1)) for t in range(1, N_TRUE + 1)}
    pred = {p: sum(cells[t, p] for t in range(N_TRUE + 1)) for p in range(1, N_PRED + 1)}
    rows = [(t, p, count) for (t, p), count in cells.items() if t and p and count]
    sizes = {t: n for t, n in true.items() if n}, {p: n for p, n in pred.items() if n}
    return sm.OverlapTable.from_rows(rows, *sizes, n_elements=sum(counts)) if rows else None


def smallest() -> tuple[dict[tuple[int, int], int], dict[JaccardReading, float]]:
    """Return the cells of the smallest table, and its four values."""
    for n in range(1, 10):
        for counts in divisions(n, len(CELLS)):
            table = table_of(counts)
            if table is None:
                continue
            values = {reading: sm.aji(table, reading=reading).value for reading in READINGS}
            if len(set(values.values())) == len(READINGS):
                return {cell: count for cell, count in zip(CELLS, counts, strict=True) if count}, values
    raise LookupError("no such table of fewer than ten pixels")


if __name__ == "__main__":
    cells, ajis = smallest()
    print(sum(cells.values()), "pixels; (true, predicted): pixels", cells)
    print({reading: round(value, 4) for reading, value in ajis.items()})
