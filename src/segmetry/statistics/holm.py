"""Holm's correction: p-values of several comparisons, so that any false alarm among them stays as rare as α."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values [holm1979simple]: the k-th smallest of m times m − k + 1, never falling, at most 1.

    Undefined ones (None) stay so and do not count.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    defined = [at for at, p in enumerate(p_values) if p is not None]
    order = sorted(defined, key=lambda at: (p_values[at] or 0.0, at))
    found: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for done, at in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - done) * (p_values[at] or 0.0)))
        found[at] = highest
    return found
