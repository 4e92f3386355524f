"""The section of a report about classes of elements: the protocol's table, classes with bars, confusions, worst items.

It is plain HTML, made once: nothing in it depends on an alignment rule. The page forbids style attributes, so bars are
drawn as SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from segmetry._base.number_text import fixed
from segmetry.outputs.plots.confusion_matrix_plot import confusion_matrix_plot
from segmetry.outputs.tables.protocol_output import protocol_output
from segmetry.report.static_html import html_picture, html_section, html_table, plain
from segmetry.run.run import Run

ABOUT_SEGMENTS = frozenset({"verdict", "curves", "scatter", "classes", "budget", "sensitivity", "disagree", "ranking"})
"""Sections about matched segments, which say nothing about classes of elements."""
_BAR = 120
_MOST_CLASSES = 60
"""The most classes whose confusion matrix is drawn."""


def is_semantic(runs: Sequence[Run]) -> bool:
    """Return whether all runs have classes and mean IoU, and no metric that depends on an alignment rule.

    >>> import segmetry as sm
    >>> labels = {"a": sm.LabelArray.from_classes([[1, 2]])}
    >>> [is_semantic([sm.evaluate(labels, labels, metrics=keys)]) for keys in ("mean_iou", "mean_iou,pq")]
    [True, False]
    """
    return all(
        "mean_iou" in {metric.key for metric in run.metrics}
        and not any(metric.depends_on_rule for metric in run.metrics)
        and run.summary(partial=True).by == "class"
        for run in runs
    )


def semantic_section(runs: Sequence[Run]) -> str:
    """Return the section as HTML; empty for runs that are about segments."""
    if not is_semantic(runs):
        return ""
    parts = "\n".join(part for run in runs for part in _parts(run, named=len(runs) > 1))
    return html_section("semantic", "Classes of pixels", parts)


def _parts(run: Run, *, named: bool) -> Iterator[str]:
    if named:
        yield f"<h3>{plain(str(run.path or 'run'))}</h3>"
    if run.header is not None:
        yield f'<p class="facts">{plain(run.header)}</p>'
    table = run.protocol_table(partial=True)
    if table is not None:
        yield html_table(protocol_output(table))
    yield "<h3>IoU of each class, and its worst item</h3>"
    yield _classes(run)
    classes = run.class_table()
    if len(classes.names) <= _MOST_CLASSES:
        yield f"<h3>Confusion matrix</h3>{html_picture(confusion_matrix_plot(run.confusion_matrix()))}"


def _classes(run: Run) -> str:
    """One row per class: IoU and Dice with bars, the worst class first, and the item in which it is worst."""
    worst, summary = _worst_items(run), run.summary(partial=True)
    has_dice = any("dice" in row for row in summary.parts.values())
    rows = []
    for name, row in summary.parts.items():
        values = [row["mean_iou"].usual, row["dice"].usual if "dice" in row else None]
        numbers = [None if score is None or not score.is_defined else score.value for score in values]
        rows.append((run.class_names.get(name, str(name)), numbers, worst.get(str(name))))
    rows.sort(key=lambda entry: (entry[1][0] is None, entry[1][0] or 0.0))
    body = "".join(
        f"<tr><th>{plain(name)}</th>{_bar(numbers[0])}{_bar(numbers[1]) if has_dice else ''}"
        f"<td>{'–' if item is None else f'<bdi>{plain(item[0])}</bdi> {fixed(item[1])}'}</td></tr>"
        for name, numbers, item in rows
    )
    dice = "<th>Dice</th><th></th>" if has_dice else ""
    head = f"<th>class</th><th>IoU</th><th></th>{dice}<th>worst item</th>"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bar(value: float | None) -> str:
    if value is None:
        return "<td>–</td><td></td>"
    width = round(_BAR * min(max(value, 0.0), 1.0), 2)
    return (
        f'<td>{fixed(value)}</td><td><svg width="{_BAR}" height="10" aria-hidden="true">'
        f'<rect width="{_BAR}" height="10" '
        f'fill="#d7d7d7"/><rect width="{width}" height="10" fill="#005aa0"/></svg></td>'
    )


def _worst_items(run: Run) -> dict[str, tuple[str, float]]:
    """Return, by class, the item of the lowest IoU among those in which the truth has the class."""
    source = run.data.sources.get("mean_iou")
    if source is None:
        return {}
    sums = source.aggregation.roles.sums(source.statistics, "cell")
    worst: dict[str, tuple[str, float]] = {}
    cells = source.aggregation.roles.cells(source.statistics)
    items, codes = cells.item, cells.code
    for at in np.flatnonzero(sums["true"][:, 0] > 0).tolist():
        shared, true, pred = (int(sums[name][at, 0]) for name in ("shared", "true", "pred"))
        name, value = str(sums.names[int(codes[at])]), shared / (true + pred - shared)
        if value < worst.get(name, ("", math.inf))[1]:
            worst[name] = run.data.items[int(items[at])], value
    return worst
