"""Terminal tables that compare systems, by name or as A, B, C …: differences, rankings, intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING

from segmetry._base.number_text import UNDEFINED, percent
from segmetry._base.small_table import counted
from segmetry.alignments.rule_labels import rule_heading
from segmetry.metrics.average import AVERAGES
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.number_format import compact
from segmetry.outputs.tables.table_style import columns_table, escaped
from segmetry.statistics.difference import p_value_text

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.compare import Comparison
    from segmetry.statistics.bootstrap import Interval
    from segmetry.statistics.difference import Difference
    from segmetry.statistics.intervals import Intervals
    from segmetry.statistics.ranks import RankStability

LABEL_WIDTH = 24
"""The room for a metric in 80 columns, whatever the signs of the numbers."""
SHORT = 7
"""The most characters of a name that heads a column."""


def letter(place: int) -> str:
    """Return the letter of a system: A, B, …, Z, AA, …

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + ascii_uppercase[place % 26]


def labels(systems: Sequence[str]) -> list[str]:
    """Return what stands for the systems in tables: their names if all are short, else letters.

    >>> labels(["base", "new"]), labels(["base", "a much longer name"])
    (['base', 'new'], ['A', 'B'])
    """
    if all(len(name) <= SHORT for name in systems):
        return [escaped(name) for name in systems]
    return [letter(place) for place in range(len(systems))]


def legend(systems: Sequence[str]) -> str:
    """Return which letter stands for which system; nothing where tables name them."""
    return "\n".join(
        f"{label} = {escaped(name)}"
        for label, name in zip(labels(systems), systems, strict=True)
        if label != escaped(name)
    )


def _pair_of(comparison: Comparison, first: str, second: str) -> tuple[str, str, str]:
    """Return what stands for two systems, and for their difference."""
    shown = labels(comparison.systems)
    a, b = (shown[comparison.systems.index(name)] for name in (first, second))
    return a, b, f"{b} − {a}" if len(f"{b} − {a}") <= SHORT else "difference"


def differences_table(comparison: Comparison, first: str, second: str) -> Table:
    """Return the differences of two systems over the data set, one row per metric, and the detectable difference."""
    a, b, difference = _pair_of(comparison, first, second)
    columns = (a, b, difference, f"{100 * comparison.level:g} % interval", "p", "detect")
    table = columns_table(
        f"{b} − {a}: {counted(comparison.n_items, 'item')}, {_settings(comparison)}", ("metric", *columns), gap=0
    )
    for average in _averages(comparison):
        table.add_row(f"[bold]{AVERAGES[average].words}[/bold]")
        for row in comparison.differences:
            if (row.first, row.second, row.level, row.average) == (first, second, "data set", average):
                table.add_row(
                    _metric_label(row.key), compact(row.first_value), compact(row.second_value), *_difference(row)
                )
    return table


def _metric_label(key: str) -> str:
    r"""Return a metric; a name longer than its column is broken after an underscore.

    >>> _metric_label("pq"), _metric_label("variation_of_information")
    (' pq', ' variation_of_\n   information')
    """
    label = f" {key}"
    end = label.rfind("_", 0, LABEL_WIDTH) + 1 if len(label) > LABEL_WIDTH else 0
    return f"{label[:end]}\n   {label[end:]}" if end else label


def outcomes_table(comparison: Comparison, first: str, second: str) -> Table:
    """Return in how many items the second system won, tied and lost, and the share of resamples it is best in."""
    b = labels(comparison.systems)[comparison.systems.index(second)]
    columns = ("metric", f"{b} won", "tied", f"{b} lost", "undefined", f"{b} best in", "items needed")
    best = {
        row.key: row.shares[comparison.systems.index(second)][0]
        for row in comparison.ranks
        if row.average == _item_average(comparison, row.key)
    }
    table = columns_table("item by item", columns, gap=0)
    for row in comparison.differences:
        of_items = (first, second, "data set", _item_average(comparison, row.key))
        if (row.first, row.second, row.level, row.average) == of_items and row.outcomes:
            items = row.outcomes
            needed = UNDEFINED if row.items_needed is None else f"{row.items_needed:,}"
            share = percent(best[row.key]) if row.key in best else UNDEFINED
            table.add_row(
                row.key, *(str(n) for n in (items.won, items.tied, items.lost, items.undefined)), share, needed
            )
    return table


