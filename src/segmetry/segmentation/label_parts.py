"""Segments made from labels: unions, connected components, removal of what is too small or cut off at the edge."""

from __future__ import annotations

import copy
from collections.abc import Collection, Hashable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.kernels import RunLengthMasks, count_pairs, label_components, label_run_lengths, run_length_sizes
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray, RunLengthLabels
from segmetry.segmentation.masks import Masks, stacked_masks
from segmetry.segmentation.value_map import ValueMap, replace_values

S = TypeVar("S", bound=Segmentation)

Regions = Mapping[str, Collection[int]]
"""Labels by the name of the region that is their union."""


def overlap_in_labels(regions: Regions) -> bool:
    """Return whether a label belongs to several regions."""
    return len(set().union(*regions.values())) < sum(len(set(labels)) for labels in regions.values())


def united(array: LabelArray, regions: Regions) -> LabelArray:
    """Return one segment per region, of the class that is its name; labels in no region are outside."""
    check_regions(array, regions)
    if overlap_in_labels(regions):
        raise OptionError("regions with a common label overlap; expected regions without one")
    names = list(regions)
    new = {label: number for number, name in enumerate(names, 1) for label in regions[name]}
    void = len(names) + 1
    values = ValueMap({**new, **dict.fromkeys(array.void, void)}, rest=0)
    labels, ignored = replace_values(array, values, values.dtype(array.dtype)), [void] if array.void else None
    return LabelArray(labels, void=ignored, classes=dict(enumerate(names, 1)), spacing=array.spacing)


def overlapping_regions(array: LabelArray, regions: Regions, neighbours: int | None = None) -> Masks:
    """Return one mask per region, or per connected component of a region, of the class that is its name."""
    check_regions(array, regions)
    if array.void:
        raise OptionError(
            "void labels and regions that overlap exclude each other, because masks have no void; leave out void=, or "
            "evaluate the regions one by one"
        )
    labels = array.labels
    parts: list[RunLengthMasks] = []
    classes: list[Hashable] = []
    for name, members in regions.items():
        inside = np.isin(labels, list(members))
        numbers = inside.astype(np.uint8) if neighbours is None else label_components(inside, neighbours).numbers
        parts.append(_masks_of_numbers(numbers))
        classes += [name] * (parts[-1].offsets.size - 1)
    return Masks(stacked_masks(parts), array.domain, classes=classes, spacing=array.spacing)


def _masks_of_numbers(numbers: NDArray[Any]) -> RunLengthMasks:
    """Return the segments 1, 2, … of an array as run lengths in column-major order."""
    stops, labels = label_run_lengths(numbers.ravel(order="F"))
    starts = np.append(0, stops[:-1])
    order = np.argsort(labels, kind="stable")
    order = order[labels[order] > 0]
    counts = np.bincount(labels, minlength=1)[1:]
    return RunLengthMasks(np.append(0, np.cumsum(counts)).astype(np.int64), starts[order], stops[order])


def check_regions(array: LabelArray, regions: Regions) -> None:
    """Raise if a label of a region is outside or void."""
    for name, members in regions.items():
        for word, ignored in (("outside", array.outside), ("void", array.void)):
            if both := set(members) & set(ignored):
                raise OptionError(
                    f"region {name} contains label {min(both)}, which is {word}; leave it out of the region, or "
                    f"declare other labels {word} ({word}=, --{word})"
                )


def components(array: LabelArray, neighbours: int, side: str = "labels") -> LabelArray:
    """Return one segment per connected component of every label, with the class of that label.

    Segments are numbered 1, 2, … in the order of their first elements; void elements stay void.
    """
    labels = array.labels
    array.check_labels(labels, side)
    found = label_components(labels, neighbours, (*array.outside, *array.void))
    numbers, void = found.numbers, int(found.sizes.size) + 1
    if array.void:
        numbers = np.where(np.isin(labels, array.void), np.int32(void), numbers)
    old = array.classes
    classes = None if old is None else {n: old[label] for n, label in enumerate(found.labels.tolist(), 1)}
    return LabelArray(numbers, void=[void] if array.void else None, classes=classes, spacing=array.spacing)


def without_small(segmentation: LabelArray | Masks, least: int) -> LabelArray | Masks:
    """Return the segmentation without segments of fewer elements: they become outside, and are counted."""
    if isinstance(segmentation, Masks):
        return _large_masks(segmentation, least)
    runs = segmentation.run_length_labels
    sizes, ignored = (
        label_sizes(segmentation.labels if runs is None else runs),
        segmentation.outside + segmentation.void,
    )
    small = [label for label, size in sizes.items() if size < least and label not in ignored]
    return _without_labels(segmentation, small, max(sizes, default=0), 0)


def _without_labels(array: LabelArray, gone: list[int], largest: int, removed: int) -> LabelArray:
    """Return the array with these labels outside; their number is added to those ``removed`` before."""
    if not gone:
        return array
    outside = array.outside or (largest + 1,)
    values = ValueMap(dict.fromkeys(gone, outside[0]))
    labels = replace_values(array, values, values.dtype(array.dtype))
    return with_n_removed(array.with_labels(labels, outside), removed + len(gone))


def _large_masks(masks: Masks, least: int) -> Masks:
    large = masks.sizes >= least
    if large.all():
        return masks
    offsets, starts, stops = masks.run_lengths
    counts = np.diff(offsets)
    runs = np.repeat(large, counts)
    ids = masks.ids[large]
    classes = None if masks.classes is None else {int(number): masks.classes[int(number)] for number in ids}
    run_lengths = RunLengthMasks(np.append(0, np.cumsum(counts[large])), starts[runs], stops[runs])
    kept = Masks(run_lengths, masks.shape, ids=ids, classes=classes, spacing=masks.spacing)
    return with_n_removed(kept, int((~large).sum()))


def with_n_removed(segmentation: S, removed: int) -> S:
    """Return the segmentation with the number of segments that a filter left out."""
    counted = copy.copy(segmentation)
    counted.__dict__["n_removed"] = removed
    return counted


def label_sizes(labels: NDArray[Any] | RunLengthLabels) -> dict[int, int]:
    """Return the number of elements of every label, in ascending order of labels."""
    if isinstance(labels, RunLengthLabels):
        values, counts = labels.sizes or run_length_sizes(labels.run_lengths)
    else:
        values, _, counts = count_pairs(labels, labels)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def without_border(segmentation: LabelArray | Masks, width: int) -> LabelArray:
    """Return the segmentation without segments among the outermost elements of an axis: they become outside."""
    if isinstance(segmentation, Masks):
        raise OptionError("border is not supported where unions of labels overlap; state border or union")
    labels = np.asarray(segmentation.labels)
    edge = np.ones(labels.shape, dtype=bool)
    edge[tuple(slice(width, max(size - width, width)) for size in labels.shape)] = False
    ignored = {*segmentation.outside, *segmentation.void}
    cut = [label for label in np.unique(labels[edge]).tolist() if label not in ignored]
    largest = int(labels.max()) if cut else 0
    return _without_labels(segmentation, cut, largest, getattr(segmentation, "n_removed", 0))
