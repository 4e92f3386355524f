"""``segmetry score TRUE PRED``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from segmetry.aggregate import Summary
from segmetry.alignments import as_policy
from segmetry.cli.reading import read_options, reading_options
from segmetry.cli.warned import told_at_once
from segmetry.cli.writing import as_json, check_target, console, write_text
from segmetry.dataset import ItemScores, as_data, score_items, summarise_items
from segmetry.outputs.terminal import classes_table, items_table, scores_table, short_rule, summary_table
from segmetry.readers.pairing import read_pairs
from segmetry.readers.reader import find_reader

EXAMPLES = """
\b
Examples:
  segmetry score truth.npy prediction.npy
  segmetry score truth.png prediction.png --metrics pq,rq --rule theta_plus
  segmetry score true.json pred.json --first force --items
  segmetry score chapters.json chapters.json --coder an1 --pred-coder an2
  segmetry score truth.png prediction.png --json - | jq .scores.pq
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
@click.option("--policy", help="What void elements and crowd segments do. [default: what TRUE's format is known for]")
@click.option(
    "--missing",
    type=click.Choice(["error", "as-empty"]),
    default="error",
    show_default=True,
    help="What an item without a prediction is.",
)
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
    "--uncovered",
    type=click.Choice(["common", "segment", "singletons"]),
    default="common",
    show_default=True,
    help="What clustering metrics do with elements in no segment: leave out, one segment, each its own.",
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
    if options["json_to"]:
        check_target(options["json_to"])
    pairs = list(
        read_pairs(
            true, pred, options["chosen"], read_options(options), options["pred_coder"], missing=options["missing"]
        )
    )
    policy = options["policy"] or find_reader(true, options["chosen"]).policy
    groups = pairs[0][1].groups if options["classes"] == "match" else None
    undefined = None if options["undefined"] == "nan" else float(options["undefined"])
    with told_at_once():
        runs = score_items(
            pairs,
            rules=_rules(options["rule"], policy),
            metrics=options["metrics"],
            policy=policy,
            resolve=options["resolve"],
            classes=options["classes"],
            uncovered=options["uncovered"],
            undefined=undefined,
            threads=options["threads"],
            groups=groups,
        )
    summaries = {rule: summarise_items(rows, undefined=undefined, groups=groups) for rule, rows in runs.items()}
    facts = {"true": str(true), "pred": str(pred)}
    if options["json_to"]:
        documents = [as_data(rows, summaries[rule], facts) for rule, rows in runs.items()]
        write_text(options["json_to"], as_json(documents[0] if len(documents) == 1 else {"runs": documents}))
    if options["json_to"] != "-":
        _show(runs, summaries, items=options["items"])


def _rules(rule: str | None, policy: str) -> list[str]:
    """The rule asked for; by default the policy's own, and θ⁺ beside θ&, because published numbers use it."""
    if rule is not None:
        return [rule]
    own = as_policy(policy).rule
    return [own] if own == "theta_plus" else [own, "theta_plus"]


def _show(runs: dict[str, list[ItemScores]], summaries: dict[str, Summary], *, items: bool) -> None:
    screen = console()
    rule, rows = next(iter(runs.items()))
    summary = summaries[rule]
    if items:
        for name, found in runs.items():
            screen.print(items_table(found, _headline(found[0].scores), f"by item, {short_rule(name)}"))
    if summary.by == "class":
        screen.print(classes_table(summary))
    if len(rows) == 1:
        columns = {name: found[0].scores for name, found in runs.items()}
        screen.print(scores_table(columns, f"{rows[0].name} (policy {summary.policy})"))
    else:
        screen.print(summary_table(summaries, f"{len(rows)} items (policy {summary.policy})"))


def _headline(keys: Iterable[str]) -> list[str]:
    """The few metrics a line per item has room for."""
    found = list(keys)
    return [key for key in found if key in ("pq", "sq", "rq", "pk", "window_diff", "boundary_f1")] or found[:5]
