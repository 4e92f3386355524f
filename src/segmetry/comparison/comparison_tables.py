"""Tables that compare systems, by name or as A, B, C …: differences, rankings, intervals, alignment rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from segmetry.alignments import KINDS, rule_heading, rule_symbol
from segmetry.comparison.verdict import left_out, verdict_sentence
from segmetry.metrics import AVERAGES, METRICS
from segmetry.protocols import metric_cell
from segmetry.results import UNDEFINED, Cell, Entry, ResultTable, Value, as_markdown, counted, number, p_value, percent
from segmetry.statistics import Interval, Paired

if TYPE_CHECKING:
    from segmetry.comparison.compare_runs import Comparison
    from segmetry.comparison.ranking_by_rule import RuleRow, RuleSensitivity
    from segmetry.comparison.rules_of_run import TwoOfRun
    from segmetry.statistics import Difference, Intervals, RankStability

ARROWS = {"higher": " ↑", "lower": " ↓", "neither": ""}
CellOf = Callable[[str, str], Cell]
"""What a value is called and how it is written, by its metric and its average."""
SHORT = 7
"""The most characters of a name that heads a column."""
UNCORRECTED = "Intervals are those of one pair each, not corrected; p and the simultaneous intervals are."
MOST_BESIDE = 3
"""The number of systems that fit side by side in 80 columns."""
ONE_ITEM = "Only one item: nothing to resample, so no intervals."


def better_word(key: str) -> str:
    """Return which values are better: higher, lower, or nothing where neither is."""
    better = METRICS[key].better
    return "" if better == "neither" else better


def lower_is_better(keys: Iterable[str], called: Callable[[str], str] = str) -> str:
    """Return a line that names the metrics of which less is better; nothing where there are none."""
    lower = [called(key) for key in keys if METRICS[key].better == "lower"]
    return f"Lower is better: {', '.join(lower)}." if lower else ""


def letter(place: int) -> str:
    """Return the letter of a system: A, B, …, Z, AA, …"""
    return (letter(place // 26 - 1) if place >= 26 else "") + ascii_uppercase[place % 26]


def labels(systems: Sequence[str]) -> list[str]:
    """Return what stands for the systems in tables: their names if all are short, else letters."""
    short = [rule_symbol(name) for name in systems]  # systems may be rules
    if all(len(name) <= SHORT for name in short):
        return short
    return [letter(place) for place in range(len(systems))]


def legend(systems: Sequence[str]) -> list[str]:
    """Return which letter stands for which system; nothing where tables name them."""
    return [f"{label} = {name}" for label, name in zip(labels(systems), systems, strict=True) if label != name]


def label_of(systems: Sequence[str], name: str) -> str:
    """Return what stands for one system."""
    return labels(systems)[list(systems).index(name)]


def _label(comparison: Comparison, name: str) -> str:
    return label_of(comparison.systems, name)


def _class_name(comparison: Comparison, row: Difference) -> str:
    return str(row.name if row.level in comparison.by else comparison.class_names.get(row.name, row.name))


def _paired(row: Difference) -> Paired:
    return row.paired or Paired(0, None, None, None, Interval(math.nan))


ShownEntry = Callable[["Comparison", "Difference", Cell], Entry]
COLUMNS: dict[str, tuple[str, ShownEntry]] = {
    "metric": ("metric", lambda _, __, cell: f" {cell.name}"),
    "name": ("metric", lambda _, __, cell: cell.name),
    "words": ("metric", lambda _, row, cell: f"{cell.words}{ARROWS[METRICS[row.key].better]}"),
    "pair": ("pair", lambda of, row, _: f"{_label(of, row.second)} − {_label(of, row.first)}"),
    "class": ("class", lambda of, row, _: _class_name(of, row)),
    "first": ("first", lambda _, row, cell: Value(cell, row.first_value)),
    "second": ("second", lambda _, row, cell: Value(cell, row.second_value)),
    "difference": (
        "difference",
        lambda _, row, cell: Value(cell, row.value, interval=row.interval.best, change=True, tone=_tone(row)),
    ),
    "interval": ("interval", lambda _, row, cell: cell.span(row.interval.best, sign=True)),
    "simultaneous": ("simultaneous", lambda _, row, cell: cell.span(row.simultaneous, sign=True)),
    "p": ("p", lambda of, row, _: p_value(of.p_of(row))),
    "detect": ("detect", lambda _, row, cell: Value(cell, math.nan if row.detectable is None else row.detectable)),
    "needed": ("needed", lambda _, row, __: UNDEFINED if row.items_needed is None else f"{row.items_needed:,}"),
    "won": ("won/\ntied/\nlost", lambda _, row, __: UNDEFINED if row.outcomes is None else row.outcomes.text),
    "median": ("median", lambda _, row, cell: Value(cell, _paired(row).median.value, change=True)),
    "median interval": ("its interval", lambda _, row, cell: cell.span(_paired(row).median.best, sign=True)),
    "wilcoxon": ("Wilcoxon\np", lambda _, row, __: p_value(_paired(row).wilcoxon)),
    "d": ("Cohen's\nd", lambda _, row, __: number(_paired(row).cohens_d, 2)),
    "biserial": ("rank-\nbiserial", lambda _, row, __: number(_paired(row).rank_biserial, 2)),
}
"""What every table of differences may show: the heading of a column, and its entry for a difference and its cell."""


def _differences(
    comparison: Comparison, rows: Sequence[Difference], columns: Sequence[str], title: str, **table: Any
) -> ResultTable:
    """Return some differences with some of :data:`COLUMNS`; those of one pair of systems name them in the headings.

    Rows of one entry are headings, which stand where the average of the differences changes, if no column names it.
    """
    called = {
        "interval": level_heading(comparison.level),
        "p": comparison.p_heading if comparison.is_corrected else "p",
    }
    called["needed"] = f"{comparison.cluster or 'item'}s\nneeded"
    if rows and "pair" not in columns:
        a, b = (_label(comparison, name) for name in (rows[0].first, rows[0].second))
        called |= {"first": a, "second": b}
        called["difference"] = f"{b} − {a}" if len(f"{b} − {a}") <= SHORT else "difference"
    shown: list[Sequence[Entry]] = []
    for before, row in zip((None, *rows), rows, strict=False):
        if columns[0] == "metric" and (before is None or before.average != row.average):
            shown.append((AVERAGES[row.average].words,))
        cell = comparison.cell(row.key, row.average)
        shown.append([COLUMNS[name][1](comparison, row, cell) for name in columns])
    headings = [called.get(name, COLUMNS[name][0]) for name in columns]
    cells = {comparison.cell(row.key, row.average) for row in rows}
    units = sorted({f"{cell.name}: in {cell.unit}" for cell in cells if cell.is_distance})
    return ResultTable(title, headings, shown, **{**table, "notes": [*table.get("notes", ()), *units]})


def _of_data_set(comparison: Comparison, pair: Sequence[str] | None = None) -> list[Difference]:
    """Return the differences of the data set, of one pair of systems or of all."""
    rows = (row for row in comparison.differences if row.level == "data set")
    return [row for row in rows if pair is None or (row.first, row.second) == tuple(pair)]


def differences_table(comparison: Comparison, first: str, second: str) -> ResultTable:
    """Return the differences of two systems over the data set, one row per metric, and the detectable difference."""
    rows = _of_data_set(comparison, (first, second))
    order = list(dict.fromkeys(row.average for row in rows))
    rows.sort(key=lambda row: order.index(row.average))
    a, b = (_label(comparison, name) for name in (first, second))
    title = f"{b} − {a}: {comparison.units}, {_settings(comparison)}"
    columns = ("metric", "first", "second", "difference", "interval", "p", "detect")
    return _differences(comparison, rows, columns, title, notes=_lacking_notes(comparison, rows), breaks=True)


def _lacking_notes(comparison: Comparison, rows: Iterable[Difference]) -> list[str]:
    """Return what differences leave out, once for all metrics that leave out the same."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if words := left_out(row, [_label(comparison, name) for name in (row.first, row.second)]):
            names.setdefault(words, []).append(comparison.cell(row.key, row.average).words)
    return [f"{', '.join(dict.fromkeys(listed))}{words}" for words, listed in names.items()]


