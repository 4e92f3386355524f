"""``segmetry sensitivity TRUE PRED``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.commands.diagnose import size_bins
from segmetry.cli.console import Screen, check_outputs, write_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import (
    choice_option,
    count_option,
    json_target,
    pairing_of,
    pairing_options,
    sizes_option,
    text_target,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.cli.options.scoring_options import aligning_options, scoring_of, scoring_option
from segmetry.cli.progress import progress
from segmetry.diagnosis import RULES, moves_without_effect, sensitivity, sensitivity_tables
from segmetry.metrics import checked_undefined
from segmetry.outputs import sensitivity_plot

EXAMPLES = """
\b
Examples:
  segmetry sensitivity truth.png prediction.png
  segmetry sensitivity truth.json pred.json --jobs 4 --svg sensitivity.svg
  segmetry sensitivity truth.npy pred.npy --rule theta_plus --json -
"""


@click.command(name="sensitivity", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@click.argument("true", type=click.Path(path_type=Path))
@click.argument("pred", type=click.Path(path_type=Path))
@scoring_option("rule", "θ⁺ and θ&", more="; may be given several times", multiple=True)
@aligning_options
@sizes_option
@choice_option("--engine", ["serial", "threads", "processes"], "threads", "Execution backend.")
@count_option("--jobs", "Number of items processed at once. [default: all cores]")
@json_target
@text_target("csv", "one row per rule, move, size and metric")
@click.option("--svg", "svg_to", metavar="FILE", help="Write the plot as SVG.")
@pairing_options
@reading_options
def command(true: Path, pred: Path, **options: Any) -> None:
    """Measure how scores change when boundaries move by one pixel.

    Every segment of PRED is dilated, eroded and shifted by one pixel along each axis, and scored again. Needs label
    images, volumes or masks.
    """
    check_outputs([true, pred], {f"--{name}": options[f"{name}_to"] for name in ("json", "csv", "svg")})
    running = ("missing", "threads", "engine", "jobs")
    rules = options.pop("rule") or RULES
    stated: Any = scoring_of(options)
    stated["undefined"] = checked_undefined(stated.get("undefined"))
    with print_warnings(), progress() as report:
        result = sensitivity(
            true,
            pred,
            rules=rules,
            sizes=size_bins(options["sizes"]),
            format=options["chosen"],
            pairing=pairing_of(options),
            read=read_options(options),
            progress=report,
            **stated,
            **{name: options[name] for name in running},
        )
    write_outputs(
        options, lambda: {"true": str(true), "pred": str(pred), **result.to_dict()}, result.rows, "sensitivity"
    )
    if options["svg_to"]:
        write_text(options["svg_to"], sensitivity_plot(result).svg)
    if "-" not in (options["json_to"], options["csv_to"], options["svg_to"]):
        averages = ("by_item", result.average) if result.n_items > 1 else ("by_item",)
        note = moves_without_effect(result)
        tables = (table for average in averages for table in sensitivity_tables(result, average))
        Screen().show([*tables, *([note] if note else [])])
