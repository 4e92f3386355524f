"""Options for pairing, counting and aligning items, shared by all commands that do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from segmetry.cli.options.command_type import Command
from segmetry.cli.options.shell_completion import policies

_OPTIONS = (
    click.option(
        "--policy",
        shell_complete=policies,
        help="How to treat void elements and crowd segments. [default: that of the protocol]",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "as-empty"]),
        default="error",
        show_default=True,
        help="How to treat items without a prediction.",
    ),
    click.option(
        "--resolve",
        type=click.Choice(["error", "by_score", "assign", "keep"]),
        help="How to treat segments that overlap.",
    ),
    click.option(
        "--undefined",
        type=click.Choice(["nan", "0", "1"]),
        help="Value in place of undefined. [default: that of the protocol, else nan]",
    ),
    click.option(
        "--classes",
        type=click.Choice(["match", "ignore"]),
        help="Whether the classes of a pair must agree. [default: that of the protocol, else match]",
    ),
    click.option(
        "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads per pair of label arrays."
    ),
)


def aligning_options(command: Command) -> Command:
    """Give a command these options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def undefined_of(options: Mapping[str, Any]) -> float | None:
    """Return the value in place of undefined, as the functions of the library take it.

    >>> undefined_of({"undefined": None}), undefined_of({"undefined": "nan"}), undefined_of({"undefined": "0"})
    (None, nan, 0.0)
    """
    return None if options["undefined"] is None else float(options["undefined"])
