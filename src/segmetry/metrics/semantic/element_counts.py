r"""The elements of each class on both sides, on one side and on neither: one class against the rest.

They are the terms of overlap measures [taha2015metrics] and the counts that nnU-Net [isensee2021nnunet] writes for
every case and label.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from segmetry._base import as_python_ints
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.label_overlap import NO_LABEL, label_elements, label_values
from segmetry.metrics.statistics import ROWS, Quotient, Statistics, Sums
from segmetry.overlaps import ItemTables

_SMALL_FACTOR = 2**10
"""Counts are below 2⁴⁹ where they have 64 bits, so that a few products with a smaller factor cannot overflow."""


def one_against_rest(tables: ItemTables, *, foreground: bool = False) -> Statistics:
    """Collect the elements of each class of every item on both sides and on each, and the size of its domain."""
    cells, counts = label_elements(tables, foreground=foreground)
    return Statistics.of_cells(len(tables), cells, counts, {"elements": tables.not_void})


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


_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 0, 0]]
_COUNT_NOTES = (
    "Equal labels are compared, or equal classes where segments carry them. The value of an item and of a data set is "
    "the sum over its labels; by class, the number of a class, and by item its mean over all items, those without the "
    "class included. Elements that are void on a side do not count."
)


_COUNTS = Aggregation(one_against_rest, of_items=("elements",), is_count=True)


_element_count = partial(
    metric,
    kinds=("labels", "masks"),
    citation=("taha2015metrics", "isensee2021nnunet"),
    bounds=(0, float("inf")),
    notes=_COUNT_NOTES,
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)


@_element_count(
    symbol=r"\mathrm{TP}",
    order=200,
    formula=r"\mathrm{TP} = \sum_{l\in L} n_l",
    summary="Elements that have the same label on both sides.",
    symmetric=True,
    value_if_equal=None,
    examples=(Example(*_LABELS, 3),),
)
def true_positive_elements(sums: Sums) -> Quotient:
    return Quotient(sums["shared"], 1)


@_element_count(
    symbol=r"\mathrm{FP}",
    formula=r"\mathrm{FP} = \sum_{l\in L} (p_l - n_l)",
    summary="Elements of a predicted label that have another label, or none, in the truth.",
    better="lower",
    swaps_with="false_negative_elements",
    examples=(Example(*_LABELS, 1),),
)
def false_positive_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"] - sums["shared"], 1)


@_element_count(
    symbol=r"\mathrm{FN}",
    formula=r"\mathrm{FN} = \sum_{l\in L} (t_l - n_l)",
    summary="Elements of a true label that have another label, or none, in the prediction.",
    better="lower",
    swaps_with="false_positive_elements",
    examples=(Example(*_LABELS, 2),),
)
def false_negative_elements(sums: Sums) -> Quotient:
    return Quotient(sums["true"] - sums["shared"], 1)


@_element_count(
    symbol=r"\mathrm{TN}",
    formula=r"\mathrm{TN} = \sum_{l\in L} (n - t_l - p_l + n_l)",
    summary="Elements that do not have a label on either side, summed over labels.",
    symmetric=True,
    value_if_equal=None,
    examples=(Example(*_LABELS, 6),),
)
def true_negative_elements(sums: Sums) -> Quotient:
    return Quotient(FourCounts.of(sums).rest, 1, occurs=sums[ROWS] > 0)


@_element_count(
    symbol=r"|T|",
    formula=r"|T| = \sum_{l\in L} t_l",
    summary="Elements of the labels of the truth.",
    better="neither",
    swaps_with="pred_elements",
    value_if_equal=None,
    examples=(Example(*_LABELS, 5),),
)
def true_elements(sums: Sums) -> Quotient:
    return Quotient(sums["true"], 1)


@_element_count(
    symbol=r"|P|",
    formula=r"|P| = \sum_{l\in L} p_l",
    summary="Elements of the labels of the prediction.",
    better="neither",
    swaps_with="true_elements",
    value_if_equal=None,
    examples=(Example(*_LABELS, 4),),
)
def pred_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"], 1)
