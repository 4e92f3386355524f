"""Read thousands of damaged files of every format, each format in a process of its own, and print what happened.

``python -m tests.hardening.campaign 100000`` (``make attack N=100000``) reads 100,000 files, as many of every sample:
damaged ones, and those that are hostile from the start (``built_files``). Names of formats may follow. A row says how
many files were read, how many refused by a clear error of segmetry, and how many ended in anything else: another
exception, a crash of the process, more than ten seconds of work, more than a gigabyte of memory, an error that does not
name the file or is unfit to print, or anything printed besides. The exit code is 1 if there was any of these.
``--keep DIR`` writes the files that ended so into a folder.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.hardening.attempts import OUTCOMES, Result, attacked
from tests.hardening.built_files import BUILT
from tests.hardening.decoder_samples import decoder_samples
from tests.hardening.run_files import run_file_samples
from tests.readers.data_sets import DATA_SETS, DataSet
from tests.readers.samples import SAMPLES

TITLES = ("read", "refused", *OUTCOMES)


def samples() -> dict[str, DataSet]:
    """Every sample by its name: the format, and after a comma how its elements are stored."""
    lines = {
        name: DataSet({f"a{sample.suffix}": sample.content}, f"a{sample.suffix}", (), options=sample.options)
        for name, sample in SAMPLES.items()
    }
    built = {name: DataSet({}, entry, ()) for name, (_, entry) in BUILT.items()}
    return {**lines, **DATA_SETS, **decoder_samples(), **built, **run_file_samples()}


def campaign(names: list[str], n: int, seed: int, keep: Path | None) -> Iterator[tuple[str, Result]]:
    """Yield the result of every chosen sample; of all samples together ``n`` files are read."""
    chosen = {
        name: sample for name, sample in samples().items() if not names or {name, name.partition(",")[0]} & set(names)
    }
    for at, (name, sample) in enumerate(chosen.items()):
        yield name, attacked(name, sample, n * (at + 1) // len(chosen) - n * at // len(chosen), seed, keep)


def main() -> int:
    """Run the campaign and print a row for each sample."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int, help="files that are read")
    parser.add_argument("formats", nargs="*", help="only these formats")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for the files that ended in anything else")
    options = parser.parse_args()
    say(f"{'sample':34}" + "".join(f"{title:>10}" for title in TITLES) + f"{'slowest':>10}")
    total, failures = Counter[str](), list[str]()
    for name, result in campaign(options.formats, options.n, options.seed, options.keep):
        counts = {"read": result.read, "refused": result.refused, **result.outcomes}
        say(
            f"{name:34}"
            + "".join(f"{counts.get(title, 0):10}" for title in TITLES)
            + f"{1000 * result.slowest:7.0f} ms"
        )
        total.update(counts)
        failures += result.failures
    say(f"{total.total()} files: " + ", ".join(f"{total[title]} {title}" for title in TITLES))
    say("\n".join(failures[:100]))
    return 1 if failures else 0


def say(words: str) -> None:
    """Print a line at once: a campaign takes minutes."""
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
