"""``segmetry demo``: the shipped sample, evaluated in full."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import segmetry as sm
from segmetry.cli.writing import as_json, console, new_folder, write_text
from segmetry.evaluation import evaluate
from segmetry.outputs.bars import draw_bars
from segmetry.outputs.canvas import png_file
from segmetry.outputs.curve_plot import curve_plot
from segmetry.outputs.map_images import map_picture
from segmetry.outputs.matched_images import matched_images
from segmetry.outputs.page import Page
from segmetry.outputs.precision_recall_plot import precision_recall_plot
from segmetry.outputs.terminal import classes_table, number, scores_table, short_rule, summary_table
from segmetry.readers.reader import Item
from segmetry.samples import street, texts
from segmetry.scoring import Scores
from segmetry.segmentation import LabelArray, Spans
from segmetry.side_by_side import UnderRule, document, under_rules

RULES = ("theta_and", "theta_plus")
STREET = "a street scene, 14 true segments in 6 classes"
TEXTS = "two texts, cut into topics by an editor and by a program"


@click.command(name="demo", epilog="\b\nExample:\n  segmetry demo -o demo-output")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("segmetry-demo"), show_default=True,
    help="Folder for report.html and scores.json.",
)  # fmt: skip
def command(output: Path) -> None:
    """Evaluate the shipped sample: an image pair with classes and a text pair. No input needed."""
    folder = new_folder(output)
    true, pred = street()
    images = _evaluated({"street": true}, {"street": pred}, "panoptic,graph")
    true_texts, pred_texts = texts()
    editor, program = ({item.name: item.segmentation for item in side} for side in (true_texts, pred_texts))
    lines = _evaluated(editor, program, "pq,rq,pk,window_diff,boundary_f1")

    screen = console()
    scores = {rule: under.rows[0].scores for rule, under in images.items()}
    screen.print(classes_table(images["theta_and"].summary))
    screen.print(scores_table(scores, f"Image: {STREET}"))
    screen.print(summary_table({rule: under.summary for rule, under in lines.items()}, f"Text: {TEXTS}"))

    write_text(str(folder / "scores.json"), as_json({"street": document(images), "texts": document(lines)}))
    write_text(str(folder / "report.html"), _page(true, pred, scores, true_texts, pred_texts).render())
    screen.print(f"Wrote {folder / 'report.html'} and {folder / 'scores.json'}", soft_wrap=True)


def _evaluated(true: dict[str, Any], pred: dict[str, Any], metrics: str) -> dict[str, UnderRule]:
    return under_rules(evaluate(true, pred, rule=RULES[0], also=RULES[1:], metrics=metrics), RULES)


def _page(
    true: LabelArray, pred: LabelArray, scores: dict[str, Scores], true_texts: list[Item], pred_texts: list[Item]
) -> Page:
    page = Page("segmetry: the shipped sample")
    table = sm.overlap(true, pred)
    alignment = sm.align(table)
    page.heading(f"Image: {STREET}")
    for rule, found in scores.items():
        pq, sq, rq = (number(found[key].value) for key in ("pq", "sq", "rq"))
        page.paragraph(f"{short_rule(rule)}: PQ {pq} = SQ {sq} × RQ {rq}")
    left, right = matched_images(alignment, true, pred)
    page.figures([(left, "truth"), (right, "prediction: matched segments share a colour, unmatched ones are dark")])
    found_maps = sm.maps(true, pred)
    page.figures([(png_file(map_picture(found_maps, side)), f"{side} map") for side in ("precision", "recall")])
    page.figures(
        [
            (curve_plot(sm.curves(true, pred)).svg, "precision, recall and F1 over the IoU a pair must reach"),
            (precision_recall_plot(true, pred).svg, "one dot per true segment and its partner"),
        ]
    )
    first = scores["theta_and"]
    rows = [
        [key, *(number(found[key].value, key) if key in found else "" for found in scores.values())] for key in first
    ]
    page.table(["metric", *(short_rule(rule) for rule in scores)], rows)
    page.heading(f"Text: {TEXTS}")
    for true_item, pred_item in zip(true_texts, pred_texts, strict=True):
        if isinstance(true_item.segmentation, Spans) and isinstance(pred_item.segmentation, Spans):
            bars = draw_bars({"editor": true_item.segmentation, "program": pred_item.segmentation})
            page.figures([(bars.svg, true_item.name)])
    page.paragraph(f"Computed by segmetry {sm.__version__}; void and crowd policy: none.", note=True)
    return page
