"""``segmetry metrics``."""

from __future__ import annotations

from textwrap import wrap

import click

from segmetry._base import Reference
from segmetry.cli.console import as_json
from segmetry.cli.options.shell_completion import families
from segmetry.cli.screen import Screen
from segmetry.metrics import METRICS, Metric

INDENT = "      "
FACTS = (
    *("key", "family", "symbol", "formula", "summary", "better", "bounds", "needs", "kinds", "averages", "citation"),
    "aliases",
)


@click.command(name="metrics", epilog="\b\nExample:\n  segmetry metrics --family panoptic")
@click.option("--family", shell_complete=families, help="Only the metrics of one family.")
@click.option("--json", "as_data", is_flag=True, help="Print as JSON.")
def command(family: str | None, *, as_data: bool) -> None:
    """List all metrics by family, with their direction."""
    from segmetry.errors import UnknownNameError

    known = sorted({metric.family for metric in METRICS.values()})
    if family is not None and family not in known:
        raise UnknownNameError(f"there is no family {family!r}; known: {', '.join(known)}")
    chosen = [metric for metric in METRICS.values() if family in (None, metric.family)]
    if as_data:
        click.echo(as_json([{name: _plain(getattr(metric, name)) for name in FACTS} for metric in chosen]), nl=False)
        return
    _print_listing(chosen)


def _print_listing(metrics: list[Metric]) -> None:
    """Print the families one after the other, a paragraph for each metric."""
    screen = Screen()
    screen.line("In brackets: which values are better. 'segmetry explain KEY' says all about one.")
    for family in dict.fromkeys(metric.family for metric in metrics):
        screen.line(f"\n{family}", wrap=False, bold=True)
        for metric in metrics:
            if metric.family == family:
                better = "" if metric.better == "neither" else f" ({metric.better})"
                words = wrap(f"  {metric.key}{better}: {metric.summary}", screen.width, subsequent_indent=INDENT)
                screen.line("\n".join(words), wrap=False)


def _plain(fact: object) -> object:
    if isinstance(fact, tuple):
        return [
            None if part in (float("inf"), float("-inf")) else part.key if isinstance(part, Reference) else part
            for part in fact
        ]
    return fact
