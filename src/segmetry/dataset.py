"""Scoring many items: one row per item, then the mean over items and the pooled value of every metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from segmetry.errors import SegmetryError
from segmetry.readers.reader import Item
from segmetry.scores.metric import METRICS
from segmetry.scores.score import Result, Score
from segmetry.scoring import Scores, score_under_rules


@dataclass(frozen=True)
class ItemScores:
    """The scores of one item."""

    name: str
    scores: Scores


@dataclass(frozen=True)
class Aggregate:
    """One metric over many items: the mean of its defined values and how many there were, and the pooled quotient."""

    key: str
    mean: Score
    pooled: Score | None


def score_items(
    pairs: Iterable[tuple[str, Item, Item]], rules: Sequence[str] = ("theta_and",), **options: Any
) -> dict[str, list[ItemScores]]:
    """Score every pair of items under each rule; an error names the item."""
    rows: dict[str, list[ItemScores]] = {}
    for name, true, pred in pairs:
        try:
            found = score_under_rules(true.segmentation, pred.segmentation, rules, **options)
        except SegmetryError as problem:
            raise problem.within(f"item {name}") from None
        for scores in found:
            rows.setdefault(scores.rule, []).append(ItemScores(name, scores))
    return rows


def aggregate(rows: Sequence[ItemScores]) -> dict[str, Aggregate]:
    """Mean and pooled value of every metric that is one number.

    ``mean`` skips undefined values and says how many it used; ``pooled`` divides the sum of numerators by the
    sum of denominators.
    """
    keys = [key for key in rows[0].scores if isinstance(rows[0].scores[key], Score)]
    return {key: _one(key, [row.scores[key] for row in rows]) for key in keys}


def _one(key: str, found: Sequence[Result]) -> Aggregate:
    scores = [score for score in found if isinstance(score, Score)]
    defined = [score for score in scores if not math.isnan(score.value)]
    mean = Score.of(
        key,
        math.fsum(score.value for score in defined),
        len(defined),
        "undefined for every item",
        used=len(defined),
        items=len(scores),
    )
    return Aggregate(key, mean, _pooled(key, scores) if "pooled" in METRICS[key].aggregation else None)


def _pooled(key: str, scores: Sequence[Score]) -> Score:
    parts = [(score.numerator, score.denominator) for score in scores]
    tops = [top for top, _ in parts if top is not None]
    bottoms = [bottom for _, bottom in parts if bottom is not None]
    if _counts_things(key):
        return Score.of(key, _total(tops), 1)
    reasons = [score.reason for score in scores if score.reason]
    return Score.of(key, _total(tops), _total(bottoms), reasons[0] if reasons else "0/0")


def _counts_things(key: str) -> bool:
    """A count pools to its sum, not to an average."""
    return math.isinf(METRICS[key].bounds[1])


def _total(parts: Sequence[int | float | Fraction]) -> int | float | Fraction:
    if any(isinstance(part, float) for part in parts):
        return math.fsum(float(part) for part in parts)
    return sum(parts, Fraction(0)) if any(isinstance(part, Fraction) for part in parts) else sum(parts)


def as_data(rows: Sequence[ItemScores], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything as plain data for JSON: facts about the run, aggregates, one entry per item."""
    totals = aggregate(rows)
    return {
        **facts,
        "rule": rows[0].scores.rule,
        "policy": rows[0].scores.policy,
        "n_items": len(rows),
        "aggregates": {
            key: {
                "mean": found.mean.as_dict(),
                **({} if found.pooled is None else {"pooled": found.pooled.as_dict()}),
            }
            for key, found in totals.items()
        },
        "items": {row.name: row.scores.as_dict()["scores"] for row in rows},
    }
