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

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from operator import index
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError, InputError, OptionError, SegmetryError, list_some
from segmetry.kernels import NEIGHBOURS
from segmetry.readers.parts.text_file import load_json, read_text
from segmetry.readers.reader import (
    Choice,
    Flag,
    Integer,
    Labels,
    Option,
    OptionType,
    PositiveNumber,
    ReadOptions,
    Text,
)
from segmetry.segmentation import (
    UNITS,
    LabelArray,
    LabelMeaning,
    Masks,
    RunLengthLabels,
    Spacing,
    ValueMap,
    as_ids,
    as_spacing,
    components,
    label_sizes,
    overlap_in_labels,
    overlapping_regions,
    replace_values,
    spacing_of_coordinates,
    unit_symbol,
    united,
    without_border,
    without_small,
)

REST = "*"
"""Stands for every label that a map does not name."""
_PAIRS = re.compile(r"\s*(-?\d+|\*|#[0-9a-fA-F]{6})\s*[:,;\t]\s*(-?\d+)\s*")


@frozen_dataclass()
class LabelMap(OptionType[ValueMap]):
    """New labels by old label (or colour, ``#804080:7``): ``7:0,*:255``, a mapping, or a JSON or CSV file of pairs."""

    def check(self, value: Any, name: str) -> ValueMap:
        if isinstance(value, ValueMap):
            return value
        if isinstance(value, Path) or (isinstance(value, str) and ":" not in value):
            return _from_file(Path(value), name)
        if isinstance(value, str):
            pairs: Iterable[tuple[Any, Any]] = [_parse_pair(text, name) for text in value.split(",")]
        elif isinstance(value, Mapping):
            pairs = value.items()
        else:
            raise OptionError(f"{name} is {value!r}; expected pairs such as 7:0,8:1, a mapping, or a file of pairs")
        return _value_map(pairs, name)

    def plain(self, value: ValueMap) -> str:
        pairs = [f"{old}:{new}" for old, new in value.new.items()]
        return ",".join(pairs if value.rest is None else [*pairs, f"{REST}:{value.rest}"])


def _parse_pair(text: str, name: str) -> tuple[str, str]:
    parts = re.fullmatch(r"\s*(-?\d+|\*|#[0-9a-fA-F]{6})\s*:\s*(-?\d+)\s*", text)
    if parts is None:
        raise OptionError(f"{name} contains {text!r}; expected OLD:NEW, such as 7:0, or *:NEW for all other labels")
    return parts[1], parts[2]


def _value_map(pairs: Iterable[tuple[Any, Any]], name: str) -> ValueMap:
    new: dict[int | str, int] = {}
    for old, target in pairs:
        label = _parse_label(old, name, rest=True)
        if label in new:
            raise OptionError(f"{name} names label {label} twice; expected one new label for each")
        new[label] = int(_parse_label(target, name))
    if not new:
        raise OptionError(f"{name} is empty; expected pairs such as 7:0")
    rest = new.pop(REST, None)
    return ValueMap({int(label): target for label, target in new.items()}, rest)


def _parse_label(value: Any, name: str, *, rest: bool = False) -> int | str:
    if rest and value == REST:
        return REST
    if rest and isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        red, green, blue = bytes.fromhex(value[1:])
        return red + 256 * green + 65536 * blue  # as --colours rgb reads it
    label = None
    with suppress(TypeError, ValueError):
        label = int(value) if isinstance(value, str) else index(value)
    if label is None or isinstance(value, bool):
        raise OptionError(f"{name} contains {value!r}; expected an integer label")
    return label


