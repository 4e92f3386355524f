"""``segmetry score TRUE PRED``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from segmetry.cli.reading import read_options, reading_options
from segmetry.cli.writing import as_json, console, write_text
from segmetry.dataset import ItemScores, aggregate, as_data, score_items
from segmetry.outputs.terminal import aggregates_table, items_table, scores_table
from segmetry.readers.pairing import read_pairs

EXAMPLES = """
\b
Examples:
  segmetry score truth.npy prediction.npy
  segmetry score truth.png prediction.png --metrics pq,rq --rule theta_plus
  segmetry score true.json pred.json --first force --items
  segmetry score chapters.json chapters.json --coder an1 --pred-coder an2
  segmetry score truth.png prediction.png --json - | jq .aggregates.pq
"""


@click.command(name="score", epilog=EXAMPLES)
@click.argument("true", type=click.Path(path_type=Path))
@click.argument("pred", type=click.Path(path_type=Path))
@click.option("--metrics", metavar="KEYS", help="Metric keys or families, separated by commas.")
@click.option(
    "--rule",
    metavar="RULE",
    help="Alignment rule, such as theta_and or 'iou(above=0.75)'; θ⁺ is shown beside the default.",
)
@click.option("--policy", default="none", show_default=True, help="What void elements and crowd segments do.")
@click.option(
    "--resolve", type=click.Choice(["error", "by_score", "assign", "keep"]), help="What to do when segments overlap."
)
@click.option(
    "--undefined",
    type=click.Choice(["nan", "0", "1"]),
    default="nan",
    show_default=True,
    help="Value in place of undefined.",
)
@click.option(
    "--classes",
    type=click.Choice(["match", "ignore"]),
    default="match",
    show_default=True,
    help="Whether the classes of a pair must agree.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads per pair of label arrays."
)
@click.option("--items", is_flag=True, help="Print one row per item, too.")
@click.option("--json", "json_to", metavar="FILE", help="Write everything as JSON; - is standard output.")
@click.option("--pred-coder", metavar="NAME", help="The annotator to read from PRED, if another than --coder.")
@reading_options
def command(true: Path, pred: Path, **options: Any) -> None:
    """Score a prediction against the truth: two files in, a table out.

    Items of both sides are paired by name. θ& aligns segments by default, with θ⁺ (IoU > 1/2) beside it.
    """
    pairs = list(read_pairs(true, pred, options["chosen"], read_options(options), options["pred_coder"]))
    undefined = None if options["undefined"] == "nan" else float(options["undefined"])
    runs = {
        rule: score_items(
            pairs,
            metrics=options["metrics"],
            rule=rule if rule != "default" else None,
            policy=options["policy"],
            resolve=options["resolve"],
            classes=options["classes"],
            undefined=undefined,
            threads=options["threads"],
        )
        for rule in _rules(options["rule"], options["policy"])
    }
    facts = {"true": str(true), "pred": str(pred)}
    if options["json_to"]:
        documents = [as_data(rows, facts) for rows in runs.values()]
        write_text(options["json_to"], as_json(documents[0] if len(documents) == 1 else {"runs": documents}))
    if options["json_to"] != "-":
        _show(runs, options["policy"], items=options["items"])


def _rules(rule: str | None, policy: str) -> list[str]:
    """The rule asked for; by default θ& with θ⁺ beside it, or the policy's own rule."""
    if rule is not None:
        return [rule]
    return ["theta_and", "theta_plus"] if policy in ("none", "strict-void") else ["default"]


def _show(runs: dict[str, list[ItemScores]], policy: str, *, items: bool) -> None:
    screen = console()
    first = next(iter(runs.values()))
    if len(first) == 1:
        columns = {rows[0].scores.rule: rows[0].scores for rows in runs.values()}
        screen.print(scores_table(columns, f"{first[0].name} (policy {policy})"))
        return
    for rows in runs.values():
        if items:
            keys = [key for key in rows[0].scores if key in ("pq", "sq", "rq", "pk", "window_diff")] or list(
                rows[0].scores
            )[:5]
            screen.print(items_table(rows, keys))
        title = f"{len(rows)} items, rule {rows[0].scores.rule}, policy {policy}"
        screen.print(aggregates_table(aggregate(rows).values(), title))
