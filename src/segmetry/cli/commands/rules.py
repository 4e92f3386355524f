"""``segmetry rules``."""

from __future__ import annotations

import click

from segmetry.cli.console import Screen, as_listing
from segmetry.outputs import rule_data, rules_listing


@click.command(name="rules", epilog="\b\nExamples:\n  segmetry rules\n  segmetry explain theta_plus")
@click.option("--json", "as_data", is_flag=True, help="Print as JSON, with parameters, summaries and citations.")
def command(*, as_data: bool) -> None:
    """List the alignment rules: how each is written, and what it guarantees.

    One-to-one: on disjoint segments no segment has two partners; other rules need --resolve. IoU: the greatest lower
    bound of the IoU of a pair that the rule accepts.
    """
    if as_data:
        click.echo(as_listing("rules", rule_data()), nl=False)
        return
    Screen().table(rules_listing())