def _from_file(path: Path, name: str) -> ValueMap:
    """Read a JSON object or list of pairs, or a text of two columns, perhaps with a header."""
    try:
        text = read_text(path)
        content = load_json(path) if text.lstrip()[:1] in ("{", "[") else None
    except SegmetryError as problem:
        raise OptionError(f"{name}: {problem}; expected pairs such as 7:0,8:1, or a JSON or CSV file of them") from None
    if isinstance(content, dict):
        return _value_map(content.items(), f"{name} {path}")
    if isinstance(content, list):
        if not all(isinstance(pair, list) and len(pair) == 2 for pair in content):
            raise OptionError(f"{name} {path}: expected pairs, such as [[7, 0], [8, 1]]")
        return _value_map([(old, new) for old, new in content], f"{name} {path}")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if lines and not re.search(r"\d", lines[0][1]):
        lines = lines[1:]  # a header
    pairs = []
    for number, line in lines:
        parts = _PAIRS.fullmatch(line)
        if parts is None:
            raise OptionError(f"{name} {path}, line {number}: {line[:40]!r}; expected two integers, OLD,NEW")
        pairs.append((parts[1], parts[2]))
    return _value_map(pairs, f"{name} {path}")


@frozen_dataclass()
class LabelUnions(OptionType[dict[str, tuple[int, ...]]]):
    """Labels by the name of their union: ``WT=1,2,3``, several such texts, or a mapping."""

    several = True

    def check(self, value: Any, name: str) -> dict[str, tuple[int, ...]]:
        texts = [value] if isinstance(value, str) else value
        if isinstance(value, Mapping):
            pairs = [
                (str(region), list(labels) if isinstance(labels, Iterable) else [labels])
                for region, labels in value.items()
            ]
        elif isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts):
            pairs = [_parse_region(text, name) for text in texts]
        else:
            raise OptionError(f"{name} is {value!r}; expected NAME=LABEL,…, such as WT=1,2,3, or a mapping")
        regions: dict[str, tuple[int, ...]] = {}
        for region, labels in pairs:
            if region in regions:
                raise OptionError(f"{name} names region {region!r} twice; expected one list of labels for each")
            regions[region] = tuple(sorted({int(_parse_label(label, name)) for label in labels}))
            if not regions[region]:
                raise OptionError(f"{name}: region {region!r} has no labels; expected NAME=LABEL,…, such as WT=1,2,3")
        if not regions:
            raise OptionError(f"{name} is empty; expected NAME=LABEL,…, such as WT=1,2,3")
        return regions

    def plain(self, value: dict[str, tuple[int, ...]]) -> dict[str, list[int]]:
        return {region: list(labels) for region, labels in value.items()}


def _parse_region(text: str, name: str) -> tuple[str, list[str]]:
    region, equals, labels = text.partition("=")
    if not equals or not region.strip():
        raise OptionError(f"{name} is {text!r}; expected NAME=LABEL,…, such as WT=1,2,3")
    return region.strip(), [label.strip() for label in labels.split(",") if label.strip()]


@frozen_dataclass()
class SpacingOption(OptionType[Spacing]):
    """Steps along each axis, or one for all axes, and perhaps their unit: ``5,0.5,0.5 mm``, or numbers."""

    def check(self, value: Any, name: str) -> Spacing:
        steps, symbol = _steps_and_unit(value, name)
        try:
            return as_spacing(steps, max(len(steps), 1), symbol)
        except (TypeError, OptionError):
            raise OptionError(
                f"{name} is {value!r}; expected positive numbers, one per axis or one for all, such as 5,0.5,0.5 mm"
            ) from None

    def plain(self, value: Spacing) -> str:
        return f"{','.join(map(repr, value))}{'' if value.unit is None else f' {value.unit}'}"


def _steps_and_unit(value: Any, name: str) -> tuple[Any, str | None]:
    if not isinstance(value, str):
        return [value] if isinstance(value, int | float) else value, getattr(value, "unit", None)
    word = value.lstrip("0123456789.,eE+- \t")
    steps = [step.strip() for step in value[: len(value) - len(word)].split(",")]
    symbol = unit_symbol(word)
    if word and symbol is None:
        known = ", ".join(dict.fromkeys(UNITS.values()))
        raise OptionError(f"{name} is {value!r}; expected a unit of length, one of {known}")
    return steps, symbol


