"""``--by`` and ``--columns``: the parts of a run that are scored by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from segmetry.alignments.breakdown import Breakdown, BySize
from segmetry.cli.options.command_type import option_group
from segmetry.errors import OptionError
from segmetry.run.by_item import ByItem

SIZE = "size"

breakdown_options = option_group(
    click.option(
        "--by",
        "parts_by",
        multiple=True,
        metavar="COLUMN",
        help="Parts to score or filter by: size (or size:EDGES such as size:100,1000), or groups of items by a column "
        "of --columns; may be repeated.",
    ),
    click.option(
        "--columns",
        "columns_file",
        metavar="FILE",
        help="CSV file with a column item and further columns about the items, such as tissue or scanner.",
    ),
)
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
    """Refuse ``--table parts`` unless there is one breakdown to write."""
    if options["table"] == "parts" and len(asked) != 1:
        raise OptionError(f"--table parts writes the parts of one --by COLUMN, but there are {len(asked)}")


def _asked(name: str, file: str | None) -> Breakdown | ByItem:
    column, _, edges = name.partition(":")
    if column == SIZE:
        return _sizes(edges) if edges else BySize()
    if file is None:
        raise OptionError(
            f"--by {name} names a column about items, but --columns names no file; give it a CSV file with the columns "
            f"item and {name} (or say --by size)"
        )
    return ByItem.read(file, name)


def _sizes(edges: str) -> BySize:
    try:
        numbers = tuple(int(edge) for edge in edges.split(","))
    except ValueError:
        raise OptionError(f"--by size has the edges {edges!r}; expected integers such as size:100,1000") from None
    return BySize(numbers)
