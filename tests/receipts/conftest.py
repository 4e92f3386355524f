"""The command line as a fixture, as in the tests of commands."""

from __future__ import annotations

import pytest

from tests.cli.running import Runner


@pytest.fixture
def segmetry(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """``segmetry("verify", run)``: exit code, standard output and standard error."""
    return Runner(capsys, monkeypatch)
