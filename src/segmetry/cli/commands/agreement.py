"""``segmetry agreement FILE``, ``segmetry agreement FOLDER FOLDER …``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from segmetry._base import errors_within
from segmetry.cli.console import Screen, as_json, check_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.options.option_groups import choice_option, count_option, json_target, text_target
from segmetry.cli.options.reading_command import ReadingCommand
from segmetry.cli.options.reading_options import read_options, reading_options
from segmetry.cli.options.scoring_options import scoring_option
from segmetry.comparison import DEFAULT_METRICS, AgreementMatrix, agreement_matrix
from segmetry.errors import InputError, OptionError
from segmetry.metrics import Result, Score
from segmetry.metrics.agreement.chance_corrected import Agreement, agreement
from segmetry.outputs import results_table
from segmetry.protocols import score_value
from segmetry.readers import ALL_CODERS, CODER, Item, ReadOptions, read_items
from segmetry.results import Entry, ResultTable, Value, as_csv, counted
from segmetry.segmentation import Annotations, Spans

EXAMPLES = """
\b
Examples:
  segmetry agreement annotators.json
  segmetry agreement moonstone.json --item 'G5/*'
  segmetry agreement annotators.csv --json - | jq .scores.agreement_pi.value
  segmetry agreement ann/ bob/ eve/ --metrics pq,dice
  segmetry agreement Ann=round1/ Bob=round2/ --protocol nnunet
