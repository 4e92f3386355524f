"""Read thousands of damaged files of every format, each format in a process of its own, and print what happened.

``python -m tests.hardening.campaign 1000`` (``make attack N=1000``) damages every sample 1000 times; names of formats
may follow. A row says how many files were read, how many refused by an error of segmetry, and how many ended in
anything else: a crash of the process, another exception, more than a gigabyte of memory, or more than ten seconds.
The exit code is 1 if there was any of these. ``--keep DIR`` writes the files that ended so into a folder.
"""

from __future__ import annotations

import argparse
import faulthandler
import mmap
import os
import random
import resource
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from segmetry.errors import SegmetryError
from segmetry.overlaps.overlap import overlap
from segmetry.readers.options import ReadOptions
from segmetry.readers.source import Source
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.polygons import Polygons
from tests.hardening.decoder_samples import decoder_samples
from tests.hardening.mutations import mutated
from tests.readers.data_sets import DATA_SETS, DataSet
from tests.readers.samples import SAMPLES

SECONDS, MEMORY, BUDGET = 10, 2**30, 10**6
READ, REFUSED, FAILED = 0, 1, 2
IN_MEMORY = "/dev/shm"  # noqa: S108 - a folder in it gets a new name


@dataclass
class Result:
    """What became of the damaged files of one sample."""

    read: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0


def samples() -> dict[str, DataSet]:
    """Every sample by its name: the format, and after a comma how its elements are stored."""
    lines = {
        name: DataSet({f"a{sample.suffix}": sample.content}, f"a{sample.suffix}", (), options=sample.options)
        for name, sample in SAMPLES.items()
    }
    return {**lines, **DATA_SETS, **decoder_samples()}


def attacked(name: str, sample: DataSet, n: int, seed: int, keep: Path | None) -> Result:
    """Read damaged versions of a sample in a child process; a new one takes over after a crash."""
    result, start = Result(), 0
    shared = mmap.mmap(-1, 24)  # the number that is being read, files read, files refused
    slowest = mmap.mmap(-1, 8)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None) as home:
        while start < n:
            process = os.fork()
            if process == 0:
                _child(name, sample, range(start, n), seed, Path(home), shared, slowest)
            _, status = os.waitpid(process, 0)
            number = int.from_bytes(shared[0:8], "little")
            if status == 0:
                break
            words = Path(home, "failure").read_text() if Path(home, "failure").exists() else _ended(status)
            Path(home, "failure").unlink(missing_ok=True)
            result.failures.append(f"{name} number {number}: {words}")
            if keep is not None:
                _keep(keep / f"{name.replace(' ', '-').replace(',', '')}-{number}", sample, name, seed, number)
            start = number + 1
    result.read, result.refused = (int.from_bytes(shared[at : at + 8], "little") for at in (8, 16))
    result.slowest = int.from_bytes(slowest[0:8], "little") / 1e9
    return result


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        killer = signal.Signals(os.WTERMSIG(status)).name
        return f"took more than {SECONDS} s" if killer == "SIGALRM" else f"the process died of {killer}"
    return f"the process ended with code {os.waitstatus_to_exitcode(status)}"


def _child(
    name: str, sample: DataSet, numbers: range, seed: int, home: Path, shared: mmap.mmap, slowest: mmap.mmap
) -> None:
    faulthandler.disable()
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sample.write(home)
    for item in Source(home / sample.entry, ReadOptions(**sample.options), name.partition(",")[0]).items():
        item.load()  # imports what the format needs, which is not to be measured
    options = ReadOptions(most_elements=BUDGET, isolate=False, **sample.options)
    path, counts = home / sample.entry, [int.from_bytes(shared[at : at + 8], "little") for at in (8, 16)]
    _limit_memory()
    for number in numbers:
        shared[0:8] = number.to_bytes(8, "little")
        file, content = _damage(name, sample, seed, number)
        (home / file).write_bytes(content)
        signal.alarm(SECONDS)
        begun = time.perf_counter_ns()
        try:
            for item in Source(path, options, name.partition(",")[0]).items():
                _use(item.load())
            counts[READ] += 1
        except SegmetryError as problem:
            counts[REFUSED] += 1
            if str(path) not in str(problem):
                _fail(home, f"an error that does not name the file: {problem}")
        except BaseException as problem:  # noqa: BLE001 - anything else is what is looked for
            _fail(home, f"{type(problem).__name__}: {str(problem)[:200]}")
        signal.alarm(0)
        spent = time.perf_counter_ns() - begun
        slowest[0:8] = max(int.from_bytes(slowest[0:8], "little"), spent).to_bytes(8, "little")
        shared[8:24] = b"".join(count.to_bytes(8, "little") for count in counts)
        (home / file).write_bytes(sample.files[file])
    os._exit(0)


def _use(segmentation: object) -> None:
    """Read all elements, and count polygons."""
    if isinstance(segmentation, LabelArray):
        segmentation.read(tuple(slice(0, length) for length in segmentation.domain))
    elif isinstance(segmentation, Polygons):
        try:
            overlap(segmentation, segmentation)
        except SegmetryError:
            return


def _fail(home: Path, words: str) -> None:
    Path(home, "failure").write_text(words)
    os._exit(FAILED)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, -1))


def _damage(name: str, sample: DataSet, seed: int, number: int) -> tuple[str, bytes]:
    chance = random.Random(f"{name} {seed} {number}")  # noqa: S311 - examples, not secrets
    file = chance.choice([file for file, content in sample.files.items() if content])
    return file, mutated(sample.files[file], chance)


def _keep(folder: Path, sample: DataSet, name: str, seed: int, number: int) -> None:
    file, content = _damage(name, sample, seed, number)
    sample.write(folder)
    (folder / file).write_bytes(content)


def campaign(names: list[str], n: int, seed: int, keep: Path | None) -> Iterator[tuple[str, Result]]:
    """Yield the result of every chosen sample."""
    for name, sample in samples().items():
        if not names or name.partition(",")[0] in names:
            yield name, attacked(name, sample, n, seed, keep)


def main() -> int:
    """Run the campaign and print a row for each sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, help="damaged files of each sample")
    parser.add_argument("formats", nargs="*", help="only these formats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the files that ended in anything else")
    options = parser.parse_args()
    lines = [f"{'sample':34} {'files':>7} {'read':>7} {'refused':>7} {'else':>5} {'slowest':>9}"]
    total, failures = [0, 0], []
    for name, result in campaign(options.formats, options.n, options.seed, options.keep):
        counts = f"{options.n:7} {result.read:7} {result.refused:7} {len(result.failures):5}"
        lines.append(f"{name:34} {counts} {1000 * result.slowest:6.0f} ms")
        sys.stdout.write("\n".join(lines) + "\n")
        sys.stdout.flush()
        lines, total = [], [total[0] + result.read, total[1] + result.refused]
        failures += result.failures
    n = sum(total) + len(failures)
    lines = [f"{n} files: {total[0]} read, {total[1]} refused, {len(failures)} ended otherwise", *failures[:100]]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
