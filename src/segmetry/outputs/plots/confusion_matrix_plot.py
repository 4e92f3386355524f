"""A plot of the confusion matrix: every row a true class, shaded by the share that is predicted as each class."""

from __future__ import annotations

from segmetry.errors import InputError
from segmetry.outputs.plots.picture import GREY, INK, PALE, Picture, Rectangle, Shape, Words
from segmetry.overlaps import TRUE_CLASS
from segmetry.results import Table, cut_text

_SIDE, _LEFT, _TOP, _LONGEST = 30, 150, 150, 18
_TOTAL = 110
"""The room for the numbers of elements to the right of the rows."""
_LIGHT, _DARK = (255, 255, 255), (0, 90, 160)


def confusion_matrix_plot(matrix: Table) -> Picture:
    """Draw a confusion matrix: counts or shares, as :func:`segmetry.confusion_matrix` returns them.

    Parameters
    ----------
    matrix
        A table of counts or of shares.

    Returns
    -------
    Picture
        It draws itself in a notebook; ``.svg`` is the text of the file. A cell is as dark as its share of the true
        class, and contains it in per cent; the pointer shows the number of elements, if these are counts.

    Examples
    --------
    >>> import segmetry as sm
    >>> labels = sm.LabelArray.from_classes([[1, 2, 2]])
    >>> sm.confusion_matrix_plot(sm.confusion_matrix(labels, labels)).title
    'Confusion matrix of 2 classes'
    """
    if matrix.name != "confusion" or not len(matrix):
        raise InputError(
            f"expected a confusion matrix with at least one class; found {matrix!r}; confusion_matrix(true, pred) and "
            "run.confusion_matrix() return one"
        )
    names = [str(name) for name in matrix[TRUE_CLASS]]
    title = f"Confusion matrix of {len(names)} class{'es' * (len(names) > 1)}"
    shapes: list[Shape] = [
        Words(16, 20, title, 15),
        Words(16, 40, "rows: true class, columns: predicted class; per cent of the true class", 12, fill=GREY),
    ]
    for at, name in enumerate(names):
        place = _SIDE * (at + 0.5)
        shapes.append(Words(_LEFT - 8, _TOP + place, cut_text(name, _LONGEST), 11, "end"))
        shapes.append(Words(_LEFT + place, _TOP - 8, cut_text(name, _LONGEST), 11, "start", upright=True))
        values = [matrix[at][other] for other in names]
        total = sum(value or 0 for value in values)
        for column, value in enumerate(values):
            shapes += _cell_shapes(at, column, value, total, f"{name} predicted as {names[column]}")
    size = _SIDE * len(names)
    totals = _total_words(matrix, names)
    return Picture(max(_LEFT + size + _TOTAL, 560), _TOP + size + 40, title, (*shapes, *totals))


def _total_words(matrix: Table, names: list[str]) -> list[Shape]:
    """Return the number of elements of every true class next to its row, and of every predicted class below."""
    rows = [sum(matrix[at][other] or 0 for other in names) for at in range(len(names))]
    if not all(isinstance(total, int) for total in rows):
        return []  # shares have no totals
    end = _SIDE * len(names)
    shapes: list[Shape] = [Words(_LEFT + end + 8, _TOP - 8, "elements", 11, fill=GREY)]
    for at, total in enumerate(rows):
        place = _SIDE * (at + 0.5)
        column = sum(matrix[row][names[at]] or 0 for row in range(len(names)))
        shapes.append(Words(_LEFT + end + 8, _TOP + place, f"{total:,}", 11, fill=GREY))
        share = f"{100 * column / (sum(rows) or 1):.0f} %"
        shapes.append(Words(_LEFT + place, _TOP + end + 12, share, 10, "middle", GREY))
    shapes.append(Words(_LEFT - 8, _TOP + end + 12, "predicted, of all", 11, "end", GREY))
    return shapes


def _cell_shapes(row: int, column: int, value: float | None, total: float, words: str) -> list[Shape]:
    x, y = _LEFT + _SIDE * column, _TOP + _SIDE * row
    if value is None or not total:
        return [Rectangle(x, y, _SIDE - 1, _SIDE - 1, PALE, None, f"{words}: the true class does not occur")]
    share = value / total
    counted = f", {value} elements" if isinstance(value, int) else ""
    shapes: list[Shape] = [
        Rectangle(x, y, _SIDE - 1, _SIDE - 1, _shade_of_share(share), PALE, f"{words}: {100 * share:.2f} %{counted}")
    ]
    if value:
        ink = "#ffffff" if share > 0.5 else INK
        text = f"{100 * share:.0f}" if share >= 0.005 else "<1"
        shapes.append(Words(x + _SIDE / 2, y + _SIDE / 2, text, 10, "middle", ink))
    return shapes


def _shade_of_share(share: float) -> str:
    parts = (round(light + (dark - light) * share) for light, dark in zip(_LIGHT, _DARK, strict=True))
    return "#" + "".join(f"{part:02x}" for part in parts)
