"""``segmetry agreement FILE``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from segmetry.cli.console import as_json, check_apart, check_target, console, write_text
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.cli.score_output import print_table
from segmetry.errors import InputError, OptionError
from segmetry.metrics.agreement.chance_corrected import Agreement, agreement
from segmetry.metrics.boundaries.boundary_edit import Transpositions
from segmetry.metrics.score import Result
from segmetry.outputs.tables.averages_table import results_table
from segmetry.outputs.tables.number_format import count_of, number
from segmetry.readers.items import Item
from segmetry.readers.parts.line_options import ALL_CODERS, CODER
from segmetry.readers.source import read_items
from segmetry.segmentation.annotations import Annotations
from segmetry.segmentation.spans import Spans

EXAMPLES = """
\b
Examples:
  segmetry agreement annotators.json
  segmetry agreement moonstone.json --item 'G5/*'
  segmetry agreement annotators.csv --json - | jq .scores.agreement_pi.value
"""


@click.command(name="agreement", cls=ReadingCommand, epilog=EXAMPLES)
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--item", "wanted", multiple=True, metavar="PATTERN", help="Only items whose names match; * matches any text."
)
@click.option(
    "--n-t", type=click.IntRange(min=1), default=2, show_default=True, help="Largest distance of a near miss."
)
@click.option("--match", type=click.Choice(["optimal", "greedy"]), default="optimal", show_default=True,
    help="How near misses are paired.",
)  # fmt: skip
@click.option("--json", "json_to", metavar="FILE", help="Write everything as JSON; - is standard output.")
@reading_options
def command(
    path: Path,
    wanted: tuple[str, ...],
    n_t: int,
    match: Transpositions,
    json_to: str | None,
    **options: Any,
) -> None:
    """Measure how well the annotators of one file agree on boundaries: observed, and corrected for chance.

    Every annotator must have segmented every item. The first table is of all annotators, the second of every pair.
    """
    stated = read_options(options)
    if CODER.name in stated.stated:
        raise OptionError("--coder selects one annotator, but agreement needs all of them; leave it out")
    if json_to:
        check_target(json_to)
    check_apart([path], {"--json": json_to})
    every = stated.replaced(coder=ALL_CODERS)
    annotations = annotations_of(read_items(path, options["chosen"], every), path, wanted)
    together = _results(agreement(annotations, n_t=n_t, match=match))
    pairs = {
        pair: _results(agreement(_only(annotations, *pair), n_t=n_t, match=match))
        for pair in annotations.annotator_pairs
    }
    if json_to:
        data = {
            "file": str(path),
            "n_items": len(annotations),
            "coders": list(annotations.annotators),
            "scores": _plain(together),
            "pairs": [{"coders": list(pair), "scores": _plain(scores)} for pair, scores in pairs.items()],
        }
        write_text(json_to, as_json(data))
    if json_to != "-":
        title = f"{len(annotations.annotators)} annotators, {count_of(len(annotations), 'item')}"
        print_table(console(), results_table(together, title))
        console().print(_pairs_table(pairs))


def annotations_of(items: Iterable[Item], path: Path, wanted: Sequence[str] = ()) -> Annotations:
    """Return the items of a file by name and annotator; with patterns, those whose names match one of them."""
    segmented: dict[str, dict[str, Spans]] = {}
    ticks = set()
    for item in items:
        if wanted and not any(fnmatchcase(item.name, pattern) for pattern in wanted):
            continue
        if item.coder is None:
            raise InputError(f"{path}: item {item.name!r} has no annotator; expected a file with several annotators")
        segmented.setdefault(item.name, {})[item.coder] = item.spans
        ticks.add(item.tick)
    if not segmented:
        raise InputError(f"{path}: no item matches {' or '.join(wanted) or 'anything'}")
    if len(ticks) > 1:
        raise InputError(f"{path}: annotators use ticks of different lengths; choose one with --tick")
    try:
        return Annotations(segmented)
    except InputError as problem:
        raise problem.within(str(path)) from None


def _only(annotations: Annotations, *coders: str) -> Annotations:
    return Annotations({item: {coder: of[coder] for coder in coders} for item, of in annotations.items.items()})


def _results(result: Agreement) -> dict[str, Result]:
    return {score.key: score for score in (result.observed, result.pi, result.kappa, result.bias)}


def _plain(scores: dict[str, Result]) -> dict[str, Any]:
    return {key: score.as_dict() for key, score in scores.items()}


def _pairs_table(pairs: dict[tuple[str, str], dict[str, Result]]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    keys = list(next(iter(pairs.values())))
    table = Table(title="by pair", title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("annotators", max_width=40)
    for key in keys:
        table.add_column(key.removeprefix("agreement_"), justify="right", no_wrap=True)
    for (first, second), scores in pairs.items():
        name = Text(f"{first} · {second}", overflow="ellipsis", no_wrap=True)
        table.add_row(name, *(number(scores[key].value, key) for key in keys))
    return table