def outcomes_table(comparison: Comparison, first: str, second: str) -> ResultTable:
    """Return in how many items the second system won, tied and lost, and the median, the test and the effect sizes of
    the differences of items.
    """
    rows = [
        row
        for row in _of_data_set(comparison, (first, second))
        if row.outcomes and row.average == _item_average(comparison, row.key)
    ]
    of = f"; medians, tests and effects of {comparison.cluster}s" if comparison.cluster else "; median difference"
    title = f"item by item: {_label(comparison, second)} won, tied and lost{of}"
    columns = ("name", "won", "median", "median interval", "wilcoxon", "d", "biserial", "needed")
    table = _differences(comparison, rows, columns, title, breaks=True)
    undefined = [(row, row.outcomes.undefined) for row in rows if row.outcomes and row.outcomes.undefined]
    lacking = ", ".join(f"{comparison.cell(row.key, row.average).name} {n}" for row, n in undefined)
    return replace(table, notes=[f"Items without a value on a side: {lacking}."] if lacking else [])


def class_differences_table(
    comparison: Comparison, first: str, second: str, key: str, by: str | None = None
) -> ResultTable:
    """Return the differences of one metric by class (or group of classes), or ``by`` groups of items."""
    known: dict[tuple[str, Hashable], Difference] = {}
    for row in comparison.differences:
        level = by is None and row.level not in ("data set", *comparison.by)
        if (row.first, row.second, row.key) == (first, second, key) and (level or row.level == by):
            known.setdefault((row.level, row.name), row)  # the usual average comes first
    cell = comparison.cell(key, comparison.averages(key)[0])
    notes = [
        f"Is the difference the same in every {by}? Cochran's Q = {number(test.q, 2)}, p = {p_value(test.p)} "
        f"({counted(test.groups, 'group')})."
        for test in comparison.heterogeneity
        if (test.by, test.first, test.second, test.key, test.average) == (by, first, second, key, cell.average)
    ]
    columns = ("class", "first", "second", "difference", "interval", "p", "detect")
    table = _differences(comparison, list(known.values()), columns, f"{cell.heading} by {by or 'class'}")
    return replace(table, headings=[by or "class", *table.headings[1:]], notes=notes)  # the title has the unit


