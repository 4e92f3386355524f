"""Whole files or nothing, and nothing put in the place of a device, a pipe or a link."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from segmetry._base.atomic_write import check_target, write_atomically
from segmetry.errors import OptionError


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    check_target(pipe)
    write_atomically(pipe, "a,b\n")
    assert stat.S_ISFIFO(pipe.stat().st_mode), "a rename would have put a plain file there"
    reader.join(timeout=60)
    assert found == ["a,b\n"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for name in ("there", "new"):
        link = tmp_path / f"link to {name}"
        link.symlink_to(folder / name)
    (folder / "there").write_text("old")
    for name in ("there", "new"):
        link = tmp_path / f"link to {name}"
        write_atomically(link, "text")
        assert link.is_symlink() and (folder / name).read_text() == "text"
    assert sorted(path.name for path in folder.iterdir()) == ["new", "there"]


def test_a_link_into_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "nowhere").symlink_to(tmp_path / "no folder" / "file")
    with pytest.raises(OptionError, match="there is no folder"):
        write_atomically(tmp_path / "nowhere", "text")
