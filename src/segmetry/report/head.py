"""The head of a report: its title, what it is about, and what its items are called and filtered by."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

from segmetry.alignments import Breakdown, BySize
from segmetry.errors import OptionError, SegmetryError
from segmetry.evaluation import ChangedInputError, loaders_of
from segmetry.report.page_records import CheckedInputs, FilterData, ItemWords
from segmetry.run import ByItem, Run


def title_of(runs: Sequence[Run], names: Sequence[str] | None = None) -> str:
    """Return the names of the runs; of a single one that of its prediction, else those of their files."""
    if names is None and len(runs) == 1 and "pred" in runs[0].facts:
        name = PurePath(PurePath(runs[0].facts["pred"]).name.removesuffix(".gz"))
        return name.stem if name.suffix[1:].isalpha() else name.name
    listed = list(names or (run.path.name for run in runs if run.path is not None))
    return ", ".join(listed) if listed else "segmetry report"


def about(runs: Sequence[Run]) -> list[str]:
    """Return the protocol, the truth, the number of items, and the date (``SOURCE_DATE_EPOCH``, if set)."""
    first = runs[0]
    items = len(first.tables_together)
    noun = item_words(first)["item"]
    truth = first.facts.get("true")
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    written = datetime.now(UTC) if stated is None else datetime.fromtimestamp(int(stated), UTC)
    lines = [
        None if first.protocol is None else first.protocol.name,
        f"against {PurePath(truth).name}" if truth else None,
        f"{items:,} {noun if items == 1 else plural(noun)}",
        f"{written.day} {written:%B %Y}, segmetry {first.facts.get('segmetry')}",
    ]
    return [line for line in lines if line]


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
    """Return what an item and a segment of a run are called."""
    item, segment = WORDS.get("" if run.protocol is None else run.protocol.name, ("item", "segment"))
    return {"item": item, "segment": segment}


def plural(noun: str) -> str:
    """Return the plural of a word."""
    if noun.endswith("series"):
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def filter_facts(items: Sequence[str], by: Sequence[Breakdown | ByItem]) -> FilterData:
    """Return the label of every item in every column, and the bins of sizes (the last ones named, else COCO's)."""
    groups: dict[str, list[str]] = {}
    sizes = BySize()
    for part in by:
        if isinstance(part, BySize):
            sizes = part
        elif isinstance(part, ByItem):
            part.groups(items)  # an item without a label is an error
            groups[part.name] = [str(part.labels[item]) for item in items]
        else:
            raise OptionError(
                f"by names a breakdown by {part.name!r}; expected a column about items (ByItem) or sizes (BySize)"
            )
    return {"groups": groups, "sizes": {"edges": list(sizes.edges), "names": list(sizes.names)}}


STATED = "as stated when they were scored; not checked for this report"


def checked_inputs(run: Run, true: Any = None, pred: Any = None, *, are_read: bool = True) -> CheckedInputs:
    """Return the state of the inputs of a run, and how it is known; files are read only if ``are_read``.

    ``unchanged``: read again, with the same fingerprints. ``scored``: just scored. ``changed``: another
    fingerprint. ``stated``: not checked, or not to be found. ``none``: the run keeps no fingerprints.
    """
    if not run.inputs:
        return {"state": "none", "words": ""}
    is_own = true is None and pred is None
    if is_own and run.loaders:
        return {"state": "scored", "words": "taken when they were scored, for this report"}
    if not are_read or (is_own and "true" not in run.facts):
        return {"state": "stated", "words": STATED}
    try:
        loaders_of(run, true, pred)
    except ChangedInputError as problem:
        return {"state": "changed", "words": str(problem)}
    except SegmetryError as problem:
        return {"state": "stated", "words": f"as stated when they were scored; they cannot be checked: {problem}"}
    return {"state": "unchanged", "words": "read again for this report"}


def found_sentence(run: Run) -> str | None:
    """Return the first sentence of the page of a run of segments: which share it finds, and how well it draws them.

    None where the run is about classes, detections or lines, whose sentence is the headline. The page computes the
    same in JavaScript, as its sentence follows the filter.
    """
    if run.cell().metric != "pq":
        return None
    scores = run.with_metrics("n_matched", "n_missed", "sq").summary().scores
    matched, missed = (round(scores[key]["pooled"].value or 0) for key in ("n_matched", "n_missed"))
    noun = item_words(run)["segment"]
    if matched == 0:
        return None
    share = f"{_share(matched, matched + missed)} of the {plural(noun)}" if missed else f"all {matched} {plural(noun)}"
    quality = scores["sq"]["pooled"].value or 0.0
    drawn = "exactly" if quality == 1 else f"at a mean IoU of {quality:.2f}"
    return f"Finds {share} and draws {'them' if missed else 'each'} {drawn}."


def _share(part: int, whole: int) -> str:
    """Return a share in per cent that is never rounded to all or none."""
    rounded = round(100 * part / whole)
    return "over 99 %" if rounded == 100 and part < whole else "under 1 %" if rounded == 0 else f"{rounded} %"
