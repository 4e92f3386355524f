"""Draw the pictures of the guides and write the live report of the landing page, while the site is built.

All are made from the data of ``segmetry demo`` and the small sample that segmetry contains, so they show what its
commands print, and none has to be kept in the repository.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _gallery import write_gallery
from _landing import write_landing
from _tries import HERE, SCENES

import segmetry as sm
from segmetry.comparison.rules_of_run import two_alignments
from segmetry.outputs.plots.budget_plot import budget_plot, confusion_plot, sensitivity_plot, sizes_plot
from segmetry.outputs.plots.comparison_plots import comparison_plots, iou_plot, rules_plot
from segmetry.outputs.plots.curve_plot import curve_plot
from segmetry.outputs.plots.map_images import map_picture
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.precision_recall_plot import precision_recall_plot
from segmetry.report.page import write_report
from segmetry.samples.shipped import street, write_demo

SYSTEMS = ("moss", "fern")
TITLE = "segmetry: two systems on 40 street scenes"


def write_pictures(figures: Path, extra: Path) -> None:
    """Write every picture into one folder; the front page's pictures and the live report into another."""
    demo = extra / "demo"
    for folder in (figures, demo):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = scored_systems(folder)
        write_report(runs[::-1], demo / "report.html", title=TITLE, maps="all", images=folder / "images")
        for file, picture in _pictures(runs, folder):
            (figures / f"{file}.svg").write_text(picture.svg, encoding="utf-8")
        shutil.copytree(SCENES / "detections", folder / "detections")
        write_gallery(HERE / "gallery.md", extra / "plots", folder)
        landing = write_landing(extra / "landing", runs[1])
    (figures / "landing.html").write_text(landing, encoding="utf-8")
    (figures / "table_1.svg").write_text(table_one(), encoding="utf-8")
    true, pred = street()
    for side in ("precision", "recall"):
        map_picture(sm.maps(true, pred), side).save(figures / f"{side}_map.png")


def scored_systems(folder: Path) -> list[sm.Run]:
    """Write the data of the demo into a folder, and return the runs of its two systems."""
    write_demo(folder)
    return [
        sm.evaluate(
            folder / "truth.json", folder / f"{name}.json", protocol="coco-panoptic", out=folder / f"{name}.segm"
        )
        for name in SYSTEMS
    ]


def table_one() -> str:
    """Return Table 1 of Van Heusden and Marx 2024: three objects, and matches with too little overlap, with enough for
    majority overlap, and with enough for IoU > 0.5 too.
    """
    rows, columns = np.mgrid[:60, :90]
    objects = (
        (rows - 26) ** 2 + (columns - 36) ** 2 < 20**2,
        (abs(rows - 28) < 14) & (abs(columns - 40) < 26),
        ((abs(rows - 36) < 8) & (abs(columns - 36) < 26)) | ((abs(rows - 22) < 18) & (abs(columns - 18) < 8)),
    )
    parts, width, height = [], 0.0, 0.0
    for true in objects:
        found: dict[int, list[tuple[sm.OverlapTable, Any, Any]]] = {}
        row = 0.0
        for shift in range(30):
            pred = np.roll(true, (shift // 3, shift), (0, 1))
            table = sm.overlap(sm.LabelArray(true.astype(int)), sm.LabelArray(pred.astype(int)))
            held = [len(table.align(rule)) for rule in ("theta_and", "theta_plus")]
            found.setdefault(sum(held), []).append((table, true.astype(int), pred.astype(int)))
        for place in range(3):
            table, *sides = found[place][len(found[place]) // 2 if place else 0]
            picture = table.align("theta_and").draw((1, 1), *sides)
            x, y = place * (picture.width + 8), height
            parts.append(picture.svg.replace("<svg ", f'<svg x="{x:g}" y="{y + 30:g}" ', 1))
            width, row = max(width, x + picture.width), max(row, picture.height)
        height += row
    names = ("not enough overlap", "necessary and sufficient overlap", "sufficient overlap")
    heads = "".join(
        f'<text x="{14 + place * width / 3:g}" y="20" font-size="15" font-weight="bold">{name}</text>'
        for place, name in enumerate(names)
    )
    size = f'width="{width:g}" height="{height + 30:g}" viewBox="0 0 {width:g} {height + 30:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif">'
    return f'{head}<rect width="100%" height="100%" fill="#ffffff"/>{heads}{"".join(parts)}</svg>'


def _pictures(runs: list[sm.Run], folder: Path) -> Iterator[tuple[str, Picture]]:
    diagnosis = sm.diagnose(runs[1])
    yield "budget", budget_plot(diagnosis, system=SYSTEMS[1])
    yield "budget_sizes", sizes_plot(diagnosis, system=SYSTEMS[1])
    yield "confused_classes", confusion_plot(diagnosis)
    yield "differences", comparison_plots(sm.compare(*runs[::-1]))["differences"]
    yield "rules", rules_plot(sm.rule_sensitivity(*runs[::-1], resamples=1000))
    yield "pair_ious", iou_plot(two_alignments(runs[1], "theta_plus", "theta_and"))
    yield "sensitivity", sensitivity_plot(sm.sensitivity(folder / "truth.json", folder / "fern.json"))
    true, pred = street()
    yield "curves", curve_plot(sm.curves(true, pred))
    yield "segments", precision_recall_plot(true, pred)
