"""``segmetry protocols``."""

from __future__ import annotations

import click

from segmetry.cli.console import as_json, console
from segmetry.outputs import protocol_data, protocols_listing


@click.command(name="protocols", epilog="\b\nExamples:\n  segmetry protocols\n  segmetry explain coco-panoptic")
@click.option("--json", "as_data", is_flag=True, help="Print as JSON, with metrics, formats and citations.")
def command(*, as_data: bool) -> None:
    """List the protocols: the field of each, what it prints, and the implementation whose numbers it equals.

    A protocol is chosen with 'segmetry score --protocol NAME', or by the format of the truth.
    """
    if as_data:
        click.echo(as_json(protocol_data()), nl=False)
        return
    console().print(protocols_listing())
