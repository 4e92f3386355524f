"""What ``segmetry score`` and ``info`` print of a run on request: confusion matrix and confidence intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmetry.cli.console import Screen
from segmetry.overlaps import TRUE_CLASS, largest_confusions, matrix_table
from segmetry.results import Cell, NumberStyle, ResultTable, number
from segmetry.run import Run
from segmetry.segmentation import element_word
from segmetry.statistics import Intervals

if TYPE_CHECKING:
    from segmetry.results import Table


WIDTH = 80
LARGEST = 10
"""How many cells are listed where the matrix is too wide."""
_CELL = 5
"""The digits of a share in per cent."""


def print_confusion(run: Run) -> None:
    """Print which classes are confused with which."""
    matrix = matrix_table(run.class_table(), run.class_names)
    fits = _width(matrix, run) <= WIDTH
    Screen().table(_matrix(matrix, run) if fits else _largest(run))


def _width(matrix: Table, run: Run) -> int:
    columns = [name for name in matrix.columns if name != TRUE_CLASS]
    names = max((len(str(name)) for name in matrix[TRUE_CLASS]), default=0)
    total = sum(sum(matrix[name]) for name in columns)
    last = max(len(f"{total:,}"), len(_elements(run)))
    return max(names, len(TRUE_CLASS)) + 2 + sum(max(len(name), _CELL) + 2 for name in columns) + last


def _matrix(matrix: Table, run: Run) -> ResultTable:
    """Return the shares of every true class, its number of elements, and the share of each class among all."""
    columns = [name for name in matrix.columns if name != TRUE_CLASS]
    totals = [sum(row[name] for name in columns) for row in matrix]
    everything = sum(totals)
    rows = [
        [str(row[TRUE_CLASS]), *(_share(row[name], total) for name in columns), f"{total:,}"]
        for row, total in zip(matrix, totals, strict=True)
    ]
    rows.append(["all", *(_share(sum(matrix[name]), everything) for name in columns), f"{everything:,}"])
    title = "confusion matrix: per cent of each true class"
    return ResultTable(title, ("true class", *columns, _elements(run)), rows, rules=frozenset({len(rows) - 1}))


def _largest(run: Run) -> ResultTable:
    classes = run.class_table()
    confusions = largest_confusions(classes, run.class_names, LARGEST)
    return ResultTable(
        f"largest confusions of {len(classes.names)} classes",
        ("true class", "predicted as", "% of class", _elements(run)),
        [[true, pred, _percent(count / total), f"{count:,}"] for true, pred, count, total in confusions],
        ["--table confusion --csv FILE writes the whole matrix."],
        texts=frozenset({0, 1}),
    )


def _elements(run: Run) -> str:
    items = run.tables_together.items
    return element_word(items.kinds[0], items.axes[0]) if items else "elements"


def _share(count: int, total: int) -> str:
    return _percent(count / total if total else None)


def _percent(share: float | None) -> str:
    return number(share, 1, percent=True)


def show_intervals(
    run: Run, intervals: Intervals, numbers: NumberStyle | None = None, wanted: float | None = None
) -> None:
    """Print the intervals and how they were computed, or why there are none, and the items for a width."""
    from segmetry.comparison import cases_table, intervals_table, lower_is_better, undefined_in_intervals

    def cell_of(key: str, average: str) -> Cell:
        return run.measured_cell(f"{key}.{average}", numbers)

    drawn = intervals.resampling
    units = "items" if drawn.cluster is None else f"{drawn.cluster.name}s"
    how = f"BCa intervals from {drawn.resamples:,} resamples of the {units}, seed {drawn.rng}."
    lines = [
        lower_is_better(intervals.scores, lambda key: run.cell(key).name),
        how if intervals.n_items > 1 else "",
        *undefined_in_intervals(intervals, cell_of),
    ]
    planned = [] if wanted is None else [cases_table(intervals, wanted, run.cell)]
    Screen().show([intervals_table(intervals, cell_of), *filter(None, lines), *planned], below=True)
