"""The options of all readers of label arrays."""

from __future__ import annotations

from typing import Any

from segmetry.readers.option import Choice, Flag, Labels, Option
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
)
VOID: Option[int | tuple[int, ...] | None] = Option(
    "void", "Labels: label of elements that must not count.", Labels(), None, metavar="LABEL"
)
ALLOW_FLOAT: Option[bool] = Option("allow_float", "Labels: accept floats whose values are integers.", Flag(), False)
ALLOW_NEGATIVE: Option[bool] = Option("allow_negative", "Labels: negative labels are segments.", Flag(), False)
LABEL_OPTIONS: tuple[Option[Any], ...] = (OUTSIDE, VOID, ALLOW_FLOAT, ALLOW_NEGATIVE)

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
    return {option.name: options[option] for option in LABEL_OPTIONS if option.name in options.stated}


def ignored_labels(options: ReadOptions) -> tuple[int, ...]:
    """Return the labels that are outside or void."""
    return (*as_ids(options[OUTSIDE], "outside"), *as_ids(options[VOID], "void"))
