"""Every error of a run, one at a time, with what it costs: the points that the headline gains if it alone is fixed.

The errors are those that :func:`~segmetry.diagnosis.error_budget.diagnose` counts, and their fixes the same, applied to
one segment. Costs of single errors do not add up to the gain of their kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from segmetry._base import IndexArray, IntArray, short_repr
from segmetry.diagnosis.detection_diagnosis import detections_listed, has_detections_only
from segmetry.diagnosis.error_budget import cut_off, largest_shared, run_reasons
from segmetry.diagnosis.error_costs import Moves, costs_of_moves, expanded
from segmetry.diagnosis.error_reasons import KINDS, Reasons
from segmetry.diagnosis.table_cells import OUTSIDE, TableCells
from segmetry.errors import OptionError
from segmetry.metrics import METRICS
from segmetry.results import ColumnType, Table, Tabular, number
from segmetry.run import Run
from segmetry.runfile import RunSideColumns

TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("item", "error", "kind", "what", "true_class", "pred_class"), "text"),
    "size": "integer",
    "cost": "number",
}


@dataclass(frozen=True)
class RunError:
    """One error: where it is, of what kind, and what it costs.

    ``error`` is its address within the item: ``t`` and the id of a true segment, ``p`` of a predicted one, ``b`` of the
    true segment of a pair with a loose boundary, ``c`` with two classes and the first element of a part, ``s`` with a
    place on a line. ``true_ids`` and ``pred_ids`` are the segments that it is about; ``span`` is where it lies on a
    line, and the first element of a part.
    """

    item: str
    error: str
    kind: str
    what: str
    true_class: str | None
    pred_class: str | None
    size: int
    cost: float
    true_ids: tuple[int, ...] = ()
    pred_ids: tuple[int, ...] = ()
    span: tuple[float, ...] = ()


@dataclass(frozen=True)
class RunErrors(Tabular, Sequence[RunError]):
    """The errors of a run, the costliest first; a sequence of :class:`RunError`.

    ``headline`` names the number that costs are points of, ``kinds`` are those that can occur, in the order in which
    they are listed, and ``note`` says what holds for all of them.
    """

    __repr__ = short_repr

    headline: str
    kinds: tuple[str, ...]
    listed: tuple[RunError, ...]
    note: str | None = None

    def __len__(self) -> int:
        return len(self.listed)

    def __getitem__(self, at: Any) -> Any:
        return self.listed[at]

    def rows(self) -> Table:
        """Return one plain row per error, with its cost in points (× 100) of the headline."""
        rows = [{name: getattr(error, name) for name in TYPES} for error in self.listed]
        return Table("errors", rows, TYPES)


Listed = tuple[tuple[str, ...], list[RunError], str | None]
"""Kinds, errors, and what holds for all of them."""


def errors_of(run: Run, *, partial: bool = False) -> RunErrors:
    """Return every error of a run with what it costs; see :meth:`segmetry.Run.errors`."""
    run.check_complete(partial=partial)
    from segmetry.diagnosis import element_errors

    cell = run.cell()
    found: Listed
    if has_detections_only(run):
        found = detections_listed(run)
    elif cell.metric in element_errors.BY_METRIC:
        found = element_errors.BY_METRIC[cell.metric](run)
    elif METRICS[cell.metric].needs not in ("tally", "table", "alignment", "overlaps", "contingency"):
        raise OptionError(
            f"{cell.words} is no sum over segments, parts or boundaries, so that single errors have no cost"
        )
    elif element_errors.is_about_classes(run):
        found = element_errors.parts_of(run)
    else:
        found = SegmentErrors(run).listed
    kinds, listed, note = found
    ordered = sorted(listed, key=lambda error: (-error.cost, error.item, error.error))
    return RunErrors(cell.words, kinds, tuple(ordered), note)


class SegmentErrors:
    """The errors of aligned segments, as moves of the cells of the run's table."""

    def __init__(self, run: Run) -> None:
        self.run, self.note = run, None
        try:
            self.reasons = run_reasons(run)
        except OptionError:  # kinds need a rule that decides on each pair alone; costs keep the rule of the run
            self.reasons = run_reasons(run.rescore("theta_plus"))
            self.note = f"kinds of errors are those under theta_plus, costs those under {run.settings.rule}"
        self.cells = TableCells.of(self.reasons.table)
        self.tables = run.tables_together
        self._error: list[IndexArray] = []
        self._cell: list[IndexArray] = []
        self._to: list[IndexArray] = []
        self._new_class: list[int] = []
        self._facts: list[tuple[str, int, int, int]] = []

    @cached_property
    def listed(self) -> Listed:
        reasons = self.reasons
        for kind in KINDS:
            getattr(self, f"_add_{kind}")(reasons)
        order = np.argsort(np.concatenate([np.zeros(0, dtype=np.intp), *self._error]), kind="stable")
        error, cell, to = (
            np.concatenate([np.zeros(0, dtype=np.intp), *parts])[order] for parts in (self._error, self._cell, self._to)
        )
        moves = Moves(error, cell, to, np.array(self._new_class, dtype=np.int64))
        true, pred = (np.array([fact[at] for fact in self._facts], dtype=np.intp) for at in (1, 2))
        item = np.where(true >= 0, np.append(self.tables.true.item, 0)[true], np.append(self.tables.pred.item, 0)[pred])
        costs = costs_of_moves(self.run, self.cells, item, moves).tolist()
        if not any(cost for cost, fact in zip(costs, self._facts, strict=True) if fact[0] == "boundary"):
            costs = [None if fact[0] == "boundary" else cost for cost, fact in zip(costs, self._facts, strict=True)]
        describe = _Described(self.run, reasons)
        names = self.tables.items.names
        listed = [
            describe.error(names[at], *fact, cost)
            for at, fact, cost in zip(item.tolist(), self._facts, costs, strict=True)
            if cost is not None and cost == cost
        ]
        return KINDS, listed, self.note

    def _add(self, kind: str, true: IndexArray, pred: IndexArray, number: IntArray | None = None) -> IndexArray:
        """Add errors; return their numbers."""
        first = len(self._facts)
        many = np.ones(true.size, dtype=int) if number is None else number
        self._facts += zip([kind] * true.size, true.tolist(), pred.tolist(), many.tolist(), strict=True)
        return first + np.arange(true.size)

    def _move(self, error: IndexArray, cell: IndexArray, to: IndexArray) -> None:
        self._error.append(error)
        self._cell.append(cell)
        self._to.append(to)

    def _new(self, classes: IntArray | None, n: int) -> IndexArray:
        """Return new pred segments of these classes."""
        first = len(self.reasons.table.pred) + len(self._new_class)
        self._new_class += [0] * n if classes is None else classes.tolist()
        return first + np.arange(n)

    def _of_pred(self, error: IndexArray, pred: IndexArray) -> tuple[IndexArray, IndexArray]:
        return expanded(self.cells.pred, len(self.reasons.table.pred), error, pred)

    def _of_true(self, error: IndexArray, true: IndexArray) -> tuple[IndexArray, IndexArray]:
        return expanded(self.cells.true, len(self.reasons.table.true), error, true)

    def _add_class(self, reasons: Reasons) -> None:
        pairs, classes = reasons.confused, reasons.table.true.classes
        errors = self._add("class", pairs.true, pairs.pred)
        new = self._new(None if classes is None else classes[pairs.true], errors.size)
        at, cell = self._of_pred(np.arange(errors.size), pairs.pred)
        self._move(errors[at], cell, new[at])

    def _add_split(self, reasons: Reasons) -> None:
        pairs = reasons.fragments
        true, place, number = np.unique(pairs.true, return_inverse=True, return_counts=True)
        keeper = pairs.pred[largest_shared(pairs.true, pairs.shared)]
        first = np.searchsorted(pairs.true, true)
        errors = self._add("split", true, keeper[first], number)
        joined = np.flatnonzero(pairs.pred != keeper)
        at, cell = self._of_pred(joined, pairs.pred[joined])
        self._move(errors[place[at]], cell, keeper[at])

    def _add_merge(self, reasons: Reasons) -> None:
        pred, number = np.unique(reasons.swallowed.pred, return_counts=True)
        errors = self._add("merge", np.full(pred.size, -1), pred, number)
        cut, classes = cut_off(reasons), reasons.table.pred.classes
        new = self._new(None if classes is None else classes[cut.pred], cut.true.size)
        at, cell = self._of_true(np.arange(cut.true.size), cut.true)
        inside = self.cells.pred[cell] == cut.pred[at]
        at, cell = at[inside], cell[inside]
        self._move(errors[np.searchsorted(pred, cut.pred[at])], cell, new[at])

    def _add_missed(self, reasons: Reasons) -> None:
        lost, _ = reasons.not_explained(())
        true = np.flatnonzero(lost & (reasons.table.true.sizes > 0))
        classes = reasons.table.true.classes
        errors = self._add("missed", true, np.full(true.size, -1))
        new = self._new(None if classes is None else classes[true], true.size)
        at, cell = self._of_true(np.arange(true.size), true)
        self._move(errors[at], cell, new[at])

    def _add_spurious(self, reasons: Reasons) -> None:
        _, extra = reasons.not_explained(())
        pred = np.flatnonzero(extra & (reasons.table.pred.sizes > 0))
        errors = self._add("spurious", np.full(pred.size, -1), pred)
        at, cell = self._of_pred(np.arange(pred.size), pred)
        self._move(errors[at], cell, np.full(at.size, OUTSIDE))

    def _add_boundary(self, reasons: Reasons) -> None:
        rows = np.flatnonzero(reasons.imperfect)
        true, pred = reasons.alignment.at_true[rows], reasons.alignment.at_pred[rows]
        errors = self._add("boundary", true, pred)
        at, cell = self._of_pred(np.arange(rows.size), pred)
        beyond = self.cells.true[cell] != true[at]
        partner = np.concatenate((reasons.partner_of_true, [OUTSIDE, OUTSIDE]))[self.cells.true[cell[beyond]]]
        self._move(errors[at[beyond]], cell[beyond], partner)
        at, cell = self._of_true(np.arange(rows.size), true)
        lacking = self.cells.pred[cell] != pred[at]
        self._move(errors[at[lacking]], cell[lacking], pred[at[lacking]])


