"""The values that the table of a protocol shows, for tests that compare them with a reference."""

from __future__ import annotations

import math

import segmetry as sm
from tests.profiles import count

DATA_SETS = count(1.5)
"""How many random data sets a protocol is compared on: 12 in the light suite, 300 in make test-all."""


def shown(run: sm.Run) -> dict[str, dict[str, float | None]]:
    table = run.protocol_table()
    assert table is not None
    return {str(row[0]): {heading: table[str(row[0]), heading] for heading in table.headings[1:]} for row in table.rows}


def same(value: float | None, expected: float) -> bool:
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-15)
