"""``segmetry explain NAME``."""

from __future__ import annotations

from difflib import get_close_matches

import click

from segmetry.alignments import RULES
from segmetry.cli.options.option_groups import explained
from segmetry.errors import UnknownNameError
from segmetry.metrics import METRICS, find_metric
from segmetry.outputs import bibtex_entry, explain, explain_protocol, explain_rule
from segmetry.protocols import PROTOCOLS

EXAMPLES = """
\b
Examples:
  segmetry explain pq
  segmetry explain theta_plus
  segmetry explain coco-panoptic
  segmetry explain pq --bibtex
"""


@click.command(name="explain", epilog=EXAMPLES)
@click.argument("name", shell_complete=explained)
@click.option("--bibtex", is_flag=True, help="Print the papers to cite as BibTeX instead.")
def command(name: str, *, bibtex: bool) -> None:
    """Explain a metric (formula, notes, example), an alignment rule (its guarantees) or a protocol (its decisions).

    A name that is a metric and a rule, such as iou, is explained as both.
    """
    known = name in RULES or name in PROTOCOLS
    try:
        metric = find_metric(name).metric if name in METRICS or not known else None
    except UnknownNameError:
        near = get_close_matches(name, [*METRICS, *RULES, *PROTOCOLS], n=1)
        if not near or near[0] in METRICS:
            raise
        raise UnknownNameError(f"there is no metric, rule or protocol {name!r}; did you mean {near[0]}?") from None
    rule, protocol = RULES.get(name), PROTOCOLS.get(name)
    if bibtex:
        citations = [key for declared in (metric, rule, protocol) if declared for key in declared.citation]
        click.echo("\n\n".join(dict.fromkeys(map(bibtex_entry, citations))))
        return
    pages = [explain(metric)] if metric else []
    pages += [explain_rule(rule)] if rule else []
    pages += [explain_protocol(protocol)] if protocol else []
    click.echo("\n\n".join(pages))