@frozen_dataclass()
class Neighbours(OptionType[int]):
    """A number of neighbours that defines connectivity: 4 or 8 in images, 6, 18 or 26 in volumes."""

    def check(self, value: Any, name: str) -> int:
        number = int(value) if isinstance(value, str) and value.isdecimal() else value
        if not isinstance(number, int) or number not in NEIGHBOURS or isinstance(value, bool):
            raise OptionError(f"{name} is {value!r}; expected 4 or 8 (images), 6, 18 or 26 (volumes)")
        return number


_side_option: Callable[..., Option[Any]] = partial(Option, per_side=True)
OUTSIDE: Option[int | tuple[int, ...] | None] = _side_option(
    "outside",
    "Labels: label of elements in no segment. [default: 0]",
    Labels(),
    0,
    metavar="LABEL",
    none_flag="--no-outside",
    none_help="Labels: every label is a segment, 0 too.",
)
VOID: Option[int | tuple[int, ...] | None] = _side_option(
    "void", "Labels: label of elements that must not count.", Labels(), None, metavar="LABEL"
)
MEANING: Option[str] = _side_option(
    "labels",
    "Labels: what a value means: an instance, a class, or both (class · K + instance, K by --instances-per-class); "
    "masks: the first axis counts masks, which may overlap. [default: instances]",
    Choice(("instances", "classes", "both", "masks")),
    "instances",
)
NUM_CLASSES: Option[int | None] = _side_option(
    "num_classes",
    "Labels: with --labels classes, the classes are 0 to N-1; another value is an error unless it is void or outside.",
    Integer(least=1),
    metavar="N",
)
MAP: Option[ValueMap | None] = _side_option(
    "map",
    "Labels: replace labels, all at once: OLD:NEW,… such as 7:0,8:1 (*:NEW: all others), or a JSON or CSV file.",
    LabelMap(),
    metavar="PAIRS",
)
UNION: Option[dict[str, tuple[int, ...]] | None] = _side_option(
    "union",
    "Labels: a class that is the union of labels, such as WT=1,2,3; may be repeated, and unions may overlap.",
    LabelUnions(),
    metavar="NAME=LABELS",
)
COMPONENTS: Option[int | None] = _side_option(
    "components",
    "Labels: connected components are segments: 4 or 8 neighbours in images, 6, 18 or 26 in volumes.",
    Neighbours(),
    metavar="N",
)
SECTION_BORDER: Option[Fraction | None] = _side_option(
    "section_border",
    "Labels: voxels at most N voxels from a boundary of their section (the last two axes) are outside.",
    PositiveNumber("distance", zero=True),
    metavar="N",
)
MIN_SIZE: Option[int | None] = _side_option(
    "min_size",
    "Labels: segments of fewer elements are outside; 0 keeps all. Maps: polygons of a smaller area are left out, in "
    "m², in squares of the unit of a plane, or in cells of --grid.",
    Integer(least=0),
    metavar="N",
)
BORDER: Option[int | None] = _side_option(
    "border",
    "Labels: segments with an element among the outermost N of an axis are outside.",
    Integer(least=1),
    metavar="N",
)
SPACING: Option[Spacing | None] = _side_option(
    "spacing",
    "Labels: distances between neighbours and their unit: Z,Y,X such as 5,0.5,0.5mm. [default: from the file]",
    SpacingOption(),
    metavar="STEPS",
)
INSTANCES_PER_CLASS: Option[int | None] = _side_option(
    "instances_per_class", "Labels: K of --labels both, such as 1000.", Integer(least=2), None, "K"
)
ALLOW_FLOAT: Option[bool] = Option("allow_float", "Labels: accept floats whose values are integers.", Flag(), False)
ALLOW_NEGATIVE: Option[bool] = Option("allow_negative", "Labels: negative labels are segments.", Flag(), False)
MEANINGS = frozenset({MEANING.name, UNION.name, COMPONENTS.name})
"""The options that state what a label means."""
FACTS: tuple[Option[Any], ...] = (OUTSIDE, VOID, ALLOW_FLOAT, ALLOW_NEGATIVE)
"""Options that are arguments of ``LabelArray``."""
LABEL_OPTIONS: tuple[Option[Any], ...] = (
    *FACTS, MEANING, NUM_CLASSES, INSTANCES_PER_CLASS, MAP, UNION, COMPONENTS, MIN_SIZE, BORDER, SECTION_BORDER, SPACING
)  # fmt: skip
LABEL_NAMES = frozenset(option.name for option in LABEL_OPTIONS)
"""The reading options that apply to arrays, too."""

