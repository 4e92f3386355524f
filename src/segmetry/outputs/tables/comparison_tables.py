"""Comparisons of systems as tables for the terminal, readable at 80 columns; systems are called A, B, C …"""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING

from segmetry.alignments.error_kinds import KINDS
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.score_tables import ARROWS, UNDEFINED, short_rule

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.compare import Comparison
    from segmetry.comparison.rule_sensitivity import RuleRow, RuleSensitivity
    from segmetry.comparison.two_alignments import TwoOfRun
    from segmetry.statistics.bootstrap import Interval
    from segmetry.statistics.difference import Difference
    from segmetry.statistics.intervals import Intervals
    from segmetry.statistics.ranks import RankStability

MOST_BESIDE = 3
"""So many systems stand beside each other in 80 columns."""
WORDS = {"mean": "mean over items", "pooled": "pooled"}


def letter(place: int) -> str:
    """The letter of a system: A, B, …, Z, AA, …

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + ascii_uppercase[place % 26]


def legend(systems: Sequence[str]) -> str:
    """Which letter is which system."""
    return "\n".join(f"{letter(at)} = {_text(name)}" for at, name in enumerate(systems))


def differences_table(found: Comparison, first: str, second: str) -> Table:
    """The differences of two systems over the data set, one row per metric; the detectable one is beside them."""
    one, two = (letter(found.systems.index(name)) for name in (first, second))
    columns = (one, two, f"{two} − {one}", f"{100 * found.level:g} % interval", "p", "detect")
    table = _table(f"{two} − {one}: {_items(found.n_items)}, {_how(found)}", ("metric", *columns), gap=0)
    for word, words in WORDS.items():
        table.add_row(f"[bold]{words}[/bold]")
        for row in found.differences:
            if (row.first, row.second, row.level, row.aggregation) == (first, second, "data set", word):
                label = f" {row.key} {ARROWS[METRICS[row.key].better]}"
                table.add_row(label, compact(row.first_value), compact(row.second_value), *_difference(row))
    return table


def outcomes_table(found: Comparison, first: str, second: str) -> Table:
    """In how many items the second system is better, as good, worse, and in which share of the resamples the best."""
    two = letter(found.systems.index(second))
    columns = ("metric", f"{two} won", "tied", f"{two} lost", "undefined", f"{two} best in", "items needed")
    best = {one.key: one.shares[found.systems.index(second)][0] for one in found.ranks if one.aggregation == "mean"}
    table = _table("item by item", columns, gap=0)
    for row in found.differences:
        if (row.first, row.second, row.level, row.aggregation) == (first, second, "data set", "mean") and row.outcomes:
            items = row.outcomes
            needed = UNDEFINED if row.items_needed is None else f"{row.items_needed:,}"
            share = _share(best[row.key]) if row.key in best else UNDEFINED
            table.add_row(
                row.key, *(str(n) for n in (items.won, items.tied, items.lost, items.undefined)), share, needed
            )
    return table


def parts_table(found: Comparison, first: str, second: str, key: str, word: str) -> Table:
    """One metric per class (or group of classes)."""
    one, two = (letter(found.systems.index(name)) for name in (first, second))
    columns = (one, two, f"{two} − {one}", f"{100 * found.level:g} % interval", "p", "detect")
    table = _table(f"{word} {key} by class", ("class", *columns))
    for row in found.differences:
        wanted = (row.first, row.second, row.key, row.aggregation) == (first, second, key, word)
        if wanted and row.level != "data set":
            called = _text(found.class_names.get(row.name, row.name))
            table.add_row(called, compact(row.first_value), compact(row.second_value), *_difference(row))
    return table


def ranking_table(found: Comparison, stability: RankStability) -> Table:
    """All systems by one value: intervals, rank, and how often each is the best one under resampling."""
    key, word = stability.key, stability.aggregation
    columns = ("", key, f"{100 * found.level:g} % interval", "rank", "best in", "same rank in")
    title = f"{word} {key} {ARROWS[METRICS[key].better]}: {_items(found.n_items)}, {_how(found)}"
    table = _table(title, columns)
    for at, name in enumerate(stability.systems):
        value: Interval = getattr(found.values[name][key], word)
        shares, rank = stability.shares[at], stability.ranks[at]
        table.add_row(
            letter(at),
            compact(value.value),
            _interval(value),
            str(rank),
            _share(shares[0]),
            _share(shares[rank - 1]),
        )
    return table


def pairs_table(found: Comparison, key: str, word: str) -> Table:
    """All pairs of systems by one value; p is corrected for their number."""
    columns = ("pair", "difference", f"{100 * found.level:g} % interval", "p (Holm)", "won/tied/lost", "detect")
    table = _table(f"{word} {key}: all pairs", columns)
    for row in found.differences:
        if (row.level, row.key, row.aggregation) == ("data set", key, word):
            one, two = (letter(found.systems.index(name)) for name in (row.first, row.second))
            difference, interval, _, least = _difference(row)
            items = UNDEFINED if row.outcomes is None else f"{row.outcomes.won}/{row.outcomes.tied}/{row.outcomes.lost}"
            table.add_row(f"{two} − {one}", difference, interval, _p(row.p_holm), items, least)
    return table


def rules_table(found: RuleSensitivity) -> Table:
    """Systems under several rules: value and rank of each, and how far the ranking agrees with the first rule's."""
    if len(found.systems) > MOST_BESIDE:
        return _rules_below(found)
    columns = ["rule", *(letter(at) for at in range(len(found.systems))), "tau", "stable", "changed"]
    table = _table(f"{found.aggregation} {found.key} under several rules: {_items(found.n_items)}", columns, gap=0)
    for row in found.by_rule:
        cells = [_ranked(value, rank) for value, rank in zip(row.values, row.ranks, strict=True)]
        rule = short_rule(row.rule)
        shown = rule if len(rule) < 18 else rule.replace("(", "\n(", 1)
        table.add_row(shown, *cells, *_agreement(found, row))
    return table


