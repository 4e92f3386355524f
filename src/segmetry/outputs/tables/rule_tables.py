"""Terminal tables of alignment rules, readable at 80 columns: systems under several rules, one run under two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from segmetry._base.number_text import UNDEFINED, fixed, percent
from segmetry._base.small_table import counted
from segmetry.alignments.error_kinds import KINDS
from segmetry.alignments.rule_labels import rule_heading, rule_symbol
from segmetry.metrics.average import AVERAGES
from segmetry.outputs.tables.comparison_tables import interval_cell, labels
from segmetry.outputs.tables.number_format import compact
from segmetry.outputs.tables.table_style import columns_table, escaped
from segmetry.statistics.difference import p_value_text

if TYPE_CHECKING:
    from rich.table import Table

    from segmetry.comparison.rule_sensitivity import RuleRow, RuleSensitivity
    from segmetry.comparison.two_alignments import TwoOfRun
    from segmetry.statistics.bootstrap import Interval

MOST_BESIDE = 3
"""The number of systems that fit side by side in 80 columns."""


def rules_table(sensitivity: RuleSensitivity) -> Table:
    """Return value and rank of every system under several rules, and how each ranking agrees with the first."""
    if len(sensitivity.systems) > MOST_BESIDE:
        return _rules_below(sensitivity)
    columns = ["rule", *labels(sensitivity.systems), "tau", "stable", "changed"]
    table = columns_table(
        _rules_title(sensitivity),
        columns,
        gap=0,
    )
    room = 17 if len(sensitivity.systems) == MOST_BESIDE else 21
    for row in sensitivity.by_rule:
        cells = [_ranked(value, rank) for value, rank in zip(row.values, row.ranks, strict=True)]
        rule = rule_heading(row.rule)
        name = rule if len(rule) <= room else rule.replace("(", "\n(", 1)
        table.add_row(name, *cells, *_agreement(sensitivity, row))
    return table


def _rules_below(sensitivity: RuleSensitivity) -> Table:
    """Return the same with one line per system, for any number of systems."""
    columns = ("rule", sensitivity.key, f"{100 * sensitivity.level:g} % interval", "rank")
    table = columns_table(
        _rules_title(sensitivity),
        columns,
    )
    for row in sensitivity.by_rule:
        tau, stable, changed = _agreement(sensitivity, row)
        table.add_row(f"[bold]{escaped(rule_heading(row.rule))}[/bold]")
        for at, (value, rank) in enumerate(zip(row.values, row.ranks, strict=True)):
            table.add_row(
                f"  {labels(sensitivity.systems)[at]}",
                compact(value.value),
                interval_cell(value),
                str(rank or UNDEFINED),
            )
        table.add_row(f"  tau {tau}, stable {stable}\n  changed: {changed}")
    return table


def _rules_title(sensitivity: RuleSensitivity) -> str:
    words = f"{sensitivity.key} ({AVERAGES[sensitivity.average].words})"
    return f"{words} under several rules: {counted(sensitivity.n_items, 'item')}"


def _ranked(value: Interval, rank: int | None) -> str:
    return UNDEFINED if rank is None else f"{compact(value.value)} ({rank})"


def _agreement(sensitivity: RuleSensitivity, row: RuleRow) -> tuple[str, str, str]:
    """Return τ with the ranking of the first rule, the stability of the ranking, and the pairs that changed places."""
    swapped = [
        " ".join(labels(sensitivity.systems)[sensitivity.systems.index(name)] for name in pair) for pair in row.changed
    ]
    tau = UNDEFINED if row.tau is None else f"{row.tau:.2f}"
    return tau, UNDEFINED if row.stable is None else percent(row.stable), ", ".join(swapped) or "no"


def two_rules_tables(run: TwoOfRun) -> list[Table]:
    """Return what the wider rule adds: IoUs and error kinds of all pairs and of the additional ones, then the tests."""
    result, (narrow, wide) = run.summary, (rule_heading(run.narrow_rule), rule_heading(run.wide_rule))
    title = f"{narrow} and {wide}: {counted(result.n_items, 'item')}, policy {run.policy}"
    ious = columns_table(title, ("IoU", "pairs", "mean", "sd", "quartiles"))
    kinds = columns_table("error kinds", ("pairs", *KINDS, "small"))
    for row in run.rows():
        quartiles = [row[name] for name in ("iou_q1", "iou_median", "iou_q3")]
        quartile_cell = UNDEFINED if quartiles[0] is None else " ".join(fixed(value) for value in quartiles)
        ious.add_row(
            rule_symbol(row["pairs"]),
            str(row["n"]),
            compact(row["iou_mean"]),
            compact(row["iou_sd"]),
            quartile_cell,
        )
        if row["small"] is not None:
            kinds.add_row(rule_symbol(row["pairs"]), *(str(row[name]) for name in (*KINDS, "small")))
    facts = columns_table("what the wider rule adds", ("", ""))
    for name, value in _facts(run):
        facts.add_row(name, value)
    return [ious, kinds, facts]


def _facts(run: TwoOfRun) -> list[tuple[str, str]]:
    from segmetry.comparison.two_alignments import quartiles

    result = run.summary
    narrow, wide = rule_symbol(run.narrow_rule), rule_symbol(run.wide_rule)
    hits = UNDEFINED if result.n_false_hits is None else str(result.n_false_hits)
    small = "" if result.false_hits_below_small is None else f" ({percent(result.false_hits_below_small)} are small)"
    return [
        (f"share of {wide} pairs that are additional", compact(result.additional_fraction)),
        (f"PQ of all segments, {narrow} and {wide}", f"{compact(result.narrow_pq)} {compact(result.wide_pq)}"),
        ("IoUs of both: Kolmogorov-Smirnov D, p", f"{compact(result.ks_statistic)} {p_value_text(result.ks_p)}"),
        (
            "classes of all and of additional pairs: D, p",
            f"{compact(result.class_ks_statistic)} {p_value_text(result.class_ks_p)}",
        ),
        ("correlation of additional pairs with true segments", compact(result.correlation)),
        (f"sizes of {wide} pairs: quartiles", _sizes(run.wide_sizes.quartiles)),
        ("sizes of additional pairs: quartiles", _sizes(run.additional_sizes.quartiles)),
        ("false hits", f"{hits}{small}"),
        ("sizes of false hits: quartiles", _sizes(quartiles(result.false_hit_sizes or ()))),
        ("items that are not one-to-one", f"{len(result.narrow_not_one_to_one)} {len(result.wide_not_one_to_one)}"),
    ]


def _sizes(sizes: Sequence[float] | None) -> str:
    return UNDEFINED if sizes is None else " ".join(f"{size:,.0f}" for size in sizes)
