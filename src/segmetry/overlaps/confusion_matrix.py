"""The confusion matrix: how many elements of each true class are predicted as each class, as a table to read.

A row per true class and a column per predicted class, sums of the overlap table (:mod:`segmetry.overlaps.class_table`).
Elements of no class have their own row and column where there are any; void elements are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from segmetry.overlaps.class_table import OUTSIDE, ClassTable
from segmetry.overlaps.count import overlap
from segmetry.overlaps.table import OverlapTable
from segmetry.results import ColumnType, Table

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
    """Return the largest cells beside the diagonal, the largest first.

    >>> import segmetry as sm
    >>> table = sm.overlap(sm.LabelArray.from_classes([[1, 1, 2]]), sm.LabelArray.from_classes([[2, 2, 2]]))
    >>> largest_confusions(table.by_class(), {1: "road"}, 3)
    [ClassConfusion(true_class='road', pred_class='2', n_elements=2, n_true=2)]
    """
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
