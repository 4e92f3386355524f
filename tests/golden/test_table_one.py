"""Table 1 of the preprint on the most general alignment: 16,384 segmentations of 15 elements, 48 cells
[marx2022most].
"""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm

TRUE = [2, 3, 2, 1, 1, 3, 2, 1]
COLUMNS = (
    ("theta_plus", "sq"),
    ("theta_and", "sq"),
    ("theta_plus", "f1"),
    ("theta_and", "f1"),
    ("theta_plus", "weighted_f1"),
    ("theta_and", "weighted_f1"),
)
PRINTED = {
    "count": (15556, 15885, 16384, 16384, 16384, 16384),
    "mean": (0.855, 0.819, 0.348, 0.379, 0.298, 0.314),
    "std": (0.107, 0.117, 0.184, 0.180, 0.164, 0.161),
    "min": (0.600, 0.500, 0.000, 0.000, 0.000, 0.000),
    "25%": (0.787, 0.750, 0.235, 0.250, 0.185, 0.196),
    "50%": (0.867, 0.833, 0.333, 0.375, 0.292, 0.302),
    "75%": (0.920, 0.889, 0.471, 0.500, 0.407, 0.419),
    "max": (1.000, 1.000, 1.000, 1.000, 1.000, 1.000),
}


@pytest.fixture(scope="module")
def described() -> dict[str, tuple[float, ...]]:
    true = sm.Spans.from_masses(TRUE)
    values: dict[tuple[str, str], list[float]] = {column: [] for column in COLUMNS}
    for bits in range(2**14):
        cuts = [gap for gap in range(1, 15) if bits >> (gap - 1) & 1]
        table = sm.overlap(true, sm.Spans.from_boundaries(cuts, n=15))
        alignments = {rule: sm.align(table, rule) for rule in ("theta_plus", "theta_and")}
        for rule, key in COLUMNS:
            score = getattr(alignments[rule], key)
            if score.is_defined:
                values[rule, key].append(score.value)
    rows: dict[str, list[float]] = {name: [] for name in PRINTED}
    for column in COLUMNS:
        found = np.array(values[column])
        rows["count"].append(found.size)
        rows["mean"].append(found.mean())
        rows["std"].append(found.std(ddof=1))
        for name, share in (("min", 0), ("25%", 25), ("50%", 50), ("75%", 75), ("max", 100)):
            rows[name].append(float(np.percentile(found, share)))
    return {name: tuple(row) for name, row in rows.items()}


@pytest.mark.parametrize("row", PRINTED)
@pytest.mark.parametrize("column", range(6))
def test_cell(described: dict[str, tuple[float, ...]], row: str, column: int) -> None:
    printed = PRINTED[row][column]
    tolerance = 0 if row == "count" else 0.0005 + 1e-12
    assert abs(described[row][column] - printed) <= tolerance


def test_the_gain_is_329_not_229(described: dict[str, tuple[float, ...]]) -> None:
    """The text of section 6.2 prints 229; its own table says 15,885 - 15,556."""
    assert described["count"][1] - described["count"][0] == 329