"""


@click.command(name="agreement", cls=ReadingCommand, epilog=EXAMPLES)
@click.argument("paths", metavar="FILE | FOLDER FOLDER…", nargs=-1, required=True)
@click.option(
    "--item", "patterns", multiple=True, metavar="PATTERN", help="Only items whose names match; * matches any text."
)
@count_option("--n-t", "Largest distance of a near miss.", 2)
@choice_option("--match", ["optimal", "greedy"], "optimal", "How near misses are paired.")
@scoring_option("metrics", DEFAULT_METRICS, before="Folders: ")
@scoring_option("protocol", before="Folders: ")
@scoring_option("rule", before="Folders: ")
@text_target("csv", "one row per pair of folders as CSV")
@json_target
@reading_options
def command(paths: tuple[str, ...], patterns: tuple[str, ...], json_to: str | None, **options: Any) -> None:
    """Measure how well annotators agree.

    One FILE with several annotators: on boundaries, observed and corrected for chance. The first table is of all
    annotators, the second of every pair.

    Several FOLDERS or files, one per annotator (PATH or NAME=PATH): every annotator is scored against every other. One
    table per metric: annotators as the truth in rows, as the prediction in columns, and the mean against the others.

    Every annotator must have segmented every item.
    """
    stated = read_options(options)
    own = {name: options[name] for name in ("metrics", "protocol", "rule")}
    if len(paths) > 1:
        show_matrix(paths, stated, options["chosen"], own, csv_to=options["csv_to"], json_to=json_to)
        return
    for name, value in {**own, "csv": options["csv_to"]}.items():
        if value is not None:
            raise OptionError(f"--{name} scores the folders of several annotators, but there is one path; leave it out")
    path = Path(paths[0])
    if CODER.name in stated.stated:
        raise OptionError("--coder selects one annotator, but agreement needs all of them; leave it out")
    check_outputs([path], {"--json": json_to})
    every = stated.replaced(coder=ALL_CODERS)
    annotations = annotations_of(read_items(path, options["chosen"], every), path, patterns)
    how = {name: options[name] for name in ("n_t", "match")}
    together = _scores_by_key(agreement(annotations, **how))
    items = annotations.items.items()
    pairs = {
        pair: _scores_by_key(agreement(Annotations({name: {c: of[c] for c in pair} for name, of in items}), **how))
        for pair in annotations.annotator_pairs
    }
    if json_to:
        data = {
            "file": str(path),
            "n_items": len(annotations),
            "coders": list(annotations.annotators),
            "scores": _plain_scores(together),
            "pairs": [{"coders": list(pair), "scores": _plain_scores(scores)} for pair, scores in pairs.items()],
        }
        write_text(json_to, as_json(data, "agreement"))
    if json_to != "-":
        title = f"{len(annotations.annotators)} annotators, {counted(len(annotations), 'item')}"
        screen = Screen()
        screen.table(results_table(together, title))
        screen.show([_pairs_table(pairs)], below=True)


def annotations_of(items: Iterable[Item], path: Path, patterns: Sequence[str] = ()) -> Annotations:
    """Return the items of a file by name and annotator; with patterns, those whose names match one of them."""
    segmented: dict[str, dict[str, Spans]] = {}
    ticks = set()
    for item in items:
        if patterns and not any(fnmatchcase(item.name, pattern) for pattern in patterns):
            continue
        if item.coder is None:
            raise InputError(f"{path}: item {item.name!r} has no annotator; expected a file with several annotators")
        segmented.setdefault(item.name, {})[item.coder] = item.spans
        ticks.add(item.tick)
    if not segmented:
        raise InputError(f"{path}: no item matches {' or '.join(patterns) or 'anything'}")
    if len(ticks) > 1:
        raise InputError(f"{path}: annotators use ticks of different lengths; choose one with --tick")
    with errors_within(str(path)):
        return Annotations(segmented)


def _scores_by_key(result: Agreement) -> dict[str, Result]:
    return {score.key: score for score in (result.observed, result.pi, result.kappa, result.bias)}


def _plain_scores(scores: dict[str, Result]) -> dict[str, Any]:
    return {key: score.to_dict() for key, score in scores.items()}


def _pairs_table(pairs: dict[tuple[str, str], dict[str, Result]]) -> ResultTable:
    keys = list(next(iter(pairs.values())))
    rows: list[Sequence[Entry]] = [
        (f"{first} · {second}", *(score_value(score) for score in scores.values() if isinstance(score, Score)))
        for (first, second), scores in pairs.items()
    ]
    return ResultTable("by pair", ("annotators", *(key.removeprefix("agreement_") for key in keys)), rows)


SHOWN = 3
"""The most metrics whose tables are printed."""


def show_matrix(
    paths: Sequence[str],
    stated: ReadOptions,
    chosen: str | None,
    own: Mapping[str, str | None],
    *,
    csv_to: str | None,
    json_to: str | None,
) -> None:
    """Score the folders of several annotators; print one matrix per metric, or write them."""
    folders = annotators_of(paths)
    check_outputs(folders.values(), {"--csv": csv_to, "--json": json_to})
    settings = {name: value for name, value in own.items() if value is not None}
    with print_warnings():
        matrix = agreement_matrix(folders, format=chosen, read=stated, **settings)
    if csv_to:
        write_text(csv_to, as_csv(matrix.rows()))
    if json_to:
        write_text(json_to, as_json(matrix.to_dict(), "agreement_matrix"))
    if "-" not in (csv_to, json_to):
        screen = Screen()
        title = f"{counted(len(matrix.annotators), 'annotator')}, {counted(matrix.n_items, 'item')}"
        screen.line(title, bold=True)
        for key in matrix.keys[:SHOWN]:
            screen.table(_printed(matrix, key))
        if len(matrix.keys) > SHOWN:
            screen.line(f"--csv FILE has all {len(matrix.keys)} metrics: {', '.join(matrix.keys)}")


def annotators_of(paths: Sequence[str]) -> dict[str, Path]:
    """Return the path of each annotator, by the name stated or that of its file or folder."""
    named: dict[str, Path] = {}
    for text in paths:
        stated, _, rest = text.partition("=")
        is_named = bool(rest) and not Path(text).exists()
        path = Path(rest if is_named else text)
        name = stated if is_named else path.resolve().stem
        if name in named:
            raise InputError(f"two annotators are called {name!r}; name them: A={named[name]} B={path}")
        named[name] = path
    return named


def _printed(matrix: AgreementMatrix, key: str) -> ResultTable:
    cell = matrix.cells[key]
    columns = (*matrix.annotators, "others")
    rows = [
        [row["annotator"], *(Value(cell, math.nan if row[name] is None else row[name]) for name in columns)]
        for row in matrix.matrix(key)
    ]
    return ResultTable(f"{cell.words}, mean over pairs {cell.text(matrix.mean(key))}", ("true \\ pred", *columns), rows)
