"""``segmetry metrics``."""

from __future__ import annotations

import click

from segmetry._base import Reference
from segmetry.cli.console import as_listing
from segmetry.cli.listing import ListedEntry, print_listing, search_words
from segmetry.cli.options.option_groups import families
from segmetry.metrics import METRICS

FACTS = (
    *("key", "family", "symbol", "formula", "summary", "better", "bounds", "needs", "kinds", "averages", "citation"),
    "aliases",
)


@click.command(name="metrics", epilog="\b\nExamples:\n  segmetry metrics dice\n  segmetry metrics --family panoptic")
@search_words
@click.option("--family", shell_complete=families, help="Only the metrics of one family.")
@click.option("--json", "as_data", is_flag=True, help="Print as JSON.")
def command(words: tuple[str, ...], family: str | None, *, as_data: bool) -> None:
    """List all metrics by family, or those with some words, with their direction."""
    from segmetry.errors import UnknownNameError

    known = sorted({metric.family for metric in METRICS.values()})
    if family is not None and family not in known:
        raise UnknownNameError(f"there is no family {family!r}; known: {', '.join(known)}")
    chosen = [metric for metric in METRICS.values() if family in (None, metric.family)]
    if as_data:
        click.echo(
            as_listing("metrics", [{name: _plain_fact(getattr(metric, name)) for name in FACTS} for metric in chosen]),
            nl=False,
        )
        return
    entries = [
        ListedEntry(
            metric.key,
            metric.summary + ("" if metric.better == "neither" else f" ({metric.better} is better)"),
            metric.family,
            " ".join(metric.aliases),
        )
        for metric in chosen
    ]
    print_listing(entries, words, "metric", "'segmetry explain KEY' says all about one.")


def _plain_fact(fact: object) -> object:
    if isinstance(fact, tuple):
        return [
            None if part in (float("inf"), float("-inf")) else part.key if isinstance(part, Reference) else part
            for part in fact
        ]
    return fact
