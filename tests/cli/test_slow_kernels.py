"""An installation without compiled kernels says so: in ``info --self`` and before the commands that count."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from segmetry import about
from segmetry.kernels import backend
from tests.cli.running import Runner

WORDS = "the compiled kernels are missing (no library)"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    np.save(tmp_path / "t.npy", np.array([[1, 1, 2]]))
    return [str(tmp_path / "t.npy")] * 2


def test_a_missing_library_is_said_once_by_what_counts(
    segmetry: Runner, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "missing", "no library")
    result = segmetry("score", *files)
    assert result.code == 0 and result.err.count(WORDS) == 1
    assert segmetry("metrics").err == ""
    assert WORDS in segmetry("info", "--self").out
    assert WORDS in json.loads(segmetry("info", "--self", "--json").out)["kernels_note"]


def test_nothing_is_said_where_nothing_is_missing(
    segmetry: Runner, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "missing", "")
    assert "both sides are the same files" in segmetry("score", *files).err
    assert WORDS not in segmetry("score", *files).err
    assert "kernels_note" not in about()


def test_an_interpreter_without_a_global_lock_is_rejected_with_a_reason(
    segmetry: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 0}.get)
    assert "interpreter_note" not in about()
    monkeypatch.setattr(sysconfig, "get_config_var", {"Py_GIL_DISABLED": 1}.get)
    assert "segmetry does not support" in about()["interpreter_note"]
    assert "interpreter note: this interpreter has no global lock" in segmetry("info", "--self").out
