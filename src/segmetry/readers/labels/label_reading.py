"""Label arrays as the user says they are to be read.

The options apply in this order, whatever the order in which they are stated:

1. ``map`` replaces labels, all at once;
2. ``outside`` and ``void`` say which labels are no segments;
3. ``labels`` says what the others mean, or ``union`` makes classes of them;
4. ``components`` divides what is not connected, and every part keeps the class of its label;
5. ``min_size`` makes small segments outside, and ``border`` those at the edge of the image;
6. ``section_border`` makes voxels near a boundary of their section outside.

``spacing`` has precedence over the spacing that a file states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from segmetry.errors import OptionError
from segmetry.readers.labels.label_options import (
    BORDER,
    COMPONENTS,
    INSTANCES_PER_CLASS,
    MAP,
    MEANING,
    MIN_SIZE,
    SECTION_BORDER,
    SPACING,
    UNION,
    label_arguments,
)
from segmetry.readers.labels.label_range import check_range
from segmetry.readers.labels.section_border import without_section_borders
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.facts.coordinates import spacing_of_coordinates
from segmetry.segmentation.label_border import without_border
from segmetry.segmentation.label_parts import components, overlap_in_labels, overlapping_regions, united, without_small
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.replaced_values import replace_values
from segmetry.segmentation.spacing import Spacing


def read_labels(labels: Any, options: ReadOptions, *, spacing: Sequence[float] | None = None) -> LabelArray | Masks:
    """Return the segmentation in the labels of a file, by the options of its side: masks where unions overlap.

    >>> read_labels([[60, 61]], ReadOptions(labels="classes")).classes[60]
    60
    >>> read_labels([[1, 0, 1]], ReadOptions(components=4)).labels.tolist()
    [[1, 0, 2]]
    """
    if spacing is None and hasattr(labels, "coords"):
        labels, spacing = labels.data, spacing_of_coordinates(labels)
    values = _mapped(labels, options)
    facts = {**label_arguments(options), "spacing": _spacing(values, options, spacing)}
    return kept_segments(_segments(values, options, facts), options)


def kept_segments(segmentation: LabelArray | Masks, options: ReadOptions) -> LabelArray | Masks:
    """Return a segmentation without the segments that ``min_size`` and ``border`` leave out."""
    least, border = options[MIN_SIZE], options[BORDER]
    large = segmentation if least is None else without_small(segmentation, least)
    inner = large if border is None else without_border(large, border)
    width = options[SECTION_BORDER]
    if width is None:
        return inner
    if not isinstance(inner, LabelArray):
        raise OptionError("section_border applies to label arrays, but unions overlap; leave out one of them")
    return without_section_borders(inner, width)


def _spacing(values: Any, options: ReadOptions, of_file: Sequence[float] | None) -> Sequence[float] | None:
    """Return the spacing the user states, one number for all axes or one for each; otherwise that of the file."""
    stated = options[SPACING]
    if stated is None:
        return of_file
    axes = values.ndim if hasattr(values, "ndim") else np.ndim(values)
    return Spacing(tuple(stated) * axes, stated.unit) if len(stated) == 1 else stated


def _mapped(labels: Any, options: ReadOptions) -> Any:
    values = options[MAP]
    if values is None:
        return labels
    array = LabelArray(labels, outside=None, allow_float="allow_float" in options.stated, allow_negative=True)
    return replace_values(array, values, values.dtype(array.dtype))


def _segments(labels: Any, options: ReadOptions, facts: dict[str, Any]) -> LabelArray | Masks:
    regions, neighbours = options[UNION], options[COMPONENTS]
    if regions is None:
        array = _with_meaning(labels, options, facts)
    else:
        _check_union(options)
        array = LabelArray(labels, **facts)
        if overlap_in_labels(regions):
            return overlapping_regions(array, regions, neighbours)
        array = united(array, regions)
    return array if neighbours is None else components(array, neighbours, options.side)


def _with_meaning(labels: Any, options: ReadOptions, facts: dict[str, Any]) -> LabelArray:
    meaning, per_class = options[MEANING], options[INSTANCES_PER_CLASS]
    check_range(labels, options)
    if (meaning == "both") != (per_class is not None):
        raise OptionError(
            f"labels is {meaning!r} and instances_per_class is {per_class}; expected both of --labels both and "
            "--instances-per-class K, such as 1000 for values that are class · 1000 + instance, or neither"
        )
    if meaning == "instances":
        return LabelArray(labels, **facts)
    return LabelArray.from_classes(labels, instances_per_class=per_class, **facts)


def _check_union(options: ReadOptions) -> None:
    if MEANING.name in options.stated and options[MEANING] != "classes":
        raise OptionError(
            f"union makes classes of labels, but labels is {options[MEANING]!r}; leave out --labels, or state classes"
        )
