"""The class table: how many elements of each true class are predicted as each class (a confusion matrix, exactly).

Its cells are sums of the rows of an overlap table, so the elements are not counted again. Elements outside and
void have their own row and column. Tables of several items are added by the names of their classes, in any
order with the same result.

As a table to read it has a row per true class and a column per predicted class. Elements of no class have their own row
and column where there are any; void elements are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, as_python_ints, frozen_dataclass, products_fit
from segmetry.overlaps.count import overlap
from segmetry.overlaps.merge_tables import sorted_names, sum_equal_rows
from segmetry.overlaps.table import OverlapTable, check_class_table
from segmetry.results import ColumnType, Table, Tabular

OUTSIDE, VOID = "(outside)", "(void)"
"""Class names in rows for elements in no segment and for void elements."""


class ClassCounts(NamedTuple):
    """One class against all others: elements on both sides, in the truth or the prediction only, on neither."""

    shared: int
    missed: int
    spurious: int
    rest: int


@frozen_dataclass(eq=False)
class ClassTable(Tabular):
    """The non-zero cells (true class, predicted class, number of elements), sorted.

    ``row_true`` and ``row_pred`` are positions in ``names``; the position after the last name means outside, the
    next one void. ``counts`` are int64, or Python integers where their sum could exceed it. ``a + b`` is the table of
    two items (or blocks) together.

    The arrays ``true_sizes``, ``pred_sizes``, ``shared``, ``missed``, ``spurious`` and ``rest`` have one number per
    class, without elements that are void on either side.
    """

    names: tuple[Hashable, ...]
    row_true: NDArray[np.intp]
    row_pred: NDArray[np.intp]
    counts: IntArray

    @property
    def n_elements(self) -> int:
        """The size of the domain, void elements included."""
        return int(self.counts.sum())

    @cached_property
    def true_sizes(self) -> IntArray:
        """Elements of each class in the truth."""
        return self._sum_by(self.row_true, self._not_void)

    @cached_property
    def pred_sizes(self) -> IntArray:
        """Elements of each class in the prediction."""
        return self._sum_by(self.row_pred, self._not_void)

    @cached_property
    def shared(self) -> IntArray:
        """Elements of each class on both sides (true positives)."""
        return self._sum_by(self.row_true, self.row_true == self.row_pred)

    @property
    def missed(self) -> IntArray:
        """Elements of each class in the truth that are predicted as something else (false negatives)."""
        return self.true_sizes - self.shared

    @property
    def spurious(self) -> IntArray:
        """Elements of each class in the prediction that are something else in the truth (false positives)."""
        return self.pred_sizes - self.shared

    @property
    def rest(self) -> IntArray:
        """Elements of the domain that are of the class on neither side (true negatives).

        Maps, and sets without a universe, have no domain beyond what either side covers.
        """
        rest: IntArray = self.counts[self._not_void].sum() - self.true_sizes - self.spurious
        return rest

    def one_against_rest(self) -> dict[Hashable, ClassCounts]:
        """Return the four counts of every class."""
        columns = (column.tolist() for column in (self.shared, self.missed, self.spurious, self.rest))
        return dict(zip(self.names, map(ClassCounts, *columns), strict=True))

    def matrix(self) -> IntArray:
        """Return all cells as a square array: a row per true class, then outside, then void; columns likewise."""
        width = len(self.names) + 2
        cells = np.zeros((width, width), dtype=self.counts.dtype)
        cells[self.row_true, self.row_pred] = self.counts
        return cells

    def rows(self) -> Table:
        """Return one row per cell that is not 0."""
        labels = (*self.names, OUTSIDE, VOID)
        cells = zip(*(column.tolist() for column in (self.row_true, self.row_pred, self.counts)), strict=True)
        rows = [{"true_class": labels[t], "pred_class": labels[p], "n_elements": count} for t, p, count in cells]
        return Table("class_table", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON data."""
        return {
            "classes": [str(name) for name in self.names],
            "rows": [
                {**row, "true_class": str(row["true_class"]), "pred_class": str(row["pred_class"])}
                for row in self.rows()
            ],
        }

    def __add__(self, other: ClassTable) -> ClassTable:
        if not isinstance(other, ClassTable):
            return NotImplemented
        return merge_class_tables([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassTable):
            return NotImplemented
        return self.names == other.names and all(
            np.array_equal(getattr(self, field), getattr(other, field)) for field in ("row_true", "row_pred", "counts")
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ClassTable({len(self.names)} classes, {self.n_elements} elements)"

    @cached_property
    def _not_void(self) -> NDArray[np.bool_]:
        void = len(self.names) + 1
        not_void: NDArray[np.bool_] = (self.row_true != void) & (self.row_pred != void)
        return not_void

    def _sum_by(self, classes: NDArray[np.intp], chosen: NDArray[np.bool_]) -> IntArray:
        sums = np.zeros(len(self.names) + 2, dtype=self.counts.dtype)
        np.add.at(sums, classes[chosen], self.counts[chosen])
        return sums[: len(self.names)]


def class_table(table: OverlapTable) -> ClassTable:
    """Return the class table of an overlap table of disjoint segments with classes; crowd segments count."""
    check_class_table(table)
    true, pred, names = table.true, table.pred, table.class_names or ()
    of_true, of_pred = true.class_codes, pred.class_codes
    outside, void = len(names), len(names) + 1
    corner = table.background
    cells = [
        (of_true[table.row_true], of_pred[table.row_pred], table.shared),
        (of_true, np.full(len(true), outside), true.outside),
        (of_true, np.full(len(true), void), true.void),
        (np.full(len(pred), outside), of_pred, pred.outside),
        (np.full(len(pred), void), of_pred, pred.void),
        (
            np.array([outside, outside, void, void]),
            np.array([outside, void, outside, void]),
            np.array([corner.outside_outside, corner.outside_void, corner.void_outside, corner.void_void]),
        ),
    ]
    return _summed(names, cells)


def merge_class_tables(tables: Sequence[ClassTable]) -> ClassTable:
    """Return the sum of class tables, by class name; an empty sequence gives a table without classes."""
    names = sorted_names({name for table in tables for name in table.names})
    code = {name: at for at, name in enumerate(names)}
    cells = []
    for table in tables:
        translate = np.array([*(code[name] for name in table.names), len(names), len(names) + 1], dtype=np.intp)
        cells.append((translate[table.row_true], translate[table.row_pred], table.counts))
    return _summed(names, cells)


def _summed(names: tuple[Hashable, ...], cells: Sequence[tuple[NDArray[Any], NDArray[Any], IntArray]]) -> ClassTable:
    """Add up the cells that name the same two classes, and leave out those that are 0."""
    empty = np.zeros(0, dtype=np.int64)
    true, pred = (np.concatenate([empty, *(cell[at] for cell in cells)]).astype(np.intp) for at in (0, 1))
    columns = [cell[2] for cell in cells]
    if not products_fit(sum(sum(column.tolist()) for column in columns)):
        columns = [as_python_ints(column) for column in columns]  # type: ignore[misc]
    counts = np.concatenate([empty, *columns])
    kept = np.flatnonzero(counts != 0)
    return ClassTable(names, *sum_equal_rows(true[kept], pred[kept], counts[kept]))


TRUE_CLASS = "true_class"
"""The heading of the first column."""


def confusion_matrix(true: Any, pred: Any = None, *, shares: bool = False) -> Table:
    """Return how many elements of each true class are predicted as each class.

    Parameters
    ----------
    true, pred
        Two segmentations whose segments carry classes, or paths; or one overlap table or class table.
    shares
        Divide every row by its sum: the share of a true class that is predicted as each class. A row without elements
        has no shares (None).

    Returns
    -------
    Table
        A row per true class, a column per predicted class. ``(outside)`` are elements of no class; elements that are
        void on a side are left out. ``to_pandas().set_index("true_class")`` is the matrix as a data frame.

    Examples
    --------
    >>> import segmetry as sm
    >>> true = sm.LabelArray.from_classes([[1, 1, 1, 1, 2, 2, 255]], void=255)
    >>> pred = sm.LabelArray.from_classes([[1, 1, 1, 2, 2, 2, 2]])
    >>> list(sm.confusion_matrix(true, pred))
    [{'true_class': '1', '1': 3, '2': 1}, {'true_class': '2', '1': 0, '2': 2}]
    >>> sm.confusion_matrix(true, pred, shares=True)[0]
    {'true_class': '1', '1': 0.75, '2': 0.25}
    """
    if isinstance(true, ClassTable):
        return matrix_table(true, {}, shares=shares)
    table = true if isinstance(true, OverlapTable) and pred is None else overlap(true, pred)
    return matrix_table(table.by_class(), {}, shares=shares)


def matrix_table(classes: ClassTable, class_names: Mapping[Hashable, str], *, shares: bool = False) -> Table:
    """Return a class table as a matrix under the names of its classes."""
    headings = [*(class_names.get(name, str(name)) for name in classes.names), OUTSIDE]
    cells = classes.matrix()[:-1, :-1]
    kept = [at for at in range(len(headings)) if at < len(headings) - 1 or cells[at].any() or cells[:, at].any()]
    rows = []
    for at in kept:
        total = int(cells[at].sum())
        counts = [int(cells[at, other]) for other in kept]
        values = [None if not total else count / total for count in counts] if shares else counts
        rows.append({TRUE_CLASS: headings[at], **dict(zip((headings[other] for other in kept), values, strict=True))})
    kind: ColumnType = "number" if shares else "integer"
    return Table("confusion", rows, {TRUE_CLASS: "text", **{headings[at]: kind for at in kept}})


class ClassConfusion(NamedTuple):
    """Elements of a true class that are predicted as another one, of all elements of the true class."""

    true_class: str
    pred_class: str
    n_elements: int
    n_true: int


def largest_confusions(classes: ClassTable, class_names: Mapping[Hashable, str], n: int) -> list[ClassConfusion]:
    """Return the largest cells beside the diagonal, the largest first."""
    headings = [*(class_names.get(name, str(name)) for name in classes.names), OUTSIDE]
    cells = classes.matrix()[:-1, :-1]
    wrong = np.where(np.eye(len(headings), dtype=bool), 0, cells)
    order = np.argsort(-wrong.ravel(), kind="stable")[:n].tolist()
    places = [(at // len(headings), at % len(headings)) for at in order]
    return [
        ClassConfusion(headings[true], headings[pred], int(cells[true, pred]), int(cells[true].sum()))
        for true, pred in places
        if wrong[true, pred]
    ]
