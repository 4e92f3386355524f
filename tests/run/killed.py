"""Processes that evaluate a data set slowly, for the test that kills them: ``python killed.py FOLDER OUT ENGINE``.

For every line of input the program forks one, which saves importing the package each time. It prints the process id,
"written" after every item, and "ended" when the process has ended.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import segmetry as sm
from segmetry.run.writer import RunWriter


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # at once and whole, also when two processes write


def evaluate(folder: str, out: str, engine: str) -> None:
    """Evaluate; every write takes a moment, half of it inside the transaction's reach."""
    add = RunWriter.add

    def slowly(self: RunWriter, *args: object) -> None:
        time.sleep(0.004)
        add(self, *args)  # type: ignore[arg-type]
        say("written")
        time.sleep(0.004)

    RunWriter.add = slowly  # type: ignore[method-assign]
    sides = ({path.name: path for path in sorted(Path(folder, side).iterdir())} for side in ("true", "pred"))
    sm.evaluate(*sides, out=out, resume=True, engine=engine, jobs=2 if engine != "serial" else None)


def main(folder: str, out: str, engine: str) -> None:
    """Fork a process that evaluates for every line of input."""
    for _ in sys.stdin:
        process = os.fork()
        if not process:
            evaluate(folder, out, engine)
            os._exit(0)
        say(str(process))
        os.waitpid(process, 0)
        say("ended")


if __name__ == "__main__":
    main(*sys.argv[1:])
