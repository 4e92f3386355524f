"""``segmetry explain NAME``."""

from __future__ import annotations

from difflib import get_close_matches

import click

from segmetry.alignments.candidates import RULES
from segmetry.cli.options.shell_completion import explained
from segmetry.errors import UnknownNameError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_names import find_metric
from segmetry.outputs.tables.metric_explanation import explain
from segmetry.outputs.tables.protocol_explanation import explain_protocol
from segmetry.outputs.tables.rule_listing import explain_rule
from segmetry.protocols.protocol import PROTOCOLS

EXAMPLES = "\b\nExamples:\n  segmetry explain pq\n  segmetry explain theta_plus\n  segmetry explain coco-panoptic"


@click.command(name="explain", epilog=EXAMPLES)
@click.argument("name", shell_complete=explained)
def command(name: str) -> None:
    """Explain a metric (formula, notes, example), an alignment rule (its guarantees) or a protocol (its decisions).

    A name that is a metric and a rule, such as iou, is explained as both.
    """
    pages = [explain_rule(RULES[name])] if name in RULES else []
    pages += [explain_protocol(PROTOCOLS[name])] if name in PROTOCOLS else []
    near = get_close_matches(name, [*METRICS, *RULES, *PROTOCOLS], n=1)
    if name not in METRICS and not pages and near and near[0] not in METRICS:
        raise UnknownNameError(f"there is no metric, rule or protocol {name!r}; did you mean {near[0]}?")
    if name in METRICS or not pages:
        pages.insert(0, explain(find_metric(name).metric))
    click.echo("\n\n".join(pages))
