"""The scores of a run: one row per metric, and a column for each named average under each rule."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from segmetry._base.number_text import UNDEFINED
from segmetry.alignments.rule_labels import rule_heading, rule_symbol
from segmetry.metrics.average import AVERAGES
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Counts, Score
from segmetry.outputs.tables.direction_words import better_word, lower_is_better
from segmetry.outputs.tables.number_format import styled
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.outputs.tables.score_remark import score_remark
from segmetry.protocols.table_layout import NumberStyle

if TYPE_CHECKING:
    from segmetry.comparison.several_rules import UnderRule
    from segmetry.metrics.score import Result
    from segmetry.statistics.summary import Averages, Summary

COLUMNS = (("by_item", "by_item_of_classes", "by_item_and_class"), ("by_class", "by_class_of_items"), ("pooled",))
"""The columns from left to right: the outermost mean. A metric has one average in each, the usual one if it can be; six
averages under two rules would not fit a terminal, and ``--table summary`` has all of them."""
SINGLE = "value"
"""The column of a single item."""
WIDE, NARROW = 14, 9
"""The widths of a column of a few and of many."""
MOST_WITH_WORDS = 3
"""The most columns of numbers beside which there is room for a column of words."""


def averages_of(summary: Summary, keys: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the averages in each column, in one order for all tables; means over one item are the item."""
    keys = list(keys)
    used = {average for key in keys for average in summary[key]}
    if summary.n_items == 1:
        shown = ["by_class", "pooled"] if "by_class" in used and summary.by == "class" else []
        return [(name,) for name in shown if name in used] or [(SINGLE,)]
    columns = []
    for column in COLUMNS:
        found = (_average_in(summary[key], column) for key in keys)
        columns.append(tuple(dict.fromkeys(average for average in found if average is not None)))
    return [column for column in columns if column]


def _average_in(averages: Averages, column: Sequence[str]) -> str | None:
    """Return the average of a metric that stands in a column, the usual one first."""
    return next((average for average in averages if average in column), None)


def averages_table(
    by_rule: Mapping[str, UnderRule], keys: Sequence[str] | None = None, numbers: NumberStyle | None = None
) -> PlainTable:
    """Return the scores under each rule, of some metrics or of all; below the table stands why values are undefined.

    The last column is in how many items a metric has a value, where it has none in some. A line separates the families
    where all metrics are shown.
    """
    first = next(iter(by_rule.values()))
    summary = first.summary
    shown = list(summary.scores) if keys is None else [key for key in keys if key in summary.scores]
    averages = averages_of(summary, shown)
    is_ruled = any(METRICS[key].depends_on_rule for key in shown)
    rules = list(by_rule) if is_ruled else list(by_rule)[:1]
    columns = [(rule, word) for rule in rules for word in averages]
    counts = {key: _n_items(summary[key]) for key in shown}
    is_partial = summary.n_items > 1 and any(n is not None and n < summary.n_items for n in counts.values())
    has_words = len(columns) <= MOST_WITH_WORDS
    headings = [
        "",
        *_headings(columns, is_ruled=is_ruled),
        *["items"] * is_partial,
        *["better"] * has_words,
    ]
    rows, values = list[list[str]](), list[list[Any]]()
    reasons: dict[str, list[str]] = {}
    for key in shown:
        scores = [_score(by_rule[rule].summary.scores.get(key), word, summary.n_items) for rule, word in columns]
        if summary.n_items == 1 and all(score is None for score in scores):
            scores[0] = summary[key].usual  # a metric without these averages
        for (rule, _), score in zip(columns, scores, strict=True):
            if score is not None and math.isnan(score.value):
                place = f" ({rule_symbol(rule)})" if len(rules) > 1 else ""
                reasons.setdefault(score.reason or "undefined", []).append(key + place)
        items = ["" if counts[key] is None else f"{counts[key]}"] * is_partial
        cells = ["" if score is None else styled(score.value, key, numbers) for score in scores]
        better = [better_word(key)] * has_words
        rows.append([key, *cells, *items, *better])
        values.append(
            [key, *(None if score is None else score.value for score in scores), *([counts[key]] * is_partial), *better]
        )
    for name, value in _counts(first) if keys is None else ():
        rows.append([name, str(value), *[""] * (len(headings) - 2)])
        values.append([name, value, *[None] * (len(headings) - 2)])
    remarks: dict[str, list[str]] = {}
    for key in shown:
        remarks.setdefault(score_remark(_results(by_rule, key)), []).append(key)
    notes = [
        *(f"{UNDEFINED} {reason}: {', '.join(dict.fromkeys(names))}" for reason, names in reasons.items()),
        *(f"{', '.join(names)}: {remark}" for remark, names in remarks.items() if remark),
    ]
    lines = _family_starts(shown) if keys is None else frozenset()
    if not has_words and (lower := lower_is_better(shown)):
        notes.append(lower)
    texts = frozenset((0, len(headings) - 1) if has_words else (0,))
    return PlainTable("", headings, rows, notes, values, texts, rules=lines, breaks=True)


