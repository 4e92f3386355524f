"""The values that the table of a protocol shows, for tests that compare them with a reference."""

from __future__ import annotations

import math

import segmetry as sm
from tests.profiles import count

DATA_SETS = count(1.5)
"""How many random data sets a protocol is compared on: 12 in the light suite, 300 in make test-all."""


def shown(run: sm.Run, *, classes: bool = False) -> dict[str, dict[str, float | None]]:
    """The numbers of a protocol's table by row and column; of classes: none where no class occurs."""
    table = run.protocol_table(classes=classes)
    if classes and table is None:
        return {}
    assert table is not None
    return {str(row[0]): {heading: table[str(row[0]), heading] for heading in table.headings[1:]} for row in table.rows}


def same(value: float | None, expected: float) -> bool:
    if value is None or math.isnan(expected):
        return value is None and math.isnan(expected)
    return math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-15)
