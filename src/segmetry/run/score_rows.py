"""The scores of many items as rows of the table ``score``, written from columns and read as columns."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Number, frozen_dataclass
from segmetry.errors import FormatError
from segmetry.metrics import DEFINED, Counts, Result, Score, ScoreColumn
from segmetry.runfile import MOST_INTEGER, ScoreRow, details_text, json_of_text, number_of_text, number_text


def score_row(score: Result) -> ScoreRow:
    """Return a score as the columns value, reason, numerator, denominator, details of the table ``score``."""
    if isinstance(score, Counts):
        return None, score.reason, None, None, json.dumps({"parts": dict(score.parts)})
    value = None if math.isnan(score.value) else float(score.value)
    details = details_text(score.details) if score.details else None
    return value, score.reason, number_text(score.numerator), number_text(score.denominator), details


def score_of_row(key: str, row: ScoreRow) -> Result:
    """Return the score written by :func:`score_row`."""
    value, reason, numerator, denominator, details = row
    try:
        facts: dict[str, Any] = json_of_text(details) if details else {}
        if not isinstance(facts, dict):
            raise TypeError(details)
        if value is None and reason is None and "parts" in facts:
            return Counts(key, facts["parts"], reason)
        number = math.nan if value is None else float(value)
        return Score(key, number, reason, number_of_text(numerator), number_of_text(denominator), facts)
    except (ValueError, TypeError, AttributeError, ZeroDivisionError, OverflowError, RecursionError):
        raise FormatError(f"corrupt run file: the score {key[:80]!a} of an item cannot be read: {row!r:.300}") from None


class ScoreRows(NamedTuple):
    """The columns of the table ``score`` for one metric and rule, one row per item, as they are stored."""

    values: Sequence[Any]
    reasons: Sequence[str | None]
    numerators: Sequence[str | None]
    denominators: Sequence[str | None]
    details: Sequence[str | None]

    @classmethod
    def of(cls, rows: Sequence[ScoreRow]) -> ScoreRows:
        """Return the columns of some rows."""
        return cls(*zip(*rows, strict=True)) if rows else cls((), (), (), (), ())

    def rows(self) -> list[ScoreRow]:
        """Return the rows."""
        return list(zip(*self, strict=True))


def rows_of_column(column: ScoreColumn) -> ScoreRows:
    """Return the scores of a column, each as :func:`score_row` writes it."""
    values: list[float | None] = column.values.tolist()
    for at in np.flatnonzero(np.isnan(column.values)).tolist():
        values[at] = None
    nothing: list[str | None] = [None] * len(column)
    reasons = list(nothing)
    for at in np.flatnonzero(column.reason_codes != DEFINED).tolist():
        reasons[at] = column.reasons[column.reason_codes[at]]
    tops = nothing if column.numerators is None else _texts(column.numerators, column.unit)
    bottoms = nothing if column.denominators is None else _texts(column.denominators, None)
    if column.numerators is not None:
        for at in np.flatnonzero(~column.has_quotient).tolist():
            tops[at] = bottoms[at] = None
    return ScoreRows(values, reasons, tops, bottoms, _detail_texts(column))


@frozen_dataclass(eq=False)
class RowsOfColumns(Sequence[tuple[tuple[Any, ...], ...]]):
    """The scores of each of ``n`` items as rows of the table ``score``, made from columns by key when asked for."""

    columns: Mapping[str, ScoreColumn]
    n: int

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, item: Any) -> Any:
        return self._rows[item]

    @cached_property
    def _rows(self) -> list[tuple[tuple[Any, ...], ...]]:
        if not self.columns:
            return [()] * self.n
        rows = [zip(repeat(key), repeat(""), *rows_of_column(column)) for key, column in self.columns.items()]
        return list(zip(*rows, strict=True))


def _texts(numbers: NDArray[Any], unit: int | None) -> list[str | None]:
    if unit is not None:
        common = np.gcd(numbers, unit)
        tops, bottoms = (numbers // common).tolist(), (unit // common).tolist()
        return [f"{top}/{bottom}" for top, bottom in zip(tops, bottoms, strict=True)]
    if numbers.dtype.kind == "i":
        return list(map(str, numbers.tolist()))
    return [number_text(number) for number in numbers.tolist()]


def _detail_texts(column: ScoreColumn) -> list[str | None]:
    """Return the details as JSON; those of integers are written into one template."""
    details = column.details
    if not details:
        return [None] * len(column)
    plain = all(part.dtype.kind == "i" and name.isascii() and name.isidentifier() for name, part in details.items())
    if not plain:
        return [details_text(score.details) if score.details else None for score in column.scores("")]
    template = "{" + ", ".join([f'"{name}": %d' for name in details]) + "}"
    return [template % row for row in zip(*(part.tolist() for part in details.values()), strict=True)]


def column_of_rows(rows: ScoreRows) -> ScoreColumn | None:
    """Return the scores of all items at once; None where details are not integers, or something cannot be read."""
    if not rows.values or not {type(text) for column in rows[1:] for text in column} <= {str, type(None)}:
        return None
    has_quotient = [top is not None for top in rows.numerators]
    if has_quotient != [bottom is not None for bottom in rows.denominators]:
        return None
    try:
        numbers = np.array([math.nan if value is None else float(value) for value in rows.values])
        tops, bottoms = _numbers(rows.numerators), _numbers(rows.denominators)
        details = _integer_details(rows.details)
    except (ValueError, TypeError, AttributeError, ZeroDivisionError, RecursionError):
        return None
    if details is None:
        return None
    known = tuple(dict.fromkeys(reason for reason in rows.reasons if reason is not None))
    code: dict[str | None, int] = {None: DEFINED, **{reason: at for at, reason in enumerate(known)}}
    return ScoreColumn(
        values=numbers,
        reason_codes=np.array([code[reason] for reason in rows.reasons]),
        reasons=known,
        numerators=tops if any(has_quotient) else None,
        denominators=bottoms if any(has_quotient) else None,
        has_quotient=np.array(has_quotient, dtype=bool),
        details=details,
    )


def _numbers(texts: Sequence[str | None]) -> NDArray[Any]:
    """Return numbers as a column of their own type; 0 where there is none."""
    try:
        integers = [0 if text is None else int(text) for text in texts]
        if max(map(abs, integers)) <= MOST_INTEGER:
            return np.array(integers, dtype=np.int64)
    except ValueError:
        pass
    numbers: list[Number | None] = [number_of_text(text) for text in texts]
    listed = [0 if number is None else number for number in numbers]
    if {type(number) for number in numbers if number is not None} == {float}:
        return np.array(listed, dtype=np.float64)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column


def _integer_details(texts: Sequence[str | None]) -> dict[str, IntArray] | None:
    """Return details as columns; None unless they are integers of the same names in every item."""
    if not any(texts):
        return {}
    if not all(texts):
        return None
    rows = json_of_text(f"[{','.join(text or '' for text in texts)}]")
    names = tuple(rows[0])
    if len(rows) != len(texts) or not all(type(row) is dict and tuple(row) == names for row in rows):
        return None
    columns = {name: [row[name] for row in rows] for name in names}
    if any(set(map(type, column)) != {int} or max(map(abs, column)) > MOST_INTEGER for column in columns.values()):
        return None
    return {name: np.array(column, dtype=np.int64) for name, column in columns.items()}
