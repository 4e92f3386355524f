"""Verdicts on single errors, and the run with the truth put right where a label is wrong.

*label*: a missed segment leaves the truth, a spurious one becomes true; a segment takes the class of its prediction, a
split one becomes its fragments, merged ones become one, a boundary and a part of a class map become those of the
prediction. *unclear*: the elements of the error become void. *real*: nothing changes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from segmetry._base import IndexArray
from segmetry.diagnosis.error_costs import ItemCells, items_of, tables_of
from segmetry.diagnosis.run_errors import RunError, errors_of
from segmetry.diagnosis.table_cells import OUTSIDE, VOID, TableCells
from segmetry.errors import FormatError, InputError, OptionError
from segmetry.metrics import FROM_TABLE, METRICS
from segmetry.results import counted, number
from segmetry.run import Run
from segmetry.runfile import RunTables

Verdict = Literal["real", "label", "unclear"]
_COLUMNS = ["item", "error", "verdict"]


@dataclass(frozen=True)
class Verdicts:
    """The verdict on each error, by item and address."""

    by_error: dict[tuple[str, str], Verdict]

    @classmethod
    def read(cls, path: str | Path) -> Verdicts:
        """Read a CSV file with the columns item, error and verdict (real, label, unclear), as the report writes it."""
        try:
            with Path(path).open(newline="", encoding="utf-8") as file:
                head, *rows = csv.reader(file)
        except (OSError, UnicodeDecodeError, ValueError) as problem:
            raise FormatError(f"{path}: cannot be read as verdicts: {problem}") from None
        if head != _COLUMNS:
            raise FormatError(f"{path}: the columns are {','.join(head)}; expected {','.join(_COLUMNS)}")
        verdicts: dict[tuple[str, str], Verdict] = {}
        for line, row in enumerate(rows, 2):
            if len(row) != len(_COLUMNS) or row[2] not in get_args(Verdict):
                raise FormatError(f"{path}, line {line}: found {','.join(row)}; expected item,error,real|label|unclear")
            verdicts[row[0], row[1]] = row[2]  # type: ignore[assignment]
        return cls(verdicts)

    def sentence(self, before: Run, after: Run) -> str:
        """Return what was judged and what the headline is without errors of the labels, with its interval."""
        said = list(self.by_error.values())
        cell, wrong, n = before.cell(), said.count("label"), len(errors_of(before))
        both = [run.data.score(cell.metric, cell.average).value for run in (before, after)]
        interval = after.headline_interval()
        ends = "" if interval.best is None else f" ({number(interval.best[0], 3)} to {number(interval.best[1], 3)})"
        return (
            f"Of {counted(len(said), 'error')} judged, {wrong} {'is an error' if wrong == 1 else 'are errors'} of the "
            f"labels, {said.count('unclear')} unclear; the other {n - len(said)} were not looked at. Without them "
            f"{cell.words} is {number(both[1], 3)}{ends} instead of {number(both[0], 3)}."
        )


def judged(run: Run, verdicts: Verdicts) -> Run:
    """Return the run with the truth as the verdicts say; metrics that need the inputs are left out."""
    if METRICS[run.headline].needs not in (*FROM_TABLE, "tally"):
        raise OptionError(f"verdicts change overlaps, but {run.cell().words} does not follow from overlaps alone")
    known = {(error.item, error.error): error for error in errors_of(run)}
    unknown = [place for place in verdicts.by_error if place not in known]
    if unknown:
        item, error = unknown[0]
        raise InputError(
            f"item {item}: the run has no error {error!r} ({counted(len(unknown), 'verdict')} of "
            f"{len(verdicts.by_error)} are about errors that it does not have); were they made for another run or rule?"
        )
    truth = _Truth(run)
    for place, verdict in verdicts.by_error.items():
        if verdict != "real":
            truth.change(known[place], is_void=verdict == "unclear")
    kept = [metric.key for metric in run.metrics if metric.needs in (*FROM_TABLE, "tally")]
    return run.with_tables(truth.tables(), kept)


class _Truth:
    """The cells of a run, whose elements are assigned to other true segments."""

    def __init__(self, run: Run) -> None:
        self.run_tables = run.tables_together
        self.cells = TableCells.of(self.run_tables.together)
        self.item = items_of(self.cells, self.run_tables)
        self.true, self.left = self.cells.true.copy(), self.cells.count.copy()
        self.new: list[int] = []
        self.moved: list[tuple[int, int, int, int]] = []
        names = self.run_tables.items.names
        self.number = {name: at for at, name in enumerate(names)}

    def change(self, error: RunError, *, is_void: bool) -> None:
        """Put the truth of one error right, or make its elements void."""
        item = self.number[error.item]
        sides = (self.run_tables.true, error.true_ids), (self.run_tables.pred, error.pred_ids)
        trues, preds = (
            self._id_places(side.original_ids(side.part(item)).tolist(), ids, side.starts[item]) for side, ids in sides
        )
        of_true, of_pred = np.isin(self.cells.true, trues), np.isin(self.cells.pred, preds)
        if error.error.startswith("c"):
            self._move_part(item, trues, preds, error.size, is_void=is_void)
        elif is_void:
            self.true[of_pred if error.kind == "spurious" else of_true] = VOID
        elif error.kind in ("missed", "spurious"):
            self.true[of_true if error.kind == "missed" else of_pred] = (
                OUTSIDE if error.kind == "missed" else self._added(preds[0])
            )
        elif error.kind == "class":
            self.true[of_true] = self._added(preds[0])
        elif error.kind == "split":
            for pred in preds:
                self.true[of_true & (self.cells.pred == pred)] = self._added(pred)
        elif error.kind == "merge":
            self.true[of_true] = trues[0]
        else:
            self.true[of_true] = OUTSIDE
            self.true[of_pred] = trues[0]

    @staticmethod
    def _id_places(known: Sequence[int], ids: Iterable[int], first: int) -> list[int]:
        return [first + known.index(segment) for segment in ids]

    def _added(self, pred: int) -> int:
        """Return a new true segment of the class of a predicted one."""
        self.new.append(int(self.run_tables.pred.classes[pred]))
        return self.run_tables.true.sizes.size + len(self.new) - 1

    def _move_part(self, item: int, trues: list[int], preds: list[int], size: int, *, is_void: bool) -> None:
        true, pred = trues[0] if trues else OUTSIDE, preds[0] if preds else OUTSIDE
        own = np.flatnonzero((self.cells.true == true) & (self.cells.pred == pred) & (self.item == item))
        goal = VOID if is_void else OUTSIDE
        if preds and not is_void:
            side = self.run_tables.true
            part = np.arange(side.starts[item], side.starts[item + 1])
            same = part[side.classes[part] == self.run_tables.pred.classes[pred]]
            goal = int(same[0]) if same.size else self._added(pred)
        self.left[own[0]] -= size
        self.moved.append((item, goal, pred, size))

    def tables(self) -> RunTables:
        """Return the tables of all items."""
        moved: IndexArray = np.array(self.moved, dtype=np.int64).reshape(-1, 4)
        own = ItemCells(self.item, self.true, self.cells.pred, self.left)
        cells = ItemCells(*(np.concatenate((column, moved[:, at])) for at, column in enumerate(own)))
        every = np.arange(len(self.run_tables))
        nothing = np.zeros(0, dtype=np.int64)
        made = tables_of(self.run_tables, every, cells, np.array(self.new, dtype=np.int64), nothing)
        return replace(made, items=replace(made.items, names=self.run_tables.items.names))
