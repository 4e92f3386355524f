"""``segmetry diagnose RUN``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.alignments import BySize
from segmetry.cli.class_output import is_semantic, show_classes
from segmetry.cli.console import check_outputs, new_folder, write_outputs, write_text
from segmetry.cli.detection_output import show_detections
from segmetry.cli.options.help_sections import SectionedCommand
from segmetry.cli.options.option_groups import (
    count_option,
    folder_option,
    json_target,
    partial_option,
    sizes_option,
    text_target,
)
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.cli.screen import Screen
from segmetry.diagnosis import AVERAGES, Diagnosis, diagnose, diagnosis_tables, has_detections_only
from segmetry.errors import OptionError
from segmetry.outputs import Picture, budget_plot, confusion_plot, sizes_plot
from segmetry.run import Run

EXAMPLES = """
\b
Examples:
  segmetry diagnose run.segm
  segmetry diagnose run.segm --rule theta_plus --plots plots
  segmetry diagnose run.segm --json - | jq .individually.split.scores.pq
"""


def size_bins(text: str | None) -> BySize | None:
    """Parse bins of sizes such as ``1024,9216``.

    >>> size_bins("100,1000").edges
    (100, 1000)
    """
    if text is None:
        return None
    try:
        return BySize(tuple(int(edge) for edge in text.split(",")))
    except ValueError as problem:
        if isinstance(problem, OptionError):
            raise
        raise OptionError(f"--sizes is {text!r}; expected increasing integers such as 1024,9216") from None


@click.command(name="diagnose", cls=SectionedCommand, epilog=EXAMPLES)
@click.argument("path", metavar="RUN", type=click.Path(path_type=Path))
@scoring_option("rule", "the run's own")
@scoring_option("policy", "the run's own")
@scoring_option("classes", "as in the run")
@sizes_option
@partial_option
@count_option("--top", "Classes and confusions shown.", 10)
@json_target
@text_target("csv", "one row per kind of error, metric and part")
@folder_option("--plots", "Write the plots as SVG into this folder.")
def command(path: Path, **options: Any) -> None:
    """Analyse the errors of a run: how much scores gain if all errors of one kind are fixed.

    Kinds: segments of a wrong class, split, merged, missed, spurious, and boundaries of matched pairs. Every kind is
    fixed individually, and cumulatively after all kinds above; then every score is 1. Only the run file is read.

    For detections with scores (COCO instances, LVIS) the kinds are classification, localisation, both, duplicate,
    background and missed, and the score is AP50; the plots are precision over recall.

    For classes of elements (semantic, Cityscapes, nnU-Net, …) it lists which confusions of classes cost how much mean
    IoU; the plot is the confusion matrix.
    """
    check_outputs([path], {"--json": options["json_to"], "--csv": options["csv_to"]})
    run = Run.open(path)
    without_segments = show_detections if has_detections_only(run) else show_classes if is_semantic(run) else None
    if without_segments is not None:
        without_segments(run, path, options)
        return
    same = {name: options[name] for name in ("rule", "policy", "classes", "partial")}
    diagnosis = diagnose(path, sizes=size_bins(options["sizes"]), **same)
    pictures = _pictures(diagnosis, path.stem) if options["plots"] else {}
    if pictures:
        new_folder(options["plots"])
    write_outputs(options, lambda: {"run": str(path), **diagnosis.as_dict()}, diagnosis.rows)
    for name, picture in pictures.items():
        write_text(str(options["plots"] / name), picture.svg)
    if "-" not in (options["json_to"], options["csv_to"]):
        screen = Screen()
        screen.show(diagnosis_tables(diagnosis, top=options["top"]))
        for name in pictures:
            screen.line(str(options["plots"] / name), wrap=False)


def _pictures(diagnosis: Diagnosis, system: str) -> dict[str, Picture]:
    averages = [name for name in AVERAGES if diagnosis.base.scores["pq"].find(name) is not None]
    pictures = {f"budget_{name}.svg": budget_plot(diagnosis, name, system=system) for name in averages}
    pictures["budget_sizes.svg"] = sizes_plot(diagnosis, system=system)
    if diagnosis.confusion:
        pictures["confusion.svg"] = confusion_plot(diagnosis)
    return pictures
