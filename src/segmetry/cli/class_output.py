"""What ``segmetry diagnose`` shows of classes of elements: which confusions cost how much mean IoU."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from segmetry.cli.console import as_json, new_folder, write_text
from segmetry.cli.screen import Screen
from segmetry.diagnosis import ClassConfusions, class_confusions
from segmetry.errors import OptionError
from segmetry.metrics import METRICS
from segmetry.outputs import confusion_matrix_plot
from segmetry.results import ResultTable, as_csv, number, percent, signed
from segmetry.run import Run


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
        write_text(options["json_to"], as_json({"run": str(path), **found.as_dict()}))
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
    rows = [(kind, sums[kind], signed(gain)) for kind, gain in found.gains.items()]
    return ResultTable(f"mIoU is {number(found.mean_iou)}; gain if fixed", ("kind", "elements", "mIoU gain"), rows)


def confusions_table(found: ClassConfusions, top: int) -> ResultTable:
    """Return the costliest confusions."""
    rows = [
        (f"{row['true']} → {row['pred']}", row["elements"], percent(row["share_of_true"]), signed(row["gain"]))
        for row in found.rows()[:top]
    ]
    return ResultTable("costliest confusions", ("true → pred", "elements", "of the true class", "mIoU gain"), rows)
