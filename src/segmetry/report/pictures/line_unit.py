"""What the elements of a line are called: seconds, pages, sentences, tokens, frames."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from segmetry.errors import SegmetryError
from segmetry.readers.source import find_reader
from segmetry.run.run import Run

BY_PROTOCOL = {"page-streams": "pages", "text": "sentences", "ner": "tokens", "action": "frames"}
BY_FORMAT = {"bits": "pages", "choi": "sentences", "bio": "tokens", "frame-labels": "frames"}
ANY = "elements"


def line_unit(run: Run) -> str:
    """Return what an element of a line of a run is, by its protocol, else by the format of its truth.

    >>> import segmetry as sm
    >>> line = {"a": sm.Spans.from_masses([2, 3])}
    >>> line_unit(sm.evaluate(line, line, metrics="pq")), line_unit(sm.evaluate(line, line, protocol="page-streams"))
    ('elements', 'pages')
    """
    if run.protocol is not None and run.protocol.name in BY_PROTOCOL:
        return BY_PROTOCOL[run.protocol.name]
    return BY_FORMAT.get(_format(run) or "", ANY)


def _format(run: Run) -> str | None:
    """Return the format of the truth of a run, None if its file is gone or was never one."""
    stated = run.settings.reading.get("format")
    if isinstance(stated, list | tuple):
        stated = stated[0]
    if stated is None and "true" in run.facts:
        path = Path(run.facts["true"])
        if run.path is not None and not path.exists():
            path = run.path.parent / path
        return _recognised(path)
    return stated if isinstance(stated, str) else None


@lru_cache
def _recognised(path: Path) -> str | None:
    try:
        return find_reader(path).name if path.exists() else None
    except SegmetryError:
        return None
