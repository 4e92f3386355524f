"""Optional packages: importing them, and turning whatever they raise on a damaged file into one error of ours."""

from __future__ import annotations

import importlib
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from segmetry.errors import DataWarning, FormatError, MissingExtraError, SegmetryError

if TYPE_CHECKING:
    from pathlib import Path


class _NoWarnings:
    """Ignores warnings of libraries while any thread is inside.

    Filters belong to the whole process: threads that each kept and restored them, one before the other has left, would
    leave the filters of one of them behind, and notes of ours would be lost for good.
    """

    def __init__(self) -> None:
        self._lock, self._inside = threading.Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._kept = warnings.catch_warnings()
                self._kept.__enter__()
                own = [known for known in warnings.filters if known[2] is DataWarning]
                warnings.simplefilter("ignore")  # a damaged file is an error or is read; a warning is neither
                warnings.filters[:0] = own  # type: ignore[index]
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._kept.__exit__(None, None, None)


_NO_WARNINGS = _NoWarnings()


@contextmanager
def translate_errors(path: Path | str, what: str) -> Iterator[None]:
    """Turn anything a library raises into an error that names the file; our own errors pass unchanged."""
    try:
        with _NO_WARNINGS:
            yield
    except (SegmetryError, MemoryError):  # a file that is too large is not damaged
        raise
    except Exception as problem:  # noqa: BLE001
        lines = "".join(c if c.isprintable() else " " for c in str(problem)).split()
        words = " ".join(lines)[:120] or type(problem).__name__
        raise FormatError(f"{path}: damaged {what}: {words}") from None


@contextmanager
def errors_within(place: str) -> Iterator[None]:
    """Put the file or item in which an error of ours happens before its message."""
    try:
        yield
    except SegmetryError as problem:
        raise problem.within(place) from None


@contextmanager
def importing(feature: str, packages: str) -> Iterator[None]:
    """Say which packages a feature needs where an import of theirs fails."""
    try:
        yield
    except ImportError as problem:
        raise MissingExtraError(feature, packages=packages) from problem


def import_optional(name: str, feature: str, extra: str) -> ModuleType:
    """Import a package that an extra installs."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(feature, extra) from None
    import logging

    logger = logging.getLogger(name)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())  # its messages about a file are in our error
    return module
