"""What ``segmetry diagnose`` shows of detections with scores: their errors by kind, and precision over recall."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry.cli.console import as_json, console, new_folder, write_text
from segmetry.diagnosis.detection_errors import DetectionErrors, detection_errors
from segmetry.diagnosis.recall_curves import KEY, recall_curves
from segmetry.errors import OptionError
from segmetry.metrics.detection.detection_options import SIZES, as_criteria
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.recall_plot import recall_plot
from segmetry.outputs.tables.plain_table import PlainTable, as_rich
from segmetry.run.run import Run

MOST_CLASSES = 10


def has_detections_only(run: Run) -> bool:
    """Return whether a run has average precision and no metric of an alignment."""
    return any(metric.key == KEY for metric in run.metrics) and not any(
        metric.depends_on_rule for metric in run.metrics
    )


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
        write_text(options["json_to"], as_json({"run": str(path), **errors.as_dict()}))
    if options["json_to"] != "-":
        screen = console()
        screen.print(as_rich(errors_table(errors)))
        for name in pictures:
            screen.print(str(options["plots"] / name), soft_wrap=True, markup=False)


def errors_table(errors: DetectionErrors) -> PlainTable:
    """Return one row per kind of error: how many there are, and how much AP gains if they are fixed."""
    rows = [(kind, str(errors.counts[kind]), f"{gain:+.4f}") for kind, gain in errors.gains.items()]
    title = f"errors of detections; AP at IoU {errors.threshold:.2f} is {errors.average_precision:.4f}"
    return PlainTable(title, ("kind", "errors", "AP gain if fixed"), rows)


def recall_pictures(run: Run) -> dict[str, Picture]:
    """Return precision over recall by threshold, by size and of the classes of lowest AP, by file name."""
    curves = recall_curves(run)
    options = run.columns.accumulated[KEY].options
    criteria = as_criteria(options.get("rule"), options.get("thresholds"))
    pictures: dict[str, Picture] = {}
    if curves.names:
        mean = curves.precision.mean(axis=0)
        by_threshold = {f"IoU {criterion.least:.2f}": mean[at] for at, criterion in enumerate(criteria)}
        pictures["recall_thresholds.svg"] = recall_plot(by_threshold, "precision over recall, mean over classes")
        order = curves.average_precision.mean(axis=1).argsort(kind="stable")[:MOST_CLASSES].tolist()
        names = {curves.names[at]: curves.precision[at].mean(axis=0) for at in order}
        by_class = {run.class_names.get(name, str(name)): line for name, line in names.items()}
        pictures["recall_classes.svg"] = recall_plot(by_class, "classes of lowest AP, mean over thresholds")
    by_size = {size: recall_curves(run, size=size) for size in SIZES}
    sized = {size: own.precision.mean(axis=(0, 1)) for size, own in by_size.items() if own.names}
    if sized:
        pictures["recall_sizes.svg"] = recall_plot(sized, "precision over recall by size")
    return pictures