def ranking_table(comparison: Comparison, stability: RankStability) -> ResultTable:
    """Return one metric of all systems: interval, rank, and how often each is best under resampling."""
    key, average = stability.key, stability.average
    cell = comparison.cell(key, average)
    better = METRICS[key].better
    words = cell.of + ("" if better == "neither" else f", {better} is better")
    rows = []
    for at, name in enumerate(stability.systems):
        value = comparison.values[name][key][average]
        shares, rank = stability.shares[at], stability.ranks[at]
        numbers = (Value(cell, value.value), cell.span(value.best))
        rows.append((label_of(comparison.systems, name), *numbers, rank, percent(shares[0]), percent(shares[rank - 1])))
    title = f"{cell.name} ({words}): {counted(comparison.n_items, 'item')}, {_settings(comparison)}"
    headings = ("", cell.name, level_heading(comparison.level), "rank", "best in", "same rank in")
    return ResultTable(title, headings, rows)


def pairs_table(comparison: Comparison, key: str, average: str) -> ResultTable:
    """Return the differences of all pairs of systems in one metric; p and the second interval are for all together."""
    rows = [row for row in _of_data_set(comparison) if (row.key, row.average) == (key, average)]
    columns = ("pair", "difference", "interval", "simultaneous", "p", "won")
    notes = [UNCORRECTED] if len(rows) > 1 else []
    notes += [f"{row.second} − {row.first}{words}" for row in rows if (words := left_out(row))]
    return _differences(comparison, rows, columns, f"{comparison.cell(key, average).words}: all pairs", notes=notes)


