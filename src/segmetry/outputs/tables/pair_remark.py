"""The number of pairs beside a mean over matched pairs: without it, a mean distance says nothing about misses."""

from __future__ import annotations

from collections.abc import Sequence

from segmetry.metrics.score import Result, Score


def pair_remark(results: Sequence[Result | None]) -> str:
    """Return how many pairs a mean is taken over under each rule, and under one rule how many segments have none.

    Nothing for metrics that are no mean over pairs.

    >>> from segmetry.metrics.declare import METRICS
    >>> found = METRICS["hausdorff"]([[1, 1, 0, 2]], [[1, 1, 0, 0]])
    >>> pair_remark([found]), pair_remark([found, Score.of("hausdorff", 1, 3, pairs=3)])
    ('1 pair, 1 missed', '1 / 3 pairs')
    """
    details = [result.details for result in results if isinstance(result, Score) and "pairs" in result.details]
    if not details:
        return ""
    counts = list(dict.fromkeys(detail["pairs"] for detail in details))
    remark = f"{' / '.join(map(str, counts))} {'pair' if counts == [1] else 'pairs'}"
    unpaired = [f"{details[0][name]} {name}" for name in ("missed", "spurious") if details[0].get(name)]
    return ", ".join([remark, *unpaired]) if len(counts) == 1 else remark
