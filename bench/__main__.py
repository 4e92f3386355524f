"""``python -m bench [--quick] [--only NAME] [-o DIR] [--history FILE]``"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bench.cases import CASES, load_subjects
from bench.history import remember
from bench.report import as_json, as_markdown, table_line
from bench.timing import QUICK, THOROUGH, Row, measure


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print and save a table; return 1 if a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Compare segmetry with its peers.")
    parser.add_argument("--quick", action="store_true", help="three minutes: small inputs, fewer repeats")
    parser.add_argument("--only", metavar="NAME", help="run only cases whose name contains NAME")
    parser.add_argument("-o", metavar="DIR", dest="folder", type=Path, help="save bench.json and bench.md in DIR")
    parser.add_argument("--history", metavar="FILE", type=Path, help="add the ratios of this commit to FILE")
    options = parser.parse_args(arguments)
    load_subjects()
    chosen = [c for c in CASES.values() if (options.only or "") in c.name and (c.quick or not options.quick)]
    if not chosen:
        parser.error(f"no case matches; there are: {', '.join(sorted(CASES))}")
    rows: list[Row] = []
    for case in chosen:
        for row in measure(case, QUICK if options.quick else THOROUGH):
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
    if options.history is not None:
        remember(rows, command, options.history)
    missed = [row for row in rows if row.passed is False]
    print(f"{len(rows)} comparisons, {len(missed)} missed their target")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
