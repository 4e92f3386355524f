"""``segmetry curves TRUE PRED``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from segmetry.alignments import Curves, add_tallies
from segmetry.cli.console import Screen, check_outputs, write_outputs, write_text
from segmetry.cli.options.option_groups import json_target, text_target
from segmetry.cli.options.pair_command import (
    item_pairs,
    loaded,
    pair_reading_options,
    rule_options,
    sides_arguments,
    weight_option,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.metrics import SHAPE_WEIGHTS, curves
from segmetry.outputs import curve_plot
from segmetry.results import ResultTable

ALL = "all items"
EXAMPLES = """
\b
Examples:
  segmetry curves truth.png prediction.png --svg curves.svg
  segmetry curves truth.npy pred.npy --weight hausdorff95 --furthest 20
  segmetry curves truth.npy pred.npy --weight 'tversky(alpha=0.3,beta=0.7)'
"""


@click.command(name="curves", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@sides_arguments
@weight_option("Weight of a matched pair", SHAPE_WEIGHTS)
@click.option(
    "--furthest", type=float, metavar="D",
    help="Distance of weight 0, for weights that are distances: a distance d weighs 1 - d/D. [default: the diagonal of "
    "the bounding box of the pair]",
)  # fmt: skip
@click.option("--alpha", metavar="A", help="The least weight a pair can have. [default: that of the rule]")
@rule_options
@json_target
@text_target("csv", "one row per step of the curves of every item")
@click.option("--svg", "svg_to", metavar="FILE", help="Write the plot of all items together as SVG.")
@pair_reading_options
def command(true: Path, pred: Path, **options: Any) -> None:
    """Compute precision, recall and F1 as functions of the weight that a pair must reach.

    Pairs are matched by the rule and weighed by overlap or by shape; the area under F1 is PQ where the weight is the
    IoU. The pairs of all items are also counted together.
    """
    check_outputs([true, pred], {f"--{name}": options[f"{name}_to"] for name in ("json", "csv", "svg")})
    pairs, same = item_pairs(true, pred, options)
    how = {name: options[name] for name in ("weight", "furthest", "alpha")}
    found = {name: curves(true_side, pred_side, **how, **same) for name, true_side, pred_side in loaded(pairs)}
    if len(found) > 1:
        first = next(iter(found.values()))
        together = Curves.of(add_tallies([one.tally for one in found.values()]), first.weight, options["alpha"])
        found[ALL] = together
    last = list(found.values())[-1]
    write_outputs(
        options,
        lambda: {
            "weight": last.weight,
            "rule": last.tally.rule.name,
            "alpha": str(last.alpha),
            "items": _curve_facts(found),
        },
        lambda: [{"item": name, **row} for name, one in found.items() for row in one.records()],
        "curves",
    )
    if options["svg_to"]:
        write_text(options["svg_to"], curve_plot(last).svg)
    if "-" not in (options["json_to"], options["csv_to"], options["svg_to"]):
        head = ("item", "pairs", "P", "R", "F1", "area under F1", "NPQ")
        rows = [(name, *row.values()) for name, row in _curve_facts(found).items()]
        note = f"P, R, F1: of all matched pairs. Area, NPQ: over {last.weight}, from 0 and from alpha = {last.alpha}."
        Screen().show([ResultTable(f"{last.weight} of pairs matched by {last.tally.rule.name}", head, rows, [note])])


def _curve_facts(found: Mapping[str, Curves]) -> dict[str, dict[str, float | int | None]]:
    def at_start(one: Curves, measure: Any) -> float | None:
        value = one.at(0, measure)
        return None if value is None else float(value)

    def known(value: float) -> float | None:
        return None if math.isnan(value) else value

    return {
        name: {
            "pairs": one.tally.n_pairs,
            **{measure: at_start(one, measure) for measure in ("precision", "recall", "f1")},
            "area": known(one.area()),
            "npq": known(one.npq()),
        }
        for name, one in found.items()
    }