def _rules_below(found: RuleSensitivity) -> Table:
    """The same with a line per system: however many there are, no number is cut off."""
    columns = ("rule", found.key, f"{100 * found.level:g} % interval", "rank")
    table = _table(f"{found.aggregation} {found.key} under several rules: {_items(found.n_items)}", columns)
    for row in found.by_rule:
        tau, stable, changed = _agreement(found, row)
        table.add_row(f"[bold]{_text(short_rule(row.rule))}[/bold]")
        for at, (value, rank) in enumerate(zip(row.values, row.ranks, strict=True)):
            table.add_row(f"  {letter(at)}", compact(value.value), _interval(value), str(rank or UNDEFINED))
        table.add_row(f"  tau {tau}, stable {stable}\n  changed: {changed}")
    return table


def _ranked(value: Interval, rank: int | None) -> str:
    return UNDEFINED if rank is None else f"{compact(value.value)} ({rank})"


def _agreement(found: RuleSensitivity, row: RuleRow) -> tuple[str, str, str]:
    """τ with the first rule's ranking, how stable the ranking is, and which pairs have changed places."""
    swapped = [" ".join(letter(found.systems.index(name)) for name in pair) for pair in row.changed]
    tau = UNDEFINED if row.tau is None else f"{row.tau:.2f}"
    return tau, UNDEFINED if row.stable is None else _share(row.stable), ", ".join(swapped) or "no"


def intervals_table(found: Intervals) -> Table:
    """Mean and pooled value of every metric with their intervals."""
    level = f"{100 * found.level:g} % interval"
    table = _table(
        f"{_items(found.n_items)}, rule {short_rule(found.rule)}, policy {found.policy}",
        ("metric", "mean", level, "pooled", level),
    )
    for key, pair in found.scores.items():
        pooled = ("", "") if pair.pooled is None else (compact(pair.pooled.value), _interval(pair.pooled))
        table.add_row(f"{key} {ARROWS[METRICS[key].better]}", compact(pair.mean.value), _interval(pair.mean), *pooled)
    return table


