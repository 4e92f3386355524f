"""What a killed run leaves: its file, and beside it what was not yet put into the file."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path


def copied_after(count: int, out: Path, copy: Path) -> Callable[[int, int], None]:
    """A report of progress that copies a run in the middle, as a kill at that moment would leave it."""

    def progress(done: int, total: int) -> None:
        if done == count:
            for end in ("", "-wal"):
                shutil.copy(out.with_name(out.name + end), copy.with_name(copy.name + end))

    return progress
