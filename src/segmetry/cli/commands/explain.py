"""``segmetry explain NAME``."""

from __future__ import annotations

import click

from segmetry.alignments.candidates import RULES
from segmetry.cli.options.shell_completion import one_metric_or_rule
from segmetry.metrics.declare import METRICS
from segmetry.outputs.tables.metric_explanation import explain
from segmetry.outputs.tables.rule_listing import explain_rule


@click.command(name="explain", epilog="\b\nExamples:\n  segmetry explain pq\n  segmetry explain theta_plus")
@click.argument("name", shell_complete=one_metric_or_rule)
def command(name: str) -> None:
    """Explain a metric (formula, summary, notes, example, citation) or an alignment rule (its guarantees).

    A name that is both, such as iou, is explained as both.
    """
    pages = [explain_rule(RULES[name])] if name in RULES else []
    if name in METRICS or not pages:
        pages.insert(0, explain(METRICS[name]))
    click.echo("\n\n".join(pages))
