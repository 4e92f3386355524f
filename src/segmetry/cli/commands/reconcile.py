"""``segmetry reconcile RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import Screen, check_outputs, write_outputs
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import json_target, text_target
from segmetry.receipts import reconcile

EXAMPLES = """
\b
Examples:
  segmetry reconcile run.segm
  segmetry reconcile run.segm --with stardist
  segmetry reconcile run.segm --with stardist --number 0.353
  segmetry reconcile run.segm --number 35.3% --value AJI
"""


@click.command(name="reconcile", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--with", "protocol", metavar="NAME", help="The protocol or program whose number leads to yours.")
@click.option("--number", metavar="N", help="A number you have seen, as it was printed: which decisions give it?")
@click.option("--value", metavar="NAME", help="Which number of the run, such as AJI. [default: the headline]")
@click.option("--true", metavar="TRUE", help="The truth, if it was moved, for decisions that need the pixels.")
@click.option("--pred", metavar="PRED", help="The prediction, likewise.")
@json_target
@text_target("csv", "one row per step or community as CSV")
def command(path: Path, **options: Any) -> None:
    """Say why another program gives another number for the same data.

    Without options: the number of every community, computed from this run, and the decisions in which it differs. With
    --with, the path from its number to yours, one decision at a time, each with its share; with --number, the smallest
    sets of decisions that give a number you have seen.
    """
    check_outputs([path], {f"--{name}": options[f"{name}_to"] for name in ("json", "csv")})
    with print_warnings():
        found = reconcile(path, **{name: options[name] for name in ("protocol", "number", "value", "true", "pred")})
    write_outputs(options, found.to_dict, found.records)
    if "-" not in (options["json_to"], options["csv_to"]):
        Screen().table(found.table)
