"""``segmetry demo``: write the data of the demo, evaluate two systems on it, and write their reports."""

from __future__ import annotations

from pathlib import Path

import click

from segmetry.cli.console import Screen, new_folder
from segmetry.cli.progress import progress, report_progress
from segmetry.cli.score_output import print_scores, scores_of
from segmetry.comparison import compare, under_rules, verdict_sentence
from segmetry.evaluation import evaluate
from segmetry.report import write_report
from segmetry.samples import write_demo

SYSTEMS = ("fern", "moss")
TITLE = "40 street scenes"


@click.command(name="demo", epilog="\b\nExample:\n  segmetry demo -o demo")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("demo"), show_default=True,
    help="Folder for the data, the runs and the reports.",
)  # fmt: skip
def command(output: Path) -> None:
    """Score two systems on 40 street scenes that ship with segmetry. Needs no input.

    The folder gets the photographs, the true masks and those of both systems, a volume, recordings and texts to try
    other commands on, a run file for each system, and the reports report.html and comparison.html.
    """
    folder = new_folder(output)
    write_demo(folder)
    with progress() as bar:
        runs = [
            evaluate(
                folder / "truth.json", folder / f"{name}.json", out=folder / f"{name}.segm", force=True, progress=bar
            )
            for name in SYSTEMS
        ]
    with report_progress() as on_stage:
        for name, shown in (("report", runs[:1]), ("comparison", runs)):
            title = f"{TITLE}: {', '.join(SYSTEMS[: len(shown)])}"
            write_report(shown, folder / f"{name}.html", title=title, images=folder / "images", progress=on_stage)
    first = under_rules(runs[0], [runs[0].settings.rule])
    print_scores(first, [scores_of(first)], key=runs[0].headline)
    screen = Screen()
    screen.line(verdict_sentence(compare(*runs, names=SYSTEMS)), bold=True)
    screen.line(f"Wrote {folder}: fern.segm, moss.segm, report.html, comparison.html, and data of ten fields")
    screen.line(f"Next: open {folder / 'report.html'} in a browser, or", wrap=False)
    screen.line(f"  segmetry compare {folder / 'fern.segm'} {folder / 'moss.segm'}", wrap=False)
    screen.line(f"  segmetry score {folder}/recording/truth.rttm {folder}/recording/fern.rttm", wrap=False)
