"""Scoring many items: one row per item, and one record per item from which the data set is summarised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segmetry.aggregate import ItemRecord, Summary, record_of, summarise
from segmetry.alignments import as_policy, as_rule
from segmetry.errors import SegmetryError
from segmetry.readers.reader import Item
from segmetry.scores.classes import Groups
from segmetry.scores.comparison import ALIGNMENT_OPTIONS, Comparison
from segmetry.scores.metric import METRICS
from segmetry.scores.score import Score
from segmetry.scoring import Scores, score_under_rules


@dataclass(frozen=True)
class ItemScores:
    """The scores of one item, and what it contributes to the data set."""

    name: str
    scores: Scores
    record: ItemRecord


def score_items(
    pairs: Iterable[tuple[str, Item, Item]], rules: Sequence[str] = ("theta_and",), **options: Any
) -> dict[str, list[ItemScores]]:
    """Score every pair of items under each rule; an error names the item."""
    rows: dict[str, list[ItemScores]] = {}
    for name, true, pred in pairs:
        try:
            comparison = Comparison.of(true.segmentation, pred.segmentation, resolve=options.get("resolve"))
            for rule, scores in zip(rules, score_under_rules(comparison, None, rules, **options), strict=False):
                record = _record(name, comparison, rule, scores, options)
                rows.setdefault(scores.rule, []).append(ItemScores(name, scores, record))
        except SegmetryError as problem:
            raise problem.within(f"item {name}") from None
    return rows


def _record(name: str, comparison: Comparison, rule: str, scores: Scores, options: Mapping[str, Any]) -> ItemRecord:
    chosen = {key: options[key] for key in ALIGNMENT_OPTIONS if options.get(key) is not None}
    chosen |= {"rule": as_rule(rule), "policy": as_policy(options.get("policy", "none"))}
    if not any(METRICS[key].depends_on_rule for key in scores):
        chosen["resolve"] = "keep"  # nobody asked for an alignment, so a clash in it is nobody's error
    alignment = comparison.align(**chosen)
    stuff = (options.get("groups") or {}).get("stuff")
    others = {
        key: found
        for key, found in scores.items()
        if isinstance(found, Score) and METRICS[key].needs != "tally" and (key != "pq_dagger" or stuff is None)
    }
    return record_of(name, alignment, scores=others, stuff=stuff if "pq_dagger" in scores else None)


def summarise_items(
    rows: Sequence[ItemScores], *, undefined: float | None = None, groups: Groups | None = None
) -> Summary:
    """Mean over items and pooled value of every metric that was computed, whole, by class and by group of classes."""
    keys = [key for key in rows[0].scores if METRICS[key].needs == "tally"]
    return summarise([row.record for row in rows], metrics=keys, undefined=undefined, groups=groups)


def as_data(rows: Sequence[ItemScores], summary: Summary, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything as plain data for JSON: facts about the run, the summary, one entry per item."""
    return {**facts, **summary.as_dict(), "items": {row.name: row.scores.as_dict()["scores"] for row in rows}}