def intervals_table(intervals: Intervals, cell_of: CellOf = metric_cell) -> ResultTable:
    """Return every metric with its intervals in every average, the usual one first; ``cell_of`` says how a run calls
    and writes them.
    """
    rows: list[Sequence[Entry]] = []
    for key, averages in intervals.scores.items():
        for at, (average, value) in enumerate(averages.items()):
            cell, words = cell_of(key, average), AVERAGES[average]
            name, of = "" if at else cell.heading, words.heading if cell.of in ("", words.words) else cell.of
            rows.append((name, of, Value(cell, value.value), cell.span(value.best)))
        if median := intervals.medians.get(key):
            cell = cell_of(key, next(iter(averages)))
            rows.append(("", "median of items", Value(cell, median.value), cell.span(median.best)))
    title = f"{counted(intervals.n_items, 'item')}, {_how(intervals.scores, [intervals.rule], intervals.policy)}"
    headings = ("metric", "average", "value", level_heading(intervals.level))
    return ResultTable(title, headings, rows, texts=frozenset({0, 1}))


def comparison_markdown(comparison: Comparison, failures: Iterable[str] = ()) -> str:
    """Return a comparison for a comment on a pull request: verdict, ``failures`` (gates that are not kept), tables."""
    parts = [f"**{_escaped(verdict_sentence(comparison))}**", *(f"- :x: {_escaped(line)}" for line in failures)]
    return "\n\n".join([*parts, as_markdown(comparison_table(comparison))])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")


def comparison_table(comparison: Comparison) -> ResultTable:
    """Return the differences of the data set, one row per metric, average and pair of systems."""
    title = (
        f"{', '.join(comparison.systems)}: {counted(comparison.n_items, 'item')}, {_settings(comparison)}, "
        f"{comparison.resamples} resamples, seed {comparison.seed}"
    )
    rows, pairs = _of_data_set(comparison), ["pair"] * (len(comparison.systems) > 2)
    columns = ("words", *pairs, "first", "second", "difference", "interval", "p", "won")
    drawn = f"{comparison.resamples:,} resamples of items, seed {comparison.seed}; p of a paired permutation test"
    notes = [f"{comparison.units}; {drawn}", *([UNCORRECTED] if comparison.is_corrected else [])]
    notes += [*legend(comparison.systems), *_lacking_notes(comparison, rows)]
    return _differences(comparison, rows, columns, title, notes=notes, texts=frozenset(range(1 + len(pairs))))


def level_heading(level: float) -> str:
    """Return what heads a column of intervals."""
    return f"{100 * level:g} % interval"


def _item_average(comparison: Comparison, key: str) -> str | None:
    """Return the mean over items among the averages of a metric."""
    return next((name for name in comparison.averages(key) if AVERAGES[name].steps[:1] == ("item",)), None)


def _settings(comparison: Comparison) -> str:
    keys = next(iter(comparison.values.values())).scores
    return _how(keys, comparison.rules or [comparison.rule], comparison.policy)


def _how(keys: Iterable[str], rules: Sequence[str], policy: str) -> str:
    """Return the rules, where a metric depends on them, and the policy."""
    named = f"rule{'s' * (len(rules) > 1)} {' and '.join(map(rule_heading, rules))}, "
    return f"{named if any(METRICS[key].depends_on_rule for key in keys) else ''}policy {policy}"


def _tone(row: Difference) -> str | None:
    """Return whether a difference whose interval excludes 0 is for the better or for the worse."""
    ends, better = row.interval.best, METRICS[row.key].better
    if ends is None or better == "neither" or ends[0] <= 0 <= ends[1]:
        return None
    return "better" if (row.value > 0) == (better == "higher") else "worse"


