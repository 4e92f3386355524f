"""``segmetry explain METRIC``."""

from __future__ import annotations

import click

from segmetry.cli.completing import one_metric
from segmetry.outputs.explain import explain
from segmetry.scores.metric import METRICS


@click.command(name="explain", epilog="\b\nExample:\n  segmetry explain pq")
@click.argument("metric", shell_complete=one_metric)
def command(metric: str) -> None:
    """Explain a metric: formula, words, decisions, citation, example."""
    click.echo(explain(METRICS[metric]))
