"""The worst errors of detections as tiles, each a link to its item; the page's script draws their pictures."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from segmetry.diagnosis.worst_detections import FalseAlarm, MissedMask, worst_detections
from segmetry.report.static_html import plain
from segmetry.run.run import Run

MOST = 12
"""The most tiles of each kind."""


def detection_tiles(run: Run, at: int) -> Iterator[str]:
    """Yield missed true masks and false alarms of the ``at``-th run of a report, as HTML."""
    worst = worst_detections(run, MOST)
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
    value = f"best IoU {error.best_overlap:.4f}" if isinstance(error, MissedMask) else f"score {error.score:.4f}"
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
