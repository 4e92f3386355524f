"""``segmetry plot KIND RUN… -o FILE``, and of one pair of segmentations ``segmetry plot KIND TRUE PRED -o FILE``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from segmetry import plots
from segmetry.alignments import align
from segmetry.cli.console import check_outputs, console
from segmetry.cli.options.option_groups import class_names_option, opened_run
from segmetry.cli.options.pair_command import (
    item_pairs,
    loaded,
    pair_reading_options,
    rule_options,
    weight_option,
)
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.errors import OptionError
from segmetry.metrics import SHAPE_WEIGHTS, boundary_sweep, curves
from segmetry.outputs import (
    ENDINGS,
    Picture,
    coverage_plot,
    curve_plot,
    overlap_plot,
    pair_picture,
    precision_recall_plot,
    sweep_plot,
)
from segmetry.overlaps import overlap
from segmetry.results import as_csv

EXAMPLES = """
\b
Kinds of figures of runs (several, divided by commas, make one figure):
  box                  values of items as violins with boxes; --by class, item
  f1                   F1 over the least IoU of a pair, a line for each system
  recall               precision over recall, or precision and recall of items
  confusion            which classes are confused with which
  sizes                how many segments have which size
  budget               what every kind of error costs
  overlay              truth, prediction and errors of --item, or of the worst
  differences          differences between systems with their intervals
  ranks                the share of resamples in which a system has each rank
  critical-difference  mean ranks of three or more systems

\b
Kinds of plots of TRUE and PRED:
  curves            precision, recall and F1 by the least weight of a pair
  precision-recall  every true segment by precision and recall
  coverages         pairs by their two coverages, with zones and weights
  overlaps          the histogram of pairs of labels, with margins
  pair              two segments: shared, missed and spurious elements
  sweep             true positives by the width of the contour, all items

\b
Examples:
  segmetry plot box,f1,budget fern.segm -o figure.pdf --width 17 --no-title
  segmetry plot box fern.segm moss.segm --by class --data rows.csv -o box.svg
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


RUN_KINDS = tuple(name.replace("_", "-") for name in plots.__all__ if name != "figure")
"""The figures of runs, which are functions of :mod:`segmetry.plots`."""
RUN_OPTIONS = {"by": ("box",), "metric": ("box", "f1"), "item": ("overlay",)}
"""The options that some figures of runs take."""


@click.command(name="plot", cls=ReadingCommand, per_side=True, epilog=EXAMPLES)
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="File for the plot: .svg, .pdf or .png."
)
@click.option("--width", type=float, metavar="CM", help="The width on paper in centimetres, such as 8.5 for a column.")
@click.option("--font", metavar="NAME", help="The font: its name, or a .ttf file, which a PDF then contains.")
@click.option("--no-title", is_flag=True, help="Leave out the line above, which the caption replaces.")
@click.option("--data", type=click.Path(path_type=Path), help="Also write the rows that are drawn to this CSV file.")
@click.option("--metric", metavar="KEY", help="The metric of box and f1.  [default: that of the headline; segment_f1]")
@click.option("--by", type=click.Choice(["system", "class", "item"]), default="system", help="What box tells apart.")
@click.option("--item", metavar="NAME", help="The item to draw, where there are several.")
@weight_option("Weight of a pair, of curves and coverages", SHAPE_WEIGHTS)
@class_names_option
@click.option("--ids", metavar="TRUE,PRED", help="The segments that plot pair draws.")
@rule_options
@pair_reading_options
@click.pass_context
def command(ctx: click.Context, /, kind: str, files: tuple[Path, ...], **options: Any) -> None:
    """Draw a figure of runs, or a plot of two segmentations, of one of these kinds."""
    given = {name for name in options if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE}
    kinds = kind.split(",")
    if unknown := [name for name in kinds if name not in (*RUN_KINDS, *KINDS, SWEEP)]:
        raise OptionError(f"there is no plot {unknown[0]!r}; expected one of {', '.join((*RUN_KINDS, *KINDS, SWEEP))}")
    of_runs = [name for name in kinds if name in RUN_KINDS]
    if len(of_runs) < len(kinds) and (of_runs or len(kinds) > 1):
        raise OptionError(f"{kind} draws two segmentations and runs, or several plots of segmentations; draw one")
    for name, takers in {**TAKES, **RUN_OPTIONS, "class_names": RUN_KINDS}.items():
        takers = (*takers, *KINDS, SWEEP) if name == "item" else takers
        if name in given and not set(kinds) & set(takers):
            option = name.replace("_", "-")
            raise OptionError(f"--{option} has no effect on plot {kind}; it is for plot {', '.join(takers)}")
    if options["output"].suffix.lower() not in ENDINGS:
        raise OptionError(f"--output is {options['output']}; a plot is saved as {', '.join(ENDINGS)}")
    targets = {"--output": str(options["output"])} | ({"--data": str(options["data"])} if options["data"] else {})
    check_outputs(list(files), targets)
    picture = _figure(kinds, files, options) if of_runs else _of_pair(kind, files, options)
    if options["data"] is not None:
        if picture.data is None:
            raise OptionError(f"--data writes the rows of one figure of runs; plot {kind} has none")
        options["data"].write_text(as_csv(picture.data), encoding="utf-8")
    paper = {"width_cm": options["width"], "font": options["font"], "title": not options["no_title"]}
    picture.save(options["output"], **paper)
    console().print(str(options["output"]), soft_wrap=True, markup=False)


def _figure(kinds: list[str], files: tuple[Path, ...], options: Mapping[str, Any]) -> Picture:
    """Draw one figure of runs, or several side by side."""
    drawn = []
    with ExitStack() as opened:
        runs = [opened.enter_context(opened_run(file, options)) for file in files]
        for kind in kinds:
            own = {name: options[name] for name, takers in RUN_OPTIONS.items() if kind in takers and options[name]}
            drawn.append(getattr(plots, kind.replace("-", "_"))(*runs, **own))
    return drawn[0] if len(drawn) == 1 else plots.figure(*drawn)


def _of_pair(kind: str, files: tuple[Path, ...], options: dict[str, Any]) -> Picture:
    """Draw a plot of two segmentations."""
    if len(files) != 2:
        raise OptionError(f"plot {kind} takes TRUE and PRED; found {len(files)} files")
    pairs, same = item_pairs(*files, options)
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
        return sweep_plot(boundary_sweep(*sides, **same))
    ((_, true_side, pred_side),) = loaded(pairs)
    return KINDS[kind](true_side, pred_side, options, same)
