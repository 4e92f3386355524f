"""The columns of an overlap table from counted label pairs: which labels are segments, outside or void."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, sum_by
from segmetry.kernels.backend import kernel
from segmetry.kernels.pairs import PairCounts

Corners = tuple[int, int, int, int]

# Roles of a label; two roles as one digit each are the index of a count.
SEGMENT, OUTSIDE, VOID, N_ROLES = 0, 1, 2, 3
_LIMITS = {"i": (-(2**63), 2**63 - 1), "u": (0, 2**64 - 1)}
"""Counted labels are int64 or uint64."""


class Special(NamedTuple):
    """Labels of one side that are not segments."""

    outside: Sequence[int]
    void: Sequence[int]


class SideColumns(NamedTuple):
    """The segments of one side by ascending id: int64 where all ids fit, else uint64.

    ``outside`` and ``void`` count the elements of each segment that are outside, or in the void, of the other side.
    """

    ids: NDArray[Any]
    sizes: IntArray
    outside: IntArray
    void: IntArray


class TableColumns(NamedTuple):
    """Both sides, one row per pair of segments, and how many elements are in no segment of either side.

    The last are (outside, outside), (outside, void), (void, outside) and (void, void), the true side first.
    """

    true: SideColumns
    pred: SideColumns
    row_true: IntArray
    row_pred: IntArray
    shared: IntArray
    background: Corners


def _columns_native(native: ModuleType, counted: PairCounts, true: Special, pred: Special) -> Any:
    labels = _as_int64(counted.true_labels), _as_int64(counted.pred_labels)
    if labels[0] is None or labels[1] is None:
        return NotImplemented  # ids of 2⁶³ and more
    special = [_fitting_labels(ids, "i") for ids in (*true, *pred)]
    first, second, *others = native.table_columns(*labels, counted.counts, *special)
    return TableColumns(SideColumns(*first), SideColumns(*second), *others)


@kernel(_columns_native)
def table_columns(counted: PairCounts, true: Special, pred: Special) -> TableColumns:
    """Return the columns of the overlap table of two label arrays whose label pairs have been counted."""
    counts = counted.counts
    first, second = (_Column.of(labels, side) for labels, side in ((counted[0], true), (counted[1], pred)))
    both = np.flatnonzero((first.row_role == SEGMENT) & (second.row_role == SEGMENT))
    # One sum over rows by both roles gives the four corners at once.
    of_roles = sum_by(N_ROLES * first.row_role + second.row_role, counts, N_ROLES**2).reshape(N_ROLES, N_ROLES)
    return TableColumns(
        _side_columns(first, second, counts),
        _side_columns(second, first, counts),
        first.positions(both),
        second.positions(both),
        counts[both],
        cast(Corners, tuple(of_roles[OUTSIDE:, OUTSIDE:].ravel().tolist())),
    )


class _Column(NamedTuple):
    """One side of counted pairs: the labels that occur, ascending, their roles, and the label of every row."""

    labels: NDArray[Any]
    role: NDArray[np.intp]
    at: NDArray[np.intp]
    row_role: NDArray[np.intp]

    @classmethod
    def of(cls, column: NDArray[Any], special: Special) -> _Column:
        """Return the column of the labels of all rows."""
        labels, at = np.unique(column, return_inverse=True)
        role = np.zeros(labels.size, dtype=np.intp)
        for number, special_labels in ((OUTSIDE, special.outside), (VOID, special.void)):
            for label in _fitting_labels(special_labels, labels.dtype.kind):
                role[labels == labels.dtype.type(label)] = number
        return cls(labels, role, at, role[at])

    def positions(self, rows: NDArray[np.intp]) -> IntArray:
        """The position of the segments of some rows among all segments of the side."""
        return (np.cumsum(self.role == SEGMENT) - 1)[self.at[rows]]


def _side_columns(own: _Column, other: _Column, counts: IntArray) -> SideColumns:
    divided = sum_by(N_ROLES * own.at + other.row_role, counts, N_ROLES * own.role.size).reshape(-1, N_ROLES)
    in_segments, outside, void = divided[own.role == SEGMENT].T
    ids = own.labels[own.role == SEGMENT]
    narrow = _as_int64(ids)
    return SideColumns(ids if narrow is None else narrow, in_segments + outside + void, outside.copy(), void.copy())


def _as_int64(labels: NDArray[Any]) -> IntArray | None:
    """Return the same numbers as int64, so that tables do not depend on the dtype; None if some are too large."""
    if labels.dtype == np.int64:
        return labels
    return labels.astype(np.int64) if not labels.size or int(labels.max()) < 2**63 else None


def _fitting_labels(labels: Sequence[int], kind: str) -> list[int]:
    if not labels:
        return []
    least, most = _LIMITS[kind]
    return [label for label in labels if least <= label <= most]
