"""Read text files: UTF-8 with or without a byte order mark, lines that end in LF or CR LF."""

from __future__ import annotations

from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.parts.file_head import HEAD


def read_text(path: Path) -> str:
    """Return the text of a file with LF line endings."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None
    if not content:
        raise FormatError(f"{path}: an empty file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        before = content[: problem.start]
        column = problem.start - (before.rfind(b"\n") + 1) + 1
        raise FormatError(
            f"{path}, line {before.count(10) + 1}, column {column}: "
            f"byte {content[problem.start]:#04x} is not UTF-8 text"
        ) from None
    text = text.replace("\r\n", "\n")
    at = text.find("\0")
    if at >= 0:
        raise FormatError(f"{path}, {line_and_column(text, at)}: a NUL character; expected text")
    return text


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file without line endings."""
    return read_text(path).removesuffix("\n").split("\n")


def line_and_column(text: str, at: int, first: int = 1) -> str:
    r"""Return the position of a character as text; lines are counted from ``first``, columns from 1.

    >>> line_and_column("ab\ncd", 4)
    'line 2, column 2'
    """
    return f"line {text.count(chr(10), 0, at) + first}, column {at - text.rfind(chr(10), 0, at)}"


def column_of(line: str, field: int) -> int:
    """Return the column, counted from 1, at which a whitespace-separated field of a line starts.

    >>> column_of("0.0  1.5 a", 1)
    6
    """
    at = 0
    for _ in range(field):
        at += len(line[at:]) - len(line[at:].lstrip())
        at += len(line[at:].split(maxsplit=1)[0])
    return at + len(line[at:]) - len(line[at:].lstrip()) + 1


def whole_lines(head: bytes) -> list[str]:
    """Return the complete lines at the start of a file, to recognise its format; none if they are not text."""
    cut = head
    if len(head) >= HEAD:
        end = head.rfind(b"\n")
        cut = head[:end] if end >= 0 else b""
    try:
        text = cut.decode("utf-8-sig")
    except UnicodeDecodeError:
        return []
    return [] if "\0" in text else text.replace("\r\n", "\n").split("\n")
