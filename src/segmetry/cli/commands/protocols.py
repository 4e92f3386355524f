"""``segmetry protocols``."""

from __future__ import annotations

import click

from segmetry.cli.console import as_listing
from segmetry.cli.listing import ListedEntry, print_listing, search_words
from segmetry.outputs import protocol_data

EXAMPLES = """
\b
Examples:
  segmetry protocols
  segmetry protocols cells
  segmetry explain coco-panoptic
"""


@click.command(name="protocols", epilog=EXAMPLES)
@search_words
@click.option("--json", "as_data", is_flag=True, help="Print as JSON, with metrics, formats and citations.")
def command(words: tuple[str, ...], *, as_data: bool) -> None:
    """List the protocols, or those with some words: the field of each, and what it prints.

    A protocol is chosen with 'segmetry score --protocol NAME', or by the format of the truth.
    """
    data = protocol_data()
    if as_data:
        click.echo(as_listing("protocols", data), nl=False)
        return
    entries = [
        ListedEntry(
            row["name"], f"{row['field']}: {row['prints']}", more=f"{row['summary']} {row['reference']['package']}"
        )
        for row in data
    ]
    below = "'segmetry explain NAME' states every decision, and the program whose numbers it equals."
    print_listing(entries, words, "protocol", below)
