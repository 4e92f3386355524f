"""What commands have in common that read both sides, item by item, and draw or measure them: arguments and options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from segmetry.alignments import TVERSKY, WEIGHTS
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import Decorator, option_group, pairing_of, pairing_options
from segmetry.cli.options.reading_options import formats_of, read_options, reading_options, side_formats
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.protocols import default_policy
from segmetry.readers import find_sources, read_pairs

sides_arguments = option_group(
    click.argument("true", type=click.Path(path_type=Path)),
    click.argument("pred", type=click.Path(path_type=Path)),
)
rule_options = option_group(scoring_option("rule", "the policy's own"), scoring_option("policy", "the format's own"))
pair_reading_options = option_group(pairing_options, side_formats, reading_options)


def weight_option(what: str, more: tuple[str, ...] = ()) -> Decorator:
    """Return the option that names the weight of a pair: by its overlap, or one of ``more``."""
    names = ", ".join((*WEIGHTS, TVERSKY, *more))
    return click.option("--weight", metavar="WEIGHT", default="iou", show_default=True, help=f"{what}: {names}.")


def item_pairs(true: Path, pred: Path, options: dict[str, Any]) -> tuple[list[tuple[str, Any, Any]], dict[str, Any]]:
    """Return the items of both sides, not yet read, and the rule and policy that they are aligned by."""
    with print_warnings():
        sources = find_sources(true, pred, formats_of(options), read_options(options))
        pairs = list(read_pairs(*sources, pairing=pairing_of(options)))
    policy = options["policy"] or default_policy(sources[0].reader.name)
    return pairs, {"rule": options["rule"], "policy": policy}


def loaded(pairs: list[tuple[str, Any, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name and both sides of every item, read."""
    for name, true_item, pred_item in pairs:
        true = true_item.load()
        yield name, true, pred_item.load_on(true.domain)
