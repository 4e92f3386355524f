"""Items that are read when they are needed: a data set of thousands of images never lies in memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from segmetry.errors import KindError, SegmetryError
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.readers.reader import Item
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.spans import Spans


class LazyItem(Item):
    """An item whose segmentation is read whenever it is asked for, and not kept.

    A loader that can be pickled, a ``partial`` of a function of a module, is called in the process that does the work.

    >>> item = LazyItem("a", lambda: LabelArray([[1, 2]]), named=True)
    >>> item.segmentation.n_elements, item.segmentation is item.segmentation
    (2, False)
    """

    def __init__(self, name: str, load: Callable[[], Segmentation], **facts: Any) -> None:
        from dataclasses import fields

        for field in fields(Item):
            if field.name not in ("name", "segmentation"):
                object.__setattr__(self, field.name, facts.pop(field.name, field.default))
        if facts:
            raise TypeError(f"an item has no {', '.join(facts)}")
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "load", load)

    def __getattribute__(self, attribute: str) -> Any:
        if attribute == "segmentation":
            return object.__getattribute__(self, "load")()
        return object.__getattribute__(self, attribute)


def renamed(item: Item, name: str) -> Item:
    """The same item under another name, read no earlier than before.

    >>> renamed(LazyItem("a", lambda: LabelArray([[1, 2]]), named=True), "b").name
    'b'
    """
    from dataclasses import fields, replace

    if not isinstance(item, LazyItem):
        return replace(item, name=name)
    facts = {one.name: getattr(item, one.name) for one in fields(Item) if one.name not in ("name", "segmentation")}
    return LazyItem(name, partial(getattr, item, "segmentation"), **facts)


def within(place: str, load: Callable[[], Segmentation]) -> Callable[[], Segmentation]:
    """The same loader; its errors name the file it reads."""
    return partial(_load_within, place, load)


def _load_within(place: str, load: Callable[[], Segmentation]) -> Segmentation:
    try:
        return load()
    except SegmetryError as problem:
        if place in str(problem):
            raise
        raise problem.within(place) from None


def travelling(item: Item) -> Item:
    """The item as it goes to another process: how it is read where that can be said by pickle, else what was read."""
    if not isinstance(item, LazyItem):
        return item
    try:
        pickle.dumps(item)
    except (pickle.PicklingError, AttributeError, TypeError):  # a loader that somebody defined within a function
        return Item(item.name, item.segmentation)
    return item


def empty_item(true: Item) -> Item:
    """A prediction without a single segment, for an item that nobody predicted."""
    return LazyItem(true.name, partial(_empty_like, true), named=true.named, place=true.place, crs=true.crs)


def _empty_like(item: Item) -> Segmentation:
    true = item.segmentation
    if isinstance(true, LabelArray):
        labels = np.zeros(true.domain, dtype=np.uint8)
        return LabelArray(labels, classes=None if true.classes is None else {}, spacing=true.spacing)
    if isinstance(true, Masks):
        nothing = np.zeros(0, dtype=np.int64)
        runs = RunLengthMasks(np.zeros(1, dtype=np.int64), nothing, nothing)
        return Masks(runs, true.shape, classes=None if true.classes is None else {}, scores=[], spacing=true.spacing)
    if isinstance(true, Polygons):
        return Polygons([], classes=None if true.classes is None else [], crs=true.crs)
    if isinstance(true, Spans):
        return Spans([], [], true.n, classes=None if true.classes is None else [])
    raise KindError(f"there is no empty prediction for {true.kind}; every item needs a prediction")
