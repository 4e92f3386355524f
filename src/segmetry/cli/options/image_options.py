"""The options for photographs in a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def images_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--images`` and ``--image-budget``."""
    budget = click.option(
        "--image-budget", metavar="MB", type=float,
        help="Megabytes that photographs may add to the report; they are made smaller until they fit. [default: 20]",
    )  # fmt: skip
    images = click.option(
        "--images", metavar="DIR|none",
        help="Photographs shown under the masks in the report, found by the file names in a COCO file or the names of "
        "items. [default: those next to a COCO file, up to 500 items]",
    )  # fmt: skip
    return images(budget(command))
