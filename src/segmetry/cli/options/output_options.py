"""What ``segmetry score`` prints besides the table of scores, and the bounds that make it fail."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import click

from segmetry.cli.options.option_groups import count_option, option_group
from segmetry.cli.options.shell_completion import bound, sort_key
from segmetry.comparison import Gate
from segmetry.errors import OptionError
from segmetry.results import NumberStyle

EXIT_GATE = 3
"""The exit code where a bound is not kept."""

output_options = option_group(
    click.option("--interval", is_flag=True, help="Confidence intervals over the items, under the first rule."),
    click.option("--items", is_flag=True, help="Also print one row per item."),
    count_option("--worst", "Also print the N worst items.", metavar="N"),
    click.option(
        "--sort", metavar="KEY", shell_complete=sort_key,
        help="Sort items by a metric, the worst first, or by name (item).",
    ),
    click.option("--by-class", is_flag=True, help="Also print one row per class."),
    click.option(
        "--confusion", is_flag=True,
        help="Also print which classes are confused with which: the confusion matrix, or its largest cells.",
    ),
    click.option("--percent", is_flag=True, help="Print scores in [0, 1] as percentages."),
    click.option(
        "--fail-under", multiple=True, metavar="KEY[.AVERAGE]=BOUND", shell_complete=bound,
        help="Exit with code 3 if a score of the data set is worse than the bound, such as pq=0.45 or "
        "pq.pooled=0.4; may be repeated.",
    ),
)  # fmt: skip
"""The options of what is printed."""


def check_output(options: Mapping[str, Any]) -> list[Gate]:
    """Return the bounds; raise an error for options that would have no effect."""
    if options["sort"] and not (options["items"] or options["worst"]):
        raise OptionError("--sort sorts the table of items; it needs --items or --worst N")
    if options["items"] and options["worst"]:
        raise OptionError("--items prints all items and --worst N some of them; give one of them")
    return [Gate.parse(text, "=") for text in options["fail_under"]]


def check_sort(key: str | None, known: Iterable[str]) -> None:
    """Raise an error for a metric that a run does not have."""
    keys = list(known)
    if key is not None and key not in ("item", *keys):
        raise OptionError(f"--sort is {key!r}, not a metric of this run; expected item or one of {', '.join(keys)}")


def number_style(options: Mapping[str, Any], numbers: NumberStyle | None = None) -> NumberStyle | None:
    """Return how numbers are written: as a protocol says, or as percentages.

    >>> number_style({"percent": True})
    NumberStyle(decimals=2, percent=True)
    """
    if not options["percent"]:
        return numbers
    style = numbers or NumberStyle()
    return style if style.percent else NumberStyle(max(style.decimals - 2, 0), percent=True)


def exit_if_failed(ctx: click.Context, failures: Iterable[str]) -> None:
    """Print one line for every bound that is not kept, and exit with code 3 if there is one."""
    lines = list(failures)
    for line in lines:
        click.echo(f"segmetry: failed: {line}", err=True)
    if lines:
        ctx.exit(EXIT_GATE)
