"""A comparison as Markdown, for comments on pull requests: the verdict in a sentence, then one row per metric."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from segmetry._base.number_text import UNDEFINED
from segmetry._base.small_table import counted
from segmetry.comparison.verdict_sentence import verdict_sentence
from segmetry.metrics.average import AVERAGES
from segmetry.outputs.tables.direction_words import better_word
from segmetry.outputs.tables.number_format import compact
from segmetry.outputs.tables.plain_table import PlainTable, as_markdown
from segmetry.statistics.difference import p_value_text

if TYPE_CHECKING:
    from segmetry.comparison.compare import Comparison
    from segmetry.statistics.difference import Difference


def comparison_markdown(comparison: Comparison, failures: Iterable[str] = ()) -> str:
    """Return a comparison as Markdown; ``failures`` are lines about gates that are not kept.

    >>> import segmetry as sm
    >>> true, pred = {"a": [[1, 1, 2]], "b": [[1, 2, 2]]}, {"a": [[1, 1, 2]], "b": [[1, 1, 1]]}
    >>> runs = {"base": sm.evaluate(true, true, metrics="sq"), "new": sm.evaluate(true, pred, metrics="sq")}
    >>> print(comparison_markdown(sm.compare(runs, resamples=100)).splitlines()[4])
    | sq (mean over items) | 1.0000 | 0.8333 | -0.1667 | -0.3333 to 0.0000 | 1.0000 | higher |
    """
    parts = [f"**{_escaped(verdict_sentence(comparison))}**"]
    parts += [f"- :x: {_escaped(line)}" for line in failures]
    parts += [as_markdown(_table(comparison, *pair)).rstrip() for pair in combinations(comparison.systems, 2)]
    return "\n\n".join(parts) + "\n"


def _table(comparison: Comparison, first: str, second: str) -> PlainTable:
    headings = ("metric", first, second, "difference", f"{100 * comparison.level:g} % interval", "p", "better")
    rows = [
        _row(row) for row in comparison.differences if (row.first, row.second, row.level) == (first, second, "data set")
    ]
    drawn = f"{comparison.resamples:,} resamples of items, seed {comparison.seed}; p of a paired permutation test"
    note = f"{counted(comparison.n_items, 'item')}; {drawn}"
    return PlainTable(f"{first} and {second}", headings, rows, [note], texts=frozenset((0, len(headings) - 1)))


def _row(row: Difference) -> list[str]:
    name = f"{row.key} ({AVERAGES[row.average].words})"
    ends = row.interval.best
    interval = UNDEFINED if ends is None else f"{compact(ends[0])} to {compact(ends[1])}"
    p = UNDEFINED if row.p is None else p_value_text(row.p)
    numbers = (compact(value) for value in (row.first_value, row.second_value, row.value))
    return [name, *numbers, interval, p, better_word(row.key)]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")
