"""``segmetry demo``: evaluate the built-in sample."""

from __future__ import annotations

from pathlib import Path

import click

from segmetry.cli.console import as_json, new_folder, write_text
from segmetry.cli.score_output import print_scores, scores_of
from segmetry.comparison import document, under_rules
from segmetry.evaluation import evaluate
from segmetry.samples import street, texts

RULES = ("theta_plus", "theta_and")
STREET = "a street scene, 14 true segments in 6 classes"
TEXTS = "two texts, cut into topics by an editor and by a program"


@click.command(name="demo", epilog="\b\nExample:\n  segmetry demo -o demo-output")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("segmetry-demo"), show_default=True,
    help="Folder for report.html, texts.html and scores.json.",
)  # fmt: skip
def command(output: Path) -> None:
    """Evaluate the built-in sample: an image with classes and two texts. Needs no input."""
    folder = new_folder(output)
    true, pred = street()
    image = evaluate({"street": true}, {"street": pred}, also=RULES[1:], metrics="panoptic,graph")
    true_texts, pred_texts = ({item.name: item.load() for item in side} for side in texts())
    lines = evaluate(true_texts, pred_texts, also=RULES[1:], metrics="pq,rq,pk,window_diff,boundary_f1")
    images, line_scores = under_rules(image, RULES), under_rules(lines, RULES)

    for by_rule, title in ((images, f"Image: {STREET}"), (line_scores, f"Text: {TEXTS}")):
        print_scores(by_rule, [scores_of(by_rule)], key="pq", title=title)
        click.echo()

    data = {"street": document(images), "texts": document(line_scores)}
    write_text(str(folder / "scores.json"), as_json(data))
    image.report(folder / "report.html", title=f"Segmetry demo: {STREET}")
    lines.report(folder / "texts.html", title=f"Segmetry demo: {TEXTS}")
    click.echo(f"Wrote {folder / 'report.html'}, {folder / 'texts.html'} and {folder / 'scores.json'}")
    click.echo(f"Next: open {folder / 'report.html'} in a browser")
