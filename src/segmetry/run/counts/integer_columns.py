"""Read integer columns of an SQLite table quickly: SQLite writes each as one text, which numpy reads at once."""

from __future__ import annotations

import sqlite3
import warnings
from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from segmetry._base.exact import IntArray

ITEMS_AT_ONCE = 4096
"""The number of items of a text, so that it stays small beside the columns."""
_LEAST, _MOST = -(2**63), 2**63 - 1


def integer_columns(
    connection: sqlite3.Connection, columns: Sequence[str], rows: str, keys: IntArray, *values: str
) -> list[IntArray]:
    """Return the columns of the rows of all items, by name or expression, each as one array.

    ``rows`` is the end of a query, from ``FROM`` to ``WHERE``, on a table whose column ``item`` comes first in its
    primary key; ``values`` are its parameters and ``keys`` the items that are expected, which divide the rows. A value
    that is not an integer is a ValueError.
    """
    bounds = [_LEAST, *keys[ITEMS_AT_ONCE::ITEMS_AT_ONCE].tolist(), _MOST]
    parts = [_part(connection, columns, rows, values, low, high) for low, high in pairwise(bounds)]
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def _part(
    connection: sqlite3.Connection, columns: Sequence[str], rows: str, values: tuple[str, ...], low: int, high: int
) -> list[IntArray]:
    within = f"{rows} AND item >= ? AND item < ?"
    texts = ", ".join(f"json_group_array({column})" for column in columns)
    chosen = (*values, low, high)
    try:
        found = connection.execute(f"SELECT count(*), {texts} {within}", chosen).fetchone()
    except sqlite3.DataError:  # longer than SQLite allows: an item of 10⁸ rows
        cells = connection.execute(f"SELECT {', '.join(columns)} {within}", chosen)
        numbers = np.fromiter(chain.from_iterable(cells), dtype=np.int64).reshape(-1, len(columns))
        return [np.ascontiguousarray(column) for column in numbers.T]
    return [_numbers(text, found[0]) for text in found[1:]]


def _numbers(text: str, count: int) -> IntArray:
    """Return the numbers of a JSON list of integers."""
    if not count:
        return np.zeros(0, dtype=np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of numpy, for text that it cannot read to its end
        numbers = np.fromstring(text[1:-1], dtype=np.int64, sep=",")
    if numbers.size != count:
        raise ValueError(text[:80])
    return numbers
