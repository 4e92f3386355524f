"""Tables that compare systems, by name or as A, B, C …: differences, rankings, intervals, alignment rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import combinations
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from segmetry.alignments import KINDS, rule_heading, rule_symbol
from segmetry.comparison.verdict import left_out, verdict_sentence
from segmetry.metrics import AVERAGES, METRICS
from segmetry.protocols import metric_cell
from segmetry.results import UNDEFINED, Cell, Entry, ResultTable, Value, as_markdown, counted, number, p_value, percent
from segmetry.statistics import Paired

if TYPE_CHECKING:
    from segmetry.comparison.compare_runs import Comparison
    from segmetry.comparison.ranking_by_rule import RuleRow, RuleSensitivity
    from segmetry.comparison.rules_of_run import TwoOfRun
    from segmetry.statistics import Difference, Interval, Intervals, RankStability

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


def _pair_of(comparison: Comparison, first: str, second: str) -> tuple[str, str, str]:
    """Return what stands for two systems, and for their difference."""
    a, b = (label_of(comparison.systems, name) for name in (first, second))
    return a, b, f"{b} − {a}" if len(f"{b} − {a}") <= SHORT else "difference"


def differences_table(comparison: Comparison, first: str, second: str) -> ResultTable:
    """Return the differences of two systems over the data set, one row per metric, and the detectable difference."""
    a, b, difference = _pair_of(comparison, first, second)
    averages = dict.fromkeys(row.average for row in comparison.differences if row.level == "data set")
    rows: list[Sequence[Entry]] = []
    for average in averages:
        rows.append((AVERAGES[average].words,))
        rows += [
            (f" {comparison.cell(row.key, average).name}", *_corrected_entries(comparison, row))
            for row in comparison.differences
            if (row.first, row.second, row.level, row.average) == (first, second, "data set", average)
        ]
    title = f"{b} − {a}: {comparison.units}, {_settings(comparison)}"
    p_heading = comparison.p_heading if comparison.correct != ("pairs",) else "p"
    headings = ("metric", a, b, difference, level_heading(comparison.level), p_heading, "detect")
    return ResultTable(title, headings, rows, _lacking_notes(comparison, first, second), breaks=True)


def _lacking_notes(comparison: Comparison, first: str, second: str) -> list[str]:
    """Return what differences of two systems leave out, once for all metrics that leave out the same."""
    names: dict[str, list[str]] = {}
    labelled = [label_of(comparison.systems, name) for name in (first, second)]
    for row in comparison.differences:
        if (row.first, row.second, row.level) == (first, second, "data set") and (words := left_out(row, labelled)):
            names.setdefault(words, []).append(comparison.cell(row.key, row.average).words)
    return [f"{', '.join(listed)}{words}" for words, listed in names.items()]


def outcomes_table(comparison: Comparison, first: str, second: str) -> ResultTable:
    """Return in how many items the second system won, tied and lost, and the share of resamples it is best in."""
    b = label_of(comparison.systems, second)
    best = {
        row.key: row.shares[comparison.systems.index(second)][0]
        for row in comparison.ranks
        if row.average == _item_average(comparison, row.key)
    }
    rows = []
    for row in comparison.differences:
        of_items = (first, second, "data set", _item_average(comparison, row.key))
        if (row.first, row.second, row.level, row.average) == of_items and row.outcomes:
            items = row.outcomes
            needed = UNDEFINED if row.items_needed is None else f"{row.items_needed:,}"
            numbers = (f"{items.won}/{items.tied}/{items.lost}", items.undefined)
            found = row.paired or Paired(0, None, None, None)
            texts = p_value(found.wilcoxon), number(found.cohens_d, 2), number(found.rank_biserial, 2)
            name = comparison.cell(row.key, row.average).name
            rows.append((name, *numbers, *texts, percent(best.get(row.key)), needed))
    effects = ("Wilcoxon\np", "Cohen's\nd", "rank-\nbiserial")
    headings = (
        "metric",
        f"{b} won/\ntied/lost",
        "unde-\nfined",
        *effects,
        f"{b}\nbest in",
        f"{comparison.cluster or 'item'}s\nneeded",
    )
    return ResultTable(f"{comparison.cluster or 'item'} by {comparison.cluster or 'item'}", headings, rows, breaks=True)


def class_differences_table(
    comparison: Comparison, first: str, second: str, key: str, by: str | None = None
) -> ResultTable:
    """Return the differences of one metric by class (or group of classes), or ``by`` groups of items."""
    a, b, difference = _pair_of(comparison, first, second)
    rows: dict[tuple[str, Hashable], Sequence[Entry]] = {}
    for row in comparison.differences:
        level = by is None and row.level not in ("data set", *comparison.by)
        if (row.first, row.second, row.key) == (first, second, key) and (level or row.level == by):
            name = str(comparison.class_names.get(row.name, row.name) if by is None else row.name)
            values = _entries(comparison, row)
            corrected = p_value(comparison.p_of(row)) if "parts" in comparison.correct else values[4]
            # The usual average comes first.
            rows.setdefault((row.level, row.name), (name, *values[:4], corrected, values[5]))
    p_heading = comparison.p_heading if "parts" in comparison.correct else "p"
    headings = (by or "class", a, b, difference, level_heading(comparison.level), p_heading, "detect")
    cell = comparison.cell(key, comparison.averages(key)[0])
    notes = [
        f"Is the difference the same in every {by}? Cochran's Q = {number(test.q, 2)}, p = {p_value(test.p)} "
        f"({counted(test.groups, 'group')})."
        for test in comparison.heterogeneity
        if (test.by, test.first, test.second, test.key, test.average) == (by, first, second, key, cell.average)
    ]
    return ResultTable(f"{cell.name} by {by or 'class'}", headings, list(rows.values()), notes)


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
    place = "data set", key, average
    shown = [row for row in comparison.differences if (row.level, row.key, row.average) == place]
    rows = []
    for row in shown:
        a, b, _ = _pair_of(comparison, row.first, row.second)
        _, _, difference, interval, *_ = _entries(comparison, row)
        items = UNDEFINED if row.outcomes is None else f"{row.outcomes.won}/{row.outcomes.tied}/{row.outcomes.lost}"
        every = comparison.cell(key, average).span(row.simultaneous, sign=True)
        rows.append((f"{b} − {a}", difference, interval, every, p_value(comparison.p_of(row)), items))
    interval = level_heading(comparison.level)
    headings = ("pair", "difference", interval, "simultaneous", comparison.p_heading, "won/\ntied/\nlost")
    title = f"{comparison.cell(key, average).words}: all pairs"
    notes = [UNCORRECTED] if len(rows) > 1 else []
    notes += [f"{row.second} − {row.first}{words}" for row in shown if (words := left_out(row))]
    return ResultTable(title, headings, rows, notes)


def intervals_table(intervals: Intervals, cell_of: CellOf = metric_cell) -> ResultTable:
    """Return every metric with its intervals in every average, the usual one first; ``cell_of`` says how a run calls
    and writes them.
    """
    rows: list[Sequence[Entry]] = []
    for key, averages in intervals.scores.items():
        for at, (average, value) in enumerate(averages.items()):
            cell, words = cell_of(key, average), AVERAGES[average]
            name, of = "" if at else cell.name, words.heading if cell.of in ("", words.words) else cell.of
            rows.append((name, of, Value(cell, value.value), cell.span(value.best)))
    title = f"{counted(intervals.n_items, 'item')}, {_how(intervals.scores, [intervals.rule], intervals.policy)}"
    headings = ("metric", "average", "value", level_heading(intervals.level))
    return ResultTable(title, headings, rows, texts=frozenset({0, 1}))


def comparison_markdown(comparison: Comparison, failures: Iterable[str] = ()) -> str:
    """Return a comparison for a comment on a pull request: verdict, ``failures`` (gates that are not kept), tables."""
    parts = [f"**{_escaped(verdict_sentence(comparison))}**", *(f"- :x: {_escaped(line)}" for line in failures)]
    parts += [as_markdown(_pair_table(comparison, *pair)).rstrip() for pair in combinations(comparison.systems, 2)]
    return "\n\n".join(parts) + "\n"


def _pair_table(comparison: Comparison, first: str, second: str) -> ResultTable:
    is_corrected = comparison.is_corrected
    p_heading = comparison.p_heading if is_corrected else "p"
    headings = ("metric", first, second, "difference", level_heading(comparison.level), p_heading, "better")
    rows: list[Sequence[Entry]] = []
    for row in comparison.differences:
        if (row.first, row.second, row.level) == (first, second, "data set"):
            first_value, second_value, gap, ends, p, _ = _entries(comparison, row)
            values = (first_value, second_value, gap, ends)
            name = comparison.cell(row.key, row.average).words
            rows.append((name, *values, p_value(comparison.p_of(row)) if is_corrected else p, better_word(row.key)))
    drawn = f"{comparison.resamples:,} resamples of items, seed {comparison.seed}; p of a paired permutation test"
    notes = [f"{counted(comparison.n_items, 'item')}; {drawn}", *([UNCORRECTED] if is_corrected else [])]
    notes += _lacking_notes(comparison, first, second)
    return ResultTable(f"{first} and {second}", headings, rows, notes, frozenset((0, len(headings) - 1)))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")


def comparison_table(comparison: Comparison) -> ResultTable:
    """Return the differences of the data set, one row per metric, average and pair of systems, for notebooks."""
    title = (
        f"{', '.join(comparison.systems)}: {counted(comparison.n_items, 'item')}, {_settings(comparison)}, "
        f"{comparison.resamples} resamples, seed {comparison.seed}"
    )
    rows = []
    for row in comparison.differences:
        if row.level == "data set":
            items = row.outcomes
            won = UNDEFINED if items is None else f"{items.won} / {items.tied} / {items.lost}"
            first, second, difference, interval, _, _ = _entries(comparison, row)
            values = (f"{row.first} {first}", f"{row.second} {second}")
            cell = comparison.cell(row.key, row.average)
            rows.append((cell.name, cell.of, *values, difference, interval, p_value(comparison.p_of(row)), won))
    interval = level_heading(comparison.level)
    headings = (
        "metric",
        "average",
        "first",
        "second",
        "difference",
        interval,
        comparison.p_heading,
        "won / tied / lost",
    )
    notes = [UNCORRECTED] if comparison.is_corrected else []
    return ResultTable(title, headings, rows, notes, texts=frozenset({0, 1}))


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


def _entries(comparison: Comparison, row: Difference) -> tuple[Value, Value, Value, str, str, Value]:
    """Return both values, their difference, its interval, p, and the detectable difference."""
    cell = comparison.cell(row.key, row.average)
    difference = Value(cell, row.value, interval=row.interval.best, change=True, tone=_tone(row))
    least = Value(cell, math.nan if row.detectable is None else row.detectable)
    ends = cell.span(row.interval.best, sign=True)
    return Value(cell, row.first_value), Value(cell, row.second_value), difference, ends, p_value(row.p), least


def _corrected_entries(comparison: Comparison, row: Difference) -> tuple[Entry, ...]:
    """Return the entries of two systems; p is corrected where more than pairs of systems are corrected for."""
    first, second, gap, ends, p, least = _entries(comparison, row)
    shown = p if comparison.correct == ("pairs",) else p_value(comparison.p_of(row))
    return first, second, gap, ends, shown, least


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
