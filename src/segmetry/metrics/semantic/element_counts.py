r"""The elements of each class on both sides, on one side and on neither: TP, FP, FN and TN, one class against the rest.

With n_l elements of the label l on both sides, t_l in the truth, p_l in the prediction and n in the domain:
TP = n_l, FP = p_l − n_l, FN = t_l − n_l, TN = n − t_l − p_l + n_l. They are the terms of overlap measures
[taha2015metrics] and the counts that nnU-Net [isensee2021nnunet] writes for every case and label.
"""

from __future__ import annotations

from collections.abc import Callable

from segmetry._base.exact import IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import ClassElements, sum_class_counts
from segmetry.metrics.semantic.one_against_rest import one_against_rest
from segmetry.overlaps.table import OverlapTable

_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 0, 0]]
_KINDS = ("labels", "masks")
_CITATION = ("taha2015metrics", "isensee2021nnunet")
_NOTES = (
    "Equal labels are compared, or equal classes where segments carry them. The value of an item and of a data set is "
    "the sum over its labels; by class, the number of a class, and by item its mean over all items, those without the "
    "class included. Elements that are void on a side do not count."
)


def _counts(key: str, count: Callable[[ClassElements, int], IntArray]) -> Accumulator:
    """Return the accumulator of one of the counts, from the elements of the classes and those of the domain."""

    def combine(collected: Collected) -> Combined:
        elements = sum_class_counts(collected)
        numbers = count(elements, collected.total("elements")).tolist()
        classes = {name: Score.of(key, number, 1) for name, number in zip(elements.names, numbers, strict=True)}
        drawn = set(collected.columns["class"][collected.times_of("class") > 0].tolist())
        return Combined(Score.of(key, sum(numbers[at] for at in drawn), 1), classes)

    return Accumulator(one_against_rest, combine)


_TP = _counts("true_positive_elements", lambda elements, _: elements.shared)
_FP = _counts("false_positive_elements", lambda elements, _: elements.pred - elements.shared)
_FN = _counts("false_negative_elements", lambda elements, _: elements.true - elements.shared)
_TN = _counts("true_negative_elements", lambda elements, domain: domain - elements.union)
_TRUE = _counts("true_elements", lambda elements, _: elements.true)
_PRED = _counts("pred_elements", lambda elements, _: elements.pred)


@metric(
    symbol=r"\mathrm{TP}",
    family="semantic",
    order=200,
    needs="table",
    kinds=_KINDS,
    formula=r"\mathrm{TP} = \sum_{l\in L} n_l",
    summary="Elements that have the same label on both sides.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="higher",
    symmetric=True,
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 3),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_TP,
)
def true_positive_elements(table: OverlapTable) -> Score:
    return _TP.score(table)


@metric(
    symbol=r"\mathrm{FP}",
    family="semantic",
    order=210,
    needs="table",
    kinds=_KINDS,
    formula=r"\mathrm{FP} = \sum_{l\in L} (p_l - n_l)",
    summary="Elements of a predicted label that have another label, or none, in the truth.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="lower",
    symmetric=False,
    swaps_with="false_negative_elements",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*_LABELS, 1),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_FP,
)
def false_positive_elements(table: OverlapTable) -> Score:
    return _FP.score(table)


@metric(
    symbol=r"\mathrm{FN}",
    family="semantic",
    order=220,
    needs="table",
    kinds=_KINDS,
    formula=r"\mathrm{FN} = \sum_{l\in L} (t_l - n_l)",
    summary="Elements of a true label that have another label, or none, in the prediction.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="lower",
    symmetric=False,
    swaps_with="false_positive_elements",
    value_if_equal=0,
    notes=_NOTES,
    examples=(Example(*_LABELS, 2),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_FN,
)
def false_negative_elements(table: OverlapTable) -> Score:
    return _FN.score(table)


@metric(
    symbol=r"\mathrm{TN}",
    family="semantic",
    order=230,
    needs="table",
    kinds=_KINDS,
    formula=r"\mathrm{TN} = \sum_{l\in L} (n - t_l - p_l + n_l)",
    summary="Elements that do not have a label on either side, summed over labels.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="higher",
    symmetric=True,
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 6),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_TN,
)
def true_negative_elements(table: OverlapTable) -> Score:
    return _TN.score(table)


@metric(
    symbol=r"|T|",
    family="semantic",
    order=240,
    needs="table",
    kinds=_KINDS,
    formula=r"|T| = \sum_{l\in L} t_l",
    summary="Elements of the labels of the truth.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="neither",
    symmetric=False,
    swaps_with="pred_elements",
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 5),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_TRUE,
)
def true_elements(table: OverlapTable) -> Score:
    return _TRUE.score(table)


@metric(
    symbol=r"|P|",
    family="semantic",
    order=250,
    needs="table",
    kinds=_KINDS,
    formula=r"|P| = \sum_{l\in L} p_l",
    summary="Elements of the labels of the prediction.",
    citation=_CITATION,
    bounds=(0, float("inf")),
    better="neither",
    symmetric=False,
    swaps_with="true_elements",
    value_if_equal=None,
    notes=_NOTES,
    examples=(Example(*_LABELS, 4),),
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    accumulator=_PRED,
)
def pred_elements(table: OverlapTable) -> Score:
    return _PRED.score(table)
