"""``segmetry merge PART… -o RUN``."""

from __future__ import annotations

from pathlib import Path

import click

from segmetry.cli.progress import progress_words
from segmetry.receipts import seal
from segmetry.run import merge_runs

EXAMPLES = """
\b
Examples:
  segmetry score truth/ prediction/ --shard 3/16 -o part3.segm
  segmetry merge part*.segm -o all.segm
  segmetry score truth/ prediction/ -o all.segm --resume
"""


@click.command(name="merge", epilog=EXAMPLES)
@click.argument("parts", metavar="PART...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), metavar="RUN", help="The merged run.")
def command(parts: tuple[Path, ...], out: Path) -> None:
    """Merge the parts of a run that were evaluated with --shard.

    Parts of other inputs or settings, and parts that contradict each other, are errors. If RUN exists it is one of the
    parts, so that parts can be added one by one; adding a part twice changes nothing.
    """
    with merge_runs(parts, out) as run:
        click.echo(f"{out}: {progress_words(run)}, from {len(parts)} part{'s' * (len(parts) != 1)}")
        counted = [counted == total for counted, total in run.counted_blocks.values()]
        if counted and all(counted) and run.n_done + len(counted) == len(run.names):
            click.echo("all counted: compute the scores with score --resume", err=True)
        elif run.is_complete:
            seal(run)
        else:
            click.echo("not finished: add the missing parts, or evaluate the rest with score --resume", err=True)
