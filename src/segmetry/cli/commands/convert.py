"""``segmetry convert IN OUT --to FORMAT``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import check_target, write_text
from segmetry.cli.options.option_groups import written_formats
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.errors import OptionError
from segmetry.readers import (
    ALL_CODERS,
    CODER,
    DROPS,
    READERS,
    Item,
    Source,
    check_losses,
    check_options,
    check_written,
    without,
    writer_of,
)

EXAMPLES = """
\b
Examples:
  segmetry convert annotators.json annotators.csv --to spans
  segmetry convert bits.json masses.json --to masses --first force
  segmetry convert talk.TextGrid talk.rttm --to rttm --tier words --tick 0.001
  segmetry convert article.ref article.json --to masses --drop text
"""


@click.command(name="convert", cls=ReadingCommand, epilog=EXAMPLES)
@click.argument("source", metavar="IN", type=click.Path(path_type=Path))
@click.argument("target", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--to", "target_format", required=True, metavar="FORMAT", shell_complete=written_formats,
    help="The format to write.",
)  # fmt: skip
@click.option("--drop", type=click.Choice(DROPS), multiple=True, help="Leave this out of the new file.")
@click.option("--force", is_flag=True, help="Replace OUT if it exists.")
@reading_options
def command(source: Path, target: Path, target_format: str, **options: Any) -> None:
    """Convert a linear segmentation to another format, if nothing is lost.

    What the new format cannot contain (gaps, classes, annotators, text, times) is an error that names what would be
    lost. The new file is read back and compared before it is renamed to OUT.
    """
    writer = writer_of(target_format)
    check_target(str(target))
    if target.exists() and not options["force"]:
        raise OptionError(f"{target} exists; --force replaces it")
    segmentations = Source(source, read_options(options), options["chosen"])
    check_options([segmentations.reader], segmentations.options.stated)
    items = without(list(_all_coders(segmentations).items()), options["drop"])
    check_losses(items, target_format)
    if "several items" not in writer.holds and "name" not in options["drop"]:
        _check_name(items, source, target)
    write_text(
        str(target), writer.write(items, target), check=lambda path: check_written(items, path, READERS[target_format])
    )


def _all_coders(source: Source) -> Source:
    """Return the source of all annotators, unless the user chose one."""
    if CODER not in source.reader.options or source.options[CODER] is not None:
        return source
    return source.with_options(source.options.replaced(coder=ALL_CODERS))


def _check_name(items: Sequence[Item], source: Path, target: Path) -> None:
    """Check that a format which names its item after the file keeps the name of the item."""
    (item,) = items
    if item.name not in (source.stem, target.stem):
        raise OptionError(
            f"the name of the item, {item.name!r}, would be lost: name the file {item.name}, or use --drop name"
        )
