"""The options for photographs in a report."""

from __future__ import annotations

import click

from segmetry.cli.options.command_type import option_group

images_options = option_group(
    click.option(
        "--images", metavar="DIR|none",
        help="Photographs shown under the masks in the report, found by the file names in a COCO file or the names of "
        "items. [default: those next to a COCO file, up to 500 items]",
    ),
    click.option(
        "--image-budget", metavar="MB", type=float,
        help="Megabytes that photographs may add to the report; they are made smaller until they fit. [default: 20]",
    ),
)  # fmt: skip
