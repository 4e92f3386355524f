"""The options of all readers of label arrays."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from segmetry.readers.labels.label_option_types import LabelMap, LabelUnions, Neighbours, SpacingOption
from segmetry.readers.option import Choice, Flag, Integer, Labels, NumberFromZero, Option
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.base import as_ids
from segmetry.segmentation.spacing import Spacing
from segmetry.segmentation.value_map import ValueMap

OUTSIDE: Option[int | tuple[int, ...] | None] = Option(
    "outside",
    "Labels: label of elements in no segment. [default: 0]",
    Labels(),
    0,
    metavar="LABEL",
    none_flag="--no-outside",
    none_help="Labels: every label is a segment, 0 too.",
    per_side=True,
)
VOID: Option[int | tuple[int, ...] | None] = Option(
    "void", "Labels: label of elements that must not count.", Labels(), None, metavar="LABEL", per_side=True
)
MEANING: Option[str] = Option(
    "labels",
    "Labels: what a value means: an instance, a class, or both (class · K + instance, K by --instances-per-class). "
    "[default: instances]",
    Choice(("instances", "classes", "both")),
    "instances",
    per_side=True,
)
NUM_CLASSES: Option[int | None] = Option(
    "num_classes",
    "Labels: with --labels classes, the classes are 0 to N-1; another value is an error unless it is void or outside.",
    Integer(least=1),
    None,
    metavar="N",
    per_side=True,
)
MAP: Option[ValueMap | None] = Option(
    "map",
    "Labels: replace labels, all at once: OLD:NEW,… such as 7:0,8:1 (*:NEW: all others), or a JSON or CSV file.",
    LabelMap(),
    None,
    metavar="PAIRS",
    per_side=True,
)
UNION: Option[dict[str, tuple[int, ...]] | None] = Option(
    "union",
    "Labels: a class that is the union of labels, such as WT=1,2,3; may be repeated, and unions may overlap.",
    LabelUnions(),
    None,
    metavar="NAME=LABELS",
    per_side=True,
)
COMPONENTS: Option[int | None] = Option(
    "components",
    "Labels: connected components are segments: 4 or 8 neighbours in images, 6, 18 or 26 in volumes.",
    Neighbours(),
    None,
    metavar="N",
    per_side=True,
)
SECTION_BORDER: Option[Fraction | None] = Option(
    "section_border",
    "Labels: voxels at most N voxels from a boundary of their section (the last two axes) are outside.",
    NumberFromZero("distance"),
    None,
    metavar="N",
    per_side=True,
)
MIN_SIZE: Option[int | None] = Option(
    "min_size",
    "Labels: segments of fewer elements are outside. Maps: polygons of a smaller area are left out.",
    Integer(least=1),
    None,
    metavar="N",
    per_side=True,
)
BORDER: Option[int | None] = Option(
    "border",
    "Labels: segments with an element among the outermost N of an axis are outside.",
    Integer(least=1),
    None,
    metavar="N",
    per_side=True,
)
SPACING: Option[Spacing | None] = Option(
    "spacing",
    "Labels: distances between neighbours and their unit: Z,Y,X such as 5,0.5,0.5mm. [default: from the file]",
    SpacingOption(),
    None,
    metavar="STEPS",
    per_side=True,
)
INSTANCES_PER_CLASS: Option[int | None] = Option(
    "instances_per_class", "Labels: K of --labels both, such as 1000.", Integer(least=2), None, "K", per_side=True
)
ALLOW_FLOAT: Option[bool] = Option("allow_float", "Labels: accept floats whose values are integers.", Flag(), False)
ALLOW_NEGATIVE: Option[bool] = Option("allow_negative", "Labels: negative labels are segments.", Flag(), False)
MEANINGS = frozenset({MEANING.name, UNION.name, COMPONENTS.name})
"""The options that state what a label means."""
FACTS: tuple[Option[Any], ...] = (OUTSIDE, VOID, ALLOW_FLOAT, ALLOW_NEGATIVE)
"""Options that are arguments of ``LabelArray``."""
LABEL_OPTIONS: tuple[Option[Any], ...] = (
    *FACTS,
    MEANING,
    NUM_CLASSES,
    INSTANCES_PER_CLASS,
    MAP,
    UNION,
    COMPONENTS,
    MIN_SIZE,
    BORDER,
    SECTION_BORDER,
    SPACING,
)

COLOURS: Option[str] = Option(
    "colours",
    "PNG, TIFF: take palette indices or R + 256·G + 65536·B as labels. [default: refuse both]",
    Choice(("refuse", "index", "rgb")),
    "refuse",
)


def label_arguments(options: ReadOptions) -> dict[str, Any]:
    """Return the keyword arguments of ``LabelArray`` that the user stated.

    >>> label_arguments(ReadOptions(void=255))
    {'void': 255}
    """
    return {option.name: options[option] for option in FACTS if option.name in options.stated}


def is_ignored(label: int, options: ReadOptions) -> bool:
    """Return whether a label of a file is outside or void.

    >>> is_ignored(0, ReadOptions()), is_ignored(7, ReadOptions(map={7: 0})), is_ignored(0, ReadOptions(map={0: 5}))
    (True, True, False)
    """
    replaced = options[MAP]
    value = label if replaced is None else replaced.value_of(label)
    regions = options[UNION]
    outside_all = regions is not None and not any(value in members for members in regions.values())
    return outside_all or value in as_ids(options[OUTSIDE], "outside") or value in as_ids(options[VOID], "void")
