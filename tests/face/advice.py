"""Advice in errors, tried: a case has words of the message, a call that fails with it, and calls that follow it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Call = Callable[[Path], Any]


@dataclass(frozen=True)
class Case:
    """``words`` stand in the message and in the source; the first call fails, each of the others works."""

    words: str
    fails: Call
    works: tuple[Call, ...]


def case(words: str, fails: Call, *works: Call) -> Case:
    return Case(words, fails, works)


@dataclass(frozen=True)
class CommandCase:
    """The same with commands, without the name of the program."""

    words: str
    fails: str
    works: tuple[str, ...]


def command_case(words: str, fails: str, *works: str) -> CommandCase:
    return CommandCase(words, fails, works)
