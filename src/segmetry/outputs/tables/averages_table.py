"""The scores of a run: one row per metric, and a column for each named average under each rule."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from segmetry.alignments.rule_labels import rule_heading, rule_symbol
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Counts, Score
from segmetry.outputs.tables.direction_words import better_word, lower_is_better
from segmetry.outputs.tables.number_format import UNDEFINED, styled
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.outputs.tables.score_remark import score_remark
from segmetry.protocols.table_layout import NumberStyle
from segmetry.statistics.averages import AVERAGE_HEADINGS, AVERAGES, Average

if TYPE_CHECKING:
    from segmetry.comparison.several_rules import UnderRule
    from segmetry.metrics.score import Result
    from segmetry.statistics.summary_tables import Aggregated, Summary

REGIONS = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
LINES = ("window_diff", "pk", "boundary_f1", "boundary_similarity", "pq", "rq")
MOST = 6
"""The most metrics of the short table."""
WIDE, NARROW = 14, 9
"""The widths of a column of a few and of many."""
MOST_WITH_WORDS = 3
"""The most columns of numbers beside which there is room for a column of words."""


def short_keys(keys: Collection[str], kind: str) -> list[str]:
    """Return the metrics one looks at first: those of lines or of regions, or else the first that a run has.

    >>> short_keys(["pk", "pq", "sq", "nmi"], "spans"), short_keys(["pk", "pq", "sq", "nmi"], "labels")
    (['pk', 'pq'], ['pq', 'sq'])
    """
    first = LINES if kind == "spans" else REGIONS
    return [key for key in first if key in keys] or list(keys)[:MOST]


def averages_of(summary: Summary, keys: Iterable[str]) -> list[Average]:
    """Return the averages that differ: of one item, the mean over items is the item itself."""
    listed = list(keys)
    available: list[Average] = [
        word for word in AVERAGES if any(getattr(summary[key], word) is not None for key in listed)
    ]
    if summary.n_items == 1:
        return ["by_class", "all_segments"] if "by_class" in available else ["by_item"]
    return available


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
    is_partial = any(summary[key].n < summary.n_items for key in shown) and summary.n_items > 1
    has_words = len(columns) <= MOST_WITH_WORDS
    headings = [
        "",
        *_headings(columns, summary.n_items, is_ruled=is_ruled),
        *["items"] * is_partial,
        *["better"] * has_words,
    ]
    rows, values = list[list[str]](), list[list[Any]]()
    reasons: dict[str, list[str]] = {}
    for key in shown:
        scores = [_score(by_rule[rule].summary.scores.get(key), word, summary.n_items) for rule, word in columns]
        if summary.n_items == 1 and all(score is None for score in scores):
            scores[0] = summary[key].by_item  # a metric without other averages
        for (rule, _), score in zip(columns, scores, strict=True):
            if score is not None and math.isnan(score.value):
                place = f" ({rule_symbol(rule)})" if len(rules) > 1 else ""
                reasons.setdefault(score.reason or "undefined", []).append(key + place)
        items = [f"{summary[key].n}"] * is_partial
        cells = ["" if score is None else styled(score.value, key, numbers) for score in scores]
        better = [better_word(key)] * has_words
        rows.append([key, *cells, *items, *better])
        values.append([key, *(None if score is None else score.value for score in scores), *map(int, items), *better])
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


def _score(aggregated: Aggregated | None, average: Average, n_items: int) -> Score | None:
    """Return one average; the mean of counts over several items is left out, as it is no count."""
    score: Score | None = None if aggregated is None else getattr(aggregated, average)
    if average == "by_item" and n_items > 1 and score is not None and METRICS[score.key].is_count:
        return None
    return score


def _results(by_rule: Mapping[str, UnderRule], key: str) -> list[Result | None]:
    """Return the scores under each rule that say what they were computed from: of the only item, or all averages."""
    under = [under for under in by_rule.values() if key in under.summary.scores]
    if len(under[0].rows) == 1:
        return [each.rows[0].scores[key] for each in under]
    return [getattr(each.summary[key], average) for each in under for average in AVERAGES]


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


def _headings(columns: Sequence[tuple[str, Average]], n_items: int, *, is_ruled: bool) -> list[str]:
    """Return average and rule above each column, on lines short enough for six columns; the rules begin on one line."""
    is_value = n_items == 1 and all(average == "by_item" for _, average in columns)
    words = [("" if is_ruled else "value") if is_value else AVERAGE_HEADINGS[average] for _, average in columns]
    width = NARROW if len(columns) > 4 else WIDE
    above = _same_height([_lines(word, width) for word in words])
    below = _same_height([_lines(rule_heading(rule), width) if is_ruled else [] for rule, _ in columns])
    return ["\n".join([*first, *second]) for first, second in zip(above, below, strict=True)]


def _same_height(headings: list[list[str]]) -> list[list[str]]:
    tallest = max(map(len, headings), default=0)
    return [[*lines, *[""] * (tallest - len(lines))] for lines in headings]


def _lines(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)
