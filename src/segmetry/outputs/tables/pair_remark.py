"""The number of pairs beside a mean over matched pairs: without it, a mean distance says nothing about misses."""

from __future__ import annotations

from segmetry.metrics.score import Result, Score


def pair_remark(result: Result | None) -> str:
    """Return how many pairs a mean is taken over, and how many segments have none; nothing for other metrics.

    >>> from segmetry.metrics.geometry.surface_distances import hausdorff
    >>> pair_remark(hausdorff([[1, 1, 0, 2]], [[1, 1, 0, 0]]))
    '1 pair, 1 missed'
    """
    if not isinstance(result, Score) or "pairs" not in result.details:
        return ""
    pairs = result.details["pairs"]
    counts = [f"{pairs} pair" if pairs == 1 else f"{pairs} pairs"]
    counts += [f"{result.details[name]} {name}" for name in ("missed", "spurious") if result.details.get(name)]
    return ", ".join(counts)
