"""The section of a report about scores at several IoU thresholds, which protocols of cells print: table and plot.

It is plain HTML, made once: the protocol matches anew at each of its thresholds, whatever rule is chosen in the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from segmetry.metrics.score import Score
from segmetry.outputs.plots.threshold_plot import threshold_plot
from segmetry.outputs.tables.protocol_output import protocol_output
from segmetry.protocols.table_layout import Heading
from segmetry.report.static_html import html_picture, html_plots, html_section, html_table, plain
from segmetry.run.run import Run

_IN_ONE_PLOT = 7
"""The most lines of a plot."""


def threshold_section(runs: Sequence[Run]) -> str:
    """Return the section as HTML; empty unless all runs are of protocols with scores at several thresholds."""
    if not all(scores_at_thresholds(run) for run in runs):
        return ""
    parts = "\n".join(part for run in runs for part in _parts(run, named=len(runs) > 1))
    return html_section("thresholds", "Scores of the protocol at its IoU thresholds", parts, page="thresholds")


def scores_at_thresholds(run: Run) -> dict[str, Score]:
    """Return the scores of a protocol that have values at two thresholds or more, in the average of its headline.

    >>> import segmetry as sm
    >>> run = sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, protocol="stardist")
    >>> list(scores_at_thresholds(run))[:2], scores_at_thresholds(run)["segment_f1"].details["thresholds"]["0.5"]
    (['segment_accuracy', 'segment_f1'], 1.0)
    """
    if run.protocol is None:
        return {}
    usual = {key: averages.usual for key, averages in run.summary(partial=True).scores.items()}
    return {key: score for key, score in usual.items() if len(score.details.get("thresholds", ())) > 1}


def _parts(run: Run, *, named: bool) -> Iterator[str]:
    if named:
        yield f"<h3>{plain(str(run.path or 'run'))}</h3>"
    if run.header is not None:
        yield f'<p class="facts">{plain(run.header)}</p>'
    table = run.protocol_table(partial=True)
    if table is not None:
        yield html_table(protocol_output(table))
    headings = _headings(run)
    scores = list(scores_at_thresholds(run).items())[:_IN_ONE_PLOT]
    yield html_plots([html_picture(threshold_plot({headings.get(key, key): score for key, score in scores}))])


def _headings(run: Run) -> dict[str, str]:
    """Return what the columns of a table with one row per threshold call their metrics; other tables show means."""
    if run.protocol is None:
        return {}
    layout = run.protocol.layout
    rows, columns = ([entry for entry in side if isinstance(entry, Heading)] for side in (layout.rows, layout.columns))
    is_by_threshold = all(row.show[0] == "thresholds" for row in rows)
    return {column.key: column.text for column in columns if column.key is not None} if is_by_threshold else {}
