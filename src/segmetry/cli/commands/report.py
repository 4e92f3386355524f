"""``segmetry report RUN [RUN …]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import check_apart, check_target
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import (
    breakdown_options,
    class_names_option,
    cluster_of,
    cluster_option,
    images_options,
    moved_inputs,
    names_option,
    opened_run,
    parts_asked,
    parts_of,
    run_names,
)
from segmetry.cli.options.reading_command import SectionedCommand
from segmetry.cli.progress import report_progress
from segmetry.report import write_report

EXAMPLES = """
\b
Examples:
  segmetry report run.segm
  segmetry report run.segm -o report.html
  segmetry report run.segm --maps all --true moved/truth --pred moved/pred
  segmetry report run.segm --images val2017/
  segmetry report run.segm --sensitivity moved.json
  segmetry report a.segm b.segm --names baseline,ours --title "Street scenes"
  segmetry report run.segm --columns items.csv --by scanner
"""


@click.command(name="report", cls=SectionedCommand, epilog=EXAMPLES)
@click.argument("paths", metavar="RUN…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True,
    help="The file to write.",
)  # fmt: skip
@click.option(
    "--maps", metavar="all|none|N", help="Items with pictures: all, none, or how many of the worst. [default: 500]"
)
@moved_inputs
@images_options
@click.option("--title", metavar="TEXT", help="Title of the report. [default: the names of the runs]")
@names_option
@breakdown_options
@cluster_option
@class_names_option
def command(paths: tuple[Path, ...], output: Path, **options: Any) -> None:
    """Write an interactive HTML report: one file that needs no network and rescores when you change the rule.

    Several runs of the same items are compared. Pictures are drawn from the inputs of the run, which are read again and
    must be unchanged; --images adds the photographs. Boundary sensitivity is not part of a run: compute it with
    'segmetry sensitivity' and add it with --sensitivity.
    """
    check_target(str(output))
    check_apart([*paths, *options["sensitivity"]], {"--output": output})
    with print_warnings(), report_progress() as progress:
        asked: dict[str, Any] = {"by": parts_asked(options), "names": run_names(options)}
        cluster = cluster_of(options)
        for name in ("parts_by", "columns_file", "names", "cluster"):
            options.pop(name)
        several = {name: list(options.pop(name)) or None for name in ("pred", "sensitivity")}
        runs = [opened_run(path, options) for path in paths]
        for run in runs:
            run.cluster = cluster
        options.pop("class_names")
        asked["by"] = parts_of(runs[0], asked["by"])
        write_report(runs, output, progress=progress, **several, **asked, **options)
    click.echo(f"Wrote {output}")
