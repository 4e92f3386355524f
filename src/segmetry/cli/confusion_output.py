"""The confusion matrix on the terminal: the whole matrix where it fits in 80 columns, else its largest cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmetry.cli.console import console
from segmetry.cli.score_output import print_table
from segmetry.outputs.tables.number_format import UNDEFINED
from segmetry.outputs.tables.plain_table import PlainTable
from segmetry.overlaps.confusion_matrix import TRUE_CLASS, largest_confusions, matrix_table

if TYPE_CHECKING:
    from segmetry._base.result_table import Table
    from segmetry.run.run import Run

WIDTH = 80
LARGEST = 10
"""How many cells are listed where the matrix is too wide."""
_CELL = 5
"""The digits of a share in per cent."""


def print_confusion(run: Run) -> None:
    """Print which classes are taken for which."""
    shares = matrix_table(run.class_table(), run.class_names, shares=True)
    fits = _width(shares) <= WIDTH
    print_table(console(), _matrix(shares) if fits else _largest(run))


def _width(shares: Table) -> int:
    columns = [name for name in shares.columns if name != TRUE_CLASS]
    names = max((len(str(name)) for name in shares[TRUE_CLASS]), default=0)
    return max(names, len(TRUE_CLASS)) + 2 + sum(max(len(name), _CELL) + 3 for name in columns)


def _matrix(shares: Table) -> PlainTable:
    columns = [name for name in shares.columns if name != TRUE_CLASS]
    rows = [[str(row[TRUE_CLASS]), *(_percent(row[name]) for name in columns)] for row in shares]
    return PlainTable("confusion matrix: per cent of each true class", ("true class", *columns), rows)


def _largest(run: Run) -> PlainTable:
    classes = run.class_table()
    confusions = largest_confusions(classes, run.class_names, LARGEST)
    return PlainTable(
        f"largest confusions of {len(classes.names)} classes",
        ("true class", "predicted as", "% of class", "elements"),
        [[true, pred, _percent(count / total), f"{count:,}"] for true, pred, count, total in confusions],
        ["--table confusion --csv FILE writes the whole matrix."],
        texts=frozenset({0, 1}),
    )


def _percent(share: float | None) -> str:
    return UNDEFINED if share is None else f"{100 * share:.1f}"
