"""Atomic writes: a file is written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from segmetry.errors import OptionError


def write_atomically(path: Path, content: str | bytes, check: Callable[[Path], None] | None = None) -> None:
    """Write a file of text or bytes; ``check`` is called with the temporary file and may reject it.

    A link is followed. A device or a pipe, such as ``/dev/stdout`` or ``>(gzip)``, is written to: a rename would put a
    file in its place.
    """
    check_target(path)
    data = content.encode() if isinstance(content, str) else content
    if _is_stream(path):
        _write_stream(path, data, check)
        return
    path = _behind_links(path)
    with temporary_beside(path) as temporary:
        temporary.write_bytes(data)
        if check is not None:
            check(temporary)
        replace_lastingly(temporary, path)


def replace_lastingly(temporary: Path, path: Path) -> None:
    """Rename a file so that a failure of power leaves the old or the new one, and after this only the new one."""
    sync(temporary)
    temporary.replace(path)
    sync(path.parent)


_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF)
"""What a file system without such a wait answers; any other error is one of the disk."""


def sync(path: Path) -> None:
    """Wait until the disk has a file, or the names in a folder."""
    try:
        is_folder = path.is_dir()
        place = os.open(path, os.O_RDONLY if is_folder else os.O_RDWR)
    except PermissionError:  # a folder that may be written but not read; Windows opens no folders
        return
    try:
        if is_folder or not hasattr(os, "fdatasync"):
            os.fsync(place)
        else:
            os.fdatasync(place)  # without the time of the last change
    except OSError as problem:
        if problem.errno not in _NO_SYNC:
            raise
    finally:
        os.close(place)


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """Create a temporary file next to ``path``; it is removed at the end unless it was renamed."""
    import tempfile

    try:
        # In the same folder, because a rename is atomic within one file system only.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as problem:
        raise OptionError(f"{path}: cannot be written: {problem.strerror}") from None
    os.close(handle)
    temporary = Path(name)
    try:
        # mkstemp makes files that only their owner reads; the result should have the mode that open() would give.
        temporary.chmod(0o666 & ~_umask())
        yield temporary
    except OSError as problem:
        raise OptionError(f"{path}: cannot be written: {problem.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)


def check_target(path: Path) -> None:
    """Raise an error if a file cannot be written, before any work is done for it."""
    if path.is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write")
    if _is_stream(path):
        return
    path = _behind_links(path)
    if not path.parent.is_dir():
        raise OptionError(f"{path}: cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise OptionError(f"{path}: cannot be written: no permission to write in {path.parent}")


def _is_stream(path: Path) -> bool:
    """Return whether the path exists and is not a regular file: a device, a pipe, a socket."""
    return path.exists() and not path.is_file()


def _write_stream(path: Path, data: bytes, check: Callable[[Path], None] | None) -> None:
    try:
        if check is not None:
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / "output"
                copy.write_bytes(data)
                check(copy)
        path.write_bytes(data)
    except OSError as problem:
        raise OptionError(f"{path}: cannot be written: {problem.strerror}") from None


def _behind_links(path: Path) -> Path:
    """Return the target of a link; a path that is not a link stays as the user wrote it."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _umask() -> int:
    """Return the user's file mode mask; a temporary file is created with a stricter one."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