def rules_table(sensitivity: RuleSensitivity) -> ResultTable:
    """Return value and rank of every system under several rules, and how each ranking agrees with the first."""
    cell = sensitivity.cell
    title = f"{cell.words} under several rules: {counted(sensitivity.n_items, 'item')}"
    names = labels(sensitivity.systems)
    rows: list[Sequence[Entry]] = []
    if len(names) > MOST_BESIDE:
        for row in sensitivity.by_rule:
            tau, stable, changed = _rank_agreement(sensitivity, row)
            rows.append((rule_heading(row.rule),))
            for name, value, rank in zip(names, row.values, row.ranks, strict=True):
                rows.append((f"  {name}", Value(cell, value.value), cell.span(value.best), str(rank or UNDEFINED)))
            rows.append((f"  tau {tau}, stable {stable}\n  changed: {changed}", None, None, None))
        return ResultTable(title, ("rule", cell.name, level_heading(sensitivity.level), "rank"), rows)
    room = 17 if len(names) == MOST_BESIDE else 21
    for row in sensitivity.by_rule:
        ranked = zip(row.values, row.ranks, strict=True)
        cells = [UNDEFINED if rank is None else f"{cell.text(value.value)} ({rank})" for value, rank in ranked]
        rule = rule_heading(row.rule)
        name = rule if len(rule) <= room else rule.replace("(", "\n(", 1)
        rows.append((name, *cells, *_rank_agreement(sensitivity, row)))
    return ResultTable(title, ("rule", *names, "tau", "stable", "changed"), rows)


def _rank_agreement(sensitivity: RuleSensitivity, row: RuleRow) -> tuple[str, str, str]:
    """Return τ with the ranking of the first rule, the stability of the ranking, and the pairs that changed places."""
    swapped = [" ".join(label_of(sensitivity.systems, name) for name in pair) for pair in row.changed]
    return number(row.tau, 2), percent(row.stable), ", ".join(swapped) or "no"


def two_rules_tables(run: TwoOfRun) -> list[ResultTable]:
    """Return what the wider rule adds: IoUs and error kinds of all pairs and of the additional ones, then the tests."""
    from segmetry.comparison.rules_of_run import quartiles

    result, narrow, wide = run.summary, rule_symbol(run.narrow_rule), rule_symbol(run.wide_rule)
    rules = f"{rule_heading(run.narrow_rule)} and {rule_heading(run.wide_rule)}"
    title = f"{rules}: {counted(result.n_items, 'item')}, policy {run.policy}"
    rows = run.rows()
    ious: list[Sequence[Any]] = []
    for row in rows:
        three = [row[name] for name in ("iou_q1", "iou_median", "iou_q3")]
        middle = UNDEFINED if three[0] is None else " ".join(map(number, three))
        ious.append((rule_symbol(row["pairs"]), row["n"], number(row["iou_mean"]), number(row["iou_sd"]), middle))
    kinds = [
        (rule_symbol(row["pairs"]), *(row[name] for name in (*KINDS, "small")))
        for row in rows
        if row["small"] is not None
    ]
    hits = UNDEFINED if result.n_false_hits is None else str(result.n_false_hits)
    small = "" if result.false_hits_below_small is None else f" ({percent(result.false_hits_below_small)} are small)"
    classes = f"{number(result.class_ks_statistic)} {p_value(result.class_ks_p)}"
    facts = {
        f"share of {wide} pairs that are additional": number(result.additional_fraction),
        f"PQ of all segments, {narrow} and {wide}": f"{number(result.narrow_pq)} {number(result.wide_pq)}",
        "IoUs of both: Kolmogorov-Smirnov D, p": f"{number(result.ks_statistic)} {p_value(result.ks_p)}",
        "classes of all and of additional pairs: D, p": classes,
        "correlation of additional pairs with true segments: r, p": (
            f"{number(result.correlation)} {p_value(result.correlation_p)}"
        ),
        f"sizes of {wide} pairs: quartiles": _sizes(run.wide_sizes.quartiles),
        "sizes of additional pairs: quartiles": _sizes(run.additional_sizes.quartiles),
        "false hits": f"{hits}{small}",
        "sizes of false hits: quartiles": _sizes(quartiles(result.false_hit_sizes or ())),
        "items that are not one-to-one": f"{len(result.narrow_not_one_to_one)} {len(result.wide_not_one_to_one)}",
    }
    tables = [
        ResultTable(title, ("IoU", "pairs", "mean", "sd", "quartiles"), ious),
        ResultTable("error kinds", ("pairs", *KINDS, "small"), kinds),
        ResultTable("what the wider rule adds", ("", ""), list(facts.items())),
    ]
    if result.n_additional:
        by_pi = [
            (number(row["pi"], 2), row["n"], row["small"], _sizes((row["size_q1"], row["size_median"], row["size_q3"])))
            for row in run.false_hits
        ]
        tables.append(ResultTable("false hits by pi", ("pi", "false hits", "small", "sizes: quartiles"), by_pi))
    if added := [row for row in run.classes if row["additional"]]:
        shown = [
            (row["class"], row["additional"], row["true_segments"], *map(percent, (row[of] for of in _SHARES)))
            for row in added[:MOST_CLASSES]
        ]
        headings = ("class", "additional", "true", "of the class's true", "of all additional")
        note = [f"{len(added) - MOST_CLASSES} more classes (--table classes)"] if len(added) > MOST_CLASSES else []
        tables.append(ResultTable("additional pairs by class", headings, shown, note))
    return tables


