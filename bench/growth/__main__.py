"""``python -m bench.growth [--only NAME] [--limit SECONDS] [-o FILE]``: 1 if a curve grows fast without a reason."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from bench.growth.curves import ALLOWED, CURVES, Growth, load_curves, measure
from bench.report import machine


def main(arguments: list[str] | None = None) -> int:
    """Measure the curves, print one line for each, and save them."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description="How time and memory grow.")
    parser.add_argument("--only", metavar="NAME", default="", help="measure only curves whose name contains NAME")
    parser.add_argument("--limit", metavar="SECONDS", type=float, default=2.0, help="no larger input after such a call")
    parser.add_argument("-o", metavar="FILE", dest="file", type=Path, help="save the curves as JSON")
    options = parser.parse_args(arguments)
    load_curves()
    chosen = [curve for curve in CURVES.values() if options.only in curve.name]
    if not chosen:
        parser.error(f"no curve matches; there are: {', '.join(sorted(CURVES))}")
    measured, unexplained = [], []
    for curve in chosen:
        growth = measure(curve, options.limit)
        measured.append(growth)
        if not growth.is_proportional and not growth.reason:
            unexplained.append(growth.name)
        size, seconds, megabytes = growth.points[-1]
        slopes = ["–" if slope is None else f"{slope:.2f}" for slope in (growth.time_exponent, growth.memory_exponent)]
        line = f"{growth.name:28} {size:>9,} {growth.along:8} {seconds:8.3f} s ^{slopes[0]:5} {megabytes:8.1f} MB"
        print(f"{line} ^{slopes[1]:5}{'' if growth.is_proportional else ' above ' + str(ALLOWED)}", flush=True)
        if options.file is not None:
            save(growth, options.file)
    print(f"{len(measured)} curves, {len(unexplained)} above {ALLOWED} without a reason: {', '.join(unexplained)}")
    return 1 if unexplained else 0


def save(growth: Growth, file: Path) -> None:
    """Put a curve into the file, in the place of an earlier measurement; the others stay."""
    curves = json.loads(file.read_text(encoding="utf-8"))["curves"] if file.exists() else []
    kept = [curve for curve in curves if curve["name"] in CURVES and curve["name"] != growth.name]
    document = {
        "command": "python -m bench.growth",
        "machine": {**machine(), "load": f"{os.getloadavg()[0]:.1f}"},
        "curves": sorted([*kept, growth.to_dict()], key=lambda curve: str(curve["name"])),
    }
    file.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
