"""``segmetry plot KIND TRUE PRED -o FILE``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from segmetry.alignments import align
from segmetry.cli.console import check_outputs, console
from segmetry.cli.options.pair_command import (
    item_pairs,
    loaded,
    pair_reading_options,
    rule_options,
    sides_arguments,
    weight_option,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.errors import OptionError
from segmetry.metrics import SHAPE_WEIGHTS, boundary_sweep, curves
from segmetry.outputs import (
    Picture,
    coverage_plot,
    curve_plot,
    overlap_plot,
    pair_picture,
    precision_recall_plot,
    sweep_plot,
)
from segmetry.overlaps import overlap

EXAMPLES = """
\b
Kinds:
  curves            precision, recall and F1 by the least weight of a pair
  precision-recall  every true segment by precision and recall
  coverages         pairs by their two coverages, with zones and weights
  overlaps          the histogram of pairs of labels, with margins
  pair              two segments: shared, missed and spurious elements
  sweep             true positives by the width of the contour, all items

\b
Examples:
  segmetry plot curves truth.png pred.png -o curves.svg --weight dice
  segmetry plot coverages truth.npy pred.npy -o coverages.svg
  segmetry plot sweep anna.json ben.json -o sweep.svg
  segmetry plot pair truth.npy pred.npy -o pair.png --ids 3,7
"""
Drawing = Callable[[Any, Any, Mapping[str, Any], dict[str, Any]], Picture]


def _pair_picture(true: Any, pred: Any, options: Mapping[str, Any], same: dict[str, Any]) -> Picture:
    ids = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", options["ids"] or "")
    if ids is None:
        raise OptionError(
            f"--ids is {options['ids']!r}; plot pair needs the ids of a true and a predicted segment: 3,7"
        )
    alignment = align(overlap(true, pred), resolve="keep", **same)
    return pair_picture(alignment, (int(ids[1]), int(ids[2])), true, pred)


KINDS: dict[str, Drawing] = {
    "curves": lambda true, pred, options, same: curve_plot(curves(true, pred, weight=options["weight"], **same)),
    "precision-recall": lambda true, pred, _, same: precision_recall_plot(true, pred, policy=same["policy"]),
    "coverages": lambda true, pred, options, same: coverage_plot(
        true, pred, weight=options["weight"], policy=same["policy"]
    ),
    "overlaps": lambda true, pred, *_: overlap_plot(true, pred),
    "pair": _pair_picture,
}
"""The plots of one item."""
SWEEP = "sweep"
TAKES = {"weight": ("curves", "coverages"), "ids": ("pair",), "rule": ("curves", "pair", SWEEP)}
"""The options that only some kinds take."""


@click.command(name="plot", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@click.argument("kind", type=click.Choice([*KINDS, SWEEP]), metavar="KIND")
@sides_arguments
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="File for the plot, .svg or .png.")
@click.option("--item", metavar="NAME", help="The item to draw, where there are several.")
@weight_option("Weight of a pair, of curves and coverages", SHAPE_WEIGHTS)
@click.option("--ids", metavar="TRUE,PRED", help="The segments that plot pair draws.")
@rule_options
@pair_reading_options
@click.pass_context
def command(ctx: click.Context, /, kind: str, true: Path, pred: Path, **options: Any) -> None:
    """Draw a plot of two segmentations, of one of these kinds."""
    for name, kinds in TAKES.items():
        if kind not in kinds and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise OptionError(f"--{name} has no effect on plot {kind}; it is for plot {', '.join(kinds)}")
    if options["output"].suffix.lower() not in (".svg", ".png"):
        raise OptionError(f"--output is {options['output']}; a plot is saved as .svg or .png")
    check_outputs([true, pred], {"--output": str(options["output"])})
    pairs, same = item_pairs(true, pred, options)
    names = [pair[0] for pair in pairs]
    if options["item"] is not None:
        pairs = [pair for pair in pairs if pair[0] == options["item"]]
    if not pairs or (kind != SWEEP and len(pairs) > 1):
        found = f"there is no item {options['item']!r}" if not pairs else f"there are {len(pairs)} items"
        known = ", ".join(names[:6]) + ", …" * (len(names) > 6)
        raise OptionError(f"{found}; plot {kind} draws one: name it with --item NAME, such as {known}")
    if kind == SWEEP:
        items = {name: (true_side, pred_side) for name, true_side, pred_side in loaded(pairs)}
        sides = ({name: both[at] for name, both in items.items()} for at in (0, 1))
        picture = sweep_plot(boundary_sweep(*sides, **same))
    else:
        ((_, true_side, pred_side),) = loaded(pairs)
        picture = KINDS[kind](true_side, pred_side, options, same)
    picture.save(options["output"])
    console().print(str(options["output"]), soft_wrap=True, markup=False)