_SHARES = ("share_of_true", "share_of_additional")
MOST_CLASSES = 20
"""The number of classes that the terminal lists."""


def _sizes(sizes: Sequence[float | None] | None) -> str:
    return UNDEFINED if sizes is None or None in sizes else " ".join(f"{size:,.0f}" for size in sizes)


def undefined_in_intervals(intervals: Intervals, cell_of: CellOf = metric_cell) -> Iterator[str]:
    """Yield the reasons for undefined values of one run."""
    yield from _reason_lines(_listed_values(intervals, intervals.scores, "", cell_of), intervals.n_items)


def undefined_in_comparison(comparison: Comparison, keys: Collection[str]) -> Iterator[str]:
    """Yield the reasons for undefined metrics of systems, and then of their differences."""
    listed: list[tuple[str, Interval]] = []
    for name in comparison.systems:
        listed += _listed_values(
            comparison.values[name], keys, f"{label_of(comparison.systems, name)} ", comparison.cell
        )
    for row in comparison.differences:
        if row.level == "data set" and row.key in keys and not math.isnan(row.value):
            pair = " − ".join(label_of(comparison.systems, name) for name in (row.second, row.first))
            listed.append((f"{pair} {comparison.cell(row.key, row.average).words}", row.interval))
    yield from _reason_lines(listed, comparison.n_items)


def undefined_under_rules(sensitivity: RuleSensitivity) -> Iterator[str]:
    """Yield the reasons for undefined values of systems under several rules."""
    listed = [
        (f"{label} under {rule_symbol(row.rule)}", row.values[at])
        for at, label in enumerate(labels(sensitivity.systems))
        for row in sensitivity.by_rule
    ]
    yield from _reason_lines(listed, sensitivity.n_items)


def _listed_values(
    intervals: Intervals, keys: Iterable[str], prefix: str, cell_of: CellOf
) -> list[tuple[str, Interval]]:
    return [
        (f"{prefix}{cell_of(key, average).words}", value)
        for key in keys
        for average, value in intervals.scores[key].items()
    ]


def _reason_lines(listed: Iterable[tuple[str, Interval]], n_items: int) -> Iterator[str]:
    """Yield one line per reason, in order of first occurrence."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for label, value in listed:
        if math.isnan(value.value):
            reasons.setdefault(("No value", value.reason or "undefined"), []).append(label)
        elif value.best is None and n_items > 1:
            reasons.setdefault(("No interval", value.reason or "undefined"), []).append(label)
    if n_items == 1:
        yield ONE_ITEM
    for (problem, reason), values in reasons.items():
        yield f"{problem}, {reason}: {', '.join(values)}"
