"""``segmetry export RUN``."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json, write_text
from segmetry.cli.options.option_groups import (
    breakdown_options,
    check_parts,
    class_names_option,
    opened_run,
    partial_option,
    parts_asked,
    parts_of,
    text_target,
)
from segmetry.cli.options.reading_command import SectionedCommand
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.cli.options.table_files import TARGETS, check_targets, table_options, write_tables
from segmetry.cli.score_output import scores_of
from segmetry.comparison import document, under_rules
from segmetry.errors import OptionError
from segmetry.outputs import write_errors
from segmetry.run import Run

EXAMPLES = """
\b
Examples:
  segmetry export run.segm > items.csv
  segmetry export run.segm --table segments --parquet segments.parquet
  segmetry export run.segm --rule theta_plus --rule 'iou(above=0.75)' --csv -
  segmetry export run.segm --table summary --policy strict-void
  segmetry export run.segm --scalars metrics.json
  segmetry export run.segm --errors errors.geojson
  segmetry export run.segm --errors 'errors/{item}.nii.gz'
  segmetry export run.segm --table parts --by scanner --columns scans.csv
"""


@click.command(name="export", cls=SectionedCommand, epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@scoring_option("rule", "the run's own", more="; may be given several times", multiple=True)
@scoring_option("policy", "the run's own")
@scoring_option("classes", "as in the run")
@text_target("scalars", "every summary value under a flat name as JSON, for experiment trackers")
@click.option(
    "--errors", "errors_to", metavar="FILE",
    help="Write missed and spurious segments, and pairs with IoU: .geojson, .gpkg, .json (COCO), .rttm, .TextGrid, "
    ".conll, .png, .npy, .nii, .nii.gz, .zarr; {item} in the name makes a file for each item.",
)  # fmt: skip
@partial_option
@class_names_option
@breakdown_options
@table_options
def command(path: Path, **options: Any) -> None:
    """Export tables of a run file, under any rule; the inputs are needed for --errors only.

    Without a target the table is written to standard output as CSV.
    """
    if not any(options[f"{name}_to"] for name in (*TARGETS, "scalars", "errors")):
        options["csv_to"] = "-"
    check_targets(options, [path], scalars=options["scalars_to"], errors=options["errors_to"])
    parts = parts_asked(options)
    check_parts(options, parts)
    if parts and options["table"] != "parts" and not options["json_to"]:
        raise OptionError("--by names parts, but none is written; add --table parts")
    with opened_run(path, options) as opened:
        run = opened.rescore(policy=options["policy"], classes=options["classes"])
        run.summary(partial=options["partial"])
        parts = parts_of(run, parts)
        by_rule = under_rules(run, options["rule"] or [run.settings.rule], partial=options["partial"])
        for under in by_rule.values():
            if under.run.left_out:
                keys = ", ".join(under.run.left_out)
                click.echo(
                    f"segmetry: note: {keys} cannot be computed without the inputs under {under.run.settings.rule}",
                    err=True,
                )
        write_tables([result.run for result in by_rule.values()], options, scores_of(by_rule, every=True), parts)
        if options["scalars_to"]:
            _write_scalars(run, options)
        if options["errors_to"]:
            write_errors(_under_one_rule(run, options, "errors"), Path(options["errors_to"]))
        if options["json_to"]:
            by_part = {by.name: list(run.parts(by, partial=options["partial"])) for by in parts}
            write_text(options["json_to"], as_json({**document(by_rule), "by_part": by_part}, "scores"))


def _under_one_rule(run: Run, options: dict[str, Any], name: str) -> Run:
    if len(options["rule"]) > 1:
        raise OptionError(f"--{name} writes the values under one rule; {len(options['rule'])} are named")
    return run.rescore(options["rule"][0]) if options["rule"] else run


def _write_scalars(run: Run, options: dict[str, Any]) -> None:
    chosen = _under_one_rule(run, options, "scalars")
    scalars = chosen.scalars(partial=options["partial"])
    write_text(
        options["scalars_to"], as_json({name: None if isnan(value) else value for name, value in scalars.items()})
    )
