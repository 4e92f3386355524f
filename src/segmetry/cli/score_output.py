"""What ``segmetry score`` prints: what was read how, the table, the worst classes and items, files, the next step.

At most twenty lines on a terminal of 80 columns; more tables are printed on request.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from segmetry.alignments import rule_heading
from segmetry.cli.console import Screen
from segmetry.errors import InputError
from segmetry.metrics import METRICS, canonical_names, keys_and_families, known_key, short_keys
from segmetry.outputs import (
    averages_table,
    class_keys,
    class_name,
    classes_table,
    folded,
    headline_line,
    items_table,
    parts_table,
    worst_classes,
    worst_items,
    worst_line,
)
from segmetry.readers import ReadOptions
from segmetry.report import found_sentence
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
    parts += [f"{name.replace('_', ' ')} {_value_text(value)}" for name, value in stated.items()]
    return " · ".join(parts)


def uses_rule(run: Run) -> bool:
    """Return whether a metric of the run depends on the alignment rule."""
    return any(metric.depends_on_rule for metric in run.metrics)


def _stated(reading: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in reading.items() if name not in _NOT_SHOWN}


def _value_text(value: Any) -> str:
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
        return averages_table(by_rule, short_keys(first.summary.scores, _kind_of_items(first.run)), numbers)
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


def check_defined(run: Run, metrics: str | None) -> None:
    """Raise for a metric that was asked for by its own name and is undefined in the whole data set."""
    scores = run.summary().scores
    for name in () if metrics is None else map(str.strip, metrics.split(",")):
        key = "" if keys_and_families(canonical_names(name)[0] or ())[1] else known_key(name, scores)
        if key in scores and not any(one.is_defined for one in scores[key].values()):
            raise InputError(f"{key} was asked for and is undefined in the whole data set: {scores[key].usual.reason}")


def _kind_of_items(run: Run) -> str:
    items = run.tables_together.items
    return (items.kinds[0] if items else None) or ""


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
    headline, sentence = headline_line(first.run, numbers), found_sentence(first.run)
    if sentence is not None:
        screen.line(sentence)
    screen.line(title or header_line(first.run), dim=True)
    if headline is not None:
        screen.line(headline, bold=True)
    for table in tables:
        screen.table(folded(table))
    names, classes = first.run.class_names, worst_classes(first.summary, key)
    both = {
        "classes": [(class_name(label, names), score.value) for label, score in classes],
        "items": list(first.run.data.worst_first(key).items()),
    }
    for what, rows in both.items():
        best = METRICS[key].value_if_equal
        worst = [(name, value) for name, value in rows[:N_WORST] if not math.isnan(value) and value != best]
        if len(rows) > N_WORST and worst:
            screen.line(worst_line(what, first.run.cell(numbers=numbers), worst))


def print_items(
    by_rule: Mapping[str, UnderRule], key: str, sort: str | None, n: int | None, numbers: NumberStyle | None = None
) -> None:
    """Print a row per item under each rule, sorted by a metric or name if asked for: ``n`` of the worst, by ``key``."""
    worst_by = key if sort in (None, "item") else sort
    for rule, under in list(by_rule.items())[: None if n is None else 1]:
        by = sort or (None if n is None else key)
        if rule != next(iter(by_rule)) and by not in (None, "item", *under.rows[0].scores):
            continue  # a metric that does not depend on the rule is listed under the first
        rows = under.rows if n is None else worst_items(under.rows, worst_by)[:n]
        rows = rows if by is None else worst_items(rows, by)
        keys = short_keys(under.rows[0].scores.results, _kind_of_items(under.run))
        listed = dict.fromkeys([*([by] if by not in (None, "item") else []), *keys])
        shown = _fitting({key: under.run.cell(key).name for key in listed})
        count = "by item" if n is None else f"{counted(len(rows), 'worst item')} by {under.run.cell(worst_by).name}"
        title = f"{count}, {rule_heading(rule)}" if uses_rule(under.run) else count
        Screen().show([items_table(rows, shown, title, numbers)], below=True)


def _fitting(names: Mapping[str, str]) -> dict[str, str]:
    """Return the first metrics whose names leave room for those of items in 80 columns; at least one."""
    fitting, width = dict[str, str](), 0
    for key, name in names.items():
        column = max(len(name), 6) + 2
        if not fitting or width + column <= ROOM:
            fitting[key] = name
            width += column
    return fitting


def print_classes(under: UnderRule, numbers: NumberStyle | None = None) -> None:
    """Print one row per class, if the segments carry classes: the protocol's own table where it has one."""
    table = _table_of_classes(under, numbers)
    if table is None:
        Screen().line("No score of this run has values by class.")
    else:
        Screen().show([table], below=bool(table.title))


def _table_of_classes(under: UnderRule, numbers: NumberStyle | None = None) -> ResultTable | None:
    table = under.run.protocol_table(classes=True, numbers=numbers)
    if table is not None and table.rows:
        return replace(table, title="")
    if under.summary.by != "class" or not class_keys(under.summary):
        return None
    names = None if under.run.protocol is None else under.run.protocol.metric_names
    return classes_table(under.summary, numbers, names)


def print_parts(under: UnderRule, parts: Sequence[Breakdown | ByItem], numbers: NumberStyle | None = None) -> None:
    """Print one table for every breakdown that was asked for."""
    from segmetry.run import ByItem

    keys = list(dict.fromkeys([under.run.headline, *short_keys(under.summary.scores, _kind_of_items(under.run))]))
    cells = {key: under.run.cell(key, numbers) for key in keys}
    for by in parts:
        Screen().table(parts_table(under.run.parts(by), cells, mean=isinstance(by, ByItem)))


def print_files(files: Sequence[str], under: UnderRule, options: Mapping[str, Any]) -> None:
    """Print which files were written, and what to do next that ``options`` did not ask for."""
    run = under.run
    screen = Screen()
    if files:
        screen.line(f"Wrote {', '.join(files)}", wrap=False, dim=len("Wrote"))
    more = [
        *(["--metrics all"] if options["metrics"] is None else []),
        *(["--items"] if under.summary.n_items > 1 and not (options["items"] or options["worst"]) else []),
        *(["--by-class"] if not options["by_class"] and _table_of_classes(under) else []),
        *(["--confusion"] if under.summary.by == "class" and not (uses_rule(run) or options["confusion"]) else []),
    ]
    hint = f"also {', '.join(more)}" if more else ""
    command = "diagnose" if uses_rule(run) or options["report_to"] else "report"
    kept = f"Next: segmetry {command} {run.path}"
    steps = ["Next: -o run.segm keeps the run", "Next: -o run.segm keeps it"] if run.path is None else [kept]
    line = next((f"{step}; {hint}" for step in steps if hint and len(step) + len(hint) + 2 <= screen.width), None)
    screen.line(line or steps[0], wrap=False, dim=len("Next:"))
    if hint and line is None:
        screen.line(hint.capitalize())
