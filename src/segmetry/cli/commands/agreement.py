"""``segmetry agreement FILE``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json, check_apart, check_target, console, write_text
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.errors import InputError, OptionError
from segmetry.metrics.agreement.chance_corrected import Agreement, agreement
from segmetry.metrics.score import Result
from segmetry.outputs.tables.score_tables import scores_table
from segmetry.readers.items import Item
from segmetry.readers.options import ALL_CODERS
from segmetry.readers.reader import read_items
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.spans import Spans

EXAMPLES = """
\b
Examples:
  segmetry agreement coders.json
  segmetry agreement moonstone.json --item 'G5/*'
  segmetry agreement coders.csv --json - | jq .scores.agreement_pi.value
"""


@click.command(name="agreement", epilog=EXAMPLES)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--item", "wanted", multiple=True, metavar="PATTERN", help="Only items of such names; * stands for any.")
@click.option("--n-t", type=click.IntRange(min=1), default=2, show_default=True, help="How far a near miss may lie.")
@click.option("--match", type=click.Choice(["optimal", "greedy"]), default="optimal", show_default=True,
    help="How near misses are paired.",
)  # fmt: skip
@click.option("--json", "json_to", metavar="FILE", help="Write everything as JSON; - is standard output.")
@reading_options
def command(path: Path, wanted: tuple[str, ...], n_t: int, match: str, json_to: str | None, **options: Any) -> None:
    """Say how far the annotators of one file agree on boundaries: observed, and beyond chance.

    Every annotator must have segmented every item. Below all together stands every pair of annotators.
    """
    if options["coder"] is not None:
        raise OptionError("--coder chooses one annotator, but agreement needs all of them; leave it out")
    if json_to:
        check_target(json_to)
    check_apart([path], {"--json": json_to})
    stated = replace(read_options(options), coder=ALL_CODERS)
    found = annotations_of(read_items(path, options["chosen"], stated), path, wanted)
    together = _results(agreement(found, n_t=n_t, match=match))
    pairs = {
        (one, other): _results(agreement(_only(found, one, other), n_t=n_t, match=match))
        for one, other in found.annotator_pairs
    }
    if json_to:
        data = {
            "file": str(path),
            "n_items": len(found),
            "coders": list(found.annotators),
            "scores": _plain(together),
            "pairs": [{"coders": list(pair), "scores": _plain(scores)} for pair, scores in pairs.items()],
        }
        write_text(json_to, as_json(data))
    if json_to != "-":
        title = f"{len(found.annotators)} annotators, {len(found)} {'item' if len(found) == 1 else 'items'}"
        console().print(scores_table({"all": together}, title))
        console().print(_pairs_table(pairs))


def annotations_of(items: Iterable[Item], path: Path, wanted: Sequence[str] = ()) -> Annotations:
    """The items of a file by name and annotator; with patterns, those whose names fit one of them."""
    found: dict[str, dict[str, Spans]] = {}
    ticks = set()
    for item in items:
        if wanted and not any(fnmatchcase(item.name, pattern) for pattern in wanted):
            continue
        if item.coder is None:
            raise InputError(f"{path}: item {item.name!r} names no annotator; expected a file of several (coders)")
        found.setdefault(item.name, {})[item.coder] = item.spans
        ticks.add(item.tick)
    if not found:
        raise InputError(f"{path}: no item is called {' or '.join(wanted) or 'anything'}")
    if len(ticks) > 1:
        raise InputError(f"{path}: annotators use ticks of different length; give one with --tick")
    try:
        return Annotations(found)
    except InputError as problem:
        raise problem.within(str(path)) from None


def _only(found: Annotations, *coders: str) -> Annotations:
    return Annotations({item: {coder: of[coder] for coder in coders} for item, of in found.items.items()})


def _results(found: Agreement) -> dict[str, Result]:
    return {one.key: one for one in (found.observed, found.pi, found.kappa, found.bias)}


def _plain(scores: dict[str, Result]) -> dict[str, Any]:
    return {key: score.as_dict() for key, score in scores.items()}


def _pairs_table(pairs: dict[tuple[str, str], dict[str, Result]]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from segmetry.outputs.tables.score_tables import number

    keys = list(next(iter(pairs.values())))
    table = Table(title="by pair", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("annotators", max_width=40)
    for key in keys:
        table.add_column(key.removeprefix("agreement_"), justify="right", no_wrap=True)
    for (one, other), scores in pairs.items():
        name = Text(f"{one} · {other}", overflow="ellipsis", no_wrap=True)
        table.add_row(name, *(number(scores[key].value, key) for key in keys))
    return table
