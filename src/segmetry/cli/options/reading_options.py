"""The options that say how files are read, the same for every command that reads."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import click

from segmetry._base.exact import fraction
from segmetry.cli.options.command_type import Command
from segmetry.cli.options.shell_completion import formats
from segmetry.errors import OptionError
from segmetry.readers.options import CHOICES, MOST_ELEMENTS, Formats, ReadOptions
from segmetry.readers.parts.map_grid import Grid


def _choice(name: str, words: str) -> Callable[[Command], Command]:
    return click.option(f"--{name}", type=click.Choice(CHOICES[name]), help=words)


_OPTIONS = (
    click.option(
        "--format",
        "chosen",
        metavar="NAME",
        shell_complete=formats,
        help="File format, if not recognised; see 'segmetry formats'.",
    ),
    click.option(
        "--outside", type=int, multiple=True, metavar="LABEL", help="Labels: means in no segment. [default: 0]"
    ),
    click.option("--no-outside", is_flag=True, help="Labels: every label is a segment, 0 too."),
    click.option("--void", type=int, multiple=True, metavar="LABEL", help="Labels: of elements that must not count."),
    click.option("--allow-float", is_flag=True, help="Labels: accept floats that are whole numbers."),
    click.option(
        "--missing-chunks",
        type=click.Choice(CHOICES["missing_chunks"]),
        help="Zarr: whether a chunk that is not in the store may be empty (fill, the default) or is an error (refuse).",
    ),
    click.option("--allow-negative", is_flag=True, help="Labels: negative labels are segments."),
    _choice("colours", "PNG, TIFF: palette indices or R + 256·G + 65536·B are the ids. [default: refuse both]"),
    _choice("first", "Bits: elements before the first 1 are outside (gap, the default) or a segment (force)."),
    click.option("--coder", metavar="NAME", help="Masses, bits, spans, boundaries: the annotator to read."),
    _choice("ends", "Spans: whether a column 'end' is the last element or the one behind it."),
    click.option(
        "--length", metavar="N", help="Length of the line, if the file has none; 'longer': the later of two ends."
    ),
    click.option("--tick", metavar="TIME", help="Times: round to whole multiples of it. [default: the finest decimal]"),
    click.option("--tier", metavar="NAME", help="TextGrid: the tier; RTTM: the type of lines."),
    _choice("sentences", "BIO: each sentence is an item (default), or the whole file is one line."),
    _choice("tags", "BIO: an I tag must follow its B (strict, the default) or may open a segment (loose)."),
    click.option("--column", type=click.IntRange(min=1), help="BIO: the column of the tag. [default: the last]"),
    click.option("--separator", metavar="REGEX", help="Text: what divides segments."),
    _choice("unit", "Text: what the elements are. [default: line]"),
    _choice("blank", "Choi, text: what a blank line is. [default: refuse]"),
    click.option("--class-field", metavar="NAME", help="Maps: the property that holds the class."),
    click.option("--layer", metavar="NAME", help="GeoPackage: the layer, if there are several."),
    click.option("--crs", metavar="NAME", help="Maps: what the coordinates are, if in doubt: plane, EPSG:28992, …"),
    click.option("--precision", metavar="LENGTH", help="Maps: round coordinates to it. [default: the finest decimal]"),
    click.option(
        "--grid",
        metavar="LEFT,BOTTOM,RIGHT,TOP,CELL",
        help="Maps: draw polygons on this grid. [default: exact areas, no grid]",
    ),
    click.option(
        "--max-elements",
        type=click.IntRange(min=1),
        default=MOST_ELEMENTS,
        show_default=True,
        help="Refuse larger segmentations.",
    ),
)


_SIDES = tuple(
    click.option(
        f"--{side}-format",
        metavar="NAME",
        shell_complete=formats,
        help=f"File format of {side.upper()}, if another than --format.",
    )
    for side in ("true", "pred")
)


def side_formats(command: Command) -> Command:
    """Give a command that reads two sides a format for each."""
    for option in reversed(_SIDES):
        command = option(command)
    return command


def formats_of(values: dict[str, Any]) -> Formats:
    """The format of both sides, or of each."""
    true, pred = (values[f"{side}_format"] or values["chosen"] for side in ("true", "pred"))
    return true if true == pred else (true, pred)


def reading_options(command: Command) -> Command:
    """Give a command the options of all readers."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_options(values: dict[str, Any]) -> ReadOptions:
    """What the user said, and nothing that was left out: a reader refuses what it does not use."""
    if values["no_outside"] and values["outside"]:
        raise OptionError("--no-outside and --outside exclude each other")
    labels: dict[str, Any] = {name: values[name] for name in ("outside", "void") if values[name]}
    if values["no_outside"]:
        labels["outside"] = None
    labels |= {name: True for name in ("allow_float", "allow_negative") if values[name]}
    words = (
        "colours first coder ends tier sentences tags column separator unit blank class_field layer crs missing_chunks"
    )
    stated = {name: values[name] for name in words.split() if values[name] is not None}
    if values["precision"] is not None:
        stated["precision"] = fraction(values["precision"], "--precision")
    if values["grid"] is not None:
        stated["grid"] = Grid.parse(values["grid"])
    if values["tick"] is not None:
        stated["tick"] = fraction(values["tick"], "--tick")
    if values["length"] is not None:
        stated["length"] = _length(values["length"])
    return ReadOptions(most_elements=values["max_elements"], labels=labels, given=frozenset(stated), **stated)


def _length(text: str) -> Fraction | str:
    return text if text == "longer" else fraction(text, "--length")
