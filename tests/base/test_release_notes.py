"""Fragments become a section of the changelog, or further points of a first release's text."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
TEXT = "# Changelog\n\n## 1.0.0 (unreleased)\n\nThe first release.\n"


def written(folder: Path, version: str, **fragments: str) -> tuple[str, str]:
    """The changelog and what was printed, after the notes of a version were written from fragments."""
    (folder / "tools").mkdir(parents=True)
    shutil.copy(PROJECT / "tools" / "write_notes.py", folder / "tools")
    (folder / "CHANGELOG.md").write_text(TEXT, encoding="utf-8")
    (folder / "changelog.d").mkdir()
    for name, text in fragments.items():
        (folder / "changelog.d" / f"+{name}.{name}.md").write_text(text, encoding="utf-8")
    command = [sys.executable, str(folder / "tools" / "write_notes.py"), version]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not list((folder / "changelog.d").glob("*.md"))
    return (folder / "CHANGELOG.md").read_text(encoding="utf-8"), done.stdout


def test_a_first_release_takes_what_was_added_and_drops_the_rest(tmp_path: Path) -> None:
    notes, printed = written(tmp_path, "1.0.0", added="A thing\nof use.\n", fixed="No longer wrong.\n")
    assert notes == TEXT + "\n### Also\n\n- A thing\n  of use.\n"
    assert printed == "added: +added.added.md\ndropped: +fixed.fixed.md\n"


def test_nothing_to_write(tmp_path: Path) -> None:
    assert written(tmp_path, "1.0.0") == (TEXT, "")
    assert written(tmp_path / "other", "1.1.0") == (TEXT, "")