def results_table(results: Mapping[str, Result], title: str) -> PlainTable:
    """Return the results of one computation, one row per metric.

    >>> from segmetry.metrics.score import Score
    >>> results_table({"pq": Score.of("pq", 1, 2), "sq": Score.undefined("sq", "no pair")}, "").rows
    [['pq', '0.5000', 'higher'], ['sq', '–', 'higher']]
    """
    scores = {key: result for key, result in results.items() if isinstance(result, Score)}
    better = {key: better_word(key) for key in scores}
    rows = [[key, styled(score.value, key), better[key]] for key, score in scores.items()]
    notes = [f"{UNDEFINED} {score.reason}: {key}" for key, score in scores.items() if math.isnan(score.value)]
    values = [[key, score.value, better[key]] for key, score in scores.items()]
    return PlainTable(title, ("", "value", "better"), rows, notes, values, frozenset((0, 2)), breaks=True)


def _score(averages: Averages | None, column: Sequence[str], n_items: int) -> Score | None:
    """Return one average; the mean of counts over several items is left out, as it is no count."""
    if averages is None:
        return None
    if column == (SINGLE,):
        return averages.usual
    average = _average_in(averages, column)
    if average is None:
        return None
    score = averages[average]
    return None if AVERAGES[average].over_items and n_items > 1 and METRICS[score.key].is_count else score


def _n_items(averages: Averages) -> int | None:
    """Return over how many items a metric is averaged, if it is."""
    score = averages.over_items
    return None if score is None else int(score.denominator or 0)


def _results(by_rule: Mapping[str, UnderRule], key: str) -> list[Result | None]:
    """Return the scores under each rule that say what they were computed from: of the only item, or all averages."""
    under = [under for under in by_rule.values() if key in under.summary.scores]
    if len(under[0].rows) == 1:
        return [each.rows[0].scores[key] for each in under]
    return [score for each in under for score in each.summary[key].values()]


def _counts(under: UnderRule) -> list[tuple[str, Any]]:
    """Return the numbers of metrics that have several; they belong to one item."""
    if len(under.rows) != 1:
        return []
    results = under.rows[0].scores.values()
    return [
        (f"{result.key}.{name}", value)
        for result in results
        if isinstance(result, Counts)
        for name, value in result.parts.items()
    ]


def _family_starts(keys: Sequence[str]) -> frozenset[int]:
    families = [METRICS[key].family for key in keys]
    return frozenset(at for at in range(1, len(families)) if families[at] != families[at - 1])


def _headings(columns: Sequence[tuple[str, tuple[str, ...]]], *, is_ruled: bool) -> list[str]:
    """Return average and rule above each column, on lines short enough for six columns; the rules begin on one line."""
    value = "" if is_ruled else "value"
    words = [value if averages == (SINGLE,) else _column_heading(averages) for _, averages in columns]
    width = NARROW if len(columns) > 4 else WIDE
    above = _same_height([_lines(word, width) for word in words])
    below = _same_height([_lines(rule_heading(rule), width) if is_ruled else [] for rule, _ in columns])
    return ["\n".join([*first, *second]) for first, second in zip(above, below, strict=True)]


def _column_heading(averages: Sequence[str]) -> str:
    """Return the heading of a column of averages with the same outermost mean.

    >>> _column_heading(["by_item_of_classes"]), _column_heading(["by_item", "by_item_of_classes"])
    ('by item of classes', 'by item')
    """
    if len(averages) == 1:
        return AVERAGES[averages[0]].heading
    return next(AVERAGES[column[0]].heading for column in COLUMNS if averages[0] in column)


def _same_height(headings: list[list[str]]) -> list[list[str]]:
    tallest = max(map(len, headings), default=0)
    return [[*lines, *[""] * (tallest - len(lines))] for lines in headings]


def _lines(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)
