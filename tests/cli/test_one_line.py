"""What the system refuses is one line and exit code 2, not a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from segmetry.cli.data_warnings import print_warnings
from segmetry.errors import PluginWarning

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="uses the shell and devices of Linux")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            np.save(tmp_path / side / f"{name}.npy", np.array([[1, 1, 2], [1, 2, 2]]))
    return tmp_path


def shell(folder: Path, line: str, **variables: str) -> tuple[int, str]:
    segmetry = f"{sys.executable} -m segmetry"
    ended = subprocess.run(
        ["sh", "-c", line.replace("segmetry", segmetry, 1)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **variables},
    )
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("segmetry score true pred --metrics pq > /dev/full", "cannot be written: the disk is full"),
        ("segmetry metrics > /dev/full", "cannot be written: the disk is full"),
        ("segmetry score true pred --metrics pq >&-", "standard output is closed"),
        ("segmetry score true pred --threads 99999999999999999999", "99999999999999999999 is not in the range"),
        ("segmetry score true pred --jobs 99999999999999999999", "99999999999999999999 is not in the range"),
        ("ulimit -n 14; segmetry score true pred --metrics pq --engine processes --jobs 2", "open files"),
        (
            "SEGMETRY_KERNELS=fast segmetry score true pred",
            "SEGMETRY_KERNELS is 'fast'; expected auto, native or numpy",
        ),
        ("SOURCE_DATE_EPOCH=now segmetry score true pred --report r.html", "SOURCE_DATE_EPOCH is 'now'; expected"),
        (f"SOURCE_DATE_EPOCH={10**30} segmetry score true pred --report r.html", "SOURCE_DATE_EPOCH is"),
    ],
)
def test_one_line(folder: Path, line: str, words: str) -> None:
    code, text = shell(folder, line)
    assert (code, text.count("\n")) == (2, 1), text
    assert words in text


@pytest.mark.slow
def test_a_closed_standard_error_is_no_error_and_no_run_file_gets_its_number(folder: Path) -> None:
    assert shell(folder, "segmetry score true pred --metrics pq --out run.segm 2>&-")[0] == 0
    assert shell(folder, "segmetry score true nowhere 2>&-")[0] == 2
    assert shell(folder, "segmetry info run.segm")[0] == 0


def test_a_warning_of_another_package_is_one_line_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(), print_warnings(PluginWarning, "warning", others=True), print_warnings():
        warnings.simplefilter("default")
        warnings.warn("first\nsecond \x1b[31m", RuntimeWarning, stacklevel=1)
    assert capfd.readouterr().err == "segmetry: warning: first second \\x1b[31m\n"


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    assert shell(folder, "segmetry metrics | head -1 > /dev/null") == (0, "")
