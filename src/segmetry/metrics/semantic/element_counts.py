r"""The elements of each class on both sides, on one side and on neither: TP, FP, FN and TN, one class against the rest.

With n_l elements of the label l on both sides, t_l in the truth, p_l in the prediction and n in the domain:
TP = n_l, FP = p_l − n_l, FN = t_l − n_l, TN = n − t_l − p_l + n_l. They are the terms of overlap measures
[taha2015metrics] and the counts that nnU-Net [isensee2021nnunet] writes for every case and label.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import sum_class_counts
from segmetry.metrics.semantic.label_overlap import label_counts
from segmetry.overlaps.table import OverlapTable

_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 0, 0]]
_KINDS = ("labels", "masks")
_CITATION = ("taha2015metrics", "isensee2021nnunet")
_NOTES = (
    "Equal labels are compared, or equal classes where segments carry them. The value of an item and of a data set is "
    "the sum over its labels; by class, the number of a class, and by item its mean over all items, those without the "
    "class included. Elements that are void on a side do not count."
)


class OneAgainstRest(NamedTuple):
    """One number per class: its elements on both sides, only in the prediction, only in the truth, and on neither."""

    names: tuple[Hashable, ...]
    tp: IntArray
    fp: IntArray
    fn: IntArray
    tn: IntArray


def element_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the elements of each label of one item, and the number of its elements that are void on neither side."""
    background = table.background
    void = background.void_outside + background.outside_void + background.void_void
    void += int(table.true.void.sum()) + int(table.pred.void.sum())
    return {**label_counts(table), "elements": np.array([table.n_elements - void])}


def one_against_rest(collected: Collected) -> OneAgainstRest:
    """Return the four counts of every class over some items.

    >>> import segmetry as sm
    >>> one_against_rest(Collected.of([element_counts(sm.overlap([[1, 1, 2, 0]], [[1, 0, 2, 2]]))]))[1:]
    (array([1, 1]), array([0, 1]), array([1, 0]), array([2, 2]))
    """
    counts = sum_class_counts(collected)
    rest = collected.total("elements") - counts.union
    return OneAgainstRest(counts.names, counts.shared, counts.pred - counts.shared, counts.true - counts.shared, rest)


def _combined(key: str, names: tuple[Hashable, ...], numbers: IntArray) -> Combined:
    classes = {name: Score.of(key, number, 1) for name, number in zip(names, numbers.tolist(), strict=True)}
    return Combined(Score.of(key, sum(numbers.tolist()), 1), classes)


def _tp(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("true_positive_elements", counts.names, counts.tp)


def _fp(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("false_positive_elements", counts.names, counts.fp)


def _fn(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("false_negative_elements", counts.names, counts.fn)


def _tn(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("true_negative_elements", counts.names, counts.tn)


def _in_true(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("true_elements", counts.names, counts.tp + counts.fn)


def _in_pred(collected: Collected) -> Combined:
    counts = one_against_rest(collected)
    return _combined("pred_elements", counts.names, counts.tp + counts.fp)


_TP, _FP, _FN, _TN, _TRUE, _PRED = (Accumulator(element_counts, c) for c in (_tp, _fp, _fn, _tn, _in_true, _in_pred))


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
