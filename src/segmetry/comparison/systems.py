"""Check that runs can be compared: different systems on the same truth, under the same rule and policy."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from segmetry.errors import DataWarning, InputError, KindError, OptionError
from segmetry.metrics import Scoring
from segmetry.run import Run

SHOWN = 10
SETTINGS = tuple(option.name for option in fields(Scoring) if option.name not in ("metrics", "also", "options"))
"""Settings on which every score depends; those of single metrics are compared with the metrics."""
TRUTHS = ("files", "segments")


@dataclass(frozen=True, eq=False)
class System:
    """One system: its name and its run."""

    name: str
    run: Run


@contextmanager
def systems_of(
    runs: Sequence[Any],
    names: Sequence[str] | None = None,
    *,
    rule: Any = None,
    rules: Any = None,
    truth: str = "files",
) -> Iterator[list[System]]:
    """Yield runs, run files or a mapping from names to them as systems that can be compared; raise an error otherwise.

    Files that are opened here are closed at the end. ``rule`` scores all runs under one rule first, ``rules`` are
    those of one run that are compared. ``truth="files"`` requires the same sha256 of the true inputs and the same true
    segments, ``"segments"`` only the latter.
    """
    if truth not in TRUTHS:
        raise OptionError(f"truth is {truth!r}; expected 'files' or 'segments'")
    with ExitStack() as opened:
        if rules is not None:
            yield _under_rules(runs, names, rule, rules, opened)
            return
        systems = _named(runs, names, opened)
        _check(systems, truth, SETTINGS if rule is None else [name for name in SETTINGS if name != "rule"])
        yield systems if rule is None else [System(system.name, system.run.rescore(rule)) for system in systems]


def _under_rules(runs: Sequence[Any], names: Any, rule: Any, rules: Any, opened: ExitStack) -> list[System]:
    """Return one run under each of several rules."""
    if len(runs) != 1 or isinstance(runs[0], Mapping):
        raise OptionError("rules= compares one run under several rules; rule= scores several runs under one rule")
    if rule is not None:
        raise OptionError("rule= and rules= exclude each other; rules= names every rule that is compared")
    if isinstance(rules, str) or len(rules) < 2:
        raise OptionError(f"rules is {rules!r}; expected a list of two or more rules")
    run = _run(runs[0], opened)
    run.summary()
    under = [run.rescore(one) for one in rules]
    own = [one.settings.rule for one in under]
    if len(set(own)) < len(own):
        raise OptionError(f"rules are {', '.join(own)}; expected different rules")
    return _with_names(under, own if names is None else names)


def differ_in_rule(systems: Sequence[System]) -> bool:
    """Return whether the systems are the same results under different rules."""
    rules = {system.run.settings.rule for system in systems}
    distinct = len(rules) == len(systems) > 1
    return distinct and len({system.run.results_digest(scores=False) for system in systems}) == 1


def _check(systems: Sequence[System], truth: str, settings: Sequence[str]) -> None:
    if len(systems) < 2:
        raise InputError(f"{len(systems)} run to compare; expected at least 2")
    for system in systems:
        system.run.summary()  # an unfinished run is an error before anything is compared
    _check_versions(systems)
    first, *others = systems
    by_rule = "rule" in settings and differ_in_rule(systems)
    for other in others:
        _check_items(first, other)
        _check_truth(first, other, truth)
        _check_settings(first, other, [name for name in settings if not (by_rule and name == "rule")])
    if not by_rule:
        _check_duplicates(systems)


def _named(runs: Sequence[Any], names: Sequence[str] | None, opened: ExitStack) -> list[System]:
    if len(runs) == 1 and isinstance(runs[0], Mapping):
        if names is not None:
            raise OptionError("names= is for a list of runs; a mapping has names already")
        names, runs = [str(name) for name in runs[0]], list(runs[0].values())
    ready = [_run(run, opened) for run in runs]
    _check_distinct_files(ready)
    return _with_names(ready, names)


def _with_names(ready: Sequence[Run], names: Sequence[str] | None) -> list[System]:
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


def _run(run: Any, opened: ExitStack) -> Run:
    if isinstance(run, Run):
        return run
    if isinstance(run, str | Path):
        return opened.enter_context(Run.open(run))
    raise KindError(f"a {type(run).__name__} is not a run; expected a Run or the path of a run file")


def _check_distinct_files(runs: Sequence[Run]) -> None:
    seen: set[Path | int] = set()
    for run in runs:
        same = id(run) if run.path is None else run.path.resolve()
        if same in seen:
            raise InputError(f"{run.path or 'one run'} is listed twice; expected runs of different systems")
        seen.add(same)


def _names(runs: Sequence[Run]) -> list[str]:
    """Return file names without extension, or the parts of the paths that differ, and numbers for runs in memory."""
    stems = [f"run {at}" if run.path is None else run.path.stem for at, run in enumerate(runs, start=1)]
    if len(set(stems)) == len(stems):
        return stems
    paths = [Path(stem) if run.path is None else run.path for stem, run in zip(stems, runs, strict=True)]
    every = [path.resolve().with_suffix("").parts for path in paths]
    if len(set(map(len, every))) > 1:
        return [str(path) for path in paths]
    differ = [at for at, parts in enumerate(zip(*every, strict=True)) if len(set(parts)) > 1]
    return ["/".join(parts[differ[0] : differ[-1] + 1]) for parts in every]


def _check_versions(systems: Sequence[System]) -> None:
    written = {system.name: system.run.facts.get("segmetry") for system in systems}
    if len(set(written.values())) > 1:
        versions = ", ".join(f"{name} by {version}" for name, version in written.items())
        warnings.warn(f"the runs were written by different versions of segmetry: {versions}", DataWarning, stacklevel=6)


def _check_items(first: System, other: System) -> None:
    first_names, second_names = set(first.run.names), set(other.run.names)
    if first_names != second_names:
        parts = [
            f"only {system.name} has {len(lone)} items: {listed(lone)}"
            for system, lone in ((first, first_names - second_names), (other, second_names - first_names))
            if lone
        ]
        raise InputError(f"{first.name} and {other.name} contain different items: {'; '.join(parts)}")


def _check_truth(first: System, other: System, truth: str) -> None:
    if truth == "files":
        _check_files(first, other)
    first_digests, second_digests = first.run.truth_digests(), other.run.truth_digests()
    wrong = sorted(name for name in first_digests if first_digests[name] != second_digests[name])
    if wrong:
        raise InputError(
            f"{first.name} and {other.name} have different true segments in {len(wrong)} items: {listed(wrong)}; "
            "expected runs on the same truth"
        )


def _check_files(first: System, other: System) -> None:
    """Require the same bytes on the true side, in folders of any name; runs in memory have no files."""
    first_files, second_files = (
        {(row["sha256"], row["name"]) for row in system.run.inputs if row["side"] == "true"}
        for system in (first, other)
    )
    if not first_files or not second_files:
        return
    lone = Counter(sha for sha, _ in first_files)
    lone.subtract(sha for sha, _ in second_files)
    wrong = [
        name
        for files, sign in ((first_files, 1), (second_files, -1))
        for sha, name in sorted(files)
        if sign * lone[sha] > 0
    ]
    if wrong:
        raise InputError(
            f"{first.name} and {other.name} were evaluated on different true files: {listed(sorted(set(wrong)))}; "
            "if both contain the same truth, use truth='segments' (--truth segments)"
        )


def _check_settings(first: System, other: System, names: Sequence[str]) -> None:
    settings = first.run.settings, other.run.settings
    wrong = [
        f"{name} is {getattr(settings[0], name)!r} in {first.name} and {getattr(settings[1], name)!r} in {other.name}"
        for name in names
        if getattr(settings[0], name) != getattr(settings[1], name)
    ]
    if wrong:
        advice = (
            "; rule= (--rule) scores both under one rule"
            if "rule" in names and settings[0].rule != settings[1].rule
            else ""
        )
        raise InputError(f"the runs were not scored in the same way: {'; '.join(wrong)}{advice}")


def check_options(systems: Sequence[System], keys: Sequence[str]) -> None:
    """Require the same options for the metrics that are compared; those of other metrics do not matter."""
    first, *others = systems
    for other in others:
        options = [(key, *(system.run.settings.options.get(key, {}) for system in (first, other))) for key in keys]
        wrong = [
            f"{key} has the options {first_options} in {first.name} and {second_options} in {other.name}"
            for key, first_options, second_options in options
            if first_options != second_options
        ]
        if wrong:
            raise InputError(f"the runs were not scored in the same way: {'; '.join(wrong)}")


def _check_duplicates(systems: Sequence[System]) -> None:
    """Raise an error for two copies of a run and for two runs of the same predictions."""
    seen: dict[str, str] = {}
    for system in systems:
        digest = system.run.results_digest()
        if digest in seen:
            raise InputError(
                f"{seen[digest]} and {system.name} contain the same results in every item; expected different systems"
            )
        seen[digest] = system.name


def listed(names: Any) -> str:
    """Return the first of many names, and how many more there are."""
    shown = sorted(names)[:SHOWN]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" … and {more} more" if more else "")
