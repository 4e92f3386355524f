"""What ``segmetry diagnose`` shows of detections with scores: their errors by kind, and precision over recall."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry.cli.console import as_json, new_folder, write_text
from segmetry.cli.screen import Screen
from segmetry.diagnosis import DetectionErrors, detection_errors
from segmetry.errors import OptionError
from segmetry.outputs import recall_pictures
from segmetry.results import ResultTable, number, signed
from segmetry.run import Run


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
        screen = Screen()
        screen.table(errors_table(errors))
        for name in pictures:
            screen.line(str(options["plots"] / name), wrap=False)


def errors_table(errors: DetectionErrors) -> ResultTable:
    """Return one row per kind of error: how many there are, and how much AP gains if they are fixed."""
    rows = [(kind, errors.counts[kind], signed(gain)) for kind, gain in errors.gains.items()]
    title = f"errors of detections; AP at IoU {number(errors.threshold, 2)} is {number(errors.average_precision)}"
    return ResultTable(title, ("kind", "errors", "AP gain if fixed"), rows)
