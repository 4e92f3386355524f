"""``segmetry skeletons SKELETONS VOLUME``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import Screen, check_outputs, write_outputs
from segmetry.cli.options.option_groups import choice_option, count_option, json_target, text_target
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.errors import InputError, OptionError
from segmetry.metrics import RunLengths, expected_run_length
from segmetry.readers import read_items, read_skeletons
from segmetry.results import ResultTable, shortest
from segmetry.segmentation import LabelArray

SHOWN = 5
"""How many of the worst skeletons are printed."""
EXAMPLES = """
\b
Examples:
  segmetry skeletons neurons.nml segments.zarr --spacing 25,11,11
  segmetry skeletons traced/ segments.npy --merge-threshold 2 --csv -
"""


@click.command(name="skeletons", cls=ReadingCommand, epilog=EXAMPLES)
@click.argument("skeletons", type=click.Path(path_type=Path))
@click.argument("volume", type=click.Path(path_type=Path))
@click.option("--offset", metavar="Z,Y,X", default="0", help="Position of the first voxel. [default: 0]")
@choice_option(
    "--rounding", ["nearest", "down"], "nearest",
    "Positions are those of centres (nearest) or corners (down) of voxels.",
)  # fmt: skip
@count_option("--merge-threshold", "Nodes that each of two skeletons must have in a segment that merges them.", 1)
@text_target("csv", "one row per skeleton as CSV")
@json_target
@reading_options
def command(skeletons: Path, volume: Path, **options: Any) -> None:
    """Measure how far traced neurons can be followed in a segmentation: the expected run length (ERL).

    SKELETONS is an SWC or NML file, or a folder of them; VOLUME is a label volume, of which only the chunks with nodes
    are read.
    """
    check_outputs([skeletons, volume], {"--json": options["json_to"], "--csv": options["csv_to"]})
    labels = _volume(volume, options)
    lengths = expected_run_length(
        read_skeletons(skeletons),
        labels,
        offset=_offset(options["offset"]),
        rounding=options["rounding"],
        merge_threshold=options["merge_threshold"],
        outside=labels.outside,
    )
    write_outputs(options, lambda: {"skeletons": str(skeletons), **lengths.to_dict()}, lengths.rows, "skeletons")
    if "-" not in (options["csv_to"], options["json_to"]):
        _print_lengths(lengths)


def _volume(path: Path, options: dict[str, Any]) -> LabelArray:
    items = list(read_items(path, options["chosen"], read_options(options)))
    content = items[0].load() if len(items) == 1 else None
    if not isinstance(content, LabelArray):
        raise InputError(f"{path}: contains {len(items)} items; expected one label volume")
    return content


def _offset(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError(f"offset is {text!r}; expected numbers, divided by commas") from None


def _print_lengths(lengths: RunLengths) -> None:
    rows = sorted(lengths.rows(), key=lambda row: row["run_length"] / row["length"] if row["length"] else 1.0)
    erl, nerl = (shortest(score.value) if score.is_defined else "undefined" for score in (lengths.erl, lengths.nerl))
    columns = ("length", "correct", "split", "merged", "omitted")
    title = f"{len(rows)} skeletons: ERL {erl}, NERL {nerl}; {len(lengths.merging)} segments merge skeletons"
    listed = [(row["skeleton"], *(row[name] for name in columns)) for row in rows[:SHOWN]]
    Screen().table(ResultTable(title, ("worst", *columns), listed))
