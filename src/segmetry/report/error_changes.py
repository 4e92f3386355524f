"""What becomes of every error from the first run to another: fixed, changed to another kind, remaining; and which are
new.

Two errors of an item are the same place where they share a true segment, where both are predictions on nothing that
share more than half of both (IoU > 1/2), or, of parts, boundaries, turns and stretches of frames, where they touch. An
error remains if one of the same kind is at its place. Loose boundaries are left out: they are compared by their IoU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from segmetry.diagnosis import RunError
from segmetry.errors import SegmetryError
from segmetry.evaluation import loaders_of
from segmetry.overlaps import overlap
from segmetry.report.page_records import ErrorFates
from segmetry.run import Run
from segmetry.segmentation import Masks

FIXED, CHANGED, REMAINING, NEW, LEFT_OUT = range(5)


def error_fates(
    runs: Sequence[Run], shown: Sequence[Sequence[RunError]], true: Any = None, pred: Sequence[Any] | None = None
) -> list[ErrorFates]:
    """Return what becomes of the errors of the first run in each other one; ``shown`` are those of the page."""
    stated = [None] * len(runs) if pred is None else pred
    sides = [_of_items(errors) for errors in shown]
    fates: list[ErrorFates] = []
    for number in range(1, len(runs)):
        codes = [[LEFT_OUT] * len(shown[0]), [LEFT_OUT] * len(shown[number])]
        extra = _Predictions((runs[0], runs[number]), (true, true), (stated[0], stated[number]))
        for item in {**sides[0], **sides[number]}:
            _compare(sides[0].get(item, []), sides[number].get(item, []), codes, extra.near(item))
        before, after = ("".join(map(str, one)) for one in codes)
        fates.append({"run": number, "before": before, "after": after, "problem": extra.problem})
    return fates


Placed = tuple[int, RunError]


def _of_items(errors: Sequence[RunError]) -> dict[str, list[Placed]]:
    """Return the errors of every item with their places in the list."""
    found: dict[str, list[Placed]] = defaultdict(list)
    for at, error in enumerate(errors):
        if error.kind != "boundary" or error.span:
            found[error.item].append((at, error))
    return found


def _compare(
    first: Sequence[Placed], second: Sequence[Placed], codes: list[list[int]], near: set[tuple[int, int]]
) -> None:
    pairs = [
        (at, other, error.kind == theirs.kind)
        for at, error in first
        for other, theirs in second
        if _is_same_place(error, theirs, near)
    ]
    for (own, none), places in zip(((0, FIXED), (1, NEW)), (first, second), strict=True):
        for at, _ in places:
            same = [is_kind for *both, is_kind in pairs if both[own] == at]
            codes[own][at] = REMAINING if any(same) else CHANGED if same else none


def _is_same_place(one: RunError, other: RunError, near: set[tuple[int, int]]) -> bool:
    if one.span and other.span:
        if len(one.span) == 6:  # parts of class maps: boxes of a plane, beside each other or overlapping
            (a, b), same_plane = (np.array(error.span[2:]) for error in (one, other)), one.span[1] == other.span[1]
            touch = bool((a[:2] <= b[2:]).all() and (b[:2] <= a[2:]).all())
            return same_plane and touch and one.true_class == other.true_class
        is_object = not one.true_ids or one.true_ids == other.true_ids
        return is_object and min(one.span) <= max(other.span) and min(other.span) <= max(one.span)
    if one.true_ids or other.true_ids:
        return not {*one.true_ids}.isdisjoint(other.true_ids)
    return any((p, q) in near for p in one.pred_ids for q in other.pred_ids)


class _Predictions:
    """The predicted segments of two runs that share more than half of both."""

    def __init__(self, runs: Sequence[Run], true: Sequence[Any], pred: Sequence[Any]) -> None:
        self.problem: str | None = None
        self._loaders: Sequence[Mapping[str, Any]] = ()
        try:
            self._loaders = [loaders_of(*own, check_files=False) for own in zip(runs, true, pred, strict=True)]
        except SegmetryError as problem:
            self.problem = f"spurious errors of two runs are not told apart: {problem}"

    def near(self, item: str) -> set[tuple[int, int]]:
        """Return pairs of ids of an item; of masks with scores their ranks, by which errors name them."""
        if not self._loaders:
            return set()
        first, second = (loaders[item]()[1] for loaders in self._loaders)
        if not hasattr(first, "ids") and not hasattr(first, "labels"):
            return set()
        table = overlap(first, second)
        rows = np.flatnonzero(2 * table.shared > table.shared + table.missed + table.spurious)
        sides = ((first, table.true.ids[table.row_true[rows]]), (second, table.pred.ids[table.row_pred[rows]]))
        names = [_ranks(side, ids) for side, ids in sides]
        return set(zip(*names, strict=True))


def _ranks(side: Any, ids: Any) -> list[int]:
    if not isinstance(side, Masks) or side.scores is None:
        own: list[int] = ids.tolist()
        return own
    by_score = side.ids[np.argsort(-side.scores, kind="stable")].tolist()
    return [by_score.index(one) for one in ids.tolist()]
