"""Running the command line, inside this process and as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from segmetry.cli.main import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def first_rule(self) -> dict[str, Any]:
        """What ``score --json -`` says under its first rule."""
        scores: dict[str, Any] = next(iter(json.loads(self.out)["rules"].values()))
        return scores

    @property
    def lines(self) -> list[str]:
        """What was printed, line by line."""
        return self.out.splitlines()


class Runner:
    """Calls the entry point as the installed command does, and catches what it prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        monkeypatch.setenv("COLUMNS", "80")

    def __call__(self, *arguments: object) -> Outcome:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:
            code = leaving.code
        printed = self._capsys.readouterr()
        return Outcome(int(code or 0), printed.out, printed.err)

    def refused(self, *arguments: object) -> str:
        """The one line a wrong call gets: no traceback, nothing on standard output, exit code 2."""
        result = self(*arguments)
        assert (result.code, result.out) == (2, "")
        assert result.err.count("\n") == 1 and result.err.startswith("segmetry: "), result.err
        return result.err


def start(arguments: Sequence[object]) -> subprocess.Popen[str]:
    """A process of its own, with pipes."""
    command = [sys.executable, "-m", "segmetry", *map(str, arguments)]
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
