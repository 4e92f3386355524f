"""Kill evaluations at random moments, and look after each kill whether the run has all that was reported as done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from segmetry.run.run import Run

PROGRAM = Path(__file__).resolve().parents[1] / "run" / "killed.py"


def kill_often(folder: Path, out: Path, engine: str, kills: int, seed: int) -> set[str]:
    """Return the contents of the runs that were completed between so many kills; begin a new run after each."""
    chance, complete = random.Random(seed), set[str]()  # noqa: S311 - moments, not secrets
    command = [sys.executable, str(PROGRAM), str(folder), str(out), engine]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as program:
        for _ in range(kills):
            before = n_done(out)
            reported = kill_once(program, chance)
            after = n_done(out)
            assert after >= before + reported, f"{reported} items were reported; the run went from {before} to {after}"
            if out.exists() and is_complete(out):
                with Run.open(out) as run:
                    complete.add(run.content_digest())
                for end in ("", "-wal", "-shm"):  # it may have been killed between its last item and its end
                    out.with_name(out.name + end).unlink(missing_ok=True)
        assert program.stdin is not None
        program.stdin.close()
    return complete


def kill_once(program: subprocess.Popen[str], chance: random.Random) -> int:
    """Begin or continue the run and kill it, or one of its workers, some items later; return how many it reported."""
    assert program.stdin is not None and program.stdout is not None
    program.stdin.write("begin\n")
    program.stdin.flush()
    after, victims, reported, is_killed = chance.randint(0, 12), list[int](), 0, False
    while (line := program.stdout.readline()) != "ended\n":
        assert line, "the program has ended"
        if line == "written\n":
            reported += 1
        else:
            victims.append(int(line.split()[-1]))
        if reported >= after and not is_killed and (victims or after == 0):
            time.sleep(chance.random() * 0.01)
            with suppress(ProcessLookupError):  # it has finished
                os.kill(chance.choice(victims), signal.SIGKILL)
            is_killed = True
    return reported


def n_done(out: Path) -> int:
    """How many items a run has; none if there is no file yet."""
    if not out.exists():
        return 0
    with Run.open(out) as run:
        return run.n_done


def is_complete(out: Path) -> bool:
    """Whether a run has all items."""
    with Run.open(out) as run:
        return run.is_complete
