r"""The elements of each class on both sides, on one side and on neither: one class against the rest.

They are the terms of overlap measures [taha2015metrics] and the counts that nnU-Net [isensee2021nnunet] writes for
every case and label.

IoU and Dice of two masks, or of two label arrays label by label, and errors of the volume of each label.

Volumes: how much too large or too small a label is predicted, wherever it lies [heimann2009comparison]. The value of a
label is the mean over the items in which it is true; that of a data set is the mean over labels.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry._base import IntArray, as_python_ints, check_choice
from segmetry.errors import InputError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS, BY_CLASS_OF_ITEMS, POOLED, Average, value_without_class
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.mean_iou import class_elements
from segmetry.metrics.statistics import ROWS, Quotient, Statistics, Sums
from segmetry.overlaps import HOW_DISJOINT, ItemTables, LabelCells, OverlapTable

Averaging = Literal["labels", "elements"]

_ALL = 1
"""The label of a whole foreground."""
_FULL = 255
"""The label of masks whose foreground is white."""
NO_LABEL = "no label on either side"
_MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
_OVERLAP_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
_EMPTY = [[0, 0]], [[0, 0]]
_NOTES = (
    "Equal labels are compared: a mask of 0 and 1 (or bool) is one label, so the value is that of the two foregrounds; "
    "labels of an array are classes, and the value is the mean over the labels that occur on either side (one that "
    "occurs on one side only counts 0); details give the value of each. Where segments carry classes, these are "
    "compared; masks of regions that overlap (WT, TC, ET) are compared by class, too. average='elements' divides the "
    "sums over all labels. Label 0 is outside and has no value of its own; void elements do not count. foreground=True "
    "takes all labels of a side together. A mask of 0 and 255 against one of 0 and 1 is an error: equal foregrounds "
    "would score 0. Without a label on either side the value is undefined (nnU-Net leaves such cases out; both_empty=1 "
    "is that of BraTS, both_empty=0 of others). In the values of a class, both_empty also stands for the items without "
    "it; ignore_empty=True leaves out the labels that the truth does not have, so that nothing is lost by predicting "
    "them (MONAI). For instances, whose labels are arbitrary, choose pq or mean_best_iou. Over a data set, elements "
    "are counted before the quotient of each label is taken."
)


def label_counts(tables: ItemTables, *, foreground: bool = False) -> Statistics:
    """Collect the elements of each label of every item: on both sides, in the truth, and in the prediction."""
    return Statistics.of_cells(len(tables), *label_elements(tables, foreground=foreground), {})


def label_elements(tables: ItemTables, *, foreground: bool) -> tuple[LabelCells, dict[str, IntArray]]:
    """Return the labels of every item and the elements of each, without those that are void on the other side."""
    if foreground:
        _check_disjoint(tables.table)
        cells = tables.all_as(_ALL)
    elif tables.table.class_names is not None:
        return class_elements(tables)
    else:
        _check_masks(tables)
        cells = tables.by_id
    return cells, cells.elements(tables.table)


def _check_disjoint(table: OverlapTable) -> None:
    for word, side in (("true", table.true), ("pred", table.pred)):
        if not side.disjoint:
            raise InputError(
                f"the {word} segments overlap, so the elements of the foreground would count twice; make them disjoint "
                f"first ({HOW_DISJOINT[word]})"
            )


def _check_masks(tables: ItemTables) -> None:
    sides = (tables.table.true.ids, tables.true_item), (tables.table.pred.ids, tables.pred_item)
    if not any((ids == _FULL).any() for ids, _ in sides):
        return
    # The only label of every item, 0 where it has none or several.
    true, pred = (
        np.bincount(item, (ids == 1) + _FULL * (ids == _FULL), len(tables))
        * (np.bincount(item, minlength=len(tables)) == 1)
        for ids, item in sides
    )
    for one, other in ((1, _FULL), (_FULL, 1)):
        if ((true == one) & (pred == other)).any():
            raise InputError(
                f"true is a mask of 0 and {one} and pred of 0 and {other}, but equal labels are compared; pass "
                "foreground=True, or make both of them bool (mask > 0)"
            )


def label_values(quotient: Quotient, _sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
    """Return the value of each label, where there are several; nothing where several items have one of their own."""
    if len(names) > len(set(names)):
        return {}
    values = zip(names, quotient.values[:, 0].tolist(), strict=False)
    labels = {str(name): value for name, value in values if not math.isnan(value)}
    return {"labels": labels} if len(labels) > 1 else {}


def overlap_counts(
    tables: ItemTables, *, foreground: bool = False, average: Averaging = "labels", ignore_empty: bool = False
) -> Statistics:
    """Collect the elements of each label of every item that occurs on a side.

    Sums over labels cannot tell which of them the truth has, so that those to be left out of them are so in the item.
    """
    cells, counts = label_elements(tables, foreground=foreground)
    kept = counts["true"] > 0 if ignore_empty and average == "elements" else counts["true"] + counts["pred"] > 0
    if not kept.all():
        cells = cells._replace(item=cells.item[kept], code=cells.code[kept])
        counts = {name: column[kept] for name, column in counts.items()}
    return Statistics.of_cells(len(tables), cells, counts, {})


def _average_of(*, average: Averaging = "labels", foreground: bool = False) -> Average:
    if average not in ("labels", "elements"):
        check_choice("average", average, Averaging)
    return POOLED if average == "elements" or foreground else BY_CLASS


def _label_quotient(sums: Sums, numerator: Any, denominator: Any, *, ignore_empty: bool) -> Quotient:
    if ignore_empty:
        denominator = np.where(sums["true"] > 0, denominator, 0)
    # A label that neither side has is 0/0: nnU-Net writes NaN and leaves the case out, BraTS writes 1 (``both_empty``).
    return Quotient(numerator, denominator, NO_LABEL, occurs=denominator > 0)


_LABEL_MEAN = Aggregation(overlap_counts, average=_average_of, absent=value_without_class, describe=label_values)


_mask_overlap = partial(
    metric,
    kinds=("labels", "masks"),
    symmetric=True,
    notes=_NOTES,
    default_in_family=False,
    compares_labels=True,
    statistics=_LABEL_MEAN,
)


@_mask_overlap(
    order=12,
    aliases=("intersection_over_union", "jaccard"),
    formula=r"\mathrm{IoU} = \frac{1}{|L|}\sum_{l\in L}\frac{n_l}{t_l + p_l - n_l}",
    summary="Intersection over union of two masks, or the mean over the labels of two label arrays.",
    citation="jaccard1912distribution",
    examples=(
        Example(*_MASKS, 1 / 2),
        Example(*_OVERLAP_LABELS, 2 / 3),
        Example(*_OVERLAP_LABELS, 4 / 6, {"average": "elements"}),
        Example(*_EMPTY, None),
        Example(*_EMPTY, 1, {"both_empty": 1}),
    ),
)
def iou(sums: Sums, *, ignore_empty: bool = False) -> Quotient:
    union = sums["true"] + sums["pred"] - sums["shared"]
    return _label_quotient(sums, sums["shared"], union, ignore_empty=ignore_empty)


@_mask_overlap(
    aliases={
        "dsc": {},
        "dice_score": {},
        "dice_coefficient": {},
        "fbd": {"foreground": True},
        "foreground_dice": {"foreground": True},
    },
    formula=r"D = \frac{1}{|L|}\sum_{l\in L}\frac{2 n_l}{t_l + p_l}",
    summary="The Dice coefficient of two masks, or the mean over the labels of two label arrays.",
    citation="dice1945measures",
    examples=(
        Example(*_MASKS, 2 / 3),
        Example(*_OVERLAP_LABELS, 4 / 5),
        Example(*_OVERLAP_LABELS, 8 / 10, {"average": "elements"}),
        Example(*_EMPTY, None),
        Example(*_EMPTY, 1, {"both_empty": 1}),
    ),
)
def dice(sums: Sums, *, ignore_empty: bool = False) -> Quotient:
    return _label_quotient(sums, 2 * sums["shared"], sums["true"] + sums["pred"], ignore_empty=ignore_empty)


NO_TRUE = "no true elements"
_VOLUME_NOTES = (
    "Equal labels are compared, or classes where segments carry them: one value for each label of each item. "
    "foreground=True takes all labels of a side together. Volumes are numbers of elements; their quotient does not "
    "depend on spacing. A label without a true element has no value. Void elements do not count."
)
_VOLUMES = Aggregation(label_counts, average=BY_CLASS_OF_ITEMS)


_volume_error = partial(
    metric, kinds=("labels",), value_if_equal=0, default_in_family=False, compares_labels=True, statistics=_VOLUMES
)


@_volume_error(
    order=16,
    aliases=("rvd",),
    formula=r"\mathrm{RVD} = \frac{1}{|L|}\sum_{l\in L}\frac{p_l-t_l}{t_l}",
    summary="Relative volume difference: how much larger a label is predicted than it is, as a share of its volume.",
    citation="heimann2009comparison",
    bounds=(-1, math.inf),
    better="neither",
    notes=f"{_VOLUME_NOTES} Positive where the prediction is too large; errors of opposite sign cancel in means.",
    examples=(Example(*_OVERLAP_LABELS, (1 / 2 - 1 / 3) / 2), Example(*_OVERLAP_LABELS, 0, {"foreground": True})),
)
def relative_volume_difference(sums: Sums) -> Quotient:
    return Quotient(sums["pred"] - sums["true"], sums["true"], NO_TRUE)


@_volume_error(
    aliases=("avdr", "rvae"),
    formula=r"|\mathrm{RVD}| = \frac{1}{|L|}\sum_{l\in L}\frac{|p_l-t_l|}{t_l}",
    summary="Absolute volume error: by how much a label is predicted too large or too small, as a share of its volume.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    better="lower",
    notes=f"{_VOLUME_NOTES} MetricsReloaded calls it the absolute volume difference ratio, panoptica the relative "
    "volume absolute error.",
    examples=(Example(*_OVERLAP_LABELS, (1 / 2 + 1 / 3) / 2), Example(*_OVERLAP_LABELS, 0, {"foreground": True})),
)
def absolute_volume_error(sums: Sums) -> Quotient:
    return Quotient(abs(sums["pred"] - sums["true"]), sums["true"], NO_TRUE)


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
    notes=_COUNT_NOTES,
    default_in_family=False,
    is_count=True,
    compares_labels=True,
    statistics=_COUNTS,
)


@_element_count(
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
    formula=r"\mathrm{FP} = \sum_{l\in L} (p_l - n_l)",
    summary="Elements of a predicted label that have another label, or none, in the truth.",
    better="lower",
    swaps_with="false_negative_elements",
    examples=(Example(*_LABELS, 1),),
)
def false_positive_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"] - sums["shared"], 1)


@_element_count(
    formula=r"\mathrm{FN} = \sum_{l\in L} (t_l - n_l)",
    summary="Elements of a true label that have another label, or none, in the prediction.",
    better="lower",
    examples=(Example(*_LABELS, 2),),
)
def false_negative_elements(sums: Sums) -> Quotient:
    return Quotient(sums["true"] - sums["shared"], 1)


@_element_count(
    formula=r"\mathrm{TN} = \sum_{l\in L} (n - t_l - p_l + n_l)",
    summary="Elements that do not have a label on either side, summed over labels.",
    symmetric=True,
    value_if_equal=None,
    examples=(Example(*_LABELS, 6),),
)
def true_negative_elements(sums: Sums) -> Quotient:
    return Quotient(FourCounts.of(sums).rest, 1, occurs=sums[ROWS] > 0)


@_element_count(
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
    formula=r"|P| = \sum_{l\in L} p_l",
    summary="Elements of the labels of the prediction.",
    better="neither",
    value_if_equal=None,
    examples=(Example(*_LABELS, 4),),
)
def pred_elements(sums: Sums) -> Quotient:
    return Quotient(sums["pred"], 1)
