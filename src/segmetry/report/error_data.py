"""Every error of a run for the page of errors: what it is, where it lies, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from segmetry._base import json_text
from segmetry.diagnosis import RunError, has_detections_only
from segmetry.errors import SegmetryError
from segmetry.report.column_blocks import pack
from segmetry.report.page_records import ErrorColumns, ErrorsData, Problem
from segmetry.run import Run
from segmetry.runfile import RunSideColumns

MOST_ERRORS = 20_000
"""The most errors in a page, the costliest: about 15 bytes each."""
_DIGITS = 6


def error_facts(run: Run, most_items: int, listed: list[Sequence[RunError]] | None = None) -> ErrorsData | Problem:
    """Return the errors of a run, or why it has none; those that are shown are added to ``listed``."""
    if len(run.tables_together) > most_items:
        return {"problem": f"the errors of more than {most_items:,} items are listed by segmetry diagnose --errors"}
    try:
        errors = run.errors(partial=True)
    except SegmetryError as problem:
        return {"problem": str(problem)}
    tables, number = run.tables_together, {name: at for at, name in enumerate(run.tables_together.items.names)}
    shown = errors[:MOST_ERRORS]
    if listed is not None:
        listed.append(shown)
    whats = _numbered(e.what for e in shown)
    classes = _numbered(name for e in shown for name in (_class_of(e), e.pred_class or ""))
    by_place = has_detections_only(run)
    places = _Places(tables.true), _Places(tables.pred)
    columns: ErrorColumns = {
        "whats": list(whats),
        "classes": list(classes),
        "item": [number[error.item] for error in shown],
        "error": [error.error for error in shown],
        "kind": [errors.kinds.index(error.kind) for error in shown],
        "what": [whats[error.what] for error in shown],
        "of_class": [classes[_class_of(error)] for error in shown],
        "as_class": [classes[error.pred_class or ""] for error in shown],
        "size": [error.size for error in shown],
        "cost": [round(error.cost, _DIGITS) for error in shown],
        "true": [error.true_ids if by_place else places[0].of(number[error.item], error.true_ids) for error in shown],
        "pred": [error.pred_ids if by_place else places[1].of(number[error.item], error.pred_ids) for error in shown],
        "span": [error.span for error in shown],
    }
    return {
        "problem": None,
        "headline": errors.headline,
        "note": errors.note,
        "kinds": list(errors.kinds),
        "n": len(errors),
        "by_place": by_place,
        "packed": pack(json_text(columns, ensure_ascii=True, separators=(",", ":")).encode()),
    }


def _class_of(error: RunError) -> str:
    return error.true_class or error.pred_class or ""


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


class _Places:
    """The positions of segments within their item, by id."""

    def __init__(self, side: RunSideColumns) -> None:
        self.side = side
        self.known: dict[int, Mapping[int, int]] = {}

    def of(self, item: int, ids: Sequence[int]) -> list[int]:
        """Return the positions of some segments of an item; those that it does not have are left out."""
        if item not in self.known:
            own = self.side.original_ids(self.side.part(item)).tolist()
            self.known[item] = {segment: at for at, segment in enumerate(own)}
        return [self.known[item][segment] for segment in ids if segment in self.known[item]]
