"""Draw the pictures of the guides and write the live report of the landing page, while the site is built.

All are made from the made-up data of :mod:`_samples` and the sample that segmetry contains, so they show what the
commands of the pages print, and none has to be kept in the repository.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import segmetry as sm
from segmetry.comparison.rules_of_run import two_alignments
from segmetry.outputs.plots.budget_plot import budget_plot, confusion_plot, sizes_plot
from segmetry.outputs.plots.comparison_plots import comparison_plots, rules_plot
from segmetry.outputs.plots.curve_plot import curve_plot
from segmetry.outputs.plots.iou_plots import iou_plot
from segmetry.outputs.plots.map_images import map_picture
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.precision_recall_plot import precision_recall_plot
from segmetry.outputs.plots.sensitivity_plot import sensitivity_plot
from segmetry.report.page import write_report
from segmetry.samples.shipped import street

from _samples import coco_panoptic

SYSTEMS = ("first", "second")
TITLE = "segmetry: two systems on 40 street scenes"
IMAGES = 40


def write_pictures(figures: Path, demo: Path) -> None:
    """Write every picture into one folder and the live report into another."""
    for folder in (figures, demo):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = scored_systems(folder)
        write_report(runs, demo / "report.html", title=TITLE, maps="all")
        for file, picture in _pictures(runs, folder):
            (figures / f"{file}.svg").write_text(picture.svg, encoding="utf-8")
    true, pred = street()
    for side in ("precision", "recall"):
        map_picture(sm.maps(true, pred), side).save(figures / f"{side}_map.png")


def scored_systems(folder: Path) -> list[sm.Run]:
    """Draw the data set in a folder, and return the runs of its two systems."""
    coco_panoptic(folder, images=IMAGES)
    return [
        sm.evaluate(
            folder / "truth.json", folder / f"{name}.json", protocol="coco-panoptic", out=folder / f"{name}.segm"
        )
        for name in SYSTEMS
    ]


def _pictures(runs: list[sm.Run], folder: Path) -> Iterator[tuple[str, Picture]]:
    diagnosis = sm.diagnose(runs[1])
    yield "budget", budget_plot(diagnosis, system=SYSTEMS[1])
    yield "budget_sizes", sizes_plot(diagnosis, system=SYSTEMS[1])
    yield "confused_classes", confusion_plot(diagnosis)
    yield "differences", comparison_plots(sm.compare(*runs))["differences"]
    yield "rules", rules_plot(sm.rule_sensitivity(*runs, resamples=1000))
    yield "pair_ious", iou_plot(two_alignments(runs[1], "theta_plus", "theta_and"))
    yield "sensitivity", sensitivity_plot(sm.sensitivity(folder / "truth.json", folder / "second.json"))
    true, pred = street()
    yield "curves", curve_plot(sm.curves(true, pred))
    yield "segments", precision_recall_plot(true, pred)
