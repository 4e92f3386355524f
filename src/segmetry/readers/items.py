"""Items of a data set: one segmentation each, read when it is loaded, and the facts its file states about it.

Names read from untrusted files are checked: they are printed, become file names, or refer to other files.
"""

from __future__ import annotations

import itertools
import math
import os
import pickle
import stat
import unicodedata
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from segmetry._base import frozen_dataclass
from segmetry.errors import DataWarning, FormatError, InputError, KindError, SegmetryError
from segmetry.kernels import RunLengthMasks
from segmetry.segmentation import LabelArray, Masks, Polygons, Segmentation, Spans, TimeIntervals
from segmetry.storage import is_remote

if TYPE_CHECKING:
    from segmetry.readers.reader import ReadOptions


LONGEST = 1000  # names are printed in messages, tables and the report
_REJECTED = {
    "Cc": "a control character",
    "Cf": "an invisible formatting character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_JOINERS = "\u200c\u200d"  # Persian and Indian words need them


def check_label(text: str, what: str) -> str:
    """Return a name that can be printed: not empty, not too long, without terminal control characters."""
    if not text:
        raise FormatError(f"{what} is empty; expected a name")
    if len(text) > LONGEST:
        raise FormatError(f"{what} has {len(text)} characters ({text[:20]!r} …); expected at most {LONGEST}")
    if text.isascii() and text.isprintable():
        return text
    for at, character in enumerate(text):
        kind = _REJECTED.get(unicodedata.category(character))
        if kind is not None and character not in _JOINERS:
            raise FormatError(f"{what}, {text[:80]!a}, contains {kind} at position {at + 1}; expected printable text")
    return text


_NO_NAMES = ("", ".", "..")


def is_single_name(name: str) -> bool:
    """Return whether a name is that of a file in its folder itself, on every system."""
    return name not in _NO_NAMES and "/" not in name and "\\" not in name and ":" not in name


def check_name(name: str, what: str) -> str:
    """Return a name that can be printed and that stays in its folder when it becomes a file name."""
    check_label(name, what)
    if is_single_name(name):
        return name
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.is_absolute() or path.drive or path.root or ".." in path.parts:
            raise FormatError(f"{what}, {name[:80]!a}, leads out of its folder; expected a name without '..' or a root")
    return name


def file_inside(folder: Path, name: object, what: str) -> Path:
    """Return the path of a file in a folder; ``..``, a root, a drive, a NUL or a link out of the folder is an error."""
    if not isinstance(name, str):
        raise FormatError(f"{what} is {str(name)[:40]!a}; expected the name of a file")
    check_name(name, what)
    path = folder / name
    if is_remote(folder):  # a store has no links
        return path
    if is_plain_file(folder, name, set()):
        return path
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        exists = path.is_file()
    except (OSError, RuntimeError):  # a circle of links, a name too long for the system
        inside = exists = False
    if not inside:
        raise FormatError(f"{what}, {name[:80]!a}, leads out of {folder}; expected a file inside it")
    if not exists:
        raise FormatError(f"{what}, {name[:80]!a}, is not a file in {folder}")
    return path


def is_plain_file(folder: Path, name: str, plain: set[str]) -> bool:
    """Return whether a name leads to a regular file through folders that are no links (kept in ``plain``)."""
    parent, _, last = name.rpartition("/")
    if last in _NO_NAMES or name[0] == "/" or "\\" in name or ":" in name:
        return False
    if parent and not _is_plain_folder(folder, parent, plain):
        return False
    try:
        return stat.S_ISREG(os.lstat(f"{folder}/{name}").st_mode)
    except (OSError, ValueError):
        return False


def _is_plain_folder(folder: Path, name: str, plain: set[str]) -> bool:
    if name in plain:
        return True
    above, _, last = name.rpartition("/")
    if last in _NO_NAMES or (above and not _is_plain_folder(folder, above, plain)):
        return False
    try:
        is_folder = stat.S_ISDIR(os.lstat(f"{folder}/{name}").st_mode)
    except (OSError, ValueError):
        return False
    if is_folder:
        plain.add(name)
    return is_folder


TOLERANCE = 0.01
"""Largest distance between two grids, in lengths of the shortest voxel edge: headers contain rounded numbers."""


class GridAffine(NamedTuple):
    """A grid in space: the affine matrix from voxel indices to coordinates, and the number of voxels per axis."""

    affine: tuple[tuple[float, ...], ...]
    shape: tuple[int, ...]

    def corners(self) -> list[tuple[float, ...]]:
        """Return the coordinates of the first and last voxels along every axis."""
        ends = [(0, length - 1) for length in self.shape]
        return [
            tuple(math.fsum(a * b for a, b in zip(row, (*corner, 1), strict=True)) for row in self.affine)
            for corner in itertools.product(*ends)
        ]

    def shortest_edge(self) -> float:
        """Return the length of the shortest edge of a voxel."""
        return min(math.hypot(*column) for column in list(zip(*self.affine, strict=True))[:-1])


def check_same_place(name: str, true: GridAffine | None, pred: GridAffine | None) -> None:
    """Raise if the corners of two volumes have different coordinates; a volume without an affine fits any other."""
    if true is None or pred is None or true.shape != pred.shape:
        return
    apart = max(math.dist(a, b) for a, b in zip(true.corners(), pred.corners(), strict=True))
    if not apart <= TOLERANCE * true.shortest_edge():
        raise InputError(
            f"item {name}: true and pred have different positions in space: their corners are up to {apart:.4g} apart, "
            f"more than {TOLERANCE:g} of the shortest voxel edge {true.shortest_edge():.4g}; compare the affines, and "
            "resample one volume to the grid of the other"
        )


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
    of the frames of a video. ``takes_domain`` is a file that does not state the domain: the loader takes that of the
    other side. ``scheme`` is that of its tags, if it was found from their letters.

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
    takes_domain: str = ""
    scheme: str | None = None

    def load(self) -> Segmentation:
        """Return the segmentation; one that was not read with its file is read now."""
        if self.takes_domain:
            raise FormatError(
                f"{self.takes_domain}: item {self.name}: the file does not state the size of its images; "
                "read it together with the truth"
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
    """A loader of a video of unstated length: ``read`` takes its shape, ``shape`` is what the file reaches to."""

    shape: tuple[int, int, int]
    read: Callable[[tuple[int, int, int]], Segmentation]

    def __call__(self) -> Segmentation:
        return self.read(self.shape)


class ListedSegments(NamedTuple):
    """The segments of an image that another file lists, by id; crowd regions in the order in which they are listed."""

    classes: Mapping[int, Hashable]
    crowd: tuple[int, ...]
    areas: Mapping[int, int]


@frozen_dataclass(eq=False)
class ListedImage(ABC):
    """A loader of a label image whose segments, and perhaps its size, another file states."""

    segments: ListedSegments
    size: tuple[int, ...] | None
    options: ReadOptions

    @abstractmethod
    def __call__(self) -> LabelArray:
        """Return the image with its segments; those in the image differ from those listed: an error."""

    @abstractmethod
    def array(self, ids: Any) -> LabelArray:
        """Return an array of ids with these segments."""

    @property
    @abstractmethod
    def file(self) -> Any:
        """The file, if it can be read together with others; else None."""


@frozen_dataclass(eq=False)
class ArrayFile:
    """A loader of the only array of a file of a format."""

    format: str
    path: Path
    options: ReadOptions
    read: Callable[[str, Path, ReadOptions], Segmentation]

    def __call__(self) -> Segmentation:
        return self.read(self.format, self.path, self.options)


def within(path: str, load: Callable[..., Segmentation]) -> Callable[..., Segmentation]:
    """Return the same loader, with errors that name the file it reads."""
    return partial(_load_within, path, load)


def loader_within(content: object) -> object:
    """Return the loader of which :func:`within` made another one; any other content as it is."""
    while isinstance(content, partial) and content.func is _load_within:
        content = content.args[1]
    return content


def _load_within(path: str, load: Callable[..., Segmentation], *domain: tuple[int, ...]) -> Segmentation:
    try:
        return load(*domain)
    except SegmetryError as problem:
        if path in str(problem):
            raise
        raise problem.within(path) from None


def file_item(
    name: str,
    folder: Path,
    file: Path,
    load: Callable[[Path, ReadOptions], Segmentation],
    options: ReadOptions,
    *,
    what: str = "the file",
    **facts: Any,
) -> Item:
    """Return an item that is a file of a folder, read when it is loaded; a link out of the folder is an error."""
    place = file.relative_to(folder).as_posix()
    inside = file_inside(folder, place, what)
    return Item(name, within(str(inside), partial(load, inside, options)), file=place, **{"named": True, **facts})


def picklable_item(item: Item) -> Item:
    """Return an item that can go to another process: its loader if that can be pickled, else what it reads."""
    if not item.is_lazy:
        return item
    try:
        pickle.dumps(item)
    except (pickle.PicklingError, AttributeError, TypeError):  # a loader that was defined within a function
        return replace(item, content=item.load())
    return item


def empty_item(true: Item) -> Item:
    """Return a prediction without segments, for an item that has no prediction."""
    return Item(true.name, partial(_empty_like, true), named=true.named, place=true.place, crs=true.crs)


def is_empty_item(item: Item) -> bool:
    """Return whether an item stands for a prediction that does not exist."""
    return isinstance(item.content, partial) and item.content.func is _empty_like


def _empty_like(item: Item) -> Segmentation:
    true = item.load()
    classes: Any = None if true.classes is None else ()
    if isinstance(true, LabelArray):
        labels = np.zeros(true.domain, dtype=np.uint8)
        return LabelArray(labels, classes=None if classes is None else {}, spacing=true.spacing)
    if isinstance(true, Masks):
        nothing = np.zeros(0, dtype=np.int64)
        run_lengths = RunLengthMasks(np.zeros(1, dtype=np.int64), nothing, nothing)
        return Masks(run_lengths, true.shape, classes=classes, scores=[], spacing=true.spacing)
    if isinstance(true, Polygons):
        return Polygons([], classes=classes, crs=true.crs)
    if isinstance(true, Spans | TimeIntervals):
        return type(true)([], [], true.n, classes=classes, tick=true.tick)
    raise KindError(f"there is no empty prediction for {true.kind}; every item needs a prediction")


def names_of_classes(pairs: Iterable[tuple[str, Item, Item]]) -> dict[Hashable, str]:
    """Return the name of every class; that in the truth has precedence, and another in the prediction is a warning."""
    listed = list(pairs)
    names: dict[Hashable, str] = {}
    for side in (1, 2):
        seen: list[Mapping[Hashable, str]] = []
        for pair in listed:
            item = pair[side]
            stated = item.class_names if isinstance(item, Item) else None
            if stated is not None and not any(stated is known for known in seen):
                seen = [*seen[-3:], stated]  # the items of a file share one mapping
                _add_names(names, stated, pair[0])
    return names


def _add_names(names: dict[Hashable, str], stated: Mapping[Hashable, str], item: str) -> None:
    for number, name in stated.items():
        known = names.setdefault(number, name)
        if known != name:
            warnings.warn(
                f"item {item}: class {number} is called {name!r} here and {known!r} elsewhere; {known!r} is used, and "
                "classes are compared by number: check that both sides mean the same classes",
                DataWarning,
                stacklevel=3,
            )
