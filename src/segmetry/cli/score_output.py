"""What ``segmetry score`` prints: what was read how, the table, the worst classes and items, files, the next step.

At most twenty lines on a terminal of 80 columns; more tables are printed on request.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from segmetry.alignments import rule_heading
from segmetry.cli.headline_output import headline_line
from segmetry.cli.screen import Screen
from segmetry.metrics import METRICS, canonical_names, keys_and_families, short_keys
from segmetry.outputs import (
    averages_table,
    class_keys,
    class_name,
    classes_table,
    folded,
    items_table,
    parts_table,
    worst_classes,
    worst_items,
    worst_line,
)
from segmetry.readers import ReadOptions
from segmetry.results import ResultTable, counted

if TYPE_CHECKING:
    from segmetry.alignments import Breakdown
    from segmetry.comparison import UnderRule
    from segmetry.results import NumberStyle
    from segmetry.run import ByItem, Run

N_WORST = 3
ROOM = 54
"""The columns for the numbers of an item."""
_NOT_SHOWN = ("format", "missing", "pairing")


def header_line(run: Run) -> str:
    """Return what was read how: the number of items, the protocol, or the rule and the policy, and the reading options.

    What the user changed in a protocol is named as modified.
    """
    settings = run.settings
    parts = [counted(len(run.names), "item") if len(run.names) > 1 else run.names[0]]
    if run.header is not None:
        parts.append(run.header)
    else:
        parts += [rule_heading(settings.rule)] if uses_rule(run) else []
        parts += [] if settings.policy == "none" else [f"policy {settings.policy}"]
    declared = {} if run.protocol is None else ReadOptions(**run.protocol.reading).as_plain()
    stated = {name: value for name, value in _stated(settings.reading).items() if declared.get(name, ...) != value}
    parts += [f"{name.replace('_', ' ')} {_text(value)}" for name, value in stated.items()]
    return " · ".join(parts)


def uses_rule(run: Run) -> bool:
    """Return whether a metric of the run depends on the alignment rule."""
    return any(metric.depends_on_rule for metric in run.metrics)


def _stated(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reading.items() if name not in _NOT_SHOWN}


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def scores_of(
    by_rule: Mapping[str, UnderRule], numbers: NumberStyle | None = None, *, every: bool = False
) -> ResultTable:
    """Return the table of the protocol, or of the metrics one looks at first, or of all in the order named."""
    first = next(iter(by_rule.values()))
    table = first.run.protocol_table(numbers=numbers)
    if table is not None:
        return replace(table, title="")
    if not every:
        return averages_table(by_rule, short_keys(first.summary.scores, _kind(first.run)), numbers)
    named = first.run.settings.metrics or ()
    return averages_table(by_rule, list(named) if set(named) <= set(first.summary.scores) else None, numbers)


def further_scores(
    by_rule: Mapping[str, UnderRule], metrics: str | None, numbers: NumberStyle | None = None
) -> ResultTable | None:
    """Return the scores of the metrics that were named beside a protocol, if they are not its own."""
    first = next(iter(by_rule.values()))
    protocol = first.run.protocol
    if protocol is None or metrics is None:
        return None
    keys, families = keys_and_families(canonical_names(metrics)[0] or ())
    further = [
        key
        for key in first.summary.scores
        if key not in protocol.metrics and (key in keys or METRICS[key].family in families)
    ]
    return averages_table(by_rule, further, numbers) if further else None


def _kind(run: Run) -> str:
    items = run.tables_together.items
    return (items[0].kind if items else None) or ""


def print_scores(
    by_rule: Mapping[str, UnderRule],
    tables: Sequence[ResultTable],
    *,
    key: str,
    title: str | None = None,
    numbers: NumberStyle | None = None,
) -> None:
    """Print the header, the tables of scores, and the worst classes and items."""
    screen = Screen()
    first = next(iter(by_rule.values()))
    screen.line(title or header_line(first.run), bold=True)
    headline = headline_line(first, key, numbers)
    if headline is not None:
        screen.line(headline, bold=True)
    for table in tables:
        screen.table(folded(table))
    classes = worst_classes(first.summary, key)
    if len(classes) > N_WORST:
        names = first.run.class_names
        worst = [(class_name(label, names), score.value) for label, score in classes[:N_WORST]]
        screen.line(worst_line("classes", key, worst, numbers))
    if len(first.rows) > N_WORST:
        rows = [row for row in worst_items(first.rows, key)[:N_WORST] if not math.isnan(_value(row, key))]
        if rows:
            screen.line(worst_line("items", key, [(row.name, _value(row, key)) for row in rows], numbers))


def print_items(
    by_rule: Mapping[str, UnderRule], key: str, sort: str | None, n: int | None, numbers: NumberStyle | None = None
) -> None:
    """Print one row per item under each rule, sorted by a metric or by name if asked for.

    ``n`` is how many of the worst are printed: by the metric they are sorted by, else by ``key``.
    """
    worst_by = key if sort in (None, "item") else sort
    for rule, under in list(by_rule.items())[: None if n is None else 1]:
        by = sort or (None if n is None else key)
        if rule != next(iter(by_rule)) and by not in (None, "item", *under.rows[0].scores):
            continue  # a metric that does not depend on the rule is listed under the first
        rows = under.rows if n is None else worst_items(under.rows, worst_by)[:n]
        rows = rows if by is None else worst_items(rows, by)
        keys = short_keys(under.rows[0].scores.results, _kind(under.run))
        shown = _fitting(dict.fromkeys([*([by] if by not in (None, "item") else []), *keys]))
        count = "by item" if n is None else f"{len(rows)} worst items by {worst_by}"
        title = f"{count}, {rule_heading(rule)}" if uses_rule(under.run) else count
        Screen().show([items_table(rows, shown, title, numbers)], below=True)


def _fitting(keys: Iterable[str]) -> list[str]:
    """Return the first keys whose columns leave room for the names of items in 80 columns; at least one.

    >>> _fitting(["window_diff", "pk", "boundary_f1", "boundary_similarity", "pq"])
    ['window_diff', 'pk', 'boundary_f1', 'pq']
    """
    fitting, width = list[str](), 0
    for key in keys:
        column = max(len(key), 6) + 2
        if not fitting or width + column <= ROOM:
            fitting.append(key)
            width += column
    return fitting


def print_classes(under: UnderRule, numbers: NumberStyle | None = None) -> None:
    """Print one row per class, if the segments carry classes: the protocol's own table where it has one."""
    table = under.run.protocol_table(classes=True, numbers=numbers)
    if table is not None:
        Screen().table(replace(table, title=""))
    elif under.summary.by == "class" and class_keys(under.summary):
        Screen().show([classes_table(under.summary, numbers)], below=True)


