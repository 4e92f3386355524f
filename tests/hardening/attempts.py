"""Read damaged versions of a sample in a child process with limits, and say what became of each."""

from __future__ import annotations

import faulthandler
import mmap
import os
import random
import resource
import shutil
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from segmetry.errors import DataWarning, SegmetryError
from segmetry.overlaps.count import overlap
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import Source
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.polygons import Polygons
from tests.hardening.built_files import BUILT
from tests.hardening.mutations import mutated
from tests.hardening.run_files import RUN_FILES, read_run
from tests.hardening.structures import HOSTILE_NAMES
from tests.readers.data_sets import DataSet

SECONDS, MEMORY, BUDGET = 10, 2**30, 10**6
WAIT = 6 * SECONDS
"""Seconds of waiting rather than working after which a file counts as endless."""
LONGEST_MESSAGE = 2000
READ, REFUSED, FAILED = 0, 1, 2
OUTCOMES = ("exception", "crash", "time", "memory", "message")
"""How a file ends that is neither read nor refused; the last is an error without the file's name or unfit to print."""
IN_MEMORY = "/dev/shm"  # noqa: S108 - a folder in it gets a new name


@dataclass
class Result:
    """What became of the damaged files of one sample."""

    read: int = 0
    refused: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0


def attacked(name: str, sample: DataSet, n: int, seed: int, keep: Path | None) -> Result:
    """Read damaged versions of a sample in a child process; a new one takes over after a crash."""
    result, start = Result(), 0
    shared = mmap.mmap(-1, 24)  # the number that is being read, files read, files refused
    slowest = mmap.mmap(-1, 8)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None) as home:
        while start < n:
            process = os.fork()
            if process == 0:
                try:
                    _child(name, sample, range(start, n), seed, Path(home, str(start)), shared, slowest)
                finally:
                    os._exit(FAILED)  # damage that fails must not remove the folder, or go on as if it was the parent
            _, status = os.waitpid(process, 0)
            number = int.from_bytes(shared[0:8], "little")
            if status == 0:
                break
            failure = Path(home, str(start), "failure")
            words = failure.read_text() if failure.exists() else _ended(status)
            result.outcomes[words.partition(":")[0]] += 1
            result.failures.append(f"{name} number {number}: {words}")
            if keep is not None:
                folder = keep / f"{name.replace(' ', '-').replace(',', '')}-{number}"
                _put(folder, sample, damage(name, sample, seed, number))
            start = number + 1
    result.read, result.refused = (int.from_bytes(shared[at : at + 8], "little") for at in (8, 16))
    result.slowest = int.from_bytes(slowest[0:8], "little") / 1e9
    return result


def damage(name: str, sample: DataSet, seed: int, number: int) -> Mapping[str, bytes | None]:
    """What changes: the new content of a file, or a file that is gone (None) or has another name."""
    chance = random.Random(f"{name} {seed} {number}")  # noqa: S311 - examples, not secrets
    if name in BUILT:
        return {**dict.fromkeys(sample.files), **BUILT[name][0](chance)}
    file = chance.choice([file for file, content in sample.files.items() if content])
    if name.startswith(RUN_FILES):
        file = sample.entry
    elif len(sample.files) > 1 and chance.random() < 1 / 20:
        return {file: None} if chance.random() < 1 / 2 else {file: None, _renamed(file, chance): sample.files[file]}
    return {file: mutated(sample.files[file], chance)}


def _renamed(file: str, chance: random.Random) -> str:
    """The path of a file with a name that a file system accepts and that a reader may not expect."""
    name = chance.choice(HOSTILE_NAMES).replace("/", "").replace("\0", "")[:200].encode("utf-8", "replace").decode()
    return str(Path(file).with_name(f"a{name}{Path(file).suffix}"))


def _put(folder: Path, sample: DataSet, changes: Mapping[str, bytes | None]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / sample.entry).exists():
        sample.write(folder)
    for file, content in changes.items():
        if content is None:
            (folder / file).unlink()
        else:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        killer = signal.Signals(os.WTERMSIG(status)).name
        if killer in ("SIGPROF", "SIGALRM"):
            return f"time: more than {SECONDS if killer == 'SIGPROF' else WAIT} s"
        return f"crash: the process died of {killer}"
    return f"crash: the process ended with code {os.waitstatus_to_exitcode(status)}"


def _child(
    name: str, sample: DataSet, numbers: range, seed: int, home: Path, shared: mmap.mmap, slowest: mmap.mmap
) -> None:
    faulthandler.disable()
    printed = os.open(home.with_suffix(".printed"), os.O_RDWR | os.O_CREAT)
    os.dup2(printed, 2)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _put(home, sample, {})
    with suppress(SegmetryError):  # imports what the format needs, which is not to be measured
        _read(name, sample, home / sample.entry)
    counts = [int.from_bytes(shared[at : at + 8], "little") for at in (8, 16)]
    _limit_memory()
    for number in numbers:
        shared[0:8] = number.to_bytes(8, "little")
        changes = damage(name, sample, seed, number)
        shutil.rmtree(home)
        _put(home, sample, changes)
        begun = time.process_time_ns()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(WAIT)
        counts[_attempt(name, sample, home)] += 1
        if os.lseek(printed, 0, os.SEEK_CUR):
            _fail(home, f"message: printed {os.pread(printed, 300, 0)!r}")
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)
        spent = time.process_time_ns() - begun
        slowest[0:8] = max(int.from_bytes(slowest[0:8], "little"), spent).to_bytes(8, "little")
        shared[8:24] = b"".join(count.to_bytes(8, "little") for count in counts)
    os._exit(0)


def _attempt(name: str, sample: DataSet, home: Path) -> int:
    """Read a file and use what it contains; anything but items or a clear error ends the process."""
    path = home / sample.entry
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("ignore")
            warnings.simplefilter("default", UserWarning)
            warnings.simplefilter("default", RuntimeWarning)
            unfit = _read(name, sample, path)
        if unfit:
            _fail(home, f"message: an item is named {unfit[0]!r}")
    except SegmetryError as problem:
        words = str(problem)
        if str(path) not in words or not words.isprintable() or len(words) > LONGEST_MESSAGE:
            _fail(home, f"message: {words[:300]!r}")
        return REFUSED
    except MemoryError:
        _fail(home, "memory: MemoryError")
    except BaseException as problem:  # noqa: BLE001 - anything else is what is looked for
        _fail(home, f"exception: {type(problem).__name__}: {str(problem)[:200]}")
    finally:
        if unknown := [str(warning) for warning in caught if not issubclass(warning.category, DataWarning)]:
            _fail(home, f"message: a warning that is not ours: {unknown[0]}")
    return READ


def _read(name: str, sample: DataSet, path: Path) -> list[str]:
    """Read a file and use what it contains; return names of items that cannot be printed."""
    if name.startswith(RUN_FILES):
        read_run(path)
        return []
    # As for everybody: decoders that are isolated by default are, so that one that crashes is one error.
    options, names = ReadOptions(most_elements=BUDGET, **sample.options), []
    for item in Source(path, options, name.partition(",")[0]).items():
        names.append(item.name)
        _use(item.load())
    return [name for name in names if not name.isprintable()]


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
    Path(home, "failure").write_text(words, errors="backslashreplace")
    os._exit(FAILED)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, -1))
