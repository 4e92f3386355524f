"""The columns that metrics of a data set collect from each item, as rows of the table ``collected``.

Arrays are written as their bytes, little-endian, integers in the narrowest type that holds them, so equal columns are
equal files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, ColumnsOfItem
from segmetry.errors import FormatError
from segmetry.runfile.values import stored_class

_TYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "<f8")
_LABELS = "labels"


class CollectedKey(NamedTuple):
    """The name of the function that collects, its options as JSON, and the rule ("" where none matters)."""

    collector: str
    options: str
    rule: str


ColumnRow = tuple[str, str, str, bytes]
"""Name, type, shape and content of a column."""


def column_rows(facts: ColumnsOfItem) -> list[ColumnRow]:
    r"""Return the columns of one item as rows of the table ``collected``.

    >>> column_rows({"size": np.array([3, 400]), "class": ["sky"]})
    [('size', '<i2', '[2]', b'\x03\x00\x90\x01'), ('class', 'labels', '[1]', b'["sky"]')]
    """
    return [(name, *_written(column)) for name, column in facts.items()]


def _written(column: Column) -> tuple[str, str, bytes]:
    if not isinstance(column, np.ndarray):
        labels = [stored_class(label) for label in column]
        return _LABELS, json.dumps([len(labels)]), json.dumps(labels, ensure_ascii=False).encode()
    array = np.ascontiguousarray(column, dtype=_narrowest(column))
    return array.dtype.str, json.dumps(array.shape), array.tobytes()


def _narrowest(column: NDArray[Any]) -> str:
    if column.dtype.kind == "b":
        return "|b1"
    if column.dtype.kind == "f":
        return "<f8"
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    return next(name for name in _TYPES[1:5] if np.iinfo(name).min <= low and high <= np.iinfo(name).max)


def read_columns(rows: Iterable[ColumnRow]) -> dict[str, Column]:
    """Return the columns of one item from such rows.

    >>> read_columns(column_rows({"class": ["sky"]}))
    {'class': ['sky']}
    """
    return {row[0]: read_column(row) for row in rows}


def read_column(row: ColumnRow) -> Column:
    """Return one column from such a row."""
    name, type_name, shape_text, content = row
    try:
        shape = tuple(map(int, json.loads(shape_text)))
        if type_name == _LABELS:
            labels = json.loads(content)
            if not isinstance(labels, list) or (len(labels),) != shape or not _are_classes(labels):
                raise ValueError(name)
            return labels
        if type_name not in _TYPES or min(shape, default=-1) < 0:
            raise ValueError(name)
        array = np.frombuffer(content, dtype=type_name)
        if array.size != math.prod(shape):
            raise ValueError(name)
        return array.reshape(shape).astype({"b": bool, "i": np.int64, "f": np.float64}[array.dtype.kind])
    except (ValueError, TypeError):
        raise FormatError(f"corrupt run file: the collected column {name!r} of an item cannot be read") from None


def _are_classes(labels: list[Any]) -> bool:
    return all(isinstance(label, str | int | float) and not isinstance(label, bool) for label in labels)