class _Described:
    """What is said of an error: its segments, classes, and what it is in words."""

    def __init__(self, run: Run, reasons: Reasons) -> None:
        self.tables, self.reasons = run.tables_together, reasons
        table = reasons.table
        self.names: Sequence[Hashable] = table.class_names or ()
        self.called = [str(run.class_names.get(name, name)) for name in self.names]
        n_true, n_pred = len(table.true), len(table.pred)
        self.pred_of = self._main_partner(table.row_true, table.row_pred, table.shared, n_true)
        self.true_of = self._main_partner(table.row_pred, table.row_true, table.shared, n_pred)
        self.parts = _grouped(reasons.fragments.true, reasons.fragments.pred)
        self.swallowed = _grouped(reasons.swallowed.pred, reasons.swallowed.true)

    @staticmethod
    def _main_partner(of: IndexArray, other: IndexArray, shared: IntArray, n: int) -> list[int]:
        main = np.full(n, -1)
        order = np.argsort(shared, kind="stable")
        main[of[order]] = other[order]
        found: list[int] = main.tolist()
        return found

    def _class(self, side: Any, at: int) -> str | None:
        return self.called[int(side.classes[at])] if self.called and at >= 0 else None

    def error(self, item: str, kind: str, true: int, pred: int, parts: int, cost: float) -> RunError:
        """Return one error in words."""
        tables = self.tables
        sides = tables.true, tables.pred
        trues = self.swallowed[pred] if kind == "merge" else [true] if true >= 0 else []
        preds = self.parts[true] if kind == "split" else [pred] if pred >= 0 else []
        main = trues[0] if trues else self.true_of[pred]
        other = preds[0] if preds else self.pred_of[true]
        named = self._class(sides[0], main), self._class(sides[1], other)
        own = named[1 if kind in ("spurious", "merge") else 0] or "segment"
        ids = ids_of(sides[0], trues), ids_of(sides[1], preds)
        letter = {"merge": "p", "spurious": "p", "boundary": "b"}.get(kind, "t")
        side, at = (sides[1], pred) if letter == "p" else (sides[0], true)
        what = {
            "class": f"{named[0]} as {named[1]}",
            "split": f"{own} in {parts} parts",
            "merge": f"{parts} × {own} as one",
            "missed": f"{own} as {named[1]}" if named[1] and named[1] != own else f"{own} missed",
            "spurious": f"{own} on {named[0]}" if named[0] and named[0] != own else f"{own} invented",
            "boundary": own,
        }[kind]
        if kind == "boundary":
            what += f", IoU {number(self._iou[true], 2)}"
        size = int(side.sizes[at])
        return RunError(item, f"{letter}{ids[letter == 'p'][0]}", kind, what, *named, size, cost, ids[0], ids[1])

    @cached_property
    def _iou(self) -> dict[int, float]:
        alignment = self.reasons.alignment
        return dict(zip(alignment.at_true.tolist(), alignment.tally.weights("iou").tolist(), strict=True))


def ids_of(side: RunSideColumns, places: Sequence[int]) -> tuple[int, ...]:
    """Return the ids of segments in their own item."""
    return tuple(int(side.original_ids(slice(at, at + 1))[0]) for at in places)


def _grouped(keys: IndexArray, values: IndexArray) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for key, value in zip(keys.tolist(), values.tolist(), strict=True):
        groups.setdefault(key, []).append(value)
    return groups
