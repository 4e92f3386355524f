"""A program that evaluates a data set slowly, for the test that kills it: ``python killed.py FOLDER OUT ENGINE``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import segmetry as sm
from segmetry.run.writer import RunWriter


def main(folder: str, out: str, engine: str) -> None:
    """Evaluate; every write takes a moment, half of it inside the transaction's reach."""
    add = RunWriter.add

    def slowly(self: RunWriter, *args: object) -> None:
        time.sleep(0.004)
        add(self, *args)  # type: ignore[arg-type]
        sys.stdout.write("written\n")
        sys.stdout.flush()
        time.sleep(0.004)

    RunWriter.add = slowly  # type: ignore[method-assign]
    sides = ({path.name: path for path in sorted(Path(folder, side).iterdir())} for side in ("true", "pred"))
    sm.evaluate(*sides, out=out, resume=True, engine=engine, jobs=2 if engine != "serial" else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
