"""Rights that are lost in the middle of a run: one error that names the file, and a run that can be continued."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import SegmetryError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the users of POSIX")

N_ITEMS = 8
NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that a user without rights can use; those of pytest belong to the one who runs it."""
    home = Path(tempfile.mkdtemp())
    for side, shift in (("true", 0), ("pred", 1)):
        (home / side).mkdir()
        for number in range(N_ITEMS):
            np.save(home / side / f"{number}.npy", np.roll(np.arange(64).reshape(8, 8) // 9 + number % 3, shift))
    (home / "out").mkdir()
    if os.getuid() == 0:
        for path in [home, *home.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)
    yield home
    for path in (home / "out", home / "pred"):
        path.chmod(0o700)
    shutil.rmtree(home)


def evaluated(home: Path, out: Path, **options: Any) -> sm.Run:
    facts: dict[str, Any] = {"metrics": ["pq"], "engine": "serial", "read": {"labels": "instances"}}
    return sm.evaluate(home / "true", home / "pred", out=out, **facts, **options)


def as_a_user(home: Path, lose: Callable[[], None]) -> str:
    """The error of an evaluation, in a process without the rights of the superuser, that loses rights at item 3."""

    def progress(done: int, _total: int) -> None:
        if done == 3:
            lose()

    process = os.fork()
    if process == 0:
        try:
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            evaluated(home, home / "out" / "run.segm", progress=progress)
            words = "no error"
        except SegmetryError as problem:
            words = str(problem)
        except BaseException as problem:  # noqa: BLE001 - the test fails with its words
            words = f"{type(problem).__name__}: {problem}"
        (home / "true" / "words").write_text(words)
        os._exit(0)
    os.waitpid(process, 0)
    words = (home / "true" / "words").read_text()
    (home / "true" / "words").unlink()
    return words


def test_an_input_cannot_be_read_any_more(folder: Path) -> None:
    whole = evaluated(folder, folder / "whole.segm").content_digest()
    victim = folder / "pred" / "5.npy"
    words = as_a_user(folder, lambda: victim.chmod(0))
    assert str(victim) in words and "Error:" not in words
    victim.chmod(0o600)
    with sm.Run.open(folder / "out" / "run.segm") as run:
        assert run.n_done == 5
    assert evaluated(folder, folder / "out" / "run.segm", resume=True).content_digest() == whole


def test_the_folder_of_the_run_cannot_be_written_any_more(folder: Path) -> None:
    """The files of the run are open; whether it can be completed or not, what was done is kept."""
    whole = evaluated(folder, folder / "whole.segm").content_digest()
    words = as_a_user(folder, lambda: (folder / "out").chmod(0o500))
    assert words == "no error" or str(folder / "out" / "run.segm") in words
    (folder / "out").chmod(0o700)
    with sm.Run.open(folder / "out" / "run.segm") as run:
        assert run.n_done >= 3
    assert evaluated(folder, folder / "out" / "run.segm", resume=True).content_digest() == whole
