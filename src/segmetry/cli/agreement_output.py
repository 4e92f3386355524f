"""``segmetry agreement FOLDER FOLDER …``: every annotator against every other, one table per metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from segmetry.cli.console import as_json, check_outputs, write_text
from segmetry.cli.data_warnings import print_warnings
from segmetry.cli.screen import Screen
from segmetry.comparison import AgreementMatrix, agreement_matrix
from segmetry.errors import InputError
from segmetry.protocols import metric_cell
from segmetry.readers import ReadOptions
from segmetry.results import ResultTable, Value, as_csv, counted

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
        write_text(json_to, as_json(matrix.as_dict()))
    if "-" not in (csv_to, json_to):
        screen = Screen()
        title = f"{counted(len(matrix.annotators), 'annotator')}, {counted(matrix.n_items, 'item')}"
        screen.line(title, bold=True)
        for key in matrix.keys[:SHOWN]:
            screen.table(_printed(matrix, key))
        if len(matrix.keys) > SHOWN:
            screen.line(f"--csv FILE has all {len(matrix.keys)} metrics: {', '.join(matrix.keys)}")


def annotators_of(paths: Sequence[str]) -> dict[str, Path]:
    """Return the path of each annotator, by the name stated or that of its file or folder.

    >>> annotators_of(["Ann=round1/a", "b/bob.json"])
    {'Ann': PosixPath('round1/a'), 'bob': PosixPath('b/bob.json')}
    """
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
    cell = metric_cell(key)
    columns = (*matrix.annotators, "others")
    rows = [
        [row["annotator"], *(Value(cell, math.nan if row[name] is None else row[name]) for name in columns)]
        for row in matrix.matrix(key)
    ]
    return ResultTable(f"{key}, mean over pairs {cell.text(matrix.mean(key))}", ("true \\ pred", *columns), rows)
