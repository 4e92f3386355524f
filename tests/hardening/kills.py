"""Kill evaluations at random moments, and look after each kill whether the run has all that was reported as done."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

from segmetry.run.run import Run

PROGRAM = Path(__file__).resolve().parents[1] / "run" / "killed.py"


class Others(Protocol):
    """Processes beside the evaluating one that may be killed too, and are then started again."""

    def processes(self) -> dict[int, str]: ...
    def mend(self) -> None: ...


def kill_often(
    folder: Path, out: Path, engine: str, kills: int, seed: int, others: Others | None = None
) -> tuple[set[str], Counter[str]]:
    """Kill so often, and start a new run after each that is complete.

    Returns the contents of those, and what was killed how often: "evaluation", "worker", one of the others by its name,
    or "nothing" where it had finished.
    """
    chance, complete, killed = random.Random(seed), set[str](), Counter[str]()  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(PROGRAM), str(folder), str(out), engine]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as program:
        for _ in range(kills):
            before = n_done(out)
            reported, victim = kill_once(program, chance, others.processes() if others else {})
            killed[victim] += 1
            after = n_done(out)
            assert after >= before + reported, f"{reported} items were reported; the run went from {before} to {after}"
            if out.exists() and is_complete(out):
                with Run.open(out) as run:
                    complete.add(run.content_digest())
                for end in ("", "-wal", "-shm"):  # it may have been killed between its last item and its end
                    out.with_name(out.name + end).unlink(missing_ok=True)
            if others:
                others.mend()
        assert program.stdin is not None
        program.stdin.close()
    return complete, killed


def kill_once(program: subprocess.Popen[str], chance: random.Random, others: dict[int, str]) -> tuple[int, str]:
    """Begin or continue the run and kill it, one of its workers or of the others, some items later.

    Returns how many items it reported, and what was killed.
    """
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("begin\n")
    program.stdin.flush()
    after, victims, reported, killed = chance.randint(0, 12), dict(others), 0, "nothing"
    is_struck = False
    while (line := program.stdout.readline()) != "ended\n":
        assert line, "the program has ended"
        if line == "written\n":
            reported += 1
        else:
            victims[int(line.split()[-1])] = "worker" if line.startswith("worker") else "evaluation"
        if reported >= after and victims and not is_struck:
            is_struck = True
            time.sleep(chance.random() * 0.01)
            victim = chance.choice(list(victims))
            with suppress(ProcessLookupError):  # it has finished
                os.kill(victim, signal.SIGKILL)
                killed = victims[victim]
    return reported, killed


def n_done(out: Path) -> int:
    """How many items a run has; none if there is no file yet."""
    if not out.exists():
        return 0
    undo_unfinished_change(out)
    with Run.open(out) as run:
        return run.n_done


def is_complete(out: Path) -> bool:
    """Whether a run has all items."""
    with Run.open(out) as run:
        return run.is_complete


def undo_unfinished_change(out: Path) -> None:
    """What resume does first after a kill in the moment in which a run begins or ends: a run that is only read says so
    (tests/run/test_resume.py)."""
    if out.with_name(f"{out.name}-journal").exists():
        with closing(sqlite3.connect(out)) as connection:
            connection.execute("PRAGMA schema_version").fetchone()
