"""The command line as a fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Runner


@pytest.fixture
def segmetry(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Runner:
    """``segmetry("score", true, pred)``: exit code, standard output and standard error."""
    return Runner(capsys, monkeypatch)


@pytest.fixture
def streams(tmp_path: Path) -> tuple[Path, Path]:
    """Two small files of first-element bits; one prediction starts with 0."""
    true, pred = tmp_path / "true.json", tmp_path / "pred.json"
    true.write_text('{"a": [1, 0, 0, 1, 0], "b": [1, 1, 0]}')
    pred.write_text('{"a": [1, 0, 0, 1, 0], "b": [0, 1, 0]}')
    return true, pred
