"""Which runs can be compared: other systems on the same truth, under the same rule and policy."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segmetry.errors import DataWarning, InputError, KindError, OptionError
from segmetry.run.run import Run

SHOWN = 10
SETTINGS = ("rule", "policy", "resolve", "classes", "uncovered", "undefined", "groups")
TRUTHS = ("files", "segments")


@dataclass(frozen=True, eq=False)
class System:
    """One system: its name and its run."""

    name: str
    run: Run


@contextmanager
def systems_of(
    runs: Sequence[Any], names: Sequence[str] | None = None, *, rule: Any = None, truth: str = "files"
) -> Iterator[list[System]]:
    """Runs, run files or one mapping from names to them, as systems that can be compared; anything else is an error.

    Files that are opened here are closed at the end. ``rule`` scores all runs under one rule first. ``truth="files"``
    asks for the same sha256 of the true inputs and the same true segments, ``"segments"`` for the latter only.
    """
    if truth not in TRUTHS:
        raise OptionError(f"truth is {truth!r}; expected 'files' or 'segments'")
    with ExitStack() as opened:
        found = _named(runs, names, opened)
        _check(found, truth, SETTINGS if rule is None else [name for name in SETTINGS if name != "rule"])
        yield found if rule is None else [System(one.name, one.run.rescore(rule)) for one in found]


def _check(found: Sequence[System], truth: str, settings: Sequence[str]) -> None:
    if len(found) < 2:
        raise InputError(f"{len(found)} run to compare; expected at least 2")
    for system in found:
        system.run.summary()  # an unfinished run is an error before anything is compared
    _check_versions(found)
    first, *others = found
    for other in others:
        _check_items(first, other)
        _check_truth(first, other, truth)
        _check_settings(first, other, settings)
    _check_duplicates(found)


def _named(runs: Sequence[Any], names: Sequence[str] | None, opened: ExitStack) -> list[System]:
    if len(runs) == 1 and isinstance(runs[0], Mapping):
        if names is not None:
            raise OptionError("names= is for runs in a row; a mapping has names already")
        names, runs = [str(name) for name in runs[0]], list(runs[0].values())
    ready = [_run(one, opened) for one in runs]
    _check_given_twice(ready)
    chosen = _names(ready) if names is None else [str(name) for name in names]
    if len(chosen) != len(ready):
        raise OptionError(f"names= has {len(chosen)} names for {len(ready)} runs; expected one each")
    if not all(name.strip() for name in chosen):
        raise OptionError(
            f"names= (--names) contains an empty name: {', '.join(map(repr, chosen))}; expected one for each run"
        )
    if len(set(chosen)) < len(chosen):
        twice = next(name for name, count in Counter(chosen).items() if count > 1)
        raise OptionError(f"two runs are called {twice!r}; give them names= (--names) of their own")
    return [System(name, run) for name, run in zip(chosen, ready, strict=True)]


def _run(given: Any, opened: ExitStack) -> Run:
    if isinstance(given, Run):
        return given
    if isinstance(given, str | Path):
        return opened.enter_context(Run.open(given))
    raise KindError(f"a {type(given).__name__} is not a run; expected a Run or the path of a run file")


def _check_given_twice(runs: Sequence[Run]) -> None:
    seen: set[Path | int] = set()
    for run in runs:
        same = id(run) if run.path is None else run.path.resolve()
        if same in seen:
            raise InputError(f"{run.path or 'one run'} is given twice; expected runs of different systems")
        seen.add(same)


def _names(runs: Sequence[Run]) -> list[str]:
    """File names without their ending; with folders where that is not enough, and numbers for runs in memory."""
    stems = [f"run {at}" if run.path is None else run.path.stem for at, run in enumerate(runs, start=1)]
    if len(set(stems)) == len(stems):
        return stems
    return [stem if run.path is None else str(run.path) for stem, run in zip(stems, runs, strict=True)]


def _check_versions(found: Sequence[System]) -> None:
    schemas = {one.name: one.run.schema_version for one in found}
    if len(set(schemas.values())) > 1:
        versions = ", ".join(f"{name} {version}" for name, version in schemas.items())
        raise InputError(f"the run files have different schema versions ({versions}); evaluate again with one segmetry")
    written = {one.name: one.run.facts.get("segmetry") for one in found}
    if len(set(written.values())) > 1:
        versions = ", ".join(f"{name} by {version}" for name, version in written.items())
        warnings.warn(f"the runs were written by different versions of segmetry: {versions}", DataWarning, stacklevel=6)


def _check_items(first: System, other: System) -> None:
    one, two = set(first.run.names), set(other.run.names)
    if one != two:
        parts = [
            f"only {system.name} has {len(lone)} items: {_listed(lone)}"
            for system, lone in ((first, one - two), (other, two - one))
            if lone
        ]
        raise InputError(f"{first.name} and {other.name} hold different items: {'; '.join(parts)}")


def _check_truth(first: System, other: System, truth: str) -> None:
    if truth == "files":
        _check_files(first, other)
    one, two = first.run.truth_digests(), other.run.truth_digests()
    wrong = sorted(name for name in one if one[name] != two[name])
    if wrong:
        raise InputError(
            f"{first.name} and {other.name} have different true segments in {len(wrong)} items: {_listed(wrong)}; "
            "expected runs on the same truth"
        )


def _check_files(first: System, other: System) -> None:
    """The same bytes on the true side, whatever the folders are called; runs in memory have no files."""
    one, two = (
        {(row["sha256"], row["name"]) for row in system.run.inputs if row["side"] == "true"}
        for system in (first, other)
    )
    if not one or not two:
        return
    lone = Counter(sha for sha, _ in one)
    lone.subtract(sha for sha, _ in two)
    wrong = [name for found, sign in ((one, 1), (two, -1)) for sha, name in sorted(found) if sign * lone[sha] > 0]
    if wrong:
        raise InputError(
            f"{first.name} and {other.name} were evaluated on different true files: {_listed(sorted(set(wrong)))}; "
            "if both hold the same truth, say truth='segments' (--truth segments)"
        )


def _check_settings(first: System, other: System, names: Sequence[str]) -> None:
    one, two = first.run.settings, other.run.settings
    wrong = [
        f"{name} is {getattr(one, name)!r} in {first.name} and {getattr(two, name)!r} in {other.name}"
        for name in names
        if getattr(one, name) != getattr(two, name)
    ]
    if wrong:
        advice = "; rule= (--rule) scores both under one rule" if "rule" in names and one.rule != two.rule else ""
        raise InputError(f"the runs were not scored in the same way: {'; '.join(wrong)}{advice}")


def check_options(found: Sequence[System], keys: Sequence[str]) -> None:
    """The options of the metrics that are compared must be the same; those of others do not matter."""
    first, *others = found
    for other in others:
        options = [(key, *(system.run.settings.options.get(key, {}) for system in (first, other))) for key in keys]
        wrong = [
            f"{key} has the options {one} in {first.name} and {two} in {other.name}"
            for key, one, two in options
            if one != two
        ]
        if wrong:
            raise InputError(f"the runs were not scored in the same way: {'; '.join(wrong)}")


def _check_duplicates(found: Sequence[System]) -> None:
    """Two copies of one run, or two runs of the same predictions, say nothing about two systems."""
    seen: dict[str, str] = {}
    for system in found:
        digest = system.run.results_digest()
        if digest in seen:
            raise InputError(
                f"{seen[digest]} and {system.name} hold the same results in every item; expected different systems"
            )
        seen[digest] = system.name


def _listed(names: Any) -> str:
    shown = sorted(names)[:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" … and {more} more" if more else "")
