"""``segmetry diagnose RUN``: aligned segments, classes of elements, or detections with scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from segmetry.alignments import BySize
from segmetry.cli.console import Screen, as_json, check_outputs, new_folder, write_outputs, write_text
from segmetry.cli.options.option_groups import (
    class_names_option,
    count_option,
    folder_option,
    json_target,
    opened_run,
    partial_option,
    sizes_option,
    text_target,
)
from segmetry.cli.options.reading_command import SectionedCommand
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.diagnosis import (
    AVERAGES,
    ClassConfusions,
    DetectionErrors,
    Diagnosis,
    class_confusions,
    detection_errors,
    diagnose,
    diagnosis_tables,
    errors_table,
    has_detections_only,
)
from segmetry.errors import OptionError
from segmetry.metrics import METRICS
from segmetry.outputs import Picture, budget_plot, confusion_matrix_plot, confusion_plot, recall_pictures, sizes_plot
from segmetry.results import ResultTable, as_csv, number, percent, signed
from segmetry.run import Run

EXAMPLES = """
\b
Examples:
  segmetry diagnose run.segm
  segmetry diagnose run.segm --rule theta_plus --plots plots
  segmetry diagnose run.segm --errors errors.csv
  segmetry diagnose run.segm --json - | jq .individually.split.scores.pq
