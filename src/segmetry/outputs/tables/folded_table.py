"""A long table of one number per row as several columns side by side, so that it stays on the screen."""

from __future__ import annotations

from itertools import zip_longest

from segmetry.outputs.tables.plain_table import WIDTH, PlainTable

MOST_ROWS = 11
"""The most rows of a table that is not folded, and of one that is, where the width allows it."""
GAP = 2


def folded(table: PlainTable) -> PlainTable:
    """Return a table of at most :data:`MOST_ROWS` rows, if it has one column of numbers that differ and is narrow.

    A column that is the same in every row, such as the number of items, and the heading of the numbers go above.

    >>> long = PlainTable("", ("", "mean", "items"), [(f"metric {at}", "0.5000", "3") for at in range(16)])
    >>> short = folded(long)
    >>> short.title, len(short.rows), short.rows[0]
    ('mean; items 3', 8, ['metric 0', '0.5000', '  metric 8', '0.5000'])
    """
    if len(table.rows) <= MOST_ROWS:
        return table
    first, *others = range(1, len(table.headings))
    same = [at for at in others if len({row[at] for row in table.rows}) == 1]
    if len(same) < len(others):
        return table
    width = sum(max(len(row[at]) for row in table.rows) + 1 for at in (0, first)) + GAP
    n = min(-(-len(table.rows) // MOST_ROWS), (WIDTH + GAP) // width)
    if n < 2:
        return table
    height = -(-len(table.rows) // n)
    blocks = [
        [(" " * GAP * (at > 0) + row[0], row[first]) for row in table.rows[at : at + height]]
        for at in range(0, len(table.rows), height)
    ]
    rows = [[cell for pair in pairs for cell in pair] for pairs in zip_longest(*blocks, fillvalue=("", ""))]
    heading = [table.headings[first]] if table.has_headings else []
    title = "; ".join([*heading, *(f"{table.headings[at]} {table.rows[0][at]}" for at in same)])
    return PlainTable(title, ("",) * (2 * n), rows, table.notes, texts=frozenset(range(0, 2 * n, 2)))
