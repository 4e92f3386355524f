"""What a table says beside a score: its unit, over how many pairs a mean is taken, which share of the elements counts.

Without it, a mean distance or a clustering metric of a part of the elements says nothing about misses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from segmetry.metrics.score import Result, Score


def score_remark(results: Sequence[Result | None]) -> str:
    """Return the remark beside the results of one metric under each rule; nothing where there is nothing to say.

    >>> from segmetry.metrics.declare import METRICS
    >>> found = METRICS["hausdorff"]([[1, 1, 0, 2]], [[1, 1, 0, 0]])
    >>> score_remark([found]), score_remark([found, Score.of("hausdorff", 1, 3, pairs=3)])
    ('pixels, 1 pair, 1 missed', 'pixels, 1 / 3 pairs')
    >>> score_remark([METRICS["rand_index"]([[1, 1, 0, 2]], [[1, 1, 0, 0]], background="common")])
    '50 % counted'
    """
    details = [result.details for result in results if isinstance(result, Score)]
    shares = [detail["counted_share"] for detail in details if "counted_share" in detail]
    if shares:
        return f"{100 * shares[0]:.3g} % counted"
    return _pairs([detail for detail in details if "pairs" in detail])


def _pairs(details: Sequence[Mapping[str, Any]]) -> str:
    """Return the unit of a distance, the numbers of pairs, and under one rule those of segments without a partner."""
    if not details:
        return ""
    counts = list(dict.fromkeys(detail["pairs"] for detail in details))
    remark = f"{' / '.join(map(str, counts))} {'pair' if counts == [1] else 'pairs'}"
    unpaired = [f"{details[0][name]} {name}" for name in ("missed", "spurious") if details[0].get(name)]
    units = sorted({detail["unit"] for detail in details if "unit" in detail})
    return ", ".join([*units, remark, *(unpaired if len(counts) == 1 else ())])
