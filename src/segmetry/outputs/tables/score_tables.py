"""Tables of scores: metrics in their averages under each rule, classes, items, parts, and the worst of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from segmetry.alignments import rule_heading, rule_symbol
from segmetry.comparison import better_word, lower_is_better
from segmetry.metrics import AVERAGES, METRICS, Counts, Result, Score
from segmetry.protocols import score_value
from segmetry.results import TIED, UNDEFINED, WIDTH, Cell, Entry, NumberStyle, ResultTable, Table, cut_text
from segmetry.run import COUNTS

if TYPE_CHECKING:
    from segmetry.comparison import ItemScores, UnderRule
    from segmetry.statistics import Averages, Summary

COLUMNS = (("by_item", "by_item_of_classes", "by_item_and_class"), ("by_class", "by_class_of_items"), ("pooled",))
"""The columns from left to right: the outermost mean. A metric has one average in each, the usual one if it can be; six
averages under two rules would not fit a terminal, and ``--table summary`` has all of them."""
SINGLE = "value"
"""The column of a single item."""
WIDE, NARROW = 14, 9
"""The widths of a column of a few and of many."""
MOST_WITH_WORDS = 3
"""The most columns of numbers beside which there is room for a column of words."""
PARTS_ROOM = 44
"""The columns for scores, beside the name of a part and its counts."""
MOST_ROWS = 11
"""The most rows of a table that is not folded, and of one that is, where the width allows it."""
GAP = 2
LONGEST = 28
"""The most characters of a name in a list of the worst."""


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
) -> ResultTable:
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
    headings = ["", *_ruled_headings(columns, is_ruled=is_ruled), *["items"] * is_partial, *["better"] * has_words]
    rows: list[Sequence[Entry]] = []
    reasons: dict[str, list[str]] = {}
    for key in shown:
        scores = [_score_in(by_rule[rule].summary.scores.get(key), word, summary.n_items) for rule, word in columns]
        if summary.n_items == 1 and all(score is None for score in scores):
            scores[0] = summary[key].usual  # a metric without these averages
        for (rule, _), score in zip(columns, scores, strict=True):
            if score is not None and math.isnan(score.value):
                place = f" ({rule_symbol(rule)})" if len(rules) > 1 else ""
                reasons.setdefault(score.reason or "undefined", []).append(key + place)
        values = [None if score is None else score_value(score, numbers=numbers) for score in scores]
        rows.append([key, *values, *[counts[key]] * is_partial, *[better_word(key)] * has_words])
    for name, value in _single_counts(first) if keys is None else ():
        rows.append([name, value, *[None] * (len(headings) - 2)])
    remarks: dict[str, list[str]] = {}
    for key in shown:
        remarks.setdefault(score_remark(_results(by_rule, key)), []).append(key)
    notes = [
        *(f"{UNDEFINED} {reason}: {', '.join(dict.fromkeys(names))}" for reason, names in reasons.items()),
        *(f"{', '.join(names)}: {remark}" for remark, names in remarks.items() if remark),
    ]
    families = [METRICS[key].family for key in shown] if keys is None else []
    lines = frozenset(at for at in range(1, len(families)) if families[at] != families[at - 1])
    if not has_words and (lower := lower_is_better(shown)):
        notes.append(lower)
    texts = frozenset((0, len(headings) - 1) if has_words else (0,))
    return ResultTable("", headings, rows, notes, texts, lines, breaks=True)


def results_table(results: Mapping[str, Result], title: str) -> ResultTable:
    """Return the results of one computation, one row per metric."""
    scores = {key: result for key, result in results.items() if isinstance(result, Score)}
    rows: list[Sequence[Entry]] = [[key, score_value(score), better_word(key)] for key, score in scores.items()]
    notes = [f"{UNDEFINED} {score.reason}: {key}" for key, score in scores.items() if math.isnan(score.value)]
    return ResultTable(title, ("", "value", "better"), rows, notes, frozenset((0, 2)), breaks=True)


def _score_in(averages: Averages | None, column: Sequence[str], n_items: int) -> Score | None:
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
    if under[0].summary.n_items == 1:
        return [each.rows[0].scores[key] for each in under]
    return [score for each in under for score in each.summary[key].values()]


def _single_counts(under: UnderRule) -> list[tuple[str, Any]]:
    """Return the numbers of metrics that have several; they belong to one item."""
    results = under.rows[0].scores.values() if under.summary.n_items == 1 else ()
    counts = (result for result in results if isinstance(result, Counts))
    return [(f"{result.key}.{name}", value) for result in counts for name, value in result.parts.items()]


def _ruled_headings(columns: Sequence[tuple[str, tuple[str, ...]]], *, is_ruled: bool) -> list[str]:
    """Return average and rule above each column, on lines short enough for six columns; the rules begin on one line."""
    value = "" if is_ruled else "value"
    words = [value if averages == (SINGLE,) else _column_heading(averages) for _, averages in columns]
    width = NARROW if len(columns) > 4 else WIDE
    above = _same_height([_heading_lines(word, width) for word in words])
    below = _same_height([_heading_lines(rule_heading(rule), width) if is_ruled else [] for rule, _ in columns])
    return ["\n".join([*first, *second]) for first, second in zip(above, below, strict=True)]


def _column_heading(averages: Sequence[str]) -> str:
    """Return the heading of a column of averages with the same outermost mean."""
    if len(averages) == 1:
        return AVERAGES[averages[0]].heading
    return next(AVERAGES[column[0]].heading for column in COLUMNS if averages[0] in column)


def _same_height(headings: list[list[str]]) -> list[list[str]]:
    tallest = max(map(len, headings), default=0)
    return [[*lines, *[""] * (tallest - len(lines))] for lines in headings]


def _heading_lines(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def score_remark(results: Sequence[Result | None]) -> str:
    """Return what stands beside the results of one metric under each rule: its unit, over how many pairs a mean is
    taken, which share of the elements counts. Without it, a mean distance says nothing about misses.
    """
    details = [result.details for result in results if isinstance(result, Score)]
    shares = [detail["counted_share"] for detail in details if "counted_share" in detail]
    if shares:
        return f"{100 * shares[0]:.3g} % counted"
    paired = [detail for detail in details if "pairs" in detail]
    if not paired:
        return ""
    counts = list(dict.fromkeys(detail["pairs"] for detail in paired))
    remark = f"{' / '.join(map(str, counts))} {'pair' if counts == [1] else 'pairs'}"
    unpaired = [f"{paired[0][name]} {name}" for name in ("missed", "spurious") if paired[0].get(name)]
    if unpaired and "penalty" in paired[0]:
        unpaired[-1] += f" at {paired[0]['penalty']:g} each"
    units = sorted({detail["unit"] for detail in paired if "unit" in detail})
    return ", ".join([*units, remark, *(unpaired if len(counts) == 1 else ())])


def folded(table: ResultTable) -> ResultTable:
    """Return a table of at most :data:`MOST_ROWS` rows, if it has one column of numbers that differ and is narrow.

    A column that is the same in every row, such as the number of items, and the heading of the numbers go above.
    """
    if len(table.rows) <= MOST_ROWS:
        return table
    printed = table.printed()
    first, *others = range(1, len(table.headings))
    same = [at for at in others if len({row[at] for row in printed}) == 1]
    if len(same) < len(others):
        return table
    width = sum(max(len(row[at]) for row in printed) + 1 for at in (0, first)) + GAP
    n = min(-(-len(printed) // MOST_ROWS), (WIDTH + GAP) // width)
    if n < 2:
        return table
    height = -(-len(printed) // n)
    blocks = [
        [(" " * GAP * (at > 0) + row[0], row[first]) for row in printed[at : at + height]]
        for at in range(0, len(printed), height)
    ]
    rows = [[cell for pair in pairs for cell in pair] for pairs in zip_longest(*blocks, fillvalue=("", ""))]
    heading = [table.headings[first]] if table.has_headings else []
    title = "; ".join([*heading, *(f"{table.headings[at]} {printed[0][at]}" for at in same)])
    texts = frozenset(range(0, 2 * n, 2))
    return replace(table, title=title, headings=("",) * (2 * n), rows=rows, texts=texts, rules=frozenset())


def parts_table(table: Table, cells: Mapping[str, Cell], *, mean: bool = False) -> ResultTable:
    """Return the parts of a run with their counts and the first of these metrics, as many as fit in 80 columns.

    ``mean`` adds the mean of each metric over the parts that have a value, as tables of tissues and scanners end.
    """
    name = next(iter(table.columns))
    shown: dict[str, Cell] = {}
    for key, cell in cells.items():
        room = sum(max(len(other.name), 6) + 2 for other in (*shown.values(), cell))
        if key in table.columns and (not shown or room <= PARTS_ROOM):
            shown[key] = cell
    called = {**{column: column for column in (name, *COUNTS)}, **{key: cell.name for key, cell in shown.items()}}
    rows = [{heading: row[column] for column, heading in called.items()} for row in table]
    of_heading = {cell.name: cell for cell in shown.values()}
    if mean and len(rows) > 1:
        defined = {
            heading: [row[heading] for row in rows if row[heading] is not None and not math.isnan(row[heading])]
            for heading in of_heading
        }
        means = {heading: math.fsum(found) / len(found) for heading, found in defined.items() if found}
        rows.append({heading: means.get(heading) for heading in rows[0]} | {name: f"mean of {len(rows)}"})
    return ResultTable.of_table(Table(f"by {name}", rows, {name: "text"}), of_heading)


def class_keys(summary: Summary) -> list[str]:
    """Return the metrics shown by class: the panoptic ones, or the first that have values by class."""
    headline = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
    rows = [*summary.parts.values(), *summary.groups.values()]
    common = [key for key in summary.scores if all(key in row for row in rows)]
    return [key for key in headline if key in common] or common[:4]


def classes_table(
    summary: Summary, numbers: NumberStyle | None = None, names: Mapping[str, str] | None = None
) -> ResultTable:
    """Return the scores of every class and group (see :func:`class_keys`); ``names``: what a protocol calls metrics."""
    keys = class_keys(summary)
    called = [(names or {}).get(key, key) for key in keys]
    named = [(class_name(label, summary.class_names), row) for label, row in summary.parts.items()]
    rows: list[Sequence[Entry]] = [
        [name, *(score_value(row[key].usual, numbers=numbers) for key in keys)]
        for name, row in (*named, *summary.groups.items())
    ]
    is_ruled = any(METRICS[key].depends_on_rule for key in keys)
    return ResultTable(f"by class{f', {rule_heading(summary.rule)}' * is_ruled}", ("class", *called), rows)


def items_table(
    rows: Sequence[ItemScores], keys: Mapping[str, str], title: str, numbers: NumberStyle | None = None
) -> ResultTable:
    """Return one row per item; ``keys`` are the metrics and their headings."""
    listed: list[Sequence[Entry]] = [
        [row.name, *(score_value(_as_score(row.scores[key]), numbers=numbers) for key in keys)] for row in rows
    ]
    return ResultTable(title, ("item", *keys.values()), listed)


def _as_score(result: Result) -> Score:
    return result if isinstance(result, Score) else Score.undefined(result.key, "several numbers")


def worst_items(rows: Sequence[ItemScores], key: str) -> list[ItemScores]:
    """Return the items by one metric, the worst first, undefined ones last; ``item`` sorts by name."""
    if key == "item":
        return sorted(rows, key=lambda row: row.name)
    return sorted(rows, key=lambda row: _rank(row.scores[key], key))


def worst_classes(summary: Summary, key: str) -> list[tuple[Hashable, Score]]:
    """Return the classes that have a value of one metric, the worst first."""
    if summary.by != "class":
        return []
    scores = [(name, row[key].usual) for name, row in summary.parts.items() if key in row]
    defined = [(name, score) for name, score in scores if not math.isnan(score.value)]
    return sorted(defined, key=lambda row: _rank(row[1], key))


def worst_line(what: str, cell: Cell, worst: Sequence[tuple[str, float]]) -> str:
    """Return the worst of a run in one line, which may be broken between them but not between a name and its value."""
    names = [f"{cut_text(name, LONGEST)} {cell.text(value)}".replace(" ", TIED) for name, value in worst]
    return f"Worst {what} by {cell.name}: {', '.join(names)}"


def class_name(label: Hashable, names: Mapping[Hashable, str]) -> str:
    """Return the name of a class, or its label where it has none."""
    return str(names.get(label, label))


def _rank(score: object, key: str) -> tuple[bool, float]:
    value = score.value if isinstance(score, Score) else math.nan
    return math.isnan(value), -value if METRICS[key].better == "lower" else value
