"""A coverage-guided fuzzer: ``python -m tests.hardening.fuzz SECONDS [TARGET …]`` (``make fuzz SECONDS=60``).

Each target (``fuzz_targets``) runs in a process of its own for its share of the time, by atheris, which changes inputs
so that they reach lines not reached before. It starts from small valid inputs and from what was found earlier. An input
that ends in anything but a result or an error of segmetry is kept in ``found`` and makes the exit code 1: with the
file in the repository, it is a regression test. With ``SEED`` in the environment the same inputs are tried each time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEGABYTES = 2048
SECONDS_PER_INPUT = 10
"""Of work: the time that passes depends on what else the machine does."""
PATIENCE = 20 * SECONDS_PER_INPUT
LONGEST = 1 << 16


def fuzz_one(target: str, arguments: list[str]) -> None:
    """Fuzz one target in this process; never returns."""
    import atheris

    with atheris.instrument_imports(include=["segmetry"]):
        from tests.hardening.fuzz_targets import TARGETS
    for data in (b"", b"\0"):
        TARGETS[target](data)  # imports what is imported late, before inputs are timed

    def timed(data: bytes) -> None:
        begun = time.process_time()
        TARGETS[target](data)
        spent = time.process_time() - begun
        if spent > SECONDS_PER_INPUT:
            raise TimeoutError(f"{spent:.0f} s of work for {len(data)} bytes")

    atheris.Setup([sys.argv[0], *arguments], timed)
    atheris.Fuzz()


def fuzz_all(seconds: float, targets: list[str]) -> int:
    """Fuzz all targets one after the other; return how many found something."""
    from tests.hardening.fuzz_targets import FOUND, TARGETS, found, seeds

    failed = 0
    chosen = targets or list(TARGETS)
    for target in chosen:
        with tempfile.TemporaryDirectory() as corpus:
            for number, data in enumerate([*seeds(target), *(path.read_bytes() for path in found(target))]):
                Path(corpus, str(number)).write_bytes(data)
            (FOUND / target).mkdir(parents=True, exist_ok=True)
            limits = [f"-max_total_time={max(1, int(seconds / len(chosen)))}", f"-rss_limit_mb={MEGABYTES}"]
            limits += [f"-timeout={PATIENCE}", f"-max_len={LONGEST}", f"-artifact_prefix={FOUND / target}/"]
            limits += [f"-seed={os.environ['SEED']}"] if os.environ.get("SEED") else []
            command = [sys.executable, "-m", "tests.hardening.fuzz", "--one", target, *limits, corpus]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            inputs = [line for line in done.stderr.splitlines() if line.startswith("Done ")]
            sys.stdout.write(f"{target}: {inputs[-1] if inputs else f'exit code {done.returncode}'}\n")
            sys.stdout.flush()
            if done.returncode:
                failed += 1
                sys.stdout.write(done.stderr[-4000:] + "\n")
            elif not any((FOUND / target).iterdir()):
                (FOUND / target).rmdir()
    return failed


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        fuzz_one(sys.argv[2], sys.argv[3:])
    sys.exit(1 if fuzz_all(float(sys.argv[1]), sys.argv[2:]) else 0)