"""


def size_bins(text: str | None) -> BySize | None:
    """Parse bins of sizes such as ``1024,9216``."""
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
@class_names_option
@count_option("--top", "Classes and confusions shown.", 10)
@json_target
@text_target("csv", "one row per kind of error, metric and part")
@text_target("errors", "every single error with its cost as CSV, and show the costliest")
@folder_option("--plots", "Write the plots as SVG into this folder.")
def command(path: Path, **options: Any) -> None:
    """Analyse the errors of a run: how much scores gain if all errors of one kind are fixed.

    Kinds: segments of a wrong class, split, merged, missed, spurious, and boundaries of matched pairs. Every kind is
    fixed individually, and cumulatively after all kinds above; then every score is 1. Only the run file is read.

    For detections with scores (COCO instances, LVIS) the kinds are classification, localisation, both, duplicate,
    background and missed, and the score is AP50; the plots are precision over recall.

    With --errors every single error is listed, of recordings, texts and videos too: what it is, where, and how many
    points of the headline the run gains if it alone is fixed.

    For classes of elements (semantic, Cityscapes, nnU-Net, …) it lists which confusions of classes cost how much mean
    IoU; the plot is the confusion matrix.
    """
    check_outputs([path], {f"--{name}": options[f"{name}_to"] for name in ("json", "csv", "errors")})
    run = opened_run(path, options)
    if options["errors_to"]:
        _show_errors(run, options)
        return
    without_segments = show_detections if has_detections_only(run) else show_classes if is_semantic(run) else None
    if without_segments is not None:
        without_segments(run, path, options)
        return
    same = {name: options[name] for name in ("rule", "policy", "classes", "partial")}
    diagnosis = diagnose(run, sizes=size_bins(options["sizes"]), **same)
    pictures = _diagnosis_pictures(diagnosis, path.stem) if options["plots"] else {}
    if pictures:
        new_folder(options["plots"])
    write_outputs(options, lambda: {"run": str(path), **diagnosis.to_dict()}, diagnosis.rows, "diagnosis")
    for name, picture in pictures.items():
        write_text(str(options["plots"] / name), picture.svg)
    if "-" not in (options["json_to"], options["csv_to"]):
        screen = Screen()
        screen.show(diagnosis_tables(diagnosis, top=options["top"]))
        for name in pictures:
            screen.line(str(options["plots"] / name), wrap=False)


def _show_errors(run: Run, options: Mapping[str, Any]) -> None:
    errors = run.errors(partial=options["partial"])
    write_text(options["errors_to"], as_csv(errors.rows()))
    if options["errors_to"] != "-":
        Screen().table(errors_table(errors, options["top"]))


def _diagnosis_pictures(diagnosis: Diagnosis, system: str) -> dict[str, Picture]:
    averages = [name for name in AVERAGES if diagnosis.base.scores["pq"].find(name) is not None]
    pictures = {f"budget_{name}.svg": budget_plot(diagnosis, name, system=system) for name in averages}
    pictures["budget_sizes.svg"] = sizes_plot(diagnosis, system=system)
    if diagnosis.confusion:
        pictures["confusion.svg"] = confusion_plot(diagnosis)
    return pictures


def is_semantic(run: Run) -> bool:
    """Return whether the protocol of a run ranks by a metric of classes of elements."""
    return run.protocol is not None and METRICS[run.protocol.headline_cell.metric].family == "semantic"


def show_classes(run: Run, path: Path, options: Mapping[str, Any]) -> None:
    """Print the costliest confusions and write the files that were asked for."""
    for name in ("rule", "policy", "classes", "sizes"):
        if options[name]:
            raise OptionError(
                f"--{name} is about aligned segments, but {path} is a run of classes, which are not aligned"
            )
    found = class_confusions(run, partial=options["partial"])
    if options["plots"]:
        new_folder(options["plots"])
        picture = confusion_matrix_plot(run.confusion_matrix())
        write_text(str(options["plots"] / "confusion_matrix.svg"), picture.svg)
    if options["json_to"]:
        write_text(options["json_to"], as_json({"run": str(path), **found.to_dict()}, "confusions"))
    if options["csv_to"]:
        write_text(options["csv_to"], as_csv(found.rows()))
    if "-" not in (options["json_to"], options["csv_to"]):
        screen = Screen()
        for table in (kinds_table(found), confusions_table(found, options["top"])):
            screen.table(table)
        if options["plots"]:
            screen.line(str(options["plots"] / "confusion_matrix.svg"), wrap=False)


def kinds_table(found: ClassConfusions) -> ResultTable:
    """Return what all confusions of a kind cost together."""
    sums = {kind: sum(each.elements for each in found.confusions if each.kind == kind) for kind in found.gains}
    text = found.cell.text
    rows = [(kind, sums[kind], text(gain, sign=True)) for kind, gain in found.gains.items() if sums[kind]]
    return ResultTable(f"mIoU is {text(found.mean_iou)}; gain if fixed", ("kind", "elements", "mIoU gain"), rows)


def confusions_table(found: ClassConfusions, top: int) -> ResultTable:
    """Return the costliest confusions."""
    rows = []
    for row in found.rows()[:top]:
        name, gain = f"{row['true']} → {row['pred']}", found.cell.text(row["gain"], sign=True)
        rows.append((name, row["elements"], percent(row["share_of_true"]), gain))
    return ResultTable("costliest confusions", ("true → pred", "elements", "of the true class", "mIoU gain"), rows)


def show_detections(run: Run, path: Path, options: Mapping[str, Any]) -> None:
    """Print the errors by kind and write the files that were asked for."""
    for name in ("rule", "policy", "classes", "sizes", "csv_to"):
        if options[name]:
            flag = "--" + name.removesuffix("_to")
            raise OptionError(
                f"{flag} is about aligned segments, but {path} has only detections with scores, which are not aligned"
            )
    run.check_complete(partial=options["partial"])
    errors = detection_errors(run)
    pictures = recall_pictures(run) if options["plots"] else {}
    if pictures:
        new_folder(options["plots"])
    for name, picture in pictures.items():
        write_text(str(options["plots"] / name), picture.svg)
    if options["json_to"]:
        write_text(options["json_to"], as_json({"run": str(path), **errors.to_dict()}, "detection_errors"))
    if options["json_to"] != "-":
        screen = Screen()
        screen.table(detection_errors_table(errors))
        for name in pictures:
            screen.line(str(options["plots"] / name), wrap=False)


def detection_errors_table(errors: DetectionErrors) -> ResultTable:
    """Return one row per kind of error: how many there are, and how much AP gains if they are fixed."""
    rows = [(kind, errors.counts[kind], signed(gain)) for kind, gain in errors.gains.items()]
    title = f"errors of detections; AP at IoU {number(errors.threshold, 2)} is {number(errors.average_precision)}"
    return ResultTable(title, ("kind", "errors", "AP gain if fixed"), rows)
