"""How the items of TRUE and PRED are paired where their names differ, the same for every command that pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from segmetry.cli.options.command_type import option_group
from segmetry.readers.item_names import Pairing

pairing_options = option_group(
    click.option(
        "--strip",
        multiple=True,
        metavar="PATTERN",
        help="Remove this from item names before pairing, such as _gt or '_pred*'; may be repeated.",
    ),
    click.option(
        "--pair",
        metavar="REGEX",
        help=r"Pair items by the group of a regular expression, such as '(\d+)', instead of their names.",
    ),
    click.option("--true-pair", metavar="REGEX", help="The same for TRUE only."),
    click.option("--pred-pair", metavar="REGEX", help="The same for PRED only."),
    click.option(
        "--pairs",
        metavar="FILE",
        help="CSV file with the columns true, pred[, name]: the items or files to compare; others are left out.",
    ),
)
"""The options that say how items are paired."""


def pairing_of(options: Mapping[str, Any]) -> Pairing:
    """Return how items are paired.

    >>> pairing_of({"strip": ("_gt",), "pair": None, "true_pair": "(a)", "pred_pair": None, "pairs": None}).pair
    ('(a)', None)
    """
    sides = tuple(options[f"{side}_pair"] or options["pair"] for side in ("true", "pred"))
    return Pairing(options["strip"], sides, options["pairs"])