def two_rules_tables(told: TwoOfRun) -> list[Table]:
    """What the wider rule adds: IoUs and error kinds of all pairs and of the additional ones, then the tests."""
    found, (narrow, wide) = told.found, (short_rule(told.narrow_rule), short_rule(told.wide_rule))
    title = f"{narrow} and {wide}: {_items(found.n_items)}, policy {told.policy}"
    ious = _table(title, ("IoU", "pairs", "mean", "sd", "quartiles"))
    kinds = _table("error kinds", ("pairs", *KINDS, "small"))
    for row in told.rows():
        quartiles = [row[name] for name in ("iou_q1", "iou_median", "iou_q3")]
        told_quartiles = UNDEFINED if quartiles[0] is None else " ".join(f"{one:.4f}" for one in quartiles)
        ious.add_row(
            short_rule(row["pairs"]),
            str(row["n"]),
            compact(row["iou_mean"]),
            compact(row["iou_sd"]),
            told_quartiles,
        )
        if row["small"] is not None:
            kinds.add_row(short_rule(row["pairs"]), *(str(row[name]) for name in (*KINDS, "small")))
    facts = _table("what the wider rule adds", ("", ""))
    for words, value in _facts(told):
        facts.add_row(words, value)
    return [ious, kinds, facts]


def _facts(told: TwoOfRun) -> list[tuple[str, str]]:
    from segmetry.comparison.two_alignments import quartiles

    found = told.found
    narrow, wide = short_rule(told.narrow_rule), short_rule(told.wide_rule)
    hits = UNDEFINED if found.n_false_hits is None else str(found.n_false_hits)
    small = "" if found.false_hits_below_small is None else f" ({_share(found.false_hits_below_small)} are small)"
    return [
        (f"share of {wide} pairs that are additional", compact(found.additional_fraction)),
        (f"PQ pooled over everything, {narrow} and {wide}", f"{compact(found.narrow_pq)} {compact(found.wide_pq)}"),
        ("IoUs of both: Kolmogorov-Smirnov D, p", f"{compact(found.ks_statistic)} {_p(found.ks_p)}"),
        (
            "classes of all and of additional pairs: D, p",
            f"{compact(found.class_ks_statistic)} {_p(found.class_ks_p)}",
        ),
        ("correlation of additional pairs with true segments", compact(found.correlation)),
        (f"sizes of {wide} pairs: quartiles", _sizes(told.wide_sizes.quartiles)),
        ("sizes of additional pairs: quartiles", _sizes(told.additional_sizes.quartiles)),
        ("false hits", f"{hits}{small}"),
        ("sizes of false hits: quartiles", _sizes(quartiles(found.false_hit_sizes or ()))),
        ("items that are not one-to-one", f"{len(found.narrow_not_one_to_one)} {len(found.wide_not_one_to_one)}"),
    ]


def _sizes(found: Sequence[float] | None) -> str:
    return UNDEFINED if found is None else " ".join(f"{size:,.0f}" for size in found)


def _table(title: str, columns: Sequence[str], gap: int = 1) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        title=_text(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, gap, 0, 0),
        pad_edge=False,
        show_header=any(columns),
    )
    for at, name in enumerate(columns):
        table.add_column(_text(name), justify="left" if at == 0 else "right", no_wrap=at > 0, overflow="fold")
    return table


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _text(words: object) -> str:
    from rich.markup import escape

    return escape(str(words))


def _how(found: Comparison) -> str:
    return f"rule {short_rule(found.rule)}, policy {found.policy}"


def compact(value: float | None, sign: str = "") -> str:
    """A number in few columns: four decimals below 10, fewer above; undefined is a dash.

    >>> compact(0.25), compact(-12.3456, "+"), compact(8384.34), compact(math.nan)
    ('0.2500', '-12.35', '8384', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    digits = next((digits for most, digits in ((10, 4), (100, 2), (1000, 1)) if abs(value) < most), 0)
    return f"{value:{sign}.{digits}f}"


def _difference(row: Difference) -> tuple[str, str, str, str]:
    return compact(row.value, "+"), _interval(row.interval, "+"), _p(row.p), compact(row.detectable)


def _interval(found: Interval, sign: str = "") -> str:
    return UNDEFINED if found.best is None else " ".join(compact(end, sign) for end in found.best)


def _p(p: float | None) -> str:
    if p is None:
        return UNDEFINED
    return "<1e-4" if p < 0.0001 else f"{p:.4f}"


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"
