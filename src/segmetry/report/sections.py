"""The sections of a report that are written in Python, as plain HTML: detections, and scores at several thresholds.

Nothing in them depends on the alignment rule that is chosen in the page. The page forbids style attributes and event
handlers, so bars are drawn as SVG.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape

from segmetry.diagnosis import has_detections, has_detections_only, recall_curves
from segmetry.metrics import Score
from segmetry.outputs import (
    Picture,
    class_size_picture,
    lowest_classes,
    recall_pictures,
    threshold_plot,
)
from segmetry.protocols import Heading
from segmetry.results import UNDEFINED, ResultTable, Value
from segmetry.run import Run


def plain(text: str) -> str:
    """Return a name as text of the page: nothing in it is markup, and what UTF-8 cannot write is a question mark."""
    return escape(text.encode("utf-8", "replace").decode("utf-8"))


def html_table(table: ResultTable) -> str:
    """Return a table; its first column holds the headings of rows."""
    head = "".join(f"<th>{plain(heading)}</th>" for heading in table.headings)
    rows = "".join(
        f"<tr><th>{plain(row[0])}</th>{''.join(f'<td>{plain(cell)}</td>' for cell in row[1:])}</tr>"
        for row in table.printed()
    )
    notes = "".join(f'<p class="note">{plain(note)}</p>' for note in table.notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"


def html_picture(picture: Picture) -> str:
    """Return a picture as an image, which keeps its own colours on a dark page."""
    content = base64.b64encode(picture.svg.encode()).decode("ascii")
    return f'<img alt="{plain(picture.title)}" src="data:image/svg+xml;base64,{content}">'


def _section(
    key: str, heading: str, runs: Sequence[Run], parts: Callable[[Run, int], Iterable[str]], page: str = "overview"
) -> str:
    """Return a section of a page of the report: of every run its name, its protocol's table, and its own parts."""
    content = []
    for at, run in enumerate(runs):
        content += [f"<h3>{plain(str(run.path or 'run'))}</h3>"] if len(runs) > 1 else []
        content += [f'<p class="facts">{plain(run.header)}</p>'] if run.header is not None else []
        table = run.protocol_table(partial=True)
        content += [html_table(table)] if table is not None else []
        content += parts(run, at)
    joined = "\n".join(content)
    return (
        f'<section id="{key}" data-page="{page}" aria-labelledby="{key}-heading"><h2 id="{key}-heading">{heading}</h2>'
        f"<div>{joined}</div></section>\n"
    )


def html_plots(pictures: Iterable[str]) -> str:
    """Return pictures side by side, as many as there is room for."""
    return f'<div class="plots">{"".join(pictures)}</div>'


def html_folded(summary: str, content: str) -> str:
    """Return content that is shown on request."""
    return f"<details><summary>{plain(summary)}</summary>{content}</details>"


ABOUT_SEGMENTS = frozenset({"verdict", "curves", "scatter", "classes", "budget", "sensitivity", "disagree", "ranking"})
"""Sections about matched segments, which say nothing about classes of elements."""


def is_semantic(runs: Sequence[Run]) -> bool:
    """Return whether all runs have classes and mean IoU, and no metric that depends on an alignment rule."""
    return all(
        "mean_iou" in {metric.key for metric in run.metrics}
        and not any(metric.depends_on_rule for metric in run.metrics)
        and run.summary(partial=True).by == "class"
        for run in runs
    )


_MOST_OPEN = 40
"""The most classes whose table is open from the start."""


def is_about_detections(runs: Sequence[Run]) -> bool:
    """Return whether no run has a metric of an alignment, and all have average precision."""
    return all(has_detections_only(run) for run in runs)


def detection_section(runs: Sequence[Run]) -> str:
    """Return the section as HTML; empty where a run has no average precision."""
    if not all(has_detections(run) for run in runs):
        return ""
    return _section("detections", "Detections", runs, _detection_parts)


def _detection_parts(run: Run, _: int) -> Iterator[str]:
    classes = run.protocol_table(classes=True, partial=True)
    if classes is not None and classes.rows:
        yield f"<h3>By class and by size, lowest {plain(classes.headings[1])} first</h3>"
        rows, count = html_table(class_rows(classes)), len(classes.rows)
        yield rows if count <= _MOST_OPEN else html_folded(f"{count} classes", rows)
    curves = recall_curves(run)
    if curves.names:
        yield "<h3>Precision over recall</h3>"
        yield html_plots(html_picture(picture) for picture in recall_pictures(run).values())
        lowest = [html_picture(class_size_picture(run, name)) for name in lowest_classes(curves)]
        words = "each class" if len(lowest) == len(curves.names) else f"the {len(lowest)} classes of lowest AP"
        yield html_folded(f"Curves of {words} by size", html_plots(lowest))


def class_rows(table: ResultTable) -> ResultTable:
    """Return the table of classes as it is printed, the lowest first value on top, undefined ones at the end."""
    first = [row[1].or_none if isinstance(row[1], Value) else None for row in table.rows]
    order = sorted(range(len(first)), key=lambda at: (first[at] is None, first[at] or 0.0))
    has_undefined = any(value.reason is not None for _, _, value in table.values())
    notes = [f"{UNDEFINED} no true masks of this class and size"] if has_undefined else []
    return ResultTable("", table.headings, [table.rows[at] for at in order], notes)


_IN_ONE_PLOT = 7
"""The most lines of a plot."""


def threshold_section(runs: Sequence[Run]) -> str:
    """Return the section as HTML; empty unless all runs are of protocols with scores at several thresholds."""
    if not all(scores_at_thresholds(run) for run in runs):
        return ""
    return _section(
        "thresholds", "Scores of the protocol at its IoU thresholds", runs, _threshold_parts, page="thresholds"
    )


def scores_at_thresholds(run: Run) -> dict[str, Score]:
    """Return the scores of a protocol that have values at two thresholds or more, in the average of its headline."""
    if run.protocol is None:
        return {}
    usual = {key: averages.usual for key, averages in run.summary(partial=True).scores.items()}
    return {key: score for key, score in usual.items() if len(score.details.get("thresholds", ())) > 1}


def _threshold_parts(run: Run, _: int) -> Iterator[str]:
    headings = _headings(run)
    scores = list(scores_at_thresholds(run).items())[:_IN_ONE_PLOT]
    yield html_plots([html_picture(threshold_plot({headings.get(key, key): score for key, score in scores}))])


def _headings(run: Run) -> dict[str, str]:
    """Return what the columns of a table with one row per threshold call their metrics; other tables show means."""
    if run.protocol is None:
        return {}
    grid = run.protocol.cells
    rows, columns = ([entry for entry in side if isinstance(entry, Heading)] for side in (grid.rows, grid.columns))
    is_by_threshold = all(row.show[0] == "thresholds" for row in rows)
    return {column.key: column.text for column in columns if column.key is not None} if is_by_threshold else {}
