"""What the report says about the files of a run: unchanged only if they were read again and are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.report.head import checked_inputs
from segmetry.report.page_data import report_data


@pytest.fixture
def run(tmp_path: Path) -> sm.Run:
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "a.npy", np.array([[1, 1, 2]]))
    sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="pq", out=tmp_path / "run.segm").close()
    return sm.Run.open(tmp_path / "run.segm")


def _stated(run: sm.Run, **options: object) -> str:
    return report_data([run], **options)[0]["runs"][0]["run"]["checked"]["state"]


def test_files_that_are_read_again_are_unchanged(run: sm.Run) -> None:
    assert _stated(run) == "unchanged"


def test_files_that_are_not_read_are_as_stated(run: sm.Run) -> None:
    assert _stated(run, maps="none") == "stated"


@pytest.mark.filterwarnings("ignore:the report has no pictures")
def test_a_changed_file_is_named(run: sm.Run, tmp_path: Path) -> None:
    np.save(tmp_path / "pred" / "a.npy", np.array([[1, 2, 2]]))
    assert _stated(run) == "changed"
    assert "a.npy" in checked_inputs(run)["words"]


@pytest.mark.filterwarnings("ignore:the report has no pictures")
def test_files_that_are_gone_cannot_be_checked(run: sm.Run, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "pred").rename(tmp_path / "elsewhere" / "pred")
    assert _stated(run) == "stated"
    assert "cannot be checked" in checked_inputs(run)["words"]
    assert checked_inputs(run, pred=tmp_path / "elsewhere" / "pred")["state"] == "unchanged"
