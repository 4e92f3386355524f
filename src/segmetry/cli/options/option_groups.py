"""Options that several commands have: files that are written, inputs that were moved, pairing, parts, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from segmetry.alignments import Breakdown, BySize
from segmetry.errors import OptionError
from segmetry.readers import Pairing
from segmetry.run import ByItem

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Any], Any]


def option_group(*options: Decorator) -> Callable[[Command], Command]:
    """Return a decorator that gives a command all of these options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def text_target(name: str, what: str) -> Decorator:
    """Return the option that names a file for text, or standard output."""
    return click.option(f"--{name}", f"{name}_to", metavar="FILE", help=f"Write {what}; - is standard output.")


def folder_option(name: str, help: str, **settings: Any) -> Decorator:  # noqa: A002 - as click calls it
    """Return an option that names a folder."""
    return click.option(name, type=click.Path(path_type=Path), metavar="DIR", help=help, **settings)


def choice_option(name: str, choices: Sequence[str], default: str, help: str, **settings: Any) -> Decorator:  # noqa: A002 - as click calls it
    """Return an option with one of some values."""
    return click.option(name, type=click.Choice(choices), default=default, show_default=True, help=help, **settings)


def count_option(name: str, help: str, default: int | None = None, **settings: Any) -> Decorator:  # noqa: A002
    """Return an option with a number from 1 on."""
    shown: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    return click.option(name, type=click.IntRange(min=1), help=help, **shown, **settings)


def run_names(options: Mapping[str, Any]) -> list[str] | None:
    """Return the names that the user gives to runs."""
    return None if options["names"] is None else [name.strip() for name in options["names"].split(",")]


json_target = text_target("json", "everything as JSON")
partial_option = click.option("--partial", is_flag=True, help="Accept a run that is not finished.")
sizes_option = click.option("--sizes", metavar="EDGES", help="Lower edges of size bins. [default: 1024,9216]")
names_option = click.option(
    "--names", metavar="NAMES", help="Names of the runs, separated by commas. [default: file names]"
)
moved_inputs = option_group(
    click.option("--true", metavar="PATH", type=click.Path(path_type=Path), help="The truth, if it was moved."),
    click.option(
        "--pred", metavar="PATH", multiple=True, type=click.Path(path_type=Path),
        help="The prediction, if it was moved; once for each run.",
    ),
    click.option(
        "--sensitivity", metavar="FILE", multiple=True, type=click.Path(path_type=Path),
        help="Output of 'segmetry sensitivity TRUE PRED --json FILE'; once for each run.",
    ),
)  # fmt: skip
"""What a report needs besides runs: their inputs, for pictures, and boundary sensitivities."""
images_options = option_group(
    click.option(
        "--images", metavar="DIR|none",
        help="Photographs shown under the masks in the report, found by the file names in a COCO file or the names of "
        "items. [default: those next to a COCO file, up to 500 items]",
    ),
    click.option(
        "--image-budget", metavar="MB", type=float,
        help="Megabytes that photographs may add to the report; they are made smaller until they fit. [default: 20]",
    ),
)  # fmt: skip
pairing_options = option_group(
    click.option(
        "--strip", multiple=True, metavar="PATTERN",
        help="Remove this from item names before pairing, such as _gt or '_pred*'; may be repeated.",
    ),
    click.option(
        "--pair", metavar="REGEX",
        help=r"Pair items by the group of a regular expression, such as '(\d+)', instead of their names.",
    ),
    click.option("--true-pair", metavar="REGEX", help="The same for TRUE only."),
    click.option("--pred-pair", metavar="REGEX", help="The same for PRED only."),
    click.option(
        "--pairs", metavar="FILE",
        help="CSV file with the columns true, pred[, name]: the items or files to compare; others are left out.",
    ),
)  # fmt: skip
"""The options that say how items are paired."""


def pairing_of(options: Mapping[str, Any]) -> Pairing:
    """Return how items are paired.

    >>> pairing_of({"strip": ("_gt",), "pair": None, "true_pair": "(a)", "pred_pair": None, "pairs": None}).pair
    ('(a)', None)
    """
    sides = tuple(options[f"{side}_pair"] or options["pair"] for side in ("true", "pred"))
    return Pairing(options["strip"], sides, options["pairs"])


SIZE = "size"

breakdown_options = option_group(
    click.option(
        "--by", "parts_by", multiple=True, metavar="COLUMN",
        help="Parts to score or filter by: size (or size:EDGES such as size:100,1000), or groups of items by a column "
        "of --columns; may be repeated.",
    ),
    click.option(
        "--columns", "columns_file", metavar="FILE",
        help="CSV file with a column item and further columns about the items, such as tissue or scanner.",
    ),
)  # fmt: skip
"""The options that name parts."""


def parts_asked(options: Mapping[str, Any]) -> list[Breakdown | ByItem]:
    """Return the breakdowns that the user names.

    >>> [by.name for by in parts_asked({"parts_by": ("size:10,20",), "columns_file": None})]
    ['size']
    """
    file, names = options["columns_file"], options["parts_by"]
    if file and not any(name.partition(":")[0] != SIZE for name in names):
        raise OptionError("--columns holds columns about items, but --by names none of them; add --by COLUMN")
    return [_asked(name, file) for name in names]


def check_parts(options: Mapping[str, Any], asked: Sequence[Breakdown | ByItem]) -> None:
    """Raise an error for ``--table parts`` unless there is one breakdown to write."""
    if options["table"] == "parts" and len(asked) != 1:
        raise OptionError(f"--table parts writes the parts of one --by COLUMN, but there are {len(asked)}")


def _asked(name: str, file: str | None) -> Breakdown | ByItem:
    column, _, edges = name.partition(":")
    if column == SIZE:
        try:
            return BySize(tuple(map(int, edges.split(",")))) if edges else BySize()
        except OptionError:
            raise
        except ValueError:
            raise OptionError(f"--by size has the edges {edges!r}; expected integers such as size:100,1000") from None
    if file is None:
        raise OptionError(
            f"--by {name} names a column about items, but --columns names no file; give it a CSV file with the columns "
            f"item and {name} (or say --by size)"
        )
    return ByItem.read(file, name)
