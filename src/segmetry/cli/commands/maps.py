"""``segmetry maps TRUE PRED -o DIR``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.alignments import WEIGHTS
from segmetry.cli.console import console, new_folder
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import choice_option, count_option, pairing_of, pairing_options
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import formats_of, read_options, reading_options, side_formats
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.errors import InputError
from segmetry.metrics import maps
from segmetry.outputs import write_maps
from segmetry.protocols import default_policy
from segmetry.readers import find_sources, read_pairs

EXAMPLES = """
\b
Examples:
  segmetry maps truth.png prediction.png -o maps
  segmetry maps truth.npy pred.npy -o maps --weight dice --rule theta_plus
"""


@click.command(name="maps", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@click.argument("true", type=click.Path(path_type=Path))
@click.argument("pred", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder for the maps.")
@choice_option("--weight", WEIGHTS, "iou", f"Value to draw: {', '.join(WEIGHTS)}.", metavar="WEIGHT")
@scoring_option("rule", "the policy's own")
@scoring_option("policy", "the format's own")
@count_option("--slices", "Number of slices shown of a volume.", 16)
@click.option(
    "--axis", type=click.IntRange(0, 2), help="The axis across which a volume is cut. [default: the shortest]"
)
@pairing_options
@side_formats
@reading_options
def command(true: Path, pred: Path, **options: Any) -> None:
    """Draw every segment in the colour of its best match: precision map of PRED, recall map of TRUE.

    Each item gets precision.png, recall.png and both maps as float arrays; several items get a folder each.
    """
    with print_warnings():
        sources = find_sources(true, pred, formats_of(options), read_options(options))
        pairs = list(read_pairs(*sources, pairing=pairing_of(options)))
    folders = _folders([name for name, _, _ in pairs], options["output"])
    screen = console()
    policy = options["policy"] or default_policy(sources[0].reader.name)
    same = {"weight": options["weight"], "rule": options["rule"], "policy": policy}
    for (_, true_item, pred_item), folder in zip(pairs, folders, strict=True):
        true_masks = true_item.load()
        result = maps(true_masks, pred_item.load_on(true_masks.domain), **same)
        for path in write_maps(result, new_folder(folder), slices=options["slices"], axis=options["axis"]):
            screen.print(str(path), soft_wrap=True, markup=False)


def _folders(names: list[str], output: Path) -> list[Path]:
    """Return the output folder for one item, a folder in it for each of several."""
    if len(names) == 1:
        return [output]
    folders = [output / _file_name(name) for name in names]
    if len(set(folders)) < len(folders):
        clash = next(name for name, folder in zip(names, folders, strict=True) if folders.count(folder) > 1)
        raise InputError(
            f"item {clash!r} and another item would share the folder {output / _file_name(clash)}; rename one"
        )
    return folders


def _file_name(item: str) -> str:
    """Return the name of an item as a valid folder name.

    >>> _file_name("../a b"), _file_name("..")
    ('.._a_b', '_')
    """
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in item)
    return kept if kept.strip(".") else "_"
