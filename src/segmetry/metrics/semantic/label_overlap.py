r"""IoU (the index of Jaccard) and the coefficient of Dice of two masks, or of two label arrays label by label.

With n_l elements of the label l on both sides, t_l in the truth and p_l in the prediction:
IoU_l = n_l / (t_l + p_l − n_l) [jaccard1912distribution], D_l = 2 n_l / (t_l + p_l) [dice1945measures], then the mean
over the labels that occur on either side. All counts are integers from the overlap table.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from segmetry.errors import InputError, OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.per_class import checked_undefined
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import class_counts, sum_class_counts
from segmetry.overlaps.table import HOW_DISJOINT, OverlapTable, Side

Averaging = Literal["labels", "elements"]
Elements = tuple[Sequence[Hashable], Sequence[int], Sequence[int], Sequence[int]]
"""Labels, and of each its elements on both sides, in the truth, and in the prediction."""

_ALL = 1
"""The label of a whole foreground."""
NO_LABEL = "no label on either side"
_MASKS = [[0, 1, 1, 1, 0]], [[0, 0, 1, 1, 1]]
_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
_EMPTY = [[0, 0]], [[0, 0]]
_NOTES = (
    "Equal labels are compared: a mask of 0 and 1 (or bool) is one label, so the value is that of the two foregrounds; "
    "labels of an array are classes, and the value is the mean over the labels that occur on either side (one that "
    "occurs on one side only counts 0); details give the value of each. Where segments carry classes, these are "
    "compared; masks of regions that overlap (WT, TC, ET) are compared by class, too. average='elements' divides the "
    "sums over all labels. Label 0 is outside and has no value of its own; "
    "void elements do not count. foreground=True takes all labels of a side together. A mask of 0 and 255 against one "
    "of 0 and 1 is an error: equal foregrounds would score 0. Without a label on either side the value is undefined "
    "(nnU-Net leaves such cases out; both_empty=1 is that of BraTS, both_empty=0 of others). In the values of a class, "
    "both_empty also stands for the items without it; ignore_empty=True leaves out the labels that the truth does not "
    "have, so that nothing is lost by predicting them (MONAI). For instances, whose "
    "labels are arbitrary, choose pq or mean_best_iou. Over a data set, elements are counted before the quotient of "
    "each label is taken."
)


def label_counts(table: OverlapTable, *, foreground: bool = False) -> dict[str, Column]:
    """Collect the elements of each label of one item: on both sides, in the truth, and in the prediction."""
    if table.class_names is not None and not foreground:
        return class_counts(table)
    labels, *counts = _label_elements(table, foreground=foreground)
    columns = (np.array(column, dtype=np.int64) for column in counts)
    return {"class": labels, **dict(zip(("shared", "true", "pred"), columns, strict=True))}


def _label_elements(table: OverlapTable, *, foreground: bool) -> Elements:
    """Return the labels of one item, and of each its elements on both sides, in the truth, and in the prediction."""
    true, pred = _elements(table.true), _elements(table.pred)
    if foreground:
        _check_disjoint(table)
        both, true, pred = {_ALL: sum(table.shared.tolist())}, {_ALL: sum(true.values())}, {_ALL: sum(pred.values())}
    else:
        _check_masks(set(true), set(pred))
        rows = zip(table.true_id.tolist(), table.pred_id.tolist(), table.shared.tolist(), strict=True)
        both = {label: shared for label, other, shared in rows if label == other}
    labels = sorted({*true, *pred})
    shared, in_true, in_pred = ([counts.get(label, 0) for label in labels] for counts in (both, true, pred))
    return labels, shared, in_true, in_pred


def _elements(side: Side) -> dict[int, int]:
    """The elements of each label, without those that are void on the other side."""
    return dict(zip(side.ids.tolist(), (side.sizes - side.void).tolist(), strict=True))


def _check_disjoint(table: OverlapTable) -> None:
    for word, side in (("true", table.true), ("pred", table.pred)):
        if not side.disjoint:
            raise InputError(
                f"the {word} segments overlap, so the elements of the foreground would count twice; make them disjoint "
                f"first ({HOW_DISJOINT[word]})"
            )


def _check_masks(true: set[int], pred: set[int]) -> None:
    if (true, pred) in (({1}, {255}), ({255}, {1})):
        raise InputError(
            f"true is a mask of 0 and {true.pop()} and pred of 0 and {pred.pop()}, but equal labels are compared; pass "
            "foreground=True, or make both of them bool (mask > 0)"
        )


@dataclass(frozen=True)
class _Reading:
    """How labels are averaged, and what an empty side means."""

    average: Averaging = "labels"
    both_empty: float | None = None
    ignore_empty: bool = False

    def __post_init__(self) -> None:
        if self.average not in ("labels", "elements"):
            raise OptionError(f"average is {self.average!r}; expected 'labels' or 'elements'")
        checked_undefined(self.both_empty)


@dataclass(frozen=True)
class _Quotient:
    """factor · shared / (true + pred − minus · shared), of each label and over labels."""

    key: str
    factor: int
    minus: int

    def of_item(self, table: OverlapTable, reading: _Reading, *, foreground: bool) -> Score:
        """Return the value of one item, without the columns of a data set."""
        if table.class_names is not None and not foreground:
            return self.of_items(Collected.of([class_counts(table)]), reading).value
        return self.of_elements(_label_elements(table, foreground=foreground), reading).value

    def of_items(self, collected: Collected, reading: _Reading) -> Combined:
        """Return the value of a data set; a single item also has the classes of the others, without elements."""
        counts = sum_class_counts(collected)
        columns = (column.tolist() for column in (counts.shared, counts.true, counts.pred))
        elements = (counts.names, *columns)
        return self.of_elements(elements, reading, absent=reading.both_empty if collected.n_items == 1 else None)

    def of_elements(self, elements: Elements, reading: _Reading, absent: float | None = None) -> Combined:
        """Return the values of labels, and their average; ``absent`` is the value of labels without elements."""
        scores: dict[Hashable, Score] = {}
        tops, bottoms = 0, 0
        for name, shared, true, pred in zip(*elements, strict=True):
            top, bottom = self.factor * shared, true + pred - self.minus * shared
            if bottom and (true or not reading.ignore_empty):
                scores[name] = Score.of(self.key, top, bottom)
                tops, bottoms = tops + top, bottoms + bottom
            elif not bottom and absent is not None:
                scores[name] = Score.of(self.key, int(absent), 1)
        details = {"labels": {str(name): score.value for name, score in scores.items()}} if len(scores) > 1 else {}
        if reading.average == "elements" or len(scores) < 2:
            value = Score.of(self.key, tops, bottoms, NO_LABEL, **details)
        else:
            total = math.fsum(score.value for score in scores.values())
            value = Score.of(self.key, total, len(scores), NO_LABEL, **details)
        return Combined(value.or_else(checked_undefined(reading.both_empty)), scores)


_IOU, _DICE = _Quotient("iou", factor=1, minus=1), _Quotient("dice", factor=2, minus=0)


def _iou(
    collected: Collected, *, average: Averaging = "labels", both_empty: float | None = None, ignore_empty: bool = False
) -> Combined:
    return _IOU.of_items(collected, _Reading(average, both_empty, ignore_empty))


def _dice(
    collected: Collected, *, average: Averaging = "labels", both_empty: float | None = None, ignore_empty: bool = False
) -> Combined:
    return _DICE.of_items(collected, _Reading(average, both_empty, ignore_empty))


@metric(
    symbol=r"\mathrm{IoU}",
    family="semantic",
    order=12,
    aliases=("intersection_over_union", "jaccard"),
    needs="table",
    kinds=("labels", "masks"),
    formula=r"\mathrm{IoU} = \frac{1}{|L|}\sum_{l\in L}\frac{n_l}{t_l + p_l - n_l}",
    summary="Intersection over union of two masks, or the mean over the labels of two label arrays.",
    citation="jaccard1912distribution",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item",),
    value_if_equal=1,
    notes=_NOTES,
    examples=(
        Example(*_MASKS, 1 / 2),
        Example(*_LABELS, 2 / 3),
        Example(*_LABELS, 4 / 6, {"average": "elements"}),
        Example(*_EMPTY, None),
        Example(*_EMPTY, 1, {"both_empty": 1}),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=Accumulator(label_counts, _iou, mean_over_classes=True),
)
def iou(
    table: OverlapTable,
    *,
    foreground: bool = False,
    average: Averaging = "labels",
    both_empty: float | None = None,
    ignore_empty: bool = False,
) -> Score:
    return _IOU.of_item(table, _Reading(average, both_empty, ignore_empty), foreground=foreground)


@metric(
    symbol=r"D",
    family="semantic",
    order=14,
    aliases={
        "dsc": {},
        "dice_score": {},
        "dice_coefficient": {},
        "fbd": {"foreground": True},
        "foreground_dice": {"foreground": True},
    },
    needs="table",
    kinds=("labels", "masks"),
    formula=r"D = \frac{1}{|L|}\sum_{l\in L}\frac{2 n_l}{t_l + p_l}",
    summary="The Dice coefficient of two masks, or the mean over the labels of two label arrays.",
    citation="dice1945measures",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item",),
    value_if_equal=1,
    notes=_NOTES,
    examples=(
        Example(*_MASKS, 2 / 3),
        Example(*_LABELS, 4 / 5),
        Example(*_LABELS, 8 / 10, {"average": "elements"}),
        Example(*_EMPTY, None),
        Example(*_EMPTY, 1, {"both_empty": 1}),
    ),
    default_in_family=False,
    compares_labels=True,
    accumulator=Accumulator(label_counts, _dice, mean_over_classes=True),
)
def dice(
    table: OverlapTable,
    *,
    foreground: bool = False,
    average: Averaging = "labels",
    both_empty: float | None = None,
    ignore_empty: bool = False,
) -> Score:
    return _DICE.of_item(table, _Reading(average, both_empty, ignore_empty), foreground=foreground)
