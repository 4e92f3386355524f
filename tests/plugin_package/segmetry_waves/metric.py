"""The share of the true elements that lie in any predicted segment."""

from __future__ import annotations

from segmetry import OverlapTable
from segmetry.plugins import Example, Score, metric


@metric(
    symbol="WR",
    family="waves",
    formula=r"\frac{\sum_{t,h} |t \cap h|}{\sum_t |t|}",
    summary="The share of the true elements that lie in a predicted segment.",
    citation="Marina Tide. Waves and how to count them. In print.",
    kinds=("labels", "spans"),
    notes="Says nothing about which segment an element lies in.",
    examples=(Example([[1, 1, 2, 2]], [[3, 0, 3, 3]], 0.75),),
)
def wave_recall(table: OverlapTable) -> Score:
    return Score.of("wave_recall", int(table.shared.sum()), int(table.true.sizes.sum()), "no true segments")
