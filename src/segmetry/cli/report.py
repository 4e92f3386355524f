"""``segmetry report RUN [RUN …]``."""

from __future__ import annotations

from pathlib import Path

import click

from segmetry.cli.writing import check_target
from segmetry.report import write_report
from segmetry.run.run import Run

EXAMPLES = """
\b
Examples:
  segmetry report run.segm
  segmetry report run.segm -o report.html
  segmetry report first.segm second.segm -o both.html
"""


@click.command(name="report", epilog=EXAMPLES)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True,
    help="The page to write.",
)  # fmt: skip
def command(paths: tuple[Path, ...], output: Path) -> None:
    """Write a run as one HTML page: it needs no network, and aligns and scores by itself when you change the rule.

    Several runs of the same items are compared with each other.
    """
    check_target(str(output))
    write_report([Run.open(path) for path in paths], output)
    click.echo(f"Wrote {output}")
