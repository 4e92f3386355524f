"""The table of packed counts, and the views that give SQL a row for every segment, every overlap and every pair.

``packed_item.py`` says how the content of a row is laid out. A CROSS JOIN keeps its order: the places of the overlaps
come before the rows in which their segments are looked up.
"""

from __future__ import annotations

from segmetry.run.counts.packed_item import BLOCK

_N = "({row}.n_true + {row}.n_pred)"


def _number(row: str, at: str) -> str:
    """The expression of the number at a place after the ids."""
    n = _N.format(row=row)
    start = f"1 + {row}.id_digits * {n} + {row}.digits * ({at})"
    return f"CAST(substr({row}.content, {start}, {row}.digits) AS INTEGER)"


def _id(row: str, at: str) -> str:
    """The expression of the id of a segment; one of 2⁶³ or more is text."""
    digits = f"CAST(substr({row}.content, 1 + {row}.id_digits * ({at}), {row}.id_digits) AS TEXT)"
    is_large = f"{row}.id_digits = 20 AND {digits} > '09223372036854775807'"
    return f"CASE WHEN {is_large} THEN ltrim({digits}, '0') ELSE CAST({digits} AS INTEGER) END"


def _class(row: str, at: str) -> str:
    code = _number(row, f"3 * {_N.format(row=row)} + {at}")
    listed = f"json_extract({row}.class_list, '$[' || {code} || ']')"
    return f"CASE WHEN {row}.has_classes THEN CASE WHEN {row}.class_list IS NULL THEN {code} ELSE {listed} END END"


def _overlap(row: str, column: int) -> str:
    return _number(row, f"(3 + {row}.has_classes) * {_N.format(row=row)} + {column} * {row}.n_overlaps + at.key")


def _crowd(row: str, at: str) -> str:
    n = _N.format(row=row)
    numbers = f"(3 + {row}.has_classes) * {n} + 3 * {row}.n_overlaps"
    code = f"CAST(substr({row}.content, 1 + {row}.id_digits * {n} + {row}.digits * ({numbers}) + {at}, 1) AS TEXT)"
    return f"CAST(nullif(nullif({code}, '-'), '') AS INTEGER)"


def _places(count: str) -> str:
    """The table of the numbers 0, 1, … below a count: SQLite has no other one that may depend on a row."""
    return f"json_each('[' || substr(replace(hex(zeroblob({count})), '00', ',0'), 2) || ']') AS at"


_TRUE, _PRED, _SHARED = (_overlap("c", column) for column in range(3))
_TRUE_AT, _PRED_AT = f"{_TRUE} % {BLOCK}", f"p.n_true + {_PRED} % {BLOCK}"

COUNTS_SCHEMA = f"""
CREATE TABLE counts (
    item        INTEGER NOT NULL REFERENCES item,
    block       INTEGER NOT NULL,
    n_true      INTEGER NOT NULL,
    n_pred      INTEGER NOT NULL,
    n_overlaps  INTEGER NOT NULL,
    id_digits   INTEGER NOT NULL,
    digits      INTEGER NOT NULL,
    has_classes INTEGER NOT NULL,
    class_list  TEXT,
    content     BLOB NOT NULL,
    PRIMARY KEY (item, block)
);
CREATE VIEW segment AS
SELECT c.item AS item,
       CASE WHEN at.key < c.n_true THEN 'true' ELSE 'pred' END AS side,
       {BLOCK} * c.block + at.key - CASE WHEN at.key < c.n_true THEN 0 ELSE c.n_true END AS position,
       {_id("c", "at.key")} AS id,
       {_class("c", "at.key")} AS class,
       {_number("c", "at.key")} AS size,
       {_number("c", f"{_N.format(row='c')} + at.key")} AS outside,
       {_number("c", f"2 * {_N.format(row='c')} + at.key")} AS void,
       {_crowd("c", "at.key")} AS crowd
FROM counts AS c, {_places("c.n_true + c.n_pred")};
CREATE VIEW overlap AS
SELECT c.item AS item, {_TRUE} AS true_position, {_PRED} AS pred_position, {_SHARED} AS shared
FROM counts AS c, {_places("c.n_overlaps")};
CREATE VIEW pair AS
SELECT item, true_id, pred_id, true_class, pred_class, shared, true_size - shared AS missed,
       pred_size - shared AS spurious, 1.0 * shared / (true_size + pred_size - shared) AS iou
FROM (SELECT item.name AS item, {_id("t", _TRUE_AT)} AS true_id, {_id("p", _PRED_AT)} AS pred_id,
             {_class("t", _TRUE_AT)} AS true_class, {_class("p", _PRED_AT)} AS pred_class,
             {_number("t", _TRUE_AT)} AS true_size, {_number("p", _PRED_AT)} AS pred_size, {_SHARED} AS shared
      FROM item
      CROSS JOIN counts AS c ON c.item = item.item
      CROSS JOIN {_places("c.n_overlaps")}
      CROSS JOIN counts AS t ON t.item = c.item AND t.block = {_TRUE} / {BLOCK}
      CROSS JOIN counts AS p ON p.item = c.item AND p.block = {_PRED} / {BLOCK});
"""  # noqa: S608 - fixed names
