"""Print a paper's numbers next to ours, and fail if a number that should agree does not."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT.parent / "shared" / "data"
"""The folder of the published result files; without them the scripts report what they skip."""


@dataclass
class Beside:
    """A table of rows: a name, the paper's number, ours, and the reason for a difference."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    wrong: int = 0

    def same(self, what: str, printed: float, found: float, *, digits: int = 3) -> None:
        """Add a number that must agree when rounded to the digits of the paper."""
        agrees = (
            abs(round(found, digits) - printed) < 10**-digits / 2 or abs(found - printed) <= 0.5 * 10**-digits + 1e-12
        )
        self.wrong += not agrees
        self.rows.append((what, _shown(printed, digits), _shown(found, digits), "" if agrees else "DISAGREES"))

    def differs(self, what: str, printed: str, found: str, why: str) -> None:
        """Add a number that cannot agree, and the reason."""
        self.rows.append((what, printed, found, why))

    def show(self) -> None:
        """Print the table."""
        print(f"\n{self.title}")
        header = ("", "paper", "here", "")
        widths = [max(len(row[column]) for row in (header, *self.rows)) for column in range(3)]
        for row in (header, *self.rows):
            cells = [row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].rjust(widths[2])]
            print("  " + "  ".join([*cells, row[3]]).rstrip())


def finish(tables: Sequence[Beside]) -> None:
    """Print all tables; exit with status 1 if a number disagrees."""
    for table in tables:
        table.show()
    wrong = sum(table.wrong for table in tables)
    if wrong:
        sys.exit(f"\n{wrong} numbers disagree")


def _shown(value: float, digits: int) -> str:
    return f"{value:,.0f}" if digits == 0 else f"{value:.{digits}f}"
