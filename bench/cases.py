"""Benchmark cases, and how their files are loaded."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Call = Callable[[], Any]


@dataclass(frozen=True)
class Limit:
    """The required ratio of times: ``at_least`` for the time of a peer that does the same work divided by ours,
    ``at_most`` for our time divided by that of a yardstick that no method can beat; neither for a peer that is only
    measured."""

    peer: str
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Contest:
    """Calls on the same input. ``peers`` maps a name to a call, or to None where the peer is not installed."""

    ours: Call
    peers: dict[str, Call | None]


@dataclass(frozen=True)
class Case:
    name: str
    subject: str
    words: str
    limits: tuple[Limit, ...]
    build: Callable[[], Contest]
    quick: bool
    from_files: bool = False


CASES: dict[str, Case] = {}


def case(
    words: str, *limits: Limit, quick: bool = True, from_files: bool = False
) -> Callable[[Callable[[], Contest]], Callable[[], Contest]]:
    """Register a function that generates the input of a case and returns the calls to be timed.

    ``quick=False`` excludes a case with a large input from ``--quick``. ``from_files``: what is timed is a public call
    or a command, from files on the disk to the printed numbers; only such rows are quoted, the others are parts.
    """

    def register(build: Callable[[], Contest]) -> Callable[[], Contest]:
        subject = build.__module__.rpartition(".")[2]
        name = f"{subject}.{build.__name__}"
        if name in CASES:
            raise ValueError(f"there are two benchmark cases called {name}")
        CASES[name] = Case(name, subject, words, limits, build, quick, from_files)
        return build

    return register


def processor_time(seconds: float) -> Call:
    """A reference that takes a fixed processor time."""

    def call() -> None:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass

    return call


def load_subjects() -> None:
    """Import every file of this folder that registers cases; scripts are left out."""
    folder = Path(__file__).parent
    for file in sorted(folder.glob("*.py")):
        if "from bench.cases import" in file.read_text(encoding="utf-8") and file.stem not in ("__main__", "timing"):
            importlib.import_module(f"bench.{file.stem}")


def optional(module: str, attribute: str) -> Any:
    """Return a function of a peer, or None if the peer is not installed."""
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError:
        return None


def call_of(function: Any, *args: Any) -> Call | None:
    """Return a call of ``function(*args)`` for later, or None if the function is None."""
    return None if function is None else lambda: function(*args)
