"""The rows of an overlap table that a local rule accepts: one pass for elements, decisions and partners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, IntArray, as_python_ints, magnitude_bound, products_fit
from segmetry.kernels.backend import native

InequalityRow = tuple[int, int, int, int, int]
"""Clause, a, b, c, strict: a·s > b·m + c·p, or ≥ where ``strict`` is 0."""
Inequalities = tuple[InequalityRow, ...]
"""In each clause one inequality must hold."""

# An empty array tells the native code that all rows are allowed; it takes no None.
_ALL = np.zeros(0, dtype=bool)
LARGEST_FACTOR = 2**40
"""Rules with larger factors are decided by the numpy twin, which uses Python's integers."""


class RulePairs(NamedTuple):
    """The accepted rows, their shared, missed and spurious elements, and how many segments of each side they name."""

    rows: IntArray
    shared: IntArray
    missed: IntArray
    spurious: IntArray
    n_true: int
    n_pred: int


class TableRows(NamedTuple):
    """The columns of a table that a rule decides on; ``allowed`` are the rows it may choose, None for all."""

    row_true: NDArray[np.intp]
    row_pred: NDArray[np.intp]
    shared: IntArray
    true_sizes: IntArray
    pred_sizes: IntArray
    allowed: BoolArray | None


def select_pairs(table: TableRows, inequalities: Inequalities, factors: IntArray | None) -> RulePairs:
    """Return the pairs that a local rule accepts; ``factors`` are its inequalities as an array, None if too large."""
    if native is not None and factors is not None:
        allowed = _ALL if table.allowed is None else table.allowed
        selected = native.select_pairs(*map(np.ascontiguousarray, table[:5]), np.ascontiguousarray(allowed), factors)
        if selected is not None:
            return RulePairs(*selected)
    return select_pairs_numpy(table, inequalities)


def select_pairs_numpy(table: TableRows, inequalities: Inequalities) -> RulePairs:
    """The numpy twin of :func:`select_pairs`, also used where 64 bits might not be enough."""
    at_true, at_pred, shared = table.row_true, table.row_pred, table.shared
    missed, spurious = table.true_sizes[at_true] - shared, table.pred_sizes[at_pred] - shared
    accepted = accept(shared, missed, spurious, inequalities)
    rows = np.flatnonzero(accepted if table.allowed is None else accepted & table.allowed)
    partners = (np.unique(at[rows]).size for at in (at_true, at_pred))
    return RulePairs(rows, shared[rows], missed[rows], spurious[rows], *partners)


def accept(s: IntArray, m: IntArray, p: IntArray, inequalities: Inequalities) -> BoolArray:
    """Return which pairs satisfy an inequality of every clause; a pair without shared elements never does."""
    accepted = s > 0
    by_clause: dict[int, BoolArray] = {}
    for row in inequalities:
        satisfied = holds(s, m, p, row)
        by_clause[row[0]] = by_clause[row[0]] | satisfied if row[0] in by_clause else satisfied
    for satisfied in by_clause.values():
        accepted &= satisfied
    return accepted


def holds(s: IntArray, m: IntArray, p: IntArray, row: InequalityRow) -> BoolArray:
    """Return which pairs satisfy one inequality, exactly."""
    _, a, b, c, strict = row
    # b*m + c*p is at most the largest factor times twice the largest count.
    if not products_fit(max(a, b, c), 2 * magnitude_bound(s, m, p) + 1):
        s, m, p = as_python_ints(s), as_python_ints(m), as_python_ints(p)  # type: ignore[assignment]
    left, right = a * s, b * m + c * p
    return (left > right if strict else left >= right).astype(bool)