def print_parts(under: UnderRule, parts: Sequence[Breakdown | ByItem], numbers: NumberStyle | None = None) -> None:
    """Print one table for every breakdown that was asked for."""
    keys = list(dict.fromkeys([under.run.headline, *short_keys(under.summary.scores, _kind(under.run))]))
    for by in parts:
        Screen().table(parts_table(under.run.parts(by), keys, numbers))


def print_files(files: Sequence[str], under: UnderRule, *, is_short: bool) -> None:
    """Print which files were written, and what to do next."""
    run = under.run
    screen = Screen()
    if files:
        screen.line(f"Wrote {', '.join(files)}", wrap=False)
    more = [
        *(["--metrics all"] if is_short else []),
        *(["--items"] if len(under.rows) > 1 else []),
        *(["--by-class"] if under.summary.by == "class" else []),
        *(["--confusion"] if under.summary.by == "class" and not uses_rule(run) else []),
    ]
    hint = f"also {', '.join(more)}" if more else ""
    command = "diagnose" if uses_rule(run) else "report"
    kept = f"Next: segmetry {command} {run.path}"
    steps = ["Next: -o run.segm keeps the run", "Next: -o run.segm keeps it"] if run.path is None else [kept]
    line = next((f"{step}; {hint}" for step in steps if hint and len(step) + len(hint) + 2 <= screen.width), None)
    screen.line(line or steps[0], wrap=False)
    if hint and line is None:
        screen.line(hint.capitalize())


def _value(row: Any, key: str) -> float:
    return float(row.scores[key].value)
