"""Items won, tied and lost: in how many items is one system better than the other?

A tie is decided exactly where that is possible: values that agree to nine digits are compared as fractions, from the
integers of the pairs. Scores that are known only as floats tie when they agree to twelve digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from segmetry.alignments.tally import Tally
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.sample_layout import linear_forms
from segmetry.statistics.samples import Samples

_NEAR, _SAME = 1e-9, 1e-12


@dataclass(frozen=True)
class Outcomes:
    """In how many items the second system is better, as good and worse; ``undefined`` had no value on some side."""

    won: int
    tied: int
    lost: int
    undefined: int


class Sampled(Protocol):
    """A system: the columns of its items, and its samples."""

    @property
    def samples(self) -> Samples: ...
    @property
    def columns(self) -> ItemColumns: ...


def outcomes(key: str, first: Sampled, second: Sampled) -> Outcomes | None:
    """Count the items won, tied and lost by one metric; None where no value is better than another."""
    if METRICS[key].better == "neither":
        return None
    value, used = first.samples.whole_layout.mean_columns(key)
    n_items = len(first.samples.items)  # the columns of the data set come first
    values = [system.samples.whole.numbers[value, :n_items] for system in (first, second)]
    both = np.minimum(*(system.samples.whole.numbers[used, :n_items] for system in (first, second))) > 0
    gaps = np.where(both, values[1] - values[0], 0.0)
    sizes = np.maximum(*np.abs(values))
    near = np.flatnonzero(both & (np.abs(gaps) <= _NEAR * sizes) & (gaps != 0)).tolist()
    if near:
        first_exact, second_exact = (_fractions(key, system.columns, near) for system in (first, second))
        rounded = np.where(np.abs(gaps) <= _SAME * sizes, 0.0, gaps)[near].tolist()
        gaps[near] = [
            _exact_gap(*values_and_gap) for values_and_gap in zip(first_exact, second_exact, rounded, strict=True)
        ]
    if METRICS[key].better == "lower":
        gaps = -gaps
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    return Outcomes(won, int(both.sum()) - won - lost, lost, int((~both).sum()))


def _exact_gap(first: Fraction | None, second: Fraction | None, gap: float) -> float:
    """Return the sign of the exact difference, or of the rounded one where the exact values are not known."""
    if first is None or second is None:
        return gap
    return float((second > first) - (second < first))


def _fractions(key: str, columns: ItemColumns, items: Sequence[int]) -> list[Fraction | None]:
    """Return the exact values of some items (positions in the order of their names), None where they are not known."""
    scores = columns.item_scores(key)
    return [_item_fraction(key, columns, columns.by_name[at], scores[at]) for at in items]


def _item_fraction(key: str, columns: ItemColumns, item: int, score: Score | None) -> Fraction | None:
    if score is not None:
        return _score_fraction(score)
    if METRICS[key].needs != "tally":
        return None
    if columns.average == "segments" or METRICS[key].is_count:
        return _tally_fraction(key, columns.whole.tallies[item])
    present = np.flatnonzero((columns.cell_item == item) & columns.occurs).tolist()
    parts = [_tally_fraction(key, columns.cells.tally(at, at + 1)) for at in present]
    known = [part for part in parts if part is not None]
    # An undefined class is left out or counts as 0 or 1; the rounded values tell these apart.
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(parts) else None


def _tally_fraction(key: str, tally: Tally) -> Fraction | None:
    forms = linear_forms([key], tally)
    if key not in forms or key == "npq":
        return None
    numbers = (tally.n_pairs, tally.n_unmatched_true, tally.n_unmatched_pred, tally.exact_total("iou"))
    counts = [Fraction(number) for number in numbers]
    top, bottom = (
        sum((Fraction(factor) * count for factor, count in zip(form, counts, strict=True)), Fraction(0))
        for form in (forms[key][0], forms[key][1] or (0.0,) * 4)
    )
    if forms[key][1] is None:
        return top
    return top / bottom if bottom else None


def _score_fraction(score: Score) -> Fraction | None:
    if isinstance(score.numerator, float) or isinstance(score.denominator, float):
        return None
    if score.numerator is None or not score.denominator:
        return None
    return Fraction(score.numerator) / Fraction(score.denominator)
