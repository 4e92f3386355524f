"""Print what a paper prints next to what segmetry computes and what an independent definition gives.

A row fails if segmetry and the printed number differ in the digits of the paper, or segmetry and the independent
definition in anything but rounding. A number that cannot agree stands in its row with the reason.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT.parent / "shared" / "data"
"""The folder of the published result files; without them the scripts report what they skip."""
HEADER = ("", "printed", "segmetry", "independent", "")
NOTHING = "–"
OWN = "both columns are computed here: the text prints no numbers"


@dataclass
class Beside:
    """A table of rows: a name, the paper's number, segmetry's, that of an independent definition, and a remark."""

    title: str
    place: str
    """Where the paper prints the numbers."""
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)
    wrong: int = 0

    def same(
        self,
        what: str,
        printed: float | None,
        found: float,
        independent: float | None = None,
        *,
        digits: int = 3,
        why: str = "",
    ) -> None:
        """Add a number that must agree with the paper, in its digits, and with the independent definition."""
        agrees = printed is None or abs(round(found, digits) - printed) < 10**-digits / 2
        agrees = agrees or abs(found - (printed or 0)) <= 0.5 * 10**-digits + 1e-12
        agrees = agrees and (independent is None or math.isclose(found, independent, rel_tol=1e-12, abs_tol=1e-15))
        self.wrong += not agrees
        shown = (NOTHING if value is None else _shown(value, digits) for value in (printed, found, independent))
        self.rows.append((what, *shown, why if agrees else "DISAGREES"))  # type: ignore[arg-type]

    def differs(self, what: str, printed: str, found: str, why: str, independent: str = NOTHING) -> None:
        """Add a number that cannot agree with the paper, and the reason."""
        self.rows.append((what, printed, found, independent, why))

    def show(self) -> None:
        """Print the table."""
        print(f"\n{self.title} ({self.place})")
        widths = [max(len(row[column]) for row in (HEADER, *self.rows)) for column in range(4)]
        for row in (HEADER, *self.rows):
            cells = [row[0].ljust(widths[0]), *(row[column].rjust(widths[column]) for column in (1, 2, 3))]
            print("  " + "  ".join([*cells, row[4]]).rstrip())


def finish(tables: Sequence[Beside]) -> None:
    """Print all tables; exit with status 1 if a number disagrees."""
    for table in tables:
        table.show()
    wrong = sum(table.wrong for table in tables)
    if wrong:
        sys.exit(f"\n{wrong} numbers disagree")


def _shown(value: float, digits: int) -> str:
    return f"{value:,.0f}" if digits == 0 else f"{value:.{digits}f}"
