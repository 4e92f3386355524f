"""Averages: over which axes of a data set values are averaged, and in which order; what is not averaged is added first.

A data set has items, and their segments or elements may have classes. "Mean IoU" is at least four numbers: elements
added over all images, IoU of each class, mean over classes (``by_class``, the published one); IoU of each class of each
image, mean over the classes of an image, mean over images (``by_item_of_classes``); the same the other way round
(``by_class_of_items``); and the mean over all pairs of an image and a class (``by_item_and_class``). An average names
its means, the outermost first; an axis that it does not name is pooled: counts are added before a quotient is taken.

There are scores by class, their means over groups of classes (things, stuff, all), and the score of an item with
classes. Panoptic quality is defined per class and averaged over the classes, so that a rare class counts as much as a
frequent one [kirillov2019panoptic]. Every quotient of a tally follows it; counts are sums. ``average="segments"``
counts all segments together."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from functools import cached_property
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.alignments import Alignment, Policy
from segmetry.errors import ClassesError, OptionError

MeanOver = Literal["item", "class", "item*class"]


@frozen_dataclass()
class Average:
    """The means of an average, the outermost first, and its name in words, files and gates."""

    name: str
    steps: tuple[MeanOver, ...]
    words: str

    @property
    def heading(self) -> str:
        """The name as the heading of a column."""
        return self.name.replace("_", " ")

    @cached_property
    def over_items(self) -> bool:
        """Whether there is a mean over items, so that a value is finished before items are weighted."""
        return "item" in self.steps or "item*class" in self.steps

    @cached_property
    def over_classes(self) -> bool:
        """Whether there is a mean over classes."""
        return "class" in self.steps or "item*class" in self.steps

    def __str__(self) -> str:
        return self.name


POOLED = Average("pooled", (), "pooled over all items")
BY_CLASS = Average("by_class", ("class",), "mean over classes")
BY_ITEM = Average("by_item", ("item",), "mean over items")
BY_ITEM_OF_CLASSES = Average("by_item_of_classes", ("item", "class"), "mean over items of the class means")
BY_CLASS_OF_ITEMS = Average("by_class_of_items", ("class", "item"), "mean over classes of the item means")
BY_ITEM_AND_CLASS = Average("by_item_and_class", ("item*class",), "mean over all pairs of item and class")
AVERAGES = {
    average.name: average
    for average in (POOLED, BY_CLASS, BY_ITEM, BY_ITEM_OF_CLASSES, BY_CLASS_OF_ITEMS, BY_ITEM_AND_CLASS)
}


def as_average(average: Any) -> Average:
    """Return an average, also from its name."""
    if isinstance(average, Average):
        return average
    if average in AVERAGES:
        return AVERAGES[average]
    raise OptionError(f"average is {average!r}; expected one of {', '.join(AVERAGES)}")


Groups = Mapping[str, Collection[Hashable]]
ALL = "all"
ITEM_AVERAGES = ("class", "segments")


def checked_undefined(undefined: Any) -> float | None:
    """Return the value that replaces an undefined one in a mean; None and NaN leave it out."""
    if undefined is None or (isinstance(undefined, float) and math.isnan(undefined)):
        return None
    if isinstance(undefined, bool) or undefined not in (0, 1):
        raise OptionError(f"undefined is {undefined!r}; expected 0, 1 or nan")
    return float(undefined)


def value_without_class(*, both_empty: float | None = None) -> float | None:
    """Return the value of a class in an item that has it on neither side, from the option that states it."""
    return checked_undefined(both_empty)


def in_class_means(undefined: float | None, policy: Policy) -> float | None:
    """Return the value of an undefined score in a mean over classes: the user's, else that of the policy."""
    return policy.undefined if undefined is None else checked_undefined(undefined)


def checked_groups(groups: Groups | None) -> dict[str, frozenset[Hashable]]:
    """Return groups of classes by name; ``all`` is predefined and cannot be redefined."""
    for name, classes in (groups or {}).items():
        if isinstance(classes, str | bytes):
            raise OptionError(
                f"group {name!r} is the text {classes!r}; expected a collection of classes, such as [{classes!r}]"
            )
    classes_of = {name: frozenset(classes) for name, classes in (groups or {}).items()}
    if ALL in classes_of:
        raise OptionError("groups name 'all', which is predefined as all classes; choose another name")
    return classes_of


def checked_average(average: Any) -> str | None:
    """Return a checked average of one item; None is the mean over classes wherever classes are matched."""
    if average is not None and average not in ITEM_AVERAGES:
        raise OptionError(f"average is {average!r}; expected 'class' or 'segments'")
    return None if average is None else str(average)


def average_of(alignment: Alignment, average: str | None) -> str:
    """Return how the scores of an item are averaged: ``"class"`` where its classes are matched, else ``"segments"``."""
    return item_average(alignment.classes, average, has_classes=alignment.table.class_names is not None)


def item_average(classes: str, average: str | None, *, has_classes: bool) -> str:
    """Return the same from what is known before an item is aligned; ``classes`` says whether they are matched."""
    chosen = checked_average(average)
    if chosen == "class" and not has_classes:
        raise ClassesError(
            "average='class' is a mean over classes, but the segments carry none; give classes= on both sides"
        )
    return chosen or ("class" if has_classes and classes == "match" else "segments")


def needs_classes(key: str) -> ClassesError:
    """Return the error of segments without classes."""
    return ClassesError(f"{key} is a mean over classes, but the segments carry none; give classes= on both sides")
