"""Processes that evaluate a data set slowly, for the test that kills them: ``python killed.py FOLDER OUT ENGINE``.

For every line of input the program forks one, which saves importing the package each time. It prints the process id,
"written" after every item, "worker" with the process id of each worker, and "ended" when the process has ended. ENGINE
may be the address of a scheduler. Workers are forked, which takes a hundredth of the time of starting them anew.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

import segmetry as sm
from segmetry.evaluation.engines import pools
from segmetry.runfile.writer import RunWriter


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # at once and whole, also when two processes write


def evaluate(folder: str, out: str, engine: str) -> None:
    """Evaluate; every write takes a moment, half of it before the commit."""
    commit = RunWriter.commit

    def slowly(self: RunWriter, **options: bool) -> None:
        added = self.n_added > 0
        time.sleep(0.004 * added)
        commit(self, **options)
        if added:
            say("written")
        time.sleep(0.004 * added)

    RunWriter.commit = slowly  # type: ignore[method-assign]
    start, new_context = pools._start_worker, multiprocessing.get_context
    pools._start_worker = lambda: (say(f"worker {os.getpid()}"), start())[1]
    multiprocessing.get_context = lambda _method=None: new_context("fork")  # type: ignore[assignment]
    sides = ({path.name: path for path in sorted(Path(folder, side).iterdir())} for side in ("true", "pred"))
    sm.evaluate(*sides, out=out, resume=True, engine=engine, jobs=2 if engine in ("threads", "processes") else None)


def main(folder: str, out: str, engine: str) -> None:
    """Fork a process that evaluates for every line of input."""
    with tempfile.TemporaryDirectory() as home:  # imports what an evaluation needs, once
        np.save(Path(home, "a.npy"), np.zeros((2, 2), np.uint8))
        one = {"a": Path(home, "a.npy")}
        sm.evaluate(one, one, out=Path(home, "run.segm"), resume=True, engine="serial")
    if ":" in engine:
        import distributed  # noqa: F401 - the same
    for _ in sys.stdin:
        process = os.fork()
        if not process:
            try:
                evaluate(folder, out, engine)
            except BaseException:  # noqa: BLE001 - the process has no other way to tell
                traceback.print_exc()
            finally:
                os._exit(0)  # whatever happened: the run file is what counts
        say(str(process))
        os.waitpid(process, 0)
        say("ended")


if __name__ == "__main__":
    main(*sys.argv[1:])
