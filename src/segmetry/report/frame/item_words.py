"""What people of a field call an item of their data set, and a segment of it."""

from __future__ import annotations

from segmetry.report.page_records import ItemWords
from segmetry.run.run import Run

WORDS = {
    "page-streams": ("stream", "document"),
    "text": ("text", "segment"),
    "music": ("track", "section"),
    "music-hierarchy": ("track", "section"),
    "diarization": ("recording", "turn"),
    "sound-events": ("recording", "event"),
    "ner": ("sentence", "entity"),
    "semeval13": ("sentence", "entity"),
    "action": ("video", "action"),
    "change-points": ("series", "segment"),
}
"""An item and a segment, by protocol; the words of all others are item and segment."""


def item_words(run: Run) -> ItemWords:
    """Return what an item and a segment of a run are called.

    >>> import segmetry as sm
    >>> line = {"a": sm.Spans.from_masses([2, 3])}
    >>> item_words(sm.evaluate(line, line, protocol="page-streams"))
    {'item': 'stream', 'segment': 'document'}
    """
    item, segment = WORDS.get("" if run.protocol is None else run.protocol.name, ("item", "segment"))
    return {"item": item, "segment": segment}


def plural(noun: str) -> str:
    """Return the plural of a word.

    >>> plural("stream"), plural("entity"), plural("series")
    ('streams', 'entities', 'series')
    """
    if noun.endswith("series"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
