"""The section of a report about detections: the protocol's table, AP by class and size, precision over recall,
and the worst errors.

It is plain HTML, made once: detections are matched by descending score, whatever alignment rule is chosen in the page.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from segmetry._base.number_text import UNDEFINED, fixed
from segmetry.diagnosis.detection_errors import (
    FalseAlarm,
    MissedMask,
    has_detections,
    has_detections_only,
    recall_curves,
    worst_detections,
)
from segmetry.outputs.plots.recall_pictures import class_size_picture, lowest_classes, recall_pictures
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.outputs.tables.protocol_output import protocol_output
from segmetry.protocols.protocol_table import ProtocolTable
from segmetry.report.static_html import html_folded, html_picture, html_plots, html_section, html_table, plain
from segmetry.run.run import Run

_MOST_OPEN = 40
"""The most classes whose table is open from the start."""
MOST_TILES = 12
"""The most tiles of each kind of error: a link to its item, whose picture the page's script draws."""


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
    yield from _tiles_of_errors(run, at)


def class_rows(table: ProtocolTable) -> PlainTable:
    """Return the table of classes as it is printed, the lowest first value on top, undefined ones at the end."""
    printed = protocol_output(table)
    first = [None if row.cells[0] is None else row.cells[0].value for row in table.rows]
    order = sorted(range(len(first)), key=lambda at: (first[at] is None, first[at] or 0.0))
    has_undefined = any(cell is not None and cell.reason is not None for row in table.rows for cell in row.cells)
    notes = [f"{UNDEFINED} no true masks of this class and size"] if has_undefined else []
    return PlainTable("", printed.headings, [printed.rows[at] for at in order], notes)


def _tiles_of_errors(run: Run, at: int) -> Iterator[str]:
    """Yield missed true masks and false alarms of the ``at``-th run of a report, as HTML."""
    worst = worst_detections(run, MOST_TILES)
    criterion = f"IoU ≥ {worst.criterion.least:.2f}" if "least" in worst.criterion.name else worst.criterion.name
    yield f"<h3>Missed masks, largest first ({worst.n_missed} at {plain(criterion)})</h3>"
    yield _tiles(run, at, worst.missed)
    yield f"<h3>False alarms, highest score first ({worst.n_false_alarms} at {plain(criterion)})</h3>"
    yield _tiles(run, at, worst.false_alarms)


def _tiles(run: Run, at: int, errors: tuple[MissedMask, ...] | tuple[FalseAlarm, ...]) -> str:
    if not errors:
        return "<p>None.</p>"
    return f'<div class="tiles">{"".join(_tile(run, at, error) for error in errors)}</div>'


def _tile(run: Run, at: int, error: MissedMask | FalseAlarm) -> str:
    is_missed = isinstance(error, MissedMask)
    value = f"best IoU {fixed(error.best_overlap)}" if isinstance(error, MissedMask) else f"score {fixed(error.score)}"
    word = "" if isinstance(error, MissedMask) else error.kind
    place = f'data-run="{at}" data-item="{error.item}" data-side="{"true" if is_missed else "pred"}"'
    item = run.tables_together.items[error.item].name
    return (
        f'<a class="tile" href="#item" {place} data-place="{error.place}"><span class="thumb"></span>'
        f'<span class="name" dir="auto">{plain(_class_name(run, error.name))}</span>'
        f'<span class="row"><span class="value">{value}</span>{word}</span>'
        f'<span class="counts"><bdi>{plain(item)}</bdi> · {error.area:g} px</span></a>'
    )


def _class_name(run: Run, name: Hashable) -> str:
    return run.class_names.get(name, str(name))
