"""Open files and inspect their first bytes; every failure is one error that names the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from segmetry.errors import FormatError
from segmetry.storage import is_remote

HEAD = 4096
"""The number of first bytes of a file by which a reader may recognise it."""

_MARK = b"\xef\xbb\xbf"
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # Windows would translate ends of lines
_LOSSY = "whose compression changes labels; save the labels as PNG, from the arrays and not from this file"
_OTHER = "save the labels as a grey PNG"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; anything that prevents it is one error that names the file."""
    _check_name(path)
    try:
        with path.open("rb") as file:
            yield file
    except OSError as problem:
        raise _unreadable_error(path, problem) from None


def read_start(path: Path, most: int) -> bytes:
    """Return the first ``most`` bytes of a file, or all of a shorter one; errors are those of :func:`opened`.

    Four system calls: Python's ``open`` needs as many again, which take as long as reading a small image.
    """
    if is_remote(path):
        with opened(path) as file:
            return file.read(most)
    _check_name(path)
    try:
        number = os.open(path, _READ)
        try:
            content = more = os.read(number, most)
            while more and len(content) < most:
                more = os.read(number, most - len(content))
                content += more
        finally:
            os.close(number)
    except OSError as problem:
        raise _unreadable_error(path, problem) from None
    return content


def _check_name(path: Path) -> None:
    if "\0" in str(path):
        raise FormatError(f"{str(path)!r}: not the name of a file")


def _unreadable_error(path: Path, problem: OSError) -> FormatError:
    if isinstance(problem, FileNotFoundError):
        return FormatError(f"{path}: no such file or folder")
    return FormatError(f"{path}: cannot be read: {problem.strerror}")


def json_start(head: bytes) -> bytes:
    """Return the first bytes of a JSON text without a byte order mark and blanks."""
    return head.removeprefix(_MARK).lstrip()


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file, after a byte order mark; none for a folder, an error for a pipe."""
    if path.is_dir():
        return b""
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: a pipe or a device, which cannot be read again; save what it gives to a file")
    with opened(path) as file:
        head = file.read(HEAD)
        return head[len(_MARK) :] + file.read(len(_MARK)) if head.startswith(_MARK) else head


def lookalike(head: bytes) -> str | None:
    """Return what an unsupported file is by its first bytes, and what to do instead; None if it is not recognised."""
    if head.startswith(b"\xff\xd8\xff"):
        return f"a JPEG image, {_LOSSY}"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return f"a WebP image, {_LOSSY}"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return f"a GIF image; {_OTHER}"
    if head.startswith(b"BM") and head[6:10] == bytes(4):  # two reserved fields follow the size of the file
        return f"a BMP image; {_OTHER}"
    if head.startswith(b"SQLite format 3\0") and head[68:72] == b"SEGM":  # the application id of a run file
        return "a run file of segmetry, scored already; 'segmetry info', 'export' and 'diagnose' take it"
    return None