def class_differences_table(comparison: Comparison, first: str, second: str, key: str) -> Table:
    """Return the differences of one metric by class (or group of classes)."""
    a, b, difference = _pair_of(comparison, first, second)
    columns = (a, b, difference, f"{100 * comparison.level:g} % interval", "p", "detect")
    table = columns_table(f"{key} by class", ("class", *columns))
    shown: set[tuple[str, Hashable]] = set()
    for row in comparison.differences:
        place = row.level, row.name
        wanted = (row.first, row.second, row.key) == (first, second, key) and row.level != "data set"
        if wanted and place not in shown:
            shown.add(place)  # the usual average comes first
            name = escaped(comparison.class_names.get(row.name, row.name))
            table.add_row(name, compact(row.first_value), compact(row.second_value), *_difference(row))
    return table


def ranking_table(comparison: Comparison, stability: RankStability) -> Table:
    """Return one metric of all systems: interval, rank, and how often each is best under resampling."""
    key, average = stability.key, stability.average
    columns = ("", key, f"{100 * comparison.level:g} % interval", "rank", "best in", "same rank in")
    better = METRICS[key].better
    named = AVERAGES[average].words
    words = named if better == "neither" else f"{named}, {better} is better"
    value_words = f"{key} ({words})"
    title = f"{value_words}: {counted(comparison.n_items, 'item')}, {_settings(comparison)}"
    table = columns_table(title, columns)
    for at, name in enumerate(stability.systems):
        value = comparison.values[name][key][average]
        shares, rank = stability.shares[at], stability.ranks[at]
        table.add_row(
            labels(comparison.systems)[at],
            compact(value.value),
            interval_cell(value),
            str(rank),
            percent(shares[0]),
            percent(shares[rank - 1]),
        )
    return table


def pairs_table(comparison: Comparison, key: str, average: str) -> Table:
    """Return the differences of all pairs of systems in one metric; p is corrected for their number."""
    columns = ("pair", "difference", f"{100 * comparison.level:g} % interval", "p (Holm)", "won/tied/lost", "detect")
    table = columns_table(f"{key} ({AVERAGES[average].words}): all pairs", columns)
    for row in comparison.differences:
        if (row.level, row.key, row.average) == ("data set", key, average):
            a, b, _ = _pair_of(comparison, row.first, row.second)
            difference, interval, _, least = _difference(row)
            items = UNDEFINED if row.outcomes is None else f"{row.outcomes.won}/{row.outcomes.tied}/{row.outcomes.lost}"
            table.add_row(f"{b} − {a}", difference, interval, p_value_text(row.p_holm), items, least)
    return table


def intervals_table(intervals: Intervals) -> Table:
    """Return every metric with its intervals in every average, the usual one first."""
    table = columns_table(
        f"{counted(intervals.n_items, 'item')}, rule {rule_heading(intervals.rule)}, policy {intervals.policy}",
        ("metric", "average", "value", f"{100 * intervals.level:g} % interval"),
    )
    for key, averages in intervals.scores.items():
        for at, (average, value) in enumerate(averages.items()):
            table.add_row("" if at else key, AVERAGES[average].heading, compact(value.value), interval_cell(value))
    return table


def _item_average(comparison: Comparison, key: str) -> str | None:
    """Return the mean over items among the averages of a metric."""
    return next((name for name in comparison.averages(key) if AVERAGES[name].steps[:1] == ("item",)), None)


def _averages(comparison: Comparison) -> list[str]:
    """Return the averages of the data set in the order in which metrics have them."""
    return list(dict.fromkeys(row.average for row in comparison.differences if row.level == "data set"))


def _settings(comparison: Comparison) -> str:
    return f"rule {rule_heading(comparison.rule)}, policy {comparison.policy}"


def _difference(row: Difference) -> tuple[str, str, str, str]:
    value = compact(row.value, "+")
    colour = _colour(row)
    shown = value if colour is None else f"[{colour}]{value}[/{colour}]"
    return shown, interval_cell(row.interval, "+"), p_value_text(row.p), compact(row.detectable)


def _colour(row: Difference) -> str | None:
    """Return the colour of a difference whose interval excludes 0: green for the better, red for the worse."""
    ends, better = row.interval.best, METRICS[row.key].better
    if ends is None or better == "neither" or ends[0] <= 0 <= ends[1]:
        return None
    return "green" if (row.value > 0) == (better == "higher") else "red"


def interval_cell(interval: Interval, sign: str = "") -> str:
    """Format the ends of an interval."""
    return UNDEFINED if interval.best is None else " to ".join(compact(end, sign) for end in interval.best)
