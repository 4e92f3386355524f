"""Opening files: the first bytes of a file, and one error for anything that keeps it from being read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from segmetry.errors import FormatError

HEAD = 4096
"""The number of first bytes of a file by which a reader may recognise it."""


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; anything that prevents it is one error that names the file."""
    if "\0" in str(path):
        raise FormatError(f"{str(path)!r}: not the name of a file")
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file or folder") from None
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file; none for a folder. A pipe is refused, as it can be read only once."""
    if path.is_dir():
        return b""
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: a pipe or a device, which cannot be read again; save what it gives to a file")
    with opened(path) as file:
        return file.read(HEAD)