COLOURS: Option[str] = Option(
    "colours",
    "PNG, TIFF: take palette indices or R + 256·G + 65536·B as labels. [default: refuse both]",
    Choice(("refuse", "index", "rgb")),
    "refuse",
)
ARRAY: Option[str | None] = _side_option(
    "array",
    "HDF5, zarr, N5, npz, MAT: the path or name of the array to read, where the file contains several.",
    Text(),
    metavar="PATH",
)
CREMI_LABELS = "volumes/labels/neuron_ids"
"""The labels in a container of the CREMI layout, beside ``volumes/raw`` and the clefts."""


def chosen_arrays(names: Sequence[str], options: ReadOptions, where: object) -> list[str]:
    """Return the arrays of a container that are read: the stated one, else the labels of the CREMI layout, else all."""
    stated = options[ARRAY]
    if stated is None:
        return [CREMI_LABELS] if CREMI_LABELS in names else list(names)
    name = stated.strip("/")
    if name not in names:
        listed = list_some([ascii(known) for known in names], most=5) or "none"
        raise FormatError(
            f"{where}: contains no array {name!a}; found {listed}; state another with {ARRAY.flag_of(options.side)}"
        )
    return [name]


def label_arguments(options: ReadOptions) -> dict[str, Any]:
    """Return the keyword arguments of ``LabelArray`` that the user stated."""
    return {option.name: options[option] for option in FACTS if option.name in options.stated}


def is_ignored(label: int, options: ReadOptions) -> bool:
    """Return whether a label of a file is outside or void."""
    replaced = options[MAP]
    value = label if replaced is None else replaced.value_of(label)
    regions = options[UNION]
    outside_all = regions is not None and not any(value in members for members in regions.values())
    return outside_all or value in as_ids(options[OUTSIDE], "outside") or value in as_ids(options[VOID], "void")


def labels_with_classes(
    labels: NDArray[Any] | RunLengthLabels,
    class_of: Callable[[int], int | None],
    options: ReadOptions,
    crowd: Collection[int] = (),
) -> LabelArray:
    """Return labels with classes; those without one are void in the truth and in no segment in the prediction."""
    found = {label: class_of(label) for label in label_sizes(labels)}
    classes = {label: number for label, number in found.items() if number is not None}
    ignored, truth = [label for label in found if label not in classes], options.side == "true"
    outside, void = (None, ignored) if truth else (ignored, None)
    crowds = [label for label in classes if label in crowd] if truth else None
    return LabelArray(labels, outside=outside, void=void, classes=classes, crowd=crowds)


def check_range(labels: Any, options: ReadOptions) -> None:
    """Raise if a label is neither a class of the declared range nor void nor outside."""
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
            f"right --num-classes{_counted_from_one(labels, options, number)}"
        )


def _counted_from_one(labels: Any, options: ReadOptions, number: int) -> str:
    """Return the hint about predictions that count classes from 1, as a truth does that is mapped to count from 0."""
    mapped = options.values.get("true_map")
    found = label_sizes(labels) if mapped and mapped.value_of(1) == 0 and options.side == "pred" else {}
    if number not in found or 0 in found:
        return ""
    return f"; if it counts classes from 1, as the truth, state --true-map 0:255 --num-classes {number + 1}"


