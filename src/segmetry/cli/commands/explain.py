"""``segmetry explain METRIC``."""

from __future__ import annotations

import click

from segmetry.cli.options.shell_completion import one_metric
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.metric_explanation import explain


@click.command(name="explain", epilog="\b\nExample:\n  segmetry explain pq")
@click.argument("metric", shell_complete=one_metric)
def command(metric: str) -> None:
    """Explain a metric: formula, summary, notes, example, citation."""
    click.echo(explain(METRICS[metric]))
