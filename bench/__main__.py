"""``python -m bench [--quick] [--only NAME] [-o DIR]``"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.cases import CASES, load_subjects
from bench.report import as_json, as_markdown, table_line
from bench.timing import Row, measure


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print and save a table; return 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Compare segmetry with its peers.")
    parser.add_argument("--quick", action="store_true", help="leave out cases with large inputs, and repeat less")
    parser.add_argument("--only", metavar="NAME", help="run only cases whose name contains NAME")
    parser.add_argument("-o", metavar="DIR", dest="folder", type=Path, help="save bench.json and bench.md in DIR")
    options = parser.parse_args(arguments)
    load_subjects()
    chosen = [c for c in CASES.values() if (options.only or "") in c.name and (c.quick or not options.quick)]
    if not chosen:
        parser.error(f"no case matches; there are: {', '.join(sorted(CASES))}")
    rows: list[Row] = []
    for case in chosen:
        for row in measure(case, budget=0.2 if options.quick else 1.0):
            rows.append(row)
            print(table_line(row), flush=True)
    words = [
        "python -m bench",
        *(["--quick"] if options.quick else []),
        *(["--only", options.only] if options.only else []),
    ]
    command = " ".join(words)
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        (options.folder / "bench.json").write_text(as_json(rows, command), encoding="utf-8")
        (options.folder / "bench.md").write_text(as_markdown(rows, command), encoding="utf-8")
    missed = [row for row in rows if row.passed is False]
    print(f"{len(rows)} comparisons, {len(missed)} missed their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
