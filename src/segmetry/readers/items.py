"""Items of a data set: one segmentation each, read when it is loaded, and the facts its file states about it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from functools import partial
from typing import cast

import numpy as np

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import FormatError, KindError, SegmetryError
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.readers.parts.affine import GridAffine
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals

Loader = Callable[[], Segmentation]
DomainLoader = Callable[[tuple[int, ...]], Segmentation]
"""Reads a segmentation of a stated domain."""


@frozen_dataclass()
class Item:
    """One segmentation with its name in the data set, and the facts its file states beside the segments.

    ``content`` is the segmentation, or a loader that reads it whenever :meth:`load` is called; what a loader returns is
    not kept, so a data set of thousands of images never is in memory. A loader that can be pickled, a ``partial`` of a
    function of a module, is called in the process that does the work.

    ``coder`` is the annotator, where the file contains several and none was chosen; ``tick`` the length of one element
    in the unit of the file (Fraction(1, 100) for times in hundredths of a second); ``open_end`` is True if the file
    does not state the length of the line; ``units`` are the texts of the elements. ``named`` is True if the name
    belongs to the data set and not to the file, so that it must occur on both sides; ``groups`` are the groups of
    classes the data set declares (things and stuff), ``class_names`` their names; ``place`` is the position of a volume
    in space, ``crs`` the reference system of the coordinates of a map; ``file`` is the item's own file in a folder or
    data set, relative to the folder; ``declares_void`` is True if its format has void labels; ``frames`` are the names
    of the frames of a video. ``takes_domain``: the file does not state the domain, and the loader takes that of the
    other side.

    >>> item = Item("a", lambda: LabelArray([[1, 2]]), named=True)
    >>> item.load().n_elements, item.load() is item.load()
    (2, False)
    """

    name: str
    content: Segmentation | Loader | DomainLoader
    coder: str | None = None
    tick: Fraction = Fraction(1)
    open_end: bool = False
    units: tuple[str, ...] | None = None
    named: bool = False
    groups: Mapping[str, frozenset[Hashable]] | None = None
    class_names: Mapping[Hashable, str] | None = None
    place: GridAffine | None = None
    crs: str | None = None
    file: str | None = None
    declares_void: bool = False
    frames: tuple[str, ...] | None = None
    takes_domain: bool = False

    def load(self) -> Segmentation:
        """Return the segmentation; one that was not read with its file is read now."""
        if self.takes_domain:
            raise FormatError(
                f"item {self.name}: the file does not state the size of its images; read it together with the truth"
            )
        return self.content if isinstance(self.content, Segmentation) else cast(Loader, self.content)()

    def load_on(self, domain: tuple[int, ...]) -> Segmentation:
        """Return the segmentation; one whose file does not state its domain is read on this one."""
        return cast(DomainLoader, self.content)(domain) if self.takes_domain else self.load()

    @property
    def is_lazy(self) -> bool:
        """Whether the segmentation is read only when it is loaded."""
        return not isinstance(self.content, Segmentation)

    @property
    def spans(self) -> Spans:
        """The segmentation as spans of a line; any other kind is an error."""
        segmentation = self.load()
        if not isinstance(segmentation, Spans):
            raise KindError(f"item {self.name} contains {segmentation.kind}; expected spans of a line")
        return segmentation


@frozen_dataclass()
class OpenVideo:
    """A loader of a video whose file states neither its length nor, without a segment, the size of its frames.

    ``shape`` is what the file reaches to (0 where it says nothing), ``read`` takes the shape of the video.
    """

    shape: tuple[int, int, int]
    read: Callable[[tuple[int, int, int]], Segmentation]

    def __call__(self) -> Segmentation:
        return self.read(self.shape)


def within(path: str, load: Callable[..., Segmentation]) -> Callable[..., Segmentation]:
    """Return the same loader, with errors that name the file it reads."""
    return partial(_load_within, path, load)


def _load_within(path: str, load: Callable[..., Segmentation], *domain: tuple[int, ...]) -> Segmentation:
    try:
        return load(*domain)
    except SegmetryError as problem:
        if path in str(problem):
            raise
        raise problem.within(path) from None


def picklable_item(item: Item) -> Item:
    """Return an item that can go to another process: its loader if that can be pickled, else what it reads."""
    if not item.is_lazy:
        return item
    try:
        pickle.dumps(item)
    except (pickle.PicklingError, AttributeError, TypeError):  # a loader that was defined within a function
        return Item(item.name, item.load())
    return item


def empty_item(true: Item) -> Item:
    """Return a prediction without segments, for an item that has no prediction."""
    return Item(true.name, partial(_empty_like, true), named=true.named, place=true.place, crs=true.crs)


def _empty_like(item: Item) -> Segmentation:
    true = item.load()
    if isinstance(true, LabelArray):
        labels = np.zeros(true.domain, dtype=np.uint8)
        return LabelArray(labels, classes=None if true.classes is None else {}, spacing=true.spacing)
    if isinstance(true, Masks):
        nothing = np.zeros(0, dtype=np.int64)
        run_lengths = RunLengthMasks(np.zeros(1, dtype=np.int64), nothing, nothing)
        return Masks(
            run_lengths, true.shape, classes=None if true.classes is None else {}, scores=[], spacing=true.spacing
        )
    if isinstance(true, Polygons):
        return Polygons([], classes=None if true.classes is None else [], crs=true.crs)
    if isinstance(true, Spans):
        return Spans([], [], true.n, classes=None if true.classes is None else [], tick=true.tick)
    if isinstance(true, TimeIntervals):
        return TimeIntervals([], [], true.n, classes=None if true.classes is None else [], tick=true.tick)
    raise KindError(f"there is no empty prediction for {true.kind}; every item needs a prediction")
