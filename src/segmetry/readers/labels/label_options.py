"""The options of all readers of label arrays."""

from __future__ import annotations

from typing import Any

from segmetry.readers.option import Choice, Flag, Integer, Labels, Option
from segmetry.readers.options import ReadOptions
from segmetry.segmentation.base import as_ids

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
INSTANCES_PER_CLASS: Option[int | None] = Option(
    "instances_per_class", "Labels: K of --labels both, such as 1000.", Integer(least=2), None, "K", per_side=True
)
ALLOW_FLOAT: Option[bool] = Option("allow_float", "Labels: accept floats whose values are integers.", Flag(), False)
ALLOW_NEGATIVE: Option[bool] = Option("allow_negative", "Labels: negative labels are segments.", Flag(), False)
MEANINGS = frozenset({MEANING.name})
"""The options that state what a label means."""
FACTS: tuple[Option[Any], ...] = (OUTSIDE, VOID, ALLOW_FLOAT, ALLOW_NEGATIVE)
"""Options that are arguments of ``LabelArray``."""
LABEL_OPTIONS: tuple[Option[Any], ...] = (*FACTS, MEANING, INSTANCES_PER_CLASS)

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


def ignored_labels(options: ReadOptions) -> tuple[int, ...]:
    """Return the labels that are outside or void."""
    return (*as_ids(options[OUTSIDE], "outside"), *as_ids(options[VOID], "void"))
