"""``segmetry verify RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import Screen, as_json, check_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import json_target
from segmetry.cli.options.table_files import exit_if_failed
from segmetry.receipts import seal, verify

EXAMPLES = """
\b
Examples:
  segmetry verify run.segm
  segmetry verify run.segm --true truth/ --pred preds/
  segmetry verify run.segm --true truth/ --pred preds/ --sample 20
  segmetry verify run.segm --json - | jq .digest
"""


@click.command(name="verify", epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--true", metavar="TRUE", help="The truth: compare its files, and count items again.")
@click.option("--pred", metavar="PRED", help="The prediction.")
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Count N items again, drawn at random.")
@click.option("--seal", "new", is_flag=True, help="Write the receipt into the file first, in place of an earlier one.")
@json_target
@click.pass_context
def command(ctx: click.Context, /, path: Path, **options: Any) -> None:
    """Check the receipt of a run file: recompute what it states.

    From the file alone: the digests of its statistics, every value of the data set, and the interval of the headline.
    With --true and --pred also the sha256 of every input, and the statistics of the items, which are counted again.
    Anything that differs ends with exit code 3.
    """
    check_outputs([path], {"--json": options["json_to"]})
    if options["new"]:
        seal(path)
    with print_warnings():
        found = verify(path, **{name: options[name] for name in ("true", "pred", "sample")})
    if options["json_to"]:
        write_text(options["json_to"], as_json(found.to_dict()))
    if options["json_to"] != "-":
        Screen().table(found.table)
    exit_if_failed(ctx, [f"{found.run}: {len(found.changed)} of {len(found.checks)} checks"] if found.changed else [])
