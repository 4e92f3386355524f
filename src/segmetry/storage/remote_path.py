"""Files of an object store or a web server, as far as readers of chunked volumes use paths.

The files are opened by fsspec. Nothing here is reached unless the user allows it (``--remote``): a segmentation that is
evaluated must not make a program connect to somewhere.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import SimpleNamespace
from typing import IO, Any

from segmetry._base import frozen_dataclass, import_optional
from segmetry.errors import FormatError, MissingExtraError

PROTOCOLS = ("https", "http", "s3", "gs", "gcs", "az", "abfs")
"""The protocols of stores; fsspec knows others, which lead to files of this machine or start programs."""
READ_AT_ONCE = 2**25
"""Files up to so many bytes are fetched by one request, larger ones in the parts that are read."""


@frozen_dataclass()
class RemotePath:
    """A path in a store; ``url`` has no slash at its end."""

    url: str

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(f"{self.url}/{name}")

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        return self.url.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        dot = self.name.rfind(".")
        return self.name[dot:] if dot > 0 else ""

    @property
    def parent(self) -> RemotePath:
        return RemotePath(self.url.rpartition("/")[0])

    def absolute(self) -> RemotePath:
        """Return the path itself: it does not depend on a folder."""
        return self

    resolve = absolute

    def is_relative_to(self, other: RemotePath) -> bool:
        return f"{self.url}/".startswith(f"{other.url}/")

    def is_dir(self) -> bool:
        """Return True: a store has no folders, so that any path may be the beginning of others."""
        return True

    def is_file(self) -> bool:
        with _translated_errors(self.url):
            try:
                return bool(_file_info(self.url)["type"] == "file")
            except FileNotFoundError as problem:
                if not _is_absent(problem):
                    raise
                return False

    exists = is_file

    def stat(self) -> SimpleNamespace:
        with _translated_errors(self.url):
            return SimpleNamespace(st_size=int(_file_info(self.url).get("size") or 0))

    def read_bytes(self) -> bytes:
        with _translated_errors(self.url):
            return bytes(_file_system(self.url).cat_file(self.url))

    def open(self, mode: str = "rb") -> IO[bytes]:
        if self.stat().st_size <= READ_AT_ONCE:
            return io.BytesIO(self.read_bytes())
        with _translated_errors(self.url):
            opened: IO[bytes] = _file_system(self.url).open(self.url, mode)
            return opened


def is_url(path: object) -> bool:
    """Return whether a path is an address, not the name of a file."""
    return "://" in str(path)


def is_remote(path: object) -> bool:
    """Return whether a path is in a store."""
    return isinstance(path, RemotePath)


def _file_system(url: str) -> Any:
    fsspec = import_optional("fsspec", "reading from an object store or a web server", "remote")
    try:
        return fsspec.filesystem(url.partition("://")[0])
    except ImportError as problem:
        if url.startswith("http"):
            raise MissingExtraError("reading from a web server", "remote") from None
        raise FormatError(f"{url}: the store needs another package: {problem}") from None


@lru_cache(maxsize=2**12)
def _file_info(url: str) -> dict[str, Any]:
    """Return what the store says about a file; that a file is absent is not remembered."""
    info: dict[str, Any] = _file_system(url).info(url)
    return info


def _is_absent(problem: FileNotFoundError) -> bool:
    """Return whether a store says that a file is absent: fsspec says so too where a server cannot be reached."""
    cause = problem.__cause__
    return cause is None or isinstance(cause, FileNotFoundError) or getattr(cause, "status", None) in (404, 410)


@contextmanager
def _translated_errors(url: str) -> Iterator[None]:
    """Turn what a client of a store raises into one error that names the file."""
    try:
        yield
    except (FormatError, MissingExtraError, MemoryError):
        raise
    except Exception as problem:  # noqa: BLE001 - each client has its own errors
        if isinstance(problem, FileNotFoundError) and _is_absent(problem):
            raise FormatError(f"{url}: no such file") from None
        reason = problem.__cause__ or problem
        words = " ".join(str(reason).split())[:120] or type(reason).__name__
        raise FormatError(f"{url}: cannot be fetched: {words}") from None