def without_section_borders(array: LabelArray, distance: Fraction) -> LabelArray:
    """Return the labels with voxels near a border of their section outside; sections are the last two axes.

    A voxel of a section is on a border if one of its four neighbours there has another label; voxels at most
    ``distance`` from such a voxel, in the section and in voxels, become outside, as the CREMI challenge masks them
    [funke2016cremi].
    """
    if array.axes < 2:
        raise OptionError(f"section_border needs sections of two axes; found labels of {array.axes} axis")
    labels = np.asarray(array.labels)
    outside = array.outside[0] if array.outside else 0
    if outside > np.iinfo(labels.dtype if labels.dtype.kind != "b" else np.uint8).max:
        if labels.min() < 0:
            raise OptionError(f"section_border marks voxels by label {outside}, which {labels.dtype} cannot contain")
        labels = labels.astype(np.uint64)
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
    """Return the segmentation in the labels of a file, by the options of its side: masks where unions overlap."""
    if spacing is None and hasattr(labels, "coords"):
        labels, spacing = labels.data, spacing_of_coordinates(labels)
    replaced, stated = options[MAP], options[SPACING]
    if replaced is not None:
        array = LabelArray(labels, outside=None, allow_float="allow_float" in options.stated, allow_negative=True)
        labels = replace_values(array, replaced, replaced.dtype(array.dtype))
    if stated is not None:  # one number for all axes, or one for each
        spacing = Spacing(tuple(stated) * np.ndim(labels), stated.unit) if len(stated) == 1 else stated
    facts = {**label_arguments(options), "spacing": spacing}
    return kept_segments(_labelled_segments(labels, options, facts), options)


def label_meaning(options: ReadOptions, axes: int) -> LabelMeaning | None:
    """Return what labels in arrays of so many axes mean; None where segments follow from more than their labels."""
    others: tuple[Option[Any], ...] = UNION, COMPONENTS, MIN_SIZE, BORDER, SECTION_BORDER, SPACING, INSTANCES_PER_CLASS
    if any(options[option] is not None for option in others) or options[MEANING] not in ("classes", "instances"):
        return None
    if options[NUM_CLASSES] is not None and options[MEANING] != "classes":
        return None
    nothing = np.zeros((1,) * axes, dtype=np.int64)
    make = LabelArray.from_classes if options[MEANING] == "classes" else LabelArray
    return LabelMeaning(make(nothing, **label_arguments(options)), options[MAP], options[NUM_CLASSES])


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


def _labelled_segments(labels: Any, options: ReadOptions, facts: dict[str, Any]) -> LabelArray | Masks:
    regions, neighbours = options[UNION], options[COMPONENTS]
    if regions is None and options[MEANING] == "masks":
        return _stack_of_masks(labels, options, facts)
    if regions is None:
        array = _with_meaning(labels, options, facts)
    else:
        if MEANING.name in options.stated and options[MEANING] != "classes":
            raise OptionError(
                f"union makes classes of labels, but labels is {options[MEANING]!r}; leave out --labels, or state "
                "classes"
            )
        array = LabelArray(labels, **facts)
        if overlap_in_labels(regions):
            return overlapping_regions(array, regions, neighbours)
        array = united(array, regions)
    return array if neighbours is None else components(array, neighbours, options.side)


def _stack_of_masks(labels: Any, options: ReadOptions, facts: dict[str, Any]) -> Masks:
    """Return the masks that the first axis counts: all that is not outside."""
    check_range(labels, options)
    array, spacing = LabelArray(labels, **{**facts, "spacing": None}), facts["spacing"]
    if array.axes < 3:
        raise InputError(
            f"labels of shape {array.domain} are no stack of masks; expected (masks, height, width), or state "
            "--labels instances"
        )
    if array.void or options[COMPONENTS] is not None:
        option = "void" if array.void else "components"
        raise OptionError(f"{option} applies to label arrays, but labels is 'masks'; leave out one of them")
    inside = ~np.isin(array.labels, array.outside)
    return Masks.from_dense(inside, spacing=None if spacing is None else Spacing(tuple(spacing)[1:], spacing.unit))


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
