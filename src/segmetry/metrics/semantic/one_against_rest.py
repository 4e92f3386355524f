"""One class against all others: the four counts of each class, and means over classes of their quotients.

Of a class, the elements on both sides (true positives), in the truth only (false negatives), in the prediction only
(false positives) and on neither side (true negatives), of all elements that are void on neither side. Where segments
carry no classes, equal labels are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from segmetry._base.exact import as_python_ints
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.semantic.label_overlap import NO_LABEL, label_counts, label_values
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.overlaps.table import OverlapTable

_SMALL_FACTOR = 2**10
"""Counts are below 2⁴⁹ where they have 64 bits, so that a few products with a smaller factor cannot overflow."""


def elements_not_void(table: OverlapTable) -> int:
    """Return the number of elements of the domain that are void on neither side."""
    corner = table.background
    void: int = corner.outside_void + corner.void_outside + corner.void_void
    in_segments: int = sum(table.true.void.tolist()) + sum(table.pred.void.tolist())
    return table.n_elements - void - in_segments


def one_against_rest(table: OverlapTable, *, foreground: bool = False) -> dict[str, Column]:
    """Collect the elements of each class of one item on both sides and on each, and the size of its domain."""
    return {**label_counts(table, foreground=foreground), "elements": np.array([elements_not_void(table)])}


class FourCounts(NamedTuple):
    """The elements of classes on both sides, in the truth only, in the prediction only, and on neither side."""

    shared: Any
    missed: Any
    spurious: Any
    rest: Any

    @classmethod
    def of(cls, sums: Sums) -> FourCounts:
        """Return the counts of every class and sample."""
        shared, true, pred = sums["shared"], sums["true"], sums["pred"]
        return cls(shared, true - shared, pred - shared, sums["elements"] - true - pred + shared)

    @property
    def occurs(self) -> Any:
        """Whether a class occurs on either side."""
        return self.shared + self.missed + self.spurious > 0

    @property
    def margins(self) -> tuple[Any, Any, Any, Any]:
        """The elements of the class and the others, in the truth and in the prediction."""
        true, pred = self.shared + self.missed, self.shared + self.spurious
        return true, self.rest + self.spurious, pred, self.rest + self.missed

    def quotient(self, numerator: Any, denominator: Any, reason: str) -> Quotient:
        """Return a quotient of the classes that occur; one whose denominator is 0 has no value."""
        return Quotient(numerator, denominator, reason, occurs=self.occurs)


def scaled(factor: int, counts: Any) -> Any:
    """Return the product with a factor, as integers of Python where 64 bits might not hold it."""
    if factor >= _SMALL_FACTOR and counts.dtype.kind in "iu":
        counts = as_python_ints(counts)
    return factor * counts


CLASS_MEAN = Aggregation(one_against_rest, of_items=("elements",), describe=label_values, no_class=NO_LABEL)
