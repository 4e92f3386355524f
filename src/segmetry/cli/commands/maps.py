"""``segmetry maps TRUE PRED -o DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import console, new_folder
from segmetry.cli.options.option_groups import count_option
from segmetry.cli.options.pair_command import (
    item_pairs,
    loaded,
    pair_reading_options,
    rule_options,
    sides_arguments,
    weight_option,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.metrics import maps
from segmetry.outputs import EACH, paths_of_items, write_maps

EXAMPLES = """
\b
Examples:
  segmetry maps truth.png prediction.png -o maps
  segmetry maps truth.npy pred.npy -o maps --weight dice --rule theta_plus
"""


@click.command(name="maps", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@sides_arguments
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the maps.")
@weight_option("Value to draw")
@rule_options
@count_option("--slices", "Number of slices shown of a volume.", 16)
@click.option(
    "--axis", type=click.IntRange(0, 2), help="The axis across which a volume is cut. [default: the shortest]"
)
@pair_reading_options
def command(true: Path, pred: Path, **options: Any) -> None:
    """Draw every segment in the colour of its best match: precision map of PRED, recall map of TRUE.

    Each item gets precision.png, recall.png, both maps as float arrays, segments.csv with the best partner of every
    segment, and curves.svg: precision, recall and F1 by the least weight of a pair. Several items get a folder each.
    """
    pairs, same = item_pairs(true, pred, options)
    names, output = [name for name, _, _ in pairs], options["output"]
    folders = [output] if len(names) == 1 else paths_of_items(names, output / EACH)
    screen = console()
    for (_, true_side, pred_side), folder in zip(loaded(pairs), folders, strict=True):
        result = maps(true_side, pred_side, weight=options["weight"], **same)
        for path in write_maps(result, new_folder(folder), slices=options["slices"], axis=options["axis"]):
            screen.print(str(path), soft_wrap=True, markup=False)
