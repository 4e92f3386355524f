"""The section of a report about detections: the protocol's table, AP by class and size, precision over recall,
and the worst errors.

It is plain HTML, made once: detections are matched by descending score, whatever alignment rule is chosen in the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from segmetry.diagnosis.recall_curves import has_detections, has_detections_only, recall_curves
from segmetry.outputs.plots.recall_pictures import class_size_picture, lowest_classes, recall_pictures
from segmetry.outputs.tables.number_format import UNDEFINED
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.outputs.tables.protocol_output import protocol_output
from segmetry.protocols.protocol_table import ProtocolTable
from segmetry.report.detection_tiles import detection_tiles
from segmetry.report.static_html import html_folded, html_picture, html_plots, html_section, html_table, plain
from segmetry.run.run import Run

_MOST_OPEN = 40
"""The most classes whose table is open from the start."""


def is_about_detections(runs: Sequence[Run]) -> bool:
    """Return whether no run has a metric of an alignment, and all have average precision."""
    return all(has_detections_only(run) for run in runs)


def detection_section(runs: Sequence[Run]) -> str:
    """Return the section as HTML; empty where a run has no average precision."""
    if not all(has_detections(run) for run in runs):
        return ""
    parts = "\n".join(part for at, run in enumerate(runs) for part in _parts(run, at, named=len(runs) > 1))
    return html_section("detections", "Detections", parts)


def _parts(run: Run, at: int, *, named: bool) -> Iterator[str]:
    if named:
        yield f"<h3>{plain(str(run.path or 'run'))}</h3>"
    if run.header is not None:
        yield f'<p class="facts">{plain(run.header)}</p>'
    table = run.protocol_table(partial=True)
    if table is not None:
        yield html_table(protocol_output(table))
    classes = run.protocol_table(classes=True, partial=True)
    if classes is not None and classes.rows:
        yield f"<h3>By class and by size, lowest {plain(classes.headings[0])} first</h3>"
        rows, count = html_table(class_rows(classes)), len(classes.rows)
        yield rows if count <= _MOST_OPEN else html_folded(f"{count} classes", rows)
    curves = recall_curves(run)
    if curves.names:
        yield "<h3>Precision over recall</h3>"
        yield html_plots(html_picture(picture) for picture in recall_pictures(run).values())
        lowest = [html_picture(class_size_picture(run, name)) for name in lowest_classes(curves)]
        words = "each class" if len(lowest) == len(curves.names) else f"the {len(lowest)} classes of lowest AP"
        yield html_folded(f"Curves of {words} by size", html_plots(lowest))
    yield from detection_tiles(run, at)


def class_rows(table: ProtocolTable) -> PlainTable:
    """Return the table of classes as it is printed, the lowest first value on top, undefined ones at the end."""
    printed = protocol_output(table)
    first = [None if row.cells[0] is None else row.cells[0].value for row in table.rows]
    order = sorted(range(len(first)), key=lambda at: (first[at] is None, first[at] or 0.0))
    has_undefined = any(cell is not None and cell.reason is not None for row in table.rows for cell in row.cells)
    notes = [f"{UNDEFINED} no true masks of this class and size"] if has_undefined else []
    return PlainTable("", printed.headings, [printed.rows[at] for at in order], notes)
