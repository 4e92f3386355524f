"""What mistakes about classes cost: how much mean IoU gains if the elements of one confusion are put right.

A confusion is a true class and what its elements are predicted as: another class (confused), nothing (missed); or
nothing in the truth that is predicted as a class (spurious). With s elements of a class on both sides and u on either
side, IoU = s/u. Putting right n elements of true class i that are predicted as j makes it (s + n)/u for i, and
s/(u − n) for j, which leaves the mean if nothing of it is left.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from segmetry.overlaps import OUTSIDE, ClassTable
from segmetry.results import Cell, ColumnType, Table, Tabular
from segmetry.run import Run

KINDS = ("confused", "missed", "spurious")
_TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("true", "pred", "kind"), "text"),
    "elements": "integer",
    **dict.fromkeys(("share_of_true", "gain"), "number"),
}


@dataclass(frozen=True)
class CostlyConfusion:
    """Elements of a true class that are predicted as another; None for no class."""

    true: Hashable | None
    pred: Hashable | None
    elements: int
    share_of_true: float | None
    gain: float

    @property
    def kind(self) -> str:
        """``confused``, ``missed`` or ``spurious``."""
        return _kind_of_error(self.true, self.pred)


@dataclass(frozen=True)
class ClassConfusions(Tabular):
    """The confusions of a run, the costliest first, and what all of a kind cost together.

    Parameters
    ----------
    mean_iou
        As predicted; NaN without a class.
    confusions
        Each with its gain: how much mean IoU rises if it is put right individually.
    gains
        The same for all confusions of a kind.
    names
        Names of classes by label.
    cell
        How mean IoU is written in tables.
    """

    mean_iou: float
    confusions: tuple[CostlyConfusion, ...]
    gains: dict[str, float]
    names: dict[Hashable, str]
    cell: Cell

    def rows(self) -> Table:
        """Return one plain row per confusion; what is in no class is ``(outside)``."""
        return Table("confusions", [self._confusion_row(confusion) for confusion in self.confusions], _TYPES)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        value = None if math.isnan(self.mean_iou) else self.mean_iou
        return {"mean_iou": value, "gains": self.gains, "confusions": list(self.rows())}

    def _confusion_row(self, confusion: CostlyConfusion) -> dict[str, Any]:
        return {
            "true": self._class_name(confusion.true),
            "pred": self._class_name(confusion.pred),
            "kind": confusion.kind,
            "elements": confusion.elements,
            "share_of_true": confusion.share_of_true,
            "gain": confusion.gain,
        }

    def _class_name(self, label: Hashable | None) -> str:
        return OUTSIDE if label is None else self.names.get(label, str(label))


def class_confusions(run: Run, *, partial: bool = False) -> ClassConfusions:
    """Return what each confusion of two classes costs in mean IoU, over all items of a run.

    Parameters
    ----------
    run : Run
        A run whose segments carry classes.
    partial : bool, default False
        Accept a run that is not finished.

    Returns
    -------
    ClassConfusions
        The confusions, the costliest first; ``to_pandas`` and the like give a data frame.

    Examples
    --------
    >>> import segmetry as sm
    >>> true, pred = ({"a": sm.LabelArray.from_classes([labels])} for labels in ([1, 1, 2, 2], [1, 2, 2, 2]))
    >>> found = class_confusions(sm.evaluate(true, pred, metrics="mean_iou"))
    >>> [(row["true"], row["pred"], row["elements"], round(row["gain"], 4)) for row in found.rows()]
    [('1', '2', 1, 0.4167)]
    """
    run.check_complete(partial=partial)
    table = run.class_table()
    cells = list(_table_cells(table))
    confusions = [
        CostlyConfusion(
            None if i is None else table.names[i],
            None if j is None else table.names[j],
            n,
            None if i is None else n / int(table.true_sizes[i]),
            _gain_of_fixing(table, [(i, j, n)]),
        )
        for i, j, n in cells
    ]
    gains = {
        kind: _gain_of_fixing(table, [cell for cell in cells if _kind_of_error(*cell[:2]) == kind]) for kind in KINDS
    }
    ordered = sorted(confusions, key=lambda each: (-each.gain, -each.elements, str(each.true), str(each.pred)))
    return ClassConfusions(
        _mean_iou_after(table, []),
        tuple(ordered),
        gains,
        dict(run.class_names),
        replace(run.cell(), name="mIoU", metric="mean_iou"),
    )


ConfusionCell = tuple[int | None, int | None, int]
"""The positions of a true and a predicted class, None for no class, and how many elements they share."""


def _table_cells(table: ClassTable) -> Iterable[ConfusionCell]:
    """Yield the cells off the diagonal in which nothing is void."""
    n = len(table.names)
    for i, j, count in zip(table.row_true.tolist(), table.row_pred.tolist(), table.counts.tolist(), strict=True):
        if i != j and i <= n and j <= n:
            yield (None if i == n else i), (None if j == n else j), int(count)


def _kind_of_error(true: Hashable | None, pred: Hashable | None) -> str:
    return "missed" if pred is None else "spurious" if true is None else "confused"


def _gain_of_fixing(table: ClassTable, cells: Iterable[ConfusionCell]) -> float:
    """Return how much mean IoU rises if cells are put right; where no class is left then, it is perfect."""
    before, after = _mean_iou_after(table, []), _mean_iou_after(table, cells)
    return 0.0 if math.isnan(before) else 1 - before if math.isnan(after) else after - before


def _mean_iou_after(table: ClassTable, cells: Iterable[ConfusionCell]) -> float:
    """Return mean IoU after cells are put right; NaN where no class occurs."""
    shared, union = table.shared.copy(), table.true_sizes + table.spurious
    for i, j, n in cells:
        if i is not None:
            shared[i] += n
        if j is not None:
            union[j] -= n
    occurs = np.flatnonzero(union).tolist()
    return math.fsum(int(shared[at]) / int(union[at]) for at in occurs) / len(occurs) if occurs else math.nan
