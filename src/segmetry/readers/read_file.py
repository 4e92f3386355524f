"""Read files into segmentations from Python: a whole data set, a single file, or the two sides of a metric."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from segmetry.errors import DataWarning, InputError, UnknownNameError, list_some
from segmetry.readers.items import Item
from segmetry.readers.pairing import pair_items
from segmetry.readers.reader import ReadOptions, SideName, check_options
from segmetry.readers.source import Source, input_path, side_options
from segmetry.results import counted
from segmetry.segmentation import Segmentation

_TENSOR_PACKAGES = frozenset({"torch", "tensorflow", "jax", "jaxlib", "paddle"})
"""Packages whose arrays usually have the items of a batch along their first axis."""


class ReadItems(Mapping[str, Segmentation]):
    """The segmentations of a data set by the names of its items; each is read when it is asked for, and not kept."""

    def __init__(self, items: Mapping[str, Item], path: Path) -> None:
        self.entries = items
        self.path = path

    def __getitem__(self, name: str) -> Segmentation:
        try:
            return self.entries[name].load()
        except KeyError:
            known = list_some(self.entries, most=5)
            raise UnknownNameError(f"{self.path}: has no item {name!r}; found {known}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"ReadItems({counted(len(self), 'item')} of {self.path})"


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    side: SideName = "true",
    max_elements: int | None = None,
    **options: Any,
) -> Segmentation | ReadItems:
    """Read a file or folder of any supported format.

    Parameters
    ----------
    path
        A file, or the folder of a data set.
    format
        The name of its format (``segmetry formats``), where the content does not decide.
    side
        Whether it is the truth or a prediction, ``"true"`` or ``"pred"``: in some formats void belongs to the truth.
    max_elements
        The most elements that one segmentation may have.
    **options
        Options of the reader, such as ``void=255`` or ``tick="1/100"``; one that the format does not have is an error.
        Every format has ``isolate``: ``True`` decodes the file in a child process, as for :func:`segmetry.evaluate`.

    Returns
    -------
    Segmentation or ReadItems
        The segmentation of a file of one item. A data set, which names its items, is a mapping from their names to
        segmentations, whatever their number; each is read when it is asked for.

    Examples
    --------
    >>> import segmetry as sm
    >>> from importlib.resources import files
    >>> sm.read(files("segmetry.samples") / "street_true.png", void=3)
    LabelArray(shape (180, 270), uint8, 13 segments, outside 0, void 3)
    >>> sm.read(files("segmetry.samples") / "text_true.json")["letter home"].n_elements
    16
    """
    if max_elements is not None:
        options["most_elements"] = max_elements
    how = ReadOptions(side=side, **options)
    source = Source(input_path(path, how), how, format)
    items = list(_unique_items(source))
    if len(items) == 1 and not items[0].named:
        return items[0].load()
    return ReadItems({item.name: item for item in items}, source.path)


def read_sides(true: Any, pred: Any) -> tuple[Any, Any]:
    """Return what a metric compares: sides that are paths are read, anything else is returned as it is."""
    if not (_is_path(true) or _is_path(pred)):
        _note_batches(true, pred)
        return true, pred
    for_true, for_pred = side_options(ReadOptions())
    first, second = _read_side(true, for_true), _read_side(pred, for_pred)
    if isinstance(first, Item) and isinstance(second, Item):
        ((_, first, second),) = pair_items([first], [second])
    loaded = first.load() if isinstance(first, Item) else first
    if not isinstance(second, Item):
        return loaded, second
    return loaded, second.load_on(loaded.domain) if second.takes_domain else second.load()


def _read_side(value: Any, options: ReadOptions) -> Any:
    if not _is_path(value):
        return value
    source = Source(input_path(value, options), options)
    items = list(_unique_items(source))
    if len(items) != 1:
        raise InputError(
            f"{source.path}: contains {counted(len(items), 'item')}; a metric compares one pair: "
            "evaluate(true, pred) scores data sets, read(path)['name'] is one of the items"
        )
    return items[0]


def _unique_items(source: Source) -> Iterator[Item]:
    check_options([source.reader], source.options.stated)
    seen: set[str] = set()
    for item in source.items():
        if item.name in seen:
            raise InputError(f"{source.path}: two items are called {item.name!r}; expected one of each name")
        seen.add(item.name)
        yield item


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike)


def _note_batches(*sides: Any) -> None:
    """Note that a tensor of three axes or more is compared as one item, though its first axis may be a batch."""
    for value in sides:
        if type(value).__module__.partition(".")[0] in _TENSOR_PACKAGES and getattr(value, "ndim", 0) > 2:
            warnings.warn(
                # Without the shape, so that Python shows it once for a line of the user's, however many shapes follow.
                f"a {type(value).__name__} with {value.ndim} axes is compared as one item; if its first axis is a "
                "batch, use evaluate(true, pred, batch=True), and if it is one volume LabelArray(tensor)",
                DataWarning,
                stacklevel=_level_outside(),
            )
            return


def _level_outside() -> int:
    """Return how many calls above the caller the code of the user is, for a warning that names its line."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "segmetry":
        level, frame = level + 1, frame.f_back
    return level
