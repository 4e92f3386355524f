"""The gallery: every plot with the lines that draw it, and every protocol with its command, all executed."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from _task_tables import CLAIMS, OTHER, protocols_by_task
from _tries import tried

import segmetry as sm

from _live import picture_of


class Plot(NamedTuple):
    """A plot: its file, what it shows, the lines that draw it, and the command that does, where there is one."""

    name: str
    shows: str
    lines: str
    command: str = ""


PLOTS: Sequence[Plot] = (
    Plot(
        "box",
        "Scores of the items of two systems",
        'sm.plots.box("fern.segm", "moss.segm")',
        "box fern.segm moss.segm",
    ),
    Plot(
        "box_classes",
        "Scores of every class",
        'sm.plots.box("fern.segm", "moss.segm", by="class")',
        "box fern.segm moss.segm --by class",
    ),
    Plot("f1", "F1 over IoU", 'sm.plots.f1("fern.segm", "moss.segm")', "f1 fern.segm moss.segm"),
    Plot("budget", "What errors cost", 'sm.plots.budget("fern.segm")', "budget fern.segm"),
    Plot("confusion", "Confused classes", 'sm.plots.confusion("fern.segm")', "confusion fern.segm"),
    Plot("sizes", "Sizes of segments", 'sm.plots.sizes("fern.segm", "moss.segm")', "sizes fern.segm moss.segm"),
    Plot("overlay", "Truth, prediction, errors", 'sm.plots.overlay("fern.segm")', "overlay fern.segm"),
    Plot("recall", "Precision and recall of items", 'sm.plots.recall("fern.segm")', "recall fern.segm"),
    Plot(
        "detections",
        "Precision over recall of detections",
        'run = sm.evaluate("detections/truth.json", "detections/one-invented,-sure.json", protocol="coco-instances")\n'
        "sm.plots.recall(run)",
    ),
    Plot(
        "differences",
        "Differences with intervals",
        'sm.plots.differences("fern.segm", "moss.segm")',
        "differences fern.segm moss.segm",
    ),
    Plot(
        "ranks",
        "Ranks under resampling",
        'sm.plots.ranks("fern.segm", "moss.segm", "third.segm")',
        "ranks fern.segm moss.segm third.segm",
    ),
    Plot(
        "critical_difference",
        "Mean ranks of three systems",
        'sm.plots.critical_difference("fern.segm", "moss.segm", "third.segm")',
        "critical-difference fern.segm moss.segm third.segm",
    ),
    Plot(
        "figure",
        "One figure of several plots",
        'sm.plots.figure(sm.plots.box("fern.segm"), sm.plots.f1("fern.segm"))',
        "box,f1 fern.segm",
    ),
    Plot(
        "look",
        "Two arrays of any kind",
        'sm.look(*(sm.read(f"cells/{side}/nuclei_03.png") for side in ("truth", "fern")))',
    ),
    Plot(
        "curves",
        "Scores over any weight",
        'sm.curve_plot(sm.curves("cells/truth/nuclei_03.png", "cells/fern/nuclei_03.png"))',
        "curves cells/truth/nuclei_03.png cells/fern/nuclei_03.png",
    ),
    Plot(
        "coverages",
        "Pairs by their two coverages",
        'sm.coverage_plot("cells/truth/nuclei_03.png", "cells/fern/nuclei_03.png")',
        "coverages cells/truth/nuclei_03.png cells/fern/nuclei_03.png",
    ),
    Plot(
        "segments",
        "Every true segment",
        'sm.precision_recall_plot("cells/truth/nuclei_03.png", "cells/fern/nuclei_03.png")',
        "precision-recall cells/truth/nuclei_03.png cells/fern/nuclei_03.png",
    ),
    Plot(
        "bars",
        "Lines side by side",
        'sm.draw_bars({"true": sm.Spans.from_masses([10, 14, 8, 16]), "pred": sm.Spans.from_masses([11, 13, 24])})',
    ),
)


def write_gallery(page: Path, figures: Path, folder: Path) -> None:
    """Draw every plot in a folder with the runs and files of the demo, and write the page."""
    sm.evaluate(folder / "truth.json", folder / "truth.json", protocol="coco-panoptic", out=folder / "third.segm")
    figures.mkdir(parents=True, exist_ok=True)
    cards = []
    for plot in PLOTS:
        with contextlib.chdir(folder):
            svg = picture_of(plot.lines, {"sm": sm})
        (figures / f"{plot.name}.svg").write_text(svg, encoding="utf-8")
        cards.append(_plot_card(plot))
    lines = [
        "---",
        "hide-toc: true",
        "---",
        "# Gallery",
        "",
        "Every plot with the lines that draw it, on the runs that `segmetry demo` writes, and every protocol with an",
        'example. `picture.save("figure.pdf", width_cm=8.5, font="DejaVuSans", title=False)` writes one for a paper,',
        "`picture.data.to_pandas()` is the data frame behind it, `sm.plots.figure(…)` puts several into one.",
        "",
        "## Plots",
        "",
        '```{raw} html\n<div class="plots">',
        *cards,
        "</div>\n```",
        "",
        "## Protocols",
        "",
        *_protocol_cards(),
    ]
    page.write_text("\n".join(lines), encoding="utf-8")


def _plot_card(plot: Plot) -> str:
    command = f"\n\n$ segmetry plot {plot.command} -o {plot.name}.svg" if plot.command else ""
    return (
        f'<details class="plot"><summary><img src="plots/{plot.name}.svg" alt="{escape(plot.shows)}" loading="lazy">'
        f"<b>{escape(plot.shows)}</b></summary>"
        f'<div class="highlight"><pre>{escape(plot.lines + command)}</pre></div></details>'
    )


def _protocol_cards() -> list[str]:
    """Return a card for every protocol, task by task, with its picture, its command and what it prints."""
    lines = []
    tasks = protocols_by_task()
    for task in (*CLAIMS, OTHER):
        cards = []
        for protocol in tasks[task]:
            found = tried(protocol.name)
            cards.append(
                f'<details class="plot"><summary><img src="scenes/{found.picture}" alt="" loading="lazy">'
                f"<b>{protocol.name}</b><span>{escape(protocol.field)}</span></summary>"
                f"<pre>$ {escape(found.command)}\n{escape(found.output)}</pre>"
                f'<p><a href="protocols/{protocol.name}.html">decisions, reference, paper</a></p></details>'
            )
        if cards:
            lines += [f"### {task.capitalize()}", "", '```{raw} html\n<div class="plots">', *cards, "</div>\n```", ""]
    return lines
