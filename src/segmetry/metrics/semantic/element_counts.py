r"""The elements of each class on both sides, on one side and on neither: TP, FP, FN and TN, one class against the rest.

With n_l elements of the label l on both sides, t_l in the truth, p_l in the prediction and n in the domain:
TP = n_l, FP = p_l − n_l, FN = t_l − n_l, TN = n − t_l − p_l + n_l. They are the terms of overlap measures
[taha2015metrics] and the counts that nnU-Net [isensee2021nnunet] writes for every case and label.
"""

from __future__ import annotations

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.one_against_rest import FourCounts, one_against_rest
from segmetry.metrics.statistics import ROWS, Quotient, Sums

_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 0, 0]]
_KINDS = ("labels", "masks")
_CITATION = ("taha2015metrics", "isensee2021nnunet")
_NOTES = (
    "Equal labels are compared, or equal classes where segments carry them. The value of an item and of a data set is "
    "the sum over its labels; by class, the number of a class, and by item its mean over all items, those without the "
    "class included. Elements that are void on a side do not count."
)


_COUNTS = Aggregation(one_against_rest, of_items=("elements",), is_count=True)


@metric(
    symbol=r"\mathrm{TP}",
    order=200,
    kinds=_KINDS,
    formula=r"\mathrm{TP} = \sum_{l\in L} n_l",
    summary="Elements that have the same label on both sides.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    symmetric=True,
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 3),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def true_positive_elements(sums: Sums) -> Quotient:
    return Quotient(sums["shared"], 1)


@metric(
    symbol=r"\mathrm{FP}",
    kinds=_KINDS,
    formula=r"\mathrm{FP} = \sum_{l\in L} (p_l - n_l)",
    summary="Elements of a predicted label that have another label, or none, in the truth.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="lower",
    swaps_with="false_negative_elements",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*_LABELS, 1),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def false_positive_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"] - sums["shared"], 1)


@metric(
    symbol=r"\mathrm{FN}",
    kinds=_KINDS,
    formula=r"\mathrm{FN} = \sum_{l\in L} (t_l - n_l)",
    summary="Elements of a true label that have another label, or none, in the prediction.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="lower",
    swaps_with="false_positive_elements",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*_LABELS, 2),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def false_negative_elements(sums: Sums) -> Quotient:
    return Quotient(sums["true"] - sums["shared"], 1)


@metric(
    symbol=r"\mathrm{TN}",
    kinds=_KINDS,
    formula=r"\mathrm{TN} = \sum_{l\in L} (n - t_l - p_l + n_l)",
    summary="Elements that do not have a label on either side, summed over labels.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    symmetric=True,
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 6),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def true_negative_elements(sums: Sums) -> Quotient:
    return Quotient(FourCounts.of(sums).rest, 1, occurs=sums[ROWS] > 0)


@metric(
    symbol=r"|T|",
    kinds=_KINDS,
    formula=r"|T| = \sum_{l\in L} t_l",
    summary="Elements of the labels of the truth.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="neither",
    swaps_with="pred_elements",
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 5),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def true_elements(sums: Sums) -> Quotient:
    return Quotient(sums["true"], 1)


@metric(
    symbol=r"|P|",
    kinds=_KINDS,
    formula=r"|P| = \sum_{l\in L} p_l",
    summary="Elements of the labels of the prediction.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="neither",
    swaps_with="true_elements",
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 4),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)
def pred_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"], 1)
