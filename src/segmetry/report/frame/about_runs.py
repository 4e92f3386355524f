"""The head of a report: its title, and in a few words what it is about."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath

from segmetry.report.frame.item_words import item_words, plural
from segmetry.run.run import Run


def title_of(runs: Sequence[Run], names: Sequence[str] | None = None) -> str:
    """Return the names of the runs, or those of their files.

    >>> title_of([], ["baseline", "ours"])
    'baseline, ours'
    """
    listed = list(names or (run.path.name for run in runs if run.path is not None))
    return ", ".join(listed) if listed else "segmetry report"


def about(runs: Sequence[Run]) -> list[str]:
    """Return the protocol, the truth, the number of items, and the date of the report (``SOURCE_DATE_EPOCH``, if set).

    >>> import segmetry as sm
    >>> about([sm.evaluate({"a": [[1, 1, 2]]}, {"a": [[1, 1, 2]]}, metrics="pq")])[0]
    '1 item'
    """
    first = runs[0]
    items = len(first.tables_together)
    noun = item_words(first)["item"]
    truth = first.facts.get("true")
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    written = datetime.now(UTC) if stated is None else datetime.fromtimestamp(int(stated), UTC)
    lines = [
        None if first.protocol is None else first.protocol.name,
        PurePath(truth).name if truth else None,
        f"{items:,} {noun if items == 1 else plural(noun)}",
        f"{written.day} {written:%B %Y}, segmetry {first.facts.get('segmetry')}",
    ]
    return [line for line in lines if line]
