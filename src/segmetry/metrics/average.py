"""Averages: over which axes of a data set values are averaged, and in which order; what is not averaged is added first.

A data set has items, and their segments or elements may have classes. "Mean IoU" is at least four numbers: elements
added over all images, IoU of each class, mean over classes (``by_class``, the published one); IoU of each class of each
image, mean over the classes of an image, mean over images (``by_item_of_classes``); the same the other way round
(``by_class_of_items``); and the mean over all pairs of an image and a class (``by_item_and_class``). An average names
its means, the outermost first; an axis that it does not name is pooled: counts are added before a quotient is taken.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

from segmetry._base import frozen_dataclass
from segmetry.errors import OptionError

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
    """Return an average, also from its name.

    >>> as_average("by_class").words
    'mean over classes'
    """
    if isinstance(average, Average):
        return average
    if average in AVERAGES:
        return AVERAGES[average]
    raise OptionError(f"average is {average!r}; expected one of {', '.join(AVERAGES)}")
