"""Label arrays whose overlaps are counted together, a group of items at a time: no object is made for any of them.

A group is one of items whose labels mean the same: arrays in memory, PNG files, or the images of COCO panoptic files.
Files are read, decoded and counted in one step. One that is unusual is read by itself; anything else about an item that
is unusual (a shape that differs, a label that is wrong, a segment that is not listed) leaves the group to the way of
single items, which says what is wrong with which of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import IndexArray, IntArray, distinct
from segmetry.errors import SegmetryError
from segmetry.evaluation.inputs import ItemTask, StatedArray
from segmetry.kernels import count_item_pairs
from segmetry.metrics import MetricInputs
from segmetry.overlaps import ItemTables, Side, tables_of_labels
from segmetry.readers import ArrayFile, Item, ListedImage, ReadOptions, Source, label_meaning, loader_within
from segmetry.segmentation import LabelArray, LabelMeaning, superseded_crowds

_FITTING = "?bhilqBHI" + ("L" if np.dtype("L").itemsize < 8 else "")
"""The types whose numbers fit into int64."""
LARGEST = 2**20
"""The most elements of an array in a group: a larger one takes long enough to be a job of its own."""
SIZE_OF_FILE = 2**16
"""The elements of a file, before it is read, as the sizes of groups count them."""

ReadInputs = Callable[[ItemTask], MetricInputs]


class CountedGroup(NamedTuple):
    """The overlap tables of a group of items, and the shapes of their arrays."""

    tables: ItemTables
    shapes: list[tuple[int, ...]]


class LabelGroup(NamedTuple):
    """The items of a group, the labels of both sides, and what they mean."""

    tasks: Sequence[ItemTask]
    true: Sequence[Any]
    pred: Sequence[Any]
    axes: int
    meanings: tuple[LabelMeaning, LabelMeaning]

    @classmethod
    def of(cls, tasks: Sequence[ItemTask]) -> LabelGroup | None:
        """Return the group of some items that have one :func:`group_key`; None where there is no such group."""
        true, pred = [_labels_of(task.true) for task in tasks], [_labels_of(task.pred) for task in tasks]
        if any(labels is None for labels in (*true, *pred)):
            return None
        axes = true[0].ndim if isinstance(true[0], np.ndarray) else 2
        first, second = _meaning_of(tasks[0].true, axes), _meaning_of(tasks[0].pred, axes)
        return None if first is None or second is None else cls(tasks, true, pred, axes, (first, second))

    def counted(self, read: ReadInputs, threads: int) -> CountedGroup | None:
        """Count the overlaps; ``read`` reads an item whose files are unusual. None where another item is unusual."""
        if not isinstance(self.true[0], np.ndarray):
            return self._counted_files(read, threads)
        n_elements = np.array([labels.size for labels in self.true], dtype=np.int64)
        pairs = count_item_pairs(self.true, self.pred, threads=threads)
        tables = tables_of_labels(pairs, n_elements, *self.meanings)
        return None if tables is None else CountedGroup(tables, [labels.shape for labels in self.true])

    def _counted_files(self, read: ReadInputs, threads: int) -> CountedGroup | None:
        from segmetry.readers import count_label_files

        files = [[_file_of(labels) for labels in side] for side in (self.true, self.pred)]
        known = [[file for file in side if file is not None] for side in files]
        found = None
        if len(known[0]) == len(known[1]) == len(self.tasks):
            found = count_label_files(known[0], known[1], threads)
        if found is None or not found[1].any():
            return None
        pairs, shapes = found
        is_read, listed = shapes.any(axis=1), tuple(map(tuple, shapes.tolist()))
        tables = tables_of_labels(pairs, shapes.prod(axis=1), *self.meanings)
        if tables is not None and isinstance(self.true[0], ListedImage):
            tables = _with_listed_segments(tables, self.true, self.pred, np.flatnonzero(is_read), listed)
        if tables is None or is_read.all():
            return None if tables is None else CountedGroup(tables, list(listed))
        every, of_items = tables.tables(), list(listed)
        for at in np.flatnonzero(~is_read).tolist():
            inputs = read(self.tasks[at])
            if inputs.pair is None or not isinstance(inputs.pair.true, LabelArray):
                return None
            every[at], of_items[at] = inputs.table, inputs.pair.true.domain
        return CountedGroup(ItemTables.together(every), of_items)


def group_key(task: ItemTask) -> tuple[Hashable, int] | None:
    """Return what the items of a group have in common, and the size of this one; None for what is in no group."""
    true, pred = _labels_of(task.true), _labels_of(task.pred)
    if true is None or type(true) is not type(pred):
        return None
    keys = _fact_key(task.true), _fact_key(task.pred)
    if not isinstance(true, np.ndarray):
        return (type(true), keys), SIZE_OF_FILE
    return ((true.ndim, keys), true.size) if true.shape == pred.shape and 0 < true.size <= LARGEST else None


def _labels_of(side: Any) -> Any:
    """Return the labels of a side: an array of a type that fits into int64, or files; None for anything else."""
    array = side.value if type(side) is StatedArray else side
    if type(array) is np.ndarray:
        return array if array.dtype.char in _FITTING else None
    if type(array) is LabelArray:
        array = array.__dict__["_array"] if not (array.spacing.stated or array.crowd) else None
        return array if type(array) is np.ndarray and array.dtype.char in _FITTING else None
    loader = _loader_of(array)
    if isinstance(loader, ListedImage):
        return loader
    if not _is_png(loader):
        return None
    from segmetry.readers import LabelFile

    return LabelFile.of(loader.path, loader.options)


def _is_png(loader: Any) -> bool:
    if type(loader) is ArrayFile:
        return loader.format == "png"
    try:
        return type(loader) is Source and loader.reader.name == "png"
    except SegmetryError:  # said by the item, when it is read by itself
        return False


def _loader_of(side: Any) -> Any:
    return loader_within(side.content if type(side) is Item else side)


def _file_of(labels: Any) -> Any:
    return labels.file if isinstance(labels, ListedImage) else labels


def _fact_key(side: Any) -> Hashable:
    if type(side) is StatedArray:
        return id(side.options)
    if type(side) is LabelArray:
        return side.outside, side.void, side.allow_negative, side.classes
    return None if isinstance(side, np.ndarray) else id(_loader_of(side).options)


def _meaning_of(side: Any, axes: int) -> LabelMeaning | None:
    if type(side) is LabelArray:
        return LabelMeaning(side)
    loader = _loader_of(side)
    if not isinstance(loader, ListedImage):
        return label_meaning(ReadOptions() if isinstance(loader, np.ndarray) else loader.options, axes)
    nothing = np.zeros((1, 1), dtype=np.int64)
    array = loader.array(nothing)
    return LabelMeaning(LabelArray(nothing, outside=array.outside, void=array.void))


def _with_listed_segments(
    tables: ItemTables,
    true: Sequence[ListedImage],
    pred: Sequence[ListedImage],
    items: IndexArray,
    shapes: Sequence[tuple[int, ...]],
) -> ItemTables | None:
    """Return the tables with the classes and crowds that files list; None where an image differs from its list.

    ``items`` are those that were read.
    """
    if any(side[at].size not in (None, shapes[at]) for side in (true, pred) for at in items.tolist()):
        return None
    table, (first, second, _) = tables.table, tables.starts
    of_true = _listed_classes(table.true, tables.true_item, true, items)
    of_pred = _listed_classes(table.pred, tables.pred_item, pred, items)
    if of_true is None or of_pred is None:
        return None
    names = distinct(np.concatenate((of_true, of_pred)))
    sides = (table.true, of_true, first, true), (table.pred, of_pred, second, pred)
    made = [
        _with_crowds(replace(side, classes=np.searchsorted(names, codes)), starts, images, items)
        for side, codes, starts, images in sides
    ]
    return replace(tables, table=replace(table, true=made[0], pred=made[1], class_names=tuple(names.tolist())))


def _listed_classes(
    side: Side, of_item: IndexArray, images: Sequence[ListedImage], items: IndexArray
) -> IntArray | None:
    """Return the class of every segment; None unless the same segments are listed, with their sizes or none."""
    ids, classes, areas, sizes = list[int](), list[Any](), list[Any](), list[int]()
    for at in items.tolist():
        segments = images[at].segments
        ids += segments.classes
        classes += segments.classes.values()
        areas += [segments.areas.get(number) for number in segments.classes]
        sizes.append(len(segments.classes))
    item, numbers = np.repeat(items, sizes), np.array(ids, dtype=np.int64)
    order = np.lexsort((numbers, item))
    if not (np.array_equal(item[order], of_item) and np.array_equal(numbers[order], side.ids)):
        return None
    counted = np.empty_like(side.sizes)
    counted[order] = side.sizes
    if areas != counted.tolist() and any(
        area is not None and area != size for area, size in zip(areas, counted.tolist(), strict=True)
    ):
        return None
    return np.array(classes, dtype=np.int64)[order]


def _with_crowds(side: Side, starts: IndexArray, images: Sequence[ListedImage], items: IndexArray) -> Side:
    flags: dict[str, Any] = {}
    for at in items.tolist():
        crowd = images[at].segments.crowd
        others = superseded_crowds(images[at].array(np.zeros((1, 1), dtype=np.int64))) if len(crowd) > 1 else ()
        for name, segments in (("crowd", crowd), ("superseded", others)):
            if segments:
                own = side.ids[starts[at] : starts[at + 1]]
                column = flags.setdefault(name, np.zeros(len(side), dtype=bool))
                column[starts[at] + np.searchsorted(own, list(segments))] = True
    return replace(side, **flags)
