"""``segmetry score TRUE PRED``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from segmetry.alignments import as_policy
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
    runs = score_items(
        pairs,
        rules=_rules(options["rule"], options["policy"]),
        metrics=options["metrics"],
        policy=options["policy"],
        resolve=options["resolve"],
        classes=options["classes"],
        undefined=undefined,
        threads=options["threads"],
    )
    facts = {"true": str(true), "pred": str(pred)}
    if options["json_to"]:
        documents = [as_data(rows, facts) for rows in runs.values()]
        write_text(options["json_to"], as_json(documents[0] if len(documents) == 1 else {"runs": documents}))
    if options["json_to"] != "-":
        _show(runs, options["policy"], items=options["items"])


def _rules(rule: str | None, policy: str) -> list[str]:
    """The rule asked for; by default the policy's own, and θ⁺ beside θ&, because published numbers use it."""
    if rule is not None:
        return [rule]
    own = as_policy(policy).rule
    return [own] if own == "theta_plus" else [own, "theta_plus"]


def _show(runs: dict[str, list[ItemScores]], policy: str, *, items: bool) -> None:
    screen = console()
    first = next(iter(runs.values()))
    if len(first) == 1:
        columns = {rule: rows[0].scores for rule, rows in runs.items()}
        screen.print(scores_table(columns, f"{first[0].name} (policy {policy})"))
        return
    if items:
        for rule, rows in runs.items():
            screen.print(f"[bold]{rule}[/bold]")
            screen.print(items_table(rows, _headline(rows[0].scores)))
    totals = {rule: aggregate(rows) for rule, rows in runs.items()}
    screen.print(aggregates_table(totals, f"{len(first)} items (policy {policy})"))


def _headline(keys: Iterable[str]) -> list[str]:
    """The few metrics a line per item has room for."""
    found = list(keys)
    return [key for key in found if key in ("pq", "sq", "rq", "pk", "window_diff", "boundary_f1")] or found[:5]
