"""Label arrays as the user says they are to be read.

The options apply in this order, whatever the order in which they are stated:

1. ``map`` replaces labels, all at once;
2. ``outside`` and ``void`` say which labels are not segments;
3. ``labels`` says what the others mean, or ``union`` makes classes of them;
4. ``components`` divides what is not connected, and every part keeps the class of its label;
5. ``min_size`` makes small segments outside, and ``border`` those at the edge of the image;
6. ``section_border`` makes voxels near a boundary of their section outside.

``spacing`` has precedence over the spacing that a file states.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import InputError, OptionError
from segmetry.kernels.label_run_lengths import run_length_sizes
from segmetry.kernels.pairs import count_pairs
from segmetry.readers.label_options import (
    BORDER,
    COMPONENTS,
    INSTANCES_PER_CLASS,
    MAP,
    MEANING,
    MIN_SIZE,
    NUM_CLASSES,
    OUTSIDE,
    SECTION_BORDER,
    SPACING,
    UNION,
    VOID,
    label_arguments,
)
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.base import as_ids
from segmetry.segmentation.label_parts import (
    components,
    overlap_in_labels,
    overlapping_regions,
    united,
    without_border,
    without_small,
)
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.run_length_labels import RunLengthLabels
from segmetry.segmentation.spacing import Spacing, spacing_of_coordinates
from segmetry.segmentation.value_map import replace_values


def label_sizes(labels: NDArray[Any] | RunLengthLabels) -> dict[int, int]:
    """Return the number of elements of every label, in ascending order of labels.

    >>> import numpy as np
    >>> label_sizes(np.array([[7, 7, 0], [9, 7, 0]]))
    {0: 2, 7: 3, 9: 1}
    """
    if isinstance(labels, RunLengthLabels):
        values, counts = labels.sizes or run_length_sizes(labels.run_lengths)
    else:
        values, _, counts = count_pairs(labels, labels)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def labels_with_classes(
    labels: NDArray[Any] | RunLengthLabels,
    class_of: Callable[[int], int | None],
    options: ReadOptions,
    crowd: Collection[int] = (),
) -> LabelArray:
    """Return labels whose classes a data set declares; the labels ``crowd`` are a crowd in the truth.

    Labels without a class are void in the truth and in no segment in the prediction.

    >>> array = labels_with_classes(np.array([[0, 7, 9]]), {7: 1, 9: 2}.get, ReadOptions())
    >>> array.classes, array.void
    ({7: 1, 9: 2}, (0,))
    """
    found = {label: class_of(label) for label in label_sizes(labels)}
    classes = {label: number for label, number in found.items() if number is not None}
    ignored, truth = [label for label in found if label not in classes], options.side == "true"
    return LabelArray(
        labels,
        outside=None if truth else ignored,
        void=ignored if truth else None,
        classes=classes,
        crowd=[label for label in classes if label in crowd] if truth else None,
    )


def check_range(labels: Any, options: ReadOptions) -> None:
    """Raise if a label is neither a class of the declared range nor void nor outside.

    >>> check_range(np.array([[0, 3, 255]]), ReadOptions(labels="classes", num_classes=3, void=255, outside=None))
    Traceback (most recent call last):
    segmetry.errors.InputError: labels contain 3 (1 element); expected classes 0 to 2; ...
    """
    number = options[NUM_CLASSES]
    if number is None:
        return
    if options[MEANING] != "classes":
        raise OptionError(
            f"num_classes is {number}, but labels are {options[MEANING]}; state --labels classes, or leave out "
            "--num-classes"
        )
    values = labels if isinstance(labels, RunLengthLabels) else np.asarray(labels)
    if values.size and not isinstance(values, RunLengthLabels) and values.dtype.kind not in "biu":
        return  # an error of the label array
    known = {*as_ids(options[OUTSIDE], "outside"), *as_ids(options[VOID], "void")}
    wrong = {label: n for label, n in label_sizes(values).items() if not 0 <= label < number and label not in known}
    if wrong:
        label, count = next(iter(wrong.items()))
        others = f" and {len(wrong) - 1} other such values" if len(wrong) > 1 else ""
        raise InputError(
            f"labels contain {label} ({count} element{'s' * (count != 1)}){others}; expected classes 0 to {number - 1}"
            f"; if it must not count state --void {label}, if it is another class --map {label}:NEW, or state the "
            "right --num-classes"
        )


def without_section_borders(array: LabelArray, distance: Fraction) -> LabelArray:
    """Return the labels with voxels near a border of their section outside; sections are the last two axes.

    A voxel of a section is on a border if one of its four neighbours there has another label; voxels at most
    ``distance`` from such a voxel, in the section and in voxels, become outside, as the CREMI challenge masks them
    [funke2016cremi].

    >>> without_section_borders(LabelArray([[1, 1, 1, 2, 2, 2]]), Fraction(0)).labels.tolist()
    [[1, 1, 0, 0, 2, 2]]
    """
    if array.axes < 2:
        raise OptionError(f"section_border needs sections of two axes; found labels of {array.axes} axis")
    labels = np.asarray(array.labels)
    outside = array.outside[0] if array.outside else 0
    masked = labels.copy()
    for section in np.ndindex(labels.shape[:-2]):
        masked[section][_near_border(labels[section], distance)] = outside
    return array.with_labels(masked)


def _near_border(section: NDArray[Any], distance: Fraction) -> NDArray[np.bool_]:
    border = np.zeros(section.shape, dtype=np.bool_)
    for axis in (0, 1):
        first, second = (np.moveaxis(border, axis, 0)[part] for part in (slice(None, -1), slice(1, None)))
        labels = np.moveaxis(section, axis, 0)
        differs = labels[1:] != labels[:-1]
        first |= differs
        second |= differs
    if not border.any():
        return border
    from scipy.ndimage import distance_transform_edt

    at = distance_transform_edt(~border, return_distances=False, return_indices=True)
    squared = sum((index - place) ** 2 for index, place in zip(np.indices(section.shape), at, strict=True))
    near: NDArray[np.bool_] = squared * distance.denominator**2 <= distance.numerator**2
    return near


def read_labels(labels: Any, options: ReadOptions, *, spacing: Sequence[float] | None = None) -> LabelArray | Masks:
    """Return the segmentation in the labels of a file, by the options of its side: masks where unions overlap.

    >>> read_labels([[60, 61]], ReadOptions(labels="classes")).classes[60]
    60
    >>> read_labels([[1, 0, 1]], ReadOptions(components=4)).labels.tolist()
    [[1, 0, 2]]
    """
    if spacing is None and hasattr(labels, "coords"):
        labels, spacing = labels.data, spacing_of_coordinates(labels)
    values = _mapped_labels(labels, options)
    facts = {**label_arguments(options), "spacing": _spacing_of(values, options, spacing)}
    return kept_segments(_labelled_segments(values, options, facts), options)


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


def _spacing_of(values: Any, options: ReadOptions, of_file: Sequence[float] | None) -> Sequence[float] | None:
    """Return the spacing the user states, one number for all axes or one for each; otherwise that of the file."""
    stated = options[SPACING]
    if stated is None:
        return of_file
    axes = values.ndim if hasattr(values, "ndim") else np.ndim(values)
    return Spacing(tuple(stated) * axes, stated.unit) if len(stated) == 1 else stated


def _mapped_labels(labels: Any, options: ReadOptions) -> Any:
    values = options[MAP]
    if values is None:
        return labels
    array = LabelArray(labels, outside=None, allow_float="allow_float" in options.stated, allow_negative=True)
    return replace_values(array, values, values.dtype(array.dtype))


def _labelled_segments(labels: Any, options: ReadOptions, facts: dict[str, Any]) -> LabelArray | Masks:
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
